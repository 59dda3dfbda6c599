package s3_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// lets is a statement that lets principals read.
func lets(sid string, principals ...string) v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{Sid: sid, Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: principals}, Actions: []string{"s3:GetObject"}, Resources: []string{"/*"}}
}

// denies is a statement that denies all of the bucket to principals.
func denies(sid string, principals ...string) v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{Sid: sid, Effect: "Deny", Principals: &v1alpha1.PolicyPrincipals{AWS: principals}, Actions: []string{"s3:*"}}
}

func withPolicy(statements ...v1alpha1.PolicyStatement) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: statements}}
}

// Statements of others are sent back as they were, with an id and what a spec can't say of them: through additions, changes, removals, and when the field is taken out.
func TestPolicyKeepsTheStatementsOfOthers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-policy", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	theirs := `{"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws:iam::111111111111:root"},"NotAction":"s3:*","NotResource":"arn:aws:s3:::shop-policy/a"}`
	awstest.Do(t, w.S3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &req.Name, Policy: new(`{"Version":"2008-10-17","Id":"theirs","Statement":` + theirs + `}`)})
	statements := func() (version, id string, sids []string, kept bool) {
		out, err := w.S3.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: &req.Name})
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Version   string
			ID        string `json:"Id"`
			Statement []map[string]any
		}
		if err := json.Unmarshal([]byte(*out.Policy), &document); err != nil {
			t.Fatal(err)
		}
		for _, s := range document.Statement {
			sid, _ := s["Sid"].(string)
			text, _ := json.Marshal(s)
			var want any
			_ = json.Unmarshal([]byte(theirs), &want)
			wanted, _ := json.Marshal(want)
			sids, kept = append(sids, sid), kept || string(text) == string(wanted)
		}
		return document.Version, document.ID, sids, kept
	}
	for _, step := range []struct {
		spec v1alpha1.BucketParameters
		want []string
	}{
		{withPolicy(lets("A", "222222222222")), []string{"", "A"}},
		{withPolicy(lets("A", "333333333333"), lets("B", "222222222222")), []string{"", "A", "B"}},
		{withPolicy(lets("B", "222222222222")), []string{"", "B"}},
		{v1alpha1.BucketParameters{}, []string{""}},
	} {
		req.Spec = step.spec
		req.Applied = w.settleBucket(req).Applied
		if version, id, sids, kept := statements(); version != "2012-10-17" || id != "theirs" || !slices.Equal(sids, step.want) || !kept {
			t.Errorf("version %s, id %s, statements %q, theirs kept %v; want %q", version, id, sids, kept, step.want)
		}
	}
}

// A version before makes plain text of the variables in our statements: that is seen, and mended where it changes nothing for others. Without variables the version means nothing.
func TestPolicyOfAnotherVersion(t *testing.T) {
	const plain, variables = `{"Sid":"Theirs","Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::shop-version/a"}`,
		`{"Sid":"Theirs","Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::shop-version/${aws:username}/*"}`
	for name, tt := range map[string]struct {
		ours, version, theirs string
		writes                int
		refused               bool
	}{
		"of no meaning":           {"/a/*", "2008-10-17", plain, 0, false},
		"variables of ours":       {"/${aws:username}/*", "2008-10-17", plain, 1, false},
		"left out":                {"/${aws:username}/*", "", plain, 1, false},
		"as it was":               {"/${aws:username}/*", "2012-10-17", variables, 0, false},
		"of meaning to others":    {"/${aws:username}/*", "2008-10-17", variables, 0, true},
		"of meaning to them only": {"/a/*", "2008-10-17", variables, 0, false},
		"plain text in any":       {"/${$}{aws:username}/*", "2008-10-17", plain, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			s := lets("A", "222222222222")
			s.Resources = []string{tt.ours}
			req := awstest.BucketOf("shop-version", withPolicy(s))
			req.Applied = w.settleBucket(req).Applied
			resource := "arn:aws:s3:::shop-version" + strings.ReplaceAll(tt.ours, "${$}{", "${")
			document := `{"Version":"` + tt.version + `",`
			if tt.version == "" {
				document = `{`
			}
			document += `"Statement":[` + tt.theirs + `,{"Sid":"A","Effect":"Allow","Principal":{"AWS":"222222222222"},"Action":"s3:GetObject","Resource":"` + resource + `"}]}`
			awstest.Do(t, w.S3.PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &req.Name, Policy: &document})
			w.Ledger.Reset()
			failed := w.attempt(&req)
			if len(failed) > 0 != tt.refused || w.Writes() != tt.writes {
				t.Errorf("refused %v, %d writes; want refused %v, %d writes", failed, w.Writes(), tt.refused, tt.writes)
			}
			if got := w.policyOf(req.Name); tt.writes > 0 && (!strings.Contains(got, `"Version":"2012-10-17"`) || !strings.Contains(got, "Theirs")) || tt.writes == 0 && tt.version == "2008-10-17" && !strings.Contains(got, tt.version) {
				t.Errorf("the policy is %s", got)
			}
			if seen := w.bucket(req); len(seen.Changes) > 0 != tt.refused {
				t.Errorf("then %+v differs", seen.Changes)
			}
		})
	}
}

