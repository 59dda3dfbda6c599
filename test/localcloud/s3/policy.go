package s3

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An s3Policy is a bucket policy, read strictly and written the way S3 writes it: lists of one
// become scalars, longer ones come in another order, account ids become ARNs.
type s3Policy struct {
	Version   string     `json:"Version,omitempty"`
	ID        string     `json:"Id,omitempty"`
	Statement statements `json:"Statement"`
}

type statements []policyStatement

type policyStatement struct {
	Sid          string                             `json:"Sid,omitempty"`
	Effect       string                             `json:"Effect"`
	Principal    *principal                         `json:"Principal,omitempty"`
	NotPrincipal *principal                         `json:"NotPrincipal,omitempty"`
	Action       policyValues                       `json:"Action,omitempty"`
	NotAction    policyValues                       `json:"NotAction,omitempty"`
	Resource     policyValues                       `json:"Resource,omitempty"`
	NotResource  policyValues                       `json:"NotResource,omitempty"`
	Condition    map[string]map[string]policyValues `json:"Condition,omitempty"`
}

// policyValues is a string or a list of them; booleans and numbers are strings too.
type policyValues []string

// A principal is everybody ("*"), or lists by kind.
type principal struct {
	everybody bool
	kinds     map[string]policyValues
}

func strictJSON(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(v)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *statements) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		return strictJSON(data, (*[]policyStatement)(s))
	}
	*s = make(statements, 1)
	return strictJSON(data, &(*s)[0])
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *policyValues) UnmarshalJSON(data []byte) error {
	var many []any
	if !bytes.HasPrefix(data, []byte("[")) {
		data = fmt.Appendf(nil, "[%s]", data)
	}
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	for _, one := range many {
		switch one.(type) {
		case string, bool, float64:
			*v = append(*v, fmt.Sprint(one))
		default:
			return fmt.Errorf("unexpected %T", one)
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (v policyValues) MarshalJSON() ([]byte, error) {
	if len(v) == 1 {
		return json.Marshal(v[0])
	}
	sorted := slices.Sorted(slices.Values(v))
	slices.Reverse(sorted)
	return json.Marshal(sorted)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *principal) UnmarshalJSON(data []byte) error {
	if string(data) == `"*"` {
		p.everybody = true
		return nil
	}
	return json.Unmarshal(data, &p.kinds)
}

// MarshalJSON implements json.Marshaler.
func (p principal) MarshalJSON() ([]byte, error) {
	if p.everybody {
		return json.Marshal("*")
	}
	return json.Marshal(p.kinds)
}

var (
	policySid    = regexp.MustCompile(`^[ -~]*$`) // S3 takes spaces, as its own examples have them: https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html
	policyAction = regexp.MustCompile(`^(\*|(?i:s3):[A-Za-z*?]+)$`)
	principalARN = regexp.MustCompile(`^arn:aws:(iam::\d{12}:(root|(user|role)/[\w+=,.@/-]+)|sts::\d{12}:assumed-role/[\w+=,.@/-]+)$`)
)

// parsePolicy reads a policy of a bucket; the error says what S3 says.
func parsePolicy(data []byte, bucket string) (*s3Policy, error) {
	malformed := func(why string) error { return amazon.Err(http.StatusBadRequest, "MalformedPolicy", why) }
	p := new(s3Policy)
	if len(data) > 20<<10 {
		return nil, amazon.Err(http.StatusBadRequest, "PolicyTooLarge", "Policies must not exceed 20 KiB")
	}
	if err := strictJSON(data, p); err != nil {
		return nil, malformed("This policy contains invalid Json")
	}
	if !slices.Contains([]string{"", "2008-10-17", "2012-10-17"}, p.Version) {
		return nil, malformed("The policy must contain a valid version string")
	}
	if len(p.Statement) == 0 {
		return nil, malformed("Missing required field Statement")
	}
	seen := map[string]bool{}
	for i := range p.Statement {
		s := &p.Statement[i]
		if why := s.invalid(bucket); why != "" {
			return nil, malformed(why)
		}
		if s.Sid != "" && seen[s.Sid] {
			return nil, malformed("Statement IDs (SID) in a single policy must be unique.")
		}
		seen[s.Sid] = true
	}
	return p, nil
}

// invalid says what is wrong with a statement, and puts its principals in their full form.
func (s *policyStatement) invalid(bucket string) string {
	who := s.Principal
	if who == nil {
		who = s.NotPrincipal
	}
	actions, resources := slices.Concat(s.Action, s.NotAction), slices.Concat(s.Resource, s.NotResource)
	switch {
	case !policySid.MatchString(s.Sid):
		return "Statement IDs (SID) must be printable."
	case s.Effect != "Allow" && s.Effect != "Deny":
		return "Invalid effect: " + s.Effect
	case who == nil || (s.Principal != nil && s.NotPrincipal != nil):
		return "Missing required field Principal"
	case !who.complete():
		return "Invalid principal in policy"
	case len(actions) == 0 || (s.Action != nil && s.NotAction != nil):
		return "Missing required field Action"
	case slices.ContainsFunc(actions, func(a string) bool { return !policyAction.MatchString(a) }):
		return "Policy has invalid action"
	case len(resources) == 0 || (s.Resource != nil && s.NotResource != nil):
		return "Missing required field Resource"
	}
	ofBucket, ofObjects := false, false
	for _, resource := range resources {
		name, objects := strings.CutPrefix(resource, "arn:aws:s3:::"+bucket+"/")
		if resource != "arn:aws:s3:::"+bucket && (!objects || name == "") {
			return "Policy has invalid resource"
		}
		ofBucket, ofObjects = ofBucket || !objects, ofObjects || objects
	}
	for _, action := range s.Action {
		if strings.ContainsAny(action, "*?") {
			continue
		}
		action = strings.ToLower(action)
		if onObjects := strings.Contains(action, "object") && !strings.Contains(action, "objectlockconfiguration"); (onObjects && !ofObjects) || (!onObjects && !ofBucket && !strings.Contains(action, "multipart")) {
			return "Action does not apply to any resource(s) in statement"
		}
	}
	return ""
}

// complete turns account ids into ARNs and reports whether all principals could exist.
func (p *principal) complete() bool {
	if p.everybody {
		return true
	}
	for kind, names := range p.kinds {
		if !slices.Contains([]string{"AWS", "Service", "Federated", "CanonicalUser"}, kind) || len(names) == 0 {
			return false
		}
		for i, name := range names {
			switch {
			case kind != "AWS" || name == "*":
			case amazon.AccountID.MatchString(name):
				names[i] = "arn:aws:iam::" + name + ":root"
			case !principalARN.MatchString(name):
				return false
			}
		}
	}
	return len(p.kinds) > 0
}

// narrowing lists the condition keys that keep a policy for everybody from being public.
var narrowing = []string{
	"aws:principalorgid", "aws:principalorgpaths", "aws:principalaccount", "aws:principalarn", "aws:sourcearn", "aws:sourceaccount",
	"aws:sourceowner", "aws:sourceip", "aws:sourcevpc", "aws:sourcevpce", "aws:userid", "aws:vpcsourceip",
	"s3:dataaccesspointaccount", "s3:dataaccesspointarn",
}

// public reports whether a policy lets everybody in.
func (p *s3Policy) public() bool {
	return slices.ContainsFunc(p.Statement, func(s policyStatement) bool {
		everybody := s.NotPrincipal != nil || s.Principal.everybody || slices.Contains(s.Principal.kinds["AWS"], "*")
		return s.Effect == "Allow" && everybody && !s.narrowed()
	})
}

// narrowed reports whether a condition binds the statement to fixed values.
func (s *policyStatement) narrowed() bool {
	for operator, keys := range s.Condition {
		if strings.Contains(operator, "Not") || strings.HasSuffix(operator, "IfExists") || operator == "Null" {
			continue
		}
		for key, values := range keys {
			fixed := !slices.ContainsFunc(values, func(v string) bool {
				return v == "*" || strings.HasSuffix(v, "/0") || (key != "aws:SourceArn" && strings.ContainsAny(v, "*?"))
			})
			if fixed && slices.Contains(narrowing, strings.ToLower(key)) {
				return true
			}
		}
	}
	return false
}

// policyDocument is JSON. A put takes a policy that denies the caller this call, whether the caller confirms that or not, and denies nothing
// by it. No recording shows what S3 does with one that is not confirmed, nor its words for a public policy where these are blocked.
var policyDocument = &document[s3Policy]{
	sub: "policy", noun: "BucketPolicy", headers: []string{"X-Amz-Confirm-Remove-Self-Bucket-Access"}, puts: noContent,
	get:    func(b *s3Bucket) *s3Policy { return b.policy },
	absent: absence{"NoSuchBucketPolicy", "The bucket policy does not exist"},
	read:   parsePolicy,
	write: func(p *s3Policy) (answer cloud.Reply, err error) {
		answer = cloud.Reply{Status: http.StatusOK, Header: newHeader()}
		answer.Header.Set("Content-Type", "application/json")
		answer.Body, err = json.Marshal(p)
		return answer, err
	},
	check: func(c *call, b *s3Bucket, asked *s3Policy) error {
		if err := c.checkPrincipals(asked); err != nil {
			return err
		}
		if asked.public() && (b.blocks != nil && b.blocks.BlockPublicPolicy || c.now.Before(b.unblocked)) {
			return amazon.Err(http.StatusForbidden, "AccessDenied", "User: "+c.caller.ARN+" is not authorized to perform: s3:PutBucketPolicy on resource: "+
				`"arn:aws:s3:::`+b.name+`" because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.`)
		}
		return nil
	},
	put:    func(_ *call, b *s3Bucket, asked *s3Policy) { b.policy = asked },
	remove: func(_ *call, b *s3Bucket) { b.policy = nil },
}

func (c *call) getPolicyStatus() (cloud.Reply, error) {
	p, err := policyDocument.of(c)
	if err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(struct {
		XMLName  xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ PolicyStatus"`
		IsPublic string
	}{IsPublic: strings.ToUpper(fmt.Sprint(p.public()))}), nil
}
