package s3

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awspolicy "github.com/hashicorp/awspolicyequivalence"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// policyVersion is the version of the language of policies that has variables such as ${aws:username}. In the one before they are plain text.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_version.html
const policyVersion = "2012-10-17"

// variable is how a variable begins in a policy.
const variable = "${"

// A policyDocument is a bucket policy as S3 has it. Its statements are kept as they are: those of others are sent back so.
type policyDocument struct {
	Version   string           `json:"Version,omitempty"`
	ID        string           `json:"Id,omitempty"`
	Statement policyStatements `json:"Statement"`
}

// policyStatements is a statement or a list of them.
type policyStatements []json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (s *policyStatements) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, (*[]json.RawMessage)(s))
	}
	*s = policyStatements{bytes.Clone(data)}
	return nil
}

// An awsStatement is a statement in AWS's own words.
type awsStatement struct {
	Sid          string                         `json:"Sid,omitempty"`
	Effect       string                         `json:"Effect,omitempty"`
	Principal    awsPrincipals                  `json:"Principal,omitempty"`
	NotPrincipal awsPrincipals                  `json:"NotPrincipal,omitempty"`
	Action       awsTexts                       `json:"Action,omitempty"`
	NotAction    awsTexts                       `json:"NotAction,omitempty"`
	Resource     awsTexts                       `json:"Resource,omitempty"`
	NotResource  awsTexts                       `json:"NotResource,omitempty"`
	Condition    map[string]map[string]awsTexts `json:"Condition,omitempty"`
}

// awsTexts is a text or a list of them. Numbers and truth values are texts, too.
type awsTexts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *awsTexts) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if !bytes.HasPrefix(data, []byte("[")) {
		data = fmt.Appendf(nil, "[%s]", data)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		*t = append(*t, text)
	}
	return nil
}

// awsPrincipals are principals by their sort. "*" alone is the same as everybody of the sort AWS.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
type awsPrincipals map[string]awsTexts

// UnmarshalJSON implements json.Unmarshaler.
func (p *awsPrincipals) UnmarshalJSON(data []byte) error {
	var everybody string
	if json.Unmarshal(data, &everybody) == nil {
		*p = awsPrincipals{"AWS": {everybody}}
		return nil
	}
	return json.Unmarshal(data, (*map[string]awsTexts)(p))
}

// principalsTo returns principals as AWS has them.
func principalsTo(p *v1alpha1.PolicyPrincipals) awsPrincipals {
	if p == nil {
		return nil
	}
	all := awsPrincipals{"AWS": p.AWS, "Service": p.Service, "Federated": p.Federated}
	maps.DeleteFunc(all, func(_ string, names awsTexts) bool { return len(names) == 0 })
	return all
}

// principalsFrom returns principals as a spec says them, with canonical user ids, which no spec has, among those of AWS.
func principalsFrom(p awsPrincipals) *v1alpha1.PolicyPrincipals {
	if p == nil {
		return nil
	}
	return &v1alpha1.PolicyPrincipals{AWS: sorted(slices.Concat(p["AWS"], p["CanonicalUser"])), Service: sorted(p["Service"]), Federated: sorted(p["Federated"])}
}

// sorted returns texts in order; nil for none.
func sorted(list awsTexts) []string { return slices.Sorted(slices.Values(list)) }

// wholeBucket are the resources of a statement that names none: the bucket, and all its objects.
var wholeBucket = []string{"/", "/*"}

// statementTo returns a statement in AWS's words. A resource follows the ARN of the bucket, which is empty to compare statements.
func statementTo(s v1alpha1.PolicyStatement, arn string) awsStatement {
	if s.Resources == nil && s.NotResources == nil {
		s.Resources = wholeBucket
	}
	out := awsStatement{
		Sid: s.Sid, Effect: s.Effect, Principal: principalsTo(s.Principals), NotPrincipal: principalsTo(s.NotPrincipals), Action: s.Actions, NotAction: s.NotActions,
		Resource: resourcesTo(s.Resources, arn), NotResource: resourcesTo(s.NotResources, arn),
	}
	for _, c := range s.When {
		if out.Condition == nil {
			out.Condition = map[string]map[string]awsTexts{}
		}
		if out.Condition[c.Operator] == nil {
			out.Condition[c.Operator] = map[string]awsTexts{}
		}
		out.Condition[c.Operator][c.Key] = c.Values
	}
	return out
}

func resourcesTo(resources []string, arn string) (out awsTexts) {
	for _, r := range resources {
		switch {
		case arn == "" || !strings.HasPrefix(r, "/"):
			out = append(out, r)
		case r == "/":
			out = append(out, arn)
		default:
			out = append(out, arn+r)
		}
	}
	return out
}

// bucketARN finds what follows the name of a bucket in an ARN, in any partition.
var bucketARN = regexp.MustCompile(`^arn:[a-z-]+:s3:::([^/]+)(/.*)?$`)