// A policy that can't be read is none of ours to change: no error counts as no policy.
func TestPolicyThatCannotBeRead(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-policy", withPolicy(lets("A", "222222222222")))
	w.settleBucket(awstest.BucketOf("shop-policy", v1alpha1.BucketParameters{}))
	changes := []driver.Change{{Field: "aws.policy", Entries: true, Names: []string{"A"}}}
	for _, kind := range []localcloud.FaultKind{localcloud.Denied, localcloud.Throttled, localcloud.ServerError, localcloud.RequestLost} {
		lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "GetBucketPolicy"}, Kind: kind})
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: changes})
		if err == nil && len(result.Failed) == 0 {
			t.Errorf("%v: the policy was written", kind)
		}
		lift()
		if _, err := w.S3.GetBucketPolicy(t.Context(), &s3.GetBucketPolicyInput{Bucket: &req.Name}); err == nil {
			t.Fatalf("%v: there is a policy", kind)
		}
	}
}

// A policy that denies Mooring the way back is refused by its fields before any call, unless the spec says that this is wanted.
func TestPolicyThatLocksMooringOut(t *testing.T) {
	arn := "arn:aws:iam::" + awstest.Account + ":user/mooring"
	except := func(operator, key string, values ...string) v1alpha1.PolicyStatement {
		s := denies("A", "*")
		s.When = []v1alpha1.PolicyCondition{{Operator: operator, Key: key, Values: values}}
		return s
	}
	of := func(change func(*v1alpha1.PolicyStatement)) v1alpha1.PolicyStatement {
		s := denies("A", "*")
		change(&s)
		return s
	}
	for name, tt := range map[string]struct {
		statement      v1alpha1.PolicyStatement
		refused, draft bool
	}{
		"everybody":                                {denies("A", "*"), true, true},
		"the account":                              {denies("A", awstest.Account), true, false},
		"the account by its ARN":                   {denies("A", "arn:aws:iam::"+awstest.Account+":root"), true, false},
		"another account":                          {denies("A", "222222222222"), false, false},
		"Mooring by name":                          {denies("A", arn), true, false},
		"somebody else by name":                    {denies("A", "arn:aws:iam::"+awstest.Account+":user/else"), false, false},
		"all but Mooring, by a condition":          {except("ArnNotLike", "aws:PrincipalArn", arn), false, false},
		"all but others, by a condition":           {except("ArnNotLike", "aws:PrincipalArn", "arn:aws:iam::"+awstest.Account+":role/admin"), true, false},
		"only others, by a condition":              {except("ArnLike", "AWS:principalARN", "arn:aws:iam::"+awstest.Account+":role/*"), false, false},
		"all but the account":                      {except("StringNotEquals", "aws:PrincipalAccount", awstest.Account), false, false},
		"an address that Mooring may not have":     {except("NotIpAddress", "aws:SourceIp", "192.0.2.0/24"), true, true},
		"a number of no account":                   {except("StringEquals", "aws:PrincipalAccount", "222222222222"), false, false},
		"wildcards where they are none":            {except("StringNotEquals", "aws:PrincipalArn", "arn:aws:iam::"+awstest.Account+":user/*"), true, false},
		"requests without TLS, as they are here":   {except("Bool", "aws:SecureTransport", "false"), true, false},
		"requests with TLS, as they are elsewhere": {except("Bool", "aws:SecureTransport", "true"), false, true},
		"objects alone":                            {of(func(s *v1alpha1.PolicyStatement) { s.Resources = []string{"/*"} }), false, false},
		"all but objects":                          {of(func(s *v1alpha1.PolicyStatement) { s.NotResources = []string{"/*"} }), true, true},
		"other actions":                            {of(func(s *v1alpha1.PolicyStatement) { s.Actions = []string{"s3:ListBucket", "s3:DeleteBucket"} }), false, false},
		"the action that takes a policy back":      {of(func(s *v1alpha1.PolicyStatement) { s.Actions = []string{"s3:deletebucketpolic?"} }), true, true},
		"all but other actions":                    {of(func(s *v1alpha1.PolicyStatement) { s.Actions, s.NotActions = nil, []string{"s3:Get*"} }), true, true},
		"all but the actions that take a policy back": {of(func(s *v1alpha1.PolicyStatement) {
			s.Actions, s.NotActions = nil, []string{"s3:*BucketPolicy", "s3:*Tagging"}
		}), false, false},
		"all principals but others": {of(func(s *v1alpha1.PolicyStatement) {
			s.Principals, s.NotPrincipals = nil, &v1alpha1.PolicyPrincipals{AWS: []string{"222222222222"}}
		}), true, true},
		"all principals but some, whether or not Mooring is one": {of(func(s *v1alpha1.PolicyStatement) {
			s.Principals, s.NotPrincipals = nil, &v1alpha1.PolicyPrincipals{AWS: []string{awstest.Account, arn}}
		}), true, true},
		"whom an identity provider lets in": {of(func(s *v1alpha1.PolicyStatement) {
			s.Principals = &v1alpha1.PolicyPrincipals{Federated: []string{"accounts.google.com"}}
		}), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.BucketOf("shop-policy", v1alpha1.BucketParameters{})
			w.settleBucket(req)
			req.Spec = withPolicy(tt.statement)
			refused := func() string {
				result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
				if err != nil {
					t.Fatal(err)
				}
				if len(result.Failed) == 0 {
					return ""
				}
				if driver.CodeOf(result.Failed[0].Err) != driver.Invalid || result.Failed[0].Field != "aws.policy" {
					t.Errorf("failed %v", result.Failed)
				}
				return result.Failed[0].Err.Error()
			}
			if why := refused(); strings.Contains(why, "confirmRemoveSelfBucketAccess") != tt.refused || (why != "") != tt.refused {
				t.Errorf("refused with %q, want refused: %v", why, tt.refused)
			}
			if got := checked(t, req.Spec); strings.Contains(strings.Join(got, " "), "aws.confirmRemoveSelfBucketAccess") != tt.draft {
				t.Errorf("the draft is refused with %q, want %v", got, tt.draft)
			}
			req.Spec.AWS.ConfirmRemoveSelfBucketAccess = new(true)
			if why := refused(); why != "" {
				t.Errorf("confirmed, and yet refused with %q", why)
			}
		})
	}
}

// checked returns what the driver refuses of a draft.
func checked(t *testing.T, spec v1alpha1.BucketParameters) (messages []string) {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	refusals, err := aws.New(aws.Options{}).Check("Bucket", driver.Draft{Spec: raw})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refusals {
		messages = append(messages, fmt.Sprint(r.Fields, r.Message))
	}
	return messages
}

// S3 takes no public policy while public access is blocked. That is refused by the field, before it is sent where it is known and with advice where S3 says so.
func TestPublicPolicyBesideBlockedAccess(t *testing.T) {
	narrowed := lets("A", "*")
	narrowed.When = []v1alpha1.PolicyCondition{{Operator: "StringEquals", Key: "aws:PrincipalOrgID", Values: []string{"o-1"}}}
	for name, tt := range map[string]struct {
		statement v1alpha1.PolicyStatement
		access    *v1alpha1.PublicAccess
		refused   bool
	}{
		"blocked":             {lets("A", "*"), new(v1alpha1.PublicAccessBlocked), true},
		"as a new bucket is":  {lets("A", "*"), nil, true},
		"allowed":             {lets("A", "*"), new(v1alpha1.PublicAccessAllowed), false},
		"an organization":     {narrowed, nil, false},
		"somebody":            {lets("A", "222222222222"), nil, false},
		"a denial, in public": {v1alpha1.PolicyStatement{Sid: "A", Effect: "Deny", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"*"}}, Actions: []string{"s3:GetObject"}}, nil, false},
	} {
		spec := withPolicy(tt.statement)
		spec.PublicAccess = tt.access
		if got := checked(t, spec); len(got) > 0 != tt.refused {
			t.Errorf("%s: refused with %q, want %v", name, got, tt.refused)
		}
		w := newEnvironment(t, localcloud.Options{})
		_, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-public", spec))
		if (driver.CodeOf(err) == driver.Invalid) != tt.refused {
			t.Errorf("%s: created with %v, want refused %v", name, err, tt.refused)
		}
	}
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-public", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = withPolicy(lets("A", "*"))
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Error(), "set spec.publicAccess to Allowed") {
		t.Errorf("%v, failed %v; want aws.policy, Invalid, with advice", err, result.Failed)
	}
}

// A policy that S3 refuses is named with what to look for.
func TestPolicyThatS3Refuses(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = withPolicy(lets("A", "arn:aws:iam::1:role/nobody"))
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Fatalf("%v, failed %v; want aws.policy, Invalid", err, result.Failed)
	}
	if message := result.Failed[0].Err.Error(); !strings.Contains(message, "correct spec.aws.policy") || !strings.Contains(message, "Invalid principal in policy") {
		t.Errorf("%q lacks advice or S3's words", message)
	}
}

// A new bucket is known to have no policy: a policy costs it one write.
func TestPolicyOfANewBucket(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	if _, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-new", withPolicy(lets("A", "222222222222")))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CreateBucket", "PutBucketPolicy"}, w.Operations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