// in returns the name of the bucket that an ARN is of; what is no such ARN is returned as it is.
func in(arn *string) string {
	if found := bucketARN.FindStringSubmatch(aws.ToString(arn)); found != nil && found[2] == "" {
		return found[1]
	}
	return aws.ToString(arn)
}

// statementFrom returns a statement as a spec says it. Resources of other buckets, which S3 does not take, stay as they are.
func statementFrom(s awsStatement, bucket string) v1alpha1.PolicyStatement {
	within := func(resources awsTexts) (out []string) {
		for _, r := range resources {
			if found := bucketARN.FindStringSubmatch(r); found != nil && found[1] == bucket {
				r = found[2]
				if r == "" {
					r = "/"
				}
			}
			out = append(out, r)
		}
		slices.Sort(out)
		return out
	}
	out := v1alpha1.PolicyStatement{
		Sid: s.Sid, Effect: s.Effect, Principals: principalsFrom(s.Principal), NotPrincipals: principalsFrom(s.NotPrincipal), Actions: sorted(s.Action), NotActions: sorted(s.NotAction),
		Resources: within(s.Resource), NotResources: within(s.NotResource),
	}
	if slices.Equal(out.Resources, wholeBucket) {
		out.Resources = nil
	}
	for _, operator := range slices.Sorted(maps.Keys(s.Condition)) {
		for _, key := range slices.Sorted(maps.Keys(s.Condition[operator])) {
			out.When = append(out.When, v1alpha1.PolicyCondition{Operator: operator, Key: key, Values: sorted(s.Condition[operator][key])})
		}
	}
	return out
}

// A policy is the statements of a bucket by their names, and as a spec says them.
type policy struct {
	entries    map[string]string
	statements []v1alpha1.PolicyStatement
}

// policyOf names statements: by the sid, or one without a sid by what it says. Each is written as JSON, with the names of the spec.
func policyOf(statements []v1alpha1.PolicyStatement) *policy {
	p := &policy{entries: map[string]string{}, statements: statements}
	for _, s := range statements {
		name, text := statementName(s)
		p.entries[name] = text
	}
	return p
}

func statementName(s v1alpha1.PolicyStatement) (name, text string) {
	s.Sid = sidOf(s.Sid) // of a mirror, in a preview
	raw, err := json.Marshal(s)
	if err != nil { // a struct of texts has no errors
		raw = []byte(err.Error())
	}
	if s.Sid == "" {
		return "(no sid: " + string(raw) + ")", string(raw)
	}
	return s.Sid, string(raw)
}

// statementOf reads what statementName wrote.
func statementOf(text string) (s v1alpha1.PolicyStatement, err error) {
	err = json.Unmarshal([]byte(text), &s)
	return s, err
}

// sameStatement reports whether two statements, as statementName writes them, mean the same.
func sameStatement(want, have string) bool {
	if want == have {
		return true
	}
	a, errA := normalForm(want)
	b, errB := normalForm(have)
	if errA != nil || errB != nil {
		return false
	}
	same, err := awspolicy.PoliciesAreEquivalent(a, b)
	return err == nil && same
}

// normalForm returns a statement as a policy of its own, in one way of several that mean the same and that the comparison tells apart: names of actions and
// of keys in lower case, an account by its ARN, and each text of a list once.
func normalForm(text string) (string, error) {
	s, err := statementOf(text)
	if err != nil {
		return "", err
	}
	out := statementTo(s, "")
	lower := func(list awsTexts) awsTexts {
		for i, text := range list {
			list[i] = strings.ToLower(text)
		}
		return once(list)
	}
	out.Action, out.NotAction, out.Resource, out.NotResource = lower(out.Action), lower(out.NotAction), once(out.Resource), once(out.NotResource)
	for _, principals := range []awsPrincipals{out.Principal, out.NotPrincipal} {
		for sort, names := range principals {
			for i, name := range names {
				if found := accountRoot.FindStringSubmatch(name); sort == "AWS" && found != nil {
					names[i] = found[1]
				}
			}
			principals[sort] = once(names)
		}
	}
	for operator, keys := range out.Condition {
		lowered := map[string]awsTexts{}
		for key, values := range keys {
			lowered[strings.ToLower(key)] = once(values)
		}
		out.Condition[operator] = lowered
	}
	raw, err := json.Marshal(map[string]any{"Version": policyVersion, "Statement": []awsStatement{out}})
	return string(raw), err
}

// accountRoot is an account by the ARN of its root, as S3 reports it. It has an id, too.
var accountRoot = regexp.MustCompile(`^arn:[a-z-]+:iam::([0-9]{12}):root$`)

func once(list awsTexts) awsTexts { return slices.Compact(slices.Sorted(slices.Values(list))) }
