package s3

import (
	"encoding/json"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/table"
)

// Statements are compared by what they mean, in the words in which S3 may return them.
func TestStatementsThatMeanTheSame(t *testing.T) {
	of := func(change func(*v1alpha1.PolicyStatement)) string {
		s := v1alpha1.PolicyStatement{
			Sid: "A", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"222222222222", "*"}}, Actions: []string{"s3:GetObject", "s3:PutObject"}, Resources: []string{"/*", "/"},
			When: []v1alpha1.PolicyCondition{{Operator: "Bool", Key: "aws:SecureTransport", Values: []string{"true"}}},
		}
		change(&s)
		_, text := statementName(s)
		return text
	}
	as := func(document string) string {
		s, err := readStatement(json.RawMessage(document), "b")
		if err != nil {
			t.Fatal(err)
		}
		_, text := statementName(s)
		return text
	}
	everybody := of(func(s *v1alpha1.PolicyStatement) { s.Principals.AWS = []string{"*"} })
	for name, tt := range map[string]struct {
		want, have string
		same       bool
	}{
		"itself": {of(func(*v1alpha1.PolicyStatement) {}), of(func(*v1alpha1.PolicyStatement) {}), true},
		"as S3 has it": {of(func(*v1alpha1.PolicyStatement) {}), as(`{"Sid":"A","Effect":"Allow","Principal":{"AWS":["*","arn:aws:iam::222222222222:root"]},"Action":["s3:PutObject","s3:GetObject"],
			"Resource":["arn:aws:s3:::b/*","arn:aws:s3:::b"],"Condition":{"Bool":{"aws:SecureTransport":true}}}`), true},
		"a canonical user id beside": {of(func(*v1alpha1.PolicyStatement) {}), as(`{"Sid":"A","Effect":"Allow","Principal":{"AWS":["*","arn:aws:iam::222222222222:root"],"CanonicalUser":"79a59df900b949e5"},"Action":["s3:PutObject","s3:GetObject"],
			"Resource":["arn:aws:s3:::b/*","arn:aws:s3:::b"],"Condition":{"Bool":{"aws:SecureTransport":true}}}`), false},
		"another partition":        {of(func(s *v1alpha1.PolicyStatement) { s.Principals.AWS = []string{"222222222222"} }), of(func(s *v1alpha1.PolicyStatement) { s.Principals.AWS = []string{"arn:aws-cn:iam::222222222222:root"} }), true},
		"the whole bucket, unsaid": {of(func(s *v1alpha1.PolicyStatement) { s.Resources = nil }), of(func(*v1alpha1.PolicyStatement) {}), true},
		"twice":                    {of(func(s *v1alpha1.PolicyStatement) { s.Actions = append(s.Actions, "S3:getobject") }), of(func(*v1alpha1.PolicyStatement) {}), true},
		"the same account twice": {of(func(s *v1alpha1.PolicyStatement) {
			s.Principals.AWS = append(s.Principals.AWS, "arn:aws:iam::222222222222:root")
		}), of(func(*v1alpha1.PolicyStatement) {}), true},
		"a key in other letters":       {of(func(s *v1alpha1.PolicyStatement) { s.When[0].Key = "AWS:securetransport" }), of(func(*v1alpha1.PolicyStatement) {}), true},
		"everybody, as a text":         {everybody, as(`{"Sid":"A","Effect":"Allow","Principal":"*","Action":["s3:GetObject","s3:PutObject"],"Resource":["arn:aws:s3:::b/*","arn:aws:s3:::b"],"Condition":{"Bool":{"aws:SecureTransport":"true"}}}`), true},
		"everybody and somebody":       {everybody, of(func(s *v1alpha1.PolicyStatement) { s.Principals.AWS = []string{"333333333333"} }), false},
		"another effect":               {of(func(s *v1alpha1.PolicyStatement) { s.Effect = "Deny" }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"an action less":               {of(func(s *v1alpha1.PolicyStatement) { s.Actions = s.Actions[:1] }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"actions and all but these":    {of(func(s *v1alpha1.PolicyStatement) { s.Actions, s.NotActions = nil, s.Actions }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"a prefix in other letters":    {of(func(s *v1alpha1.PolicyStatement) { s.Resources = []string{"/A"} }), of(func(s *v1alpha1.PolicyStatement) { s.Resources = []string{"/a"} }), false},
		"no condition":                 {of(func(s *v1alpha1.PolicyStatement) { s.When = nil }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"another value of a condition": {of(func(s *v1alpha1.PolicyStatement) { s.When[0].Values = []string{"false"} }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"principals and all but these": {of(func(s *v1alpha1.PolicyStatement) { s.Principals, s.NotPrincipals = nil, s.Principals }), of(func(*v1alpha1.PolicyStatement) {}), false},
		"another bucket":               {of(func(s *v1alpha1.PolicyStatement) { s.Resources = []string{"/*"} }), as(`{"Sid":"A","Effect":"Allow","Principal":{"AWS":["*","222222222222"]},"Action":["s3:GetObject","s3:PutObject"],"Resource":"arn:aws:s3:::other/*","Condition":{"Bool":{"aws:SecureTransport":"true"}}}`), false},
	} {
		if got := sameStatement(tt.want, tt.have); got != tt.same {
			t.Errorf("%s: %s and %s mean the same: %v", name, tt.want, tt.have, got)
		}
	}
}

// The version of a policy decides whether ${…} is a variable: statements of others mean after a change what they meant before.
func TestPolicyVersions(t *testing.T) {
	const plain, variables = `{"Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/a"}`, `{"Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/${aws:username}"}`
	for name, tt := range map[string]struct {
		theirs, version, resource, want string
		refused                         bool
	}{
		"of no meaning to others":   {plain, "2008-10-17", "/${aws:username}", "2012-10-17", false},
		"of no meaning to us":       {variables, "2008-10-17", "/a", "2008-10-17", false},
		"left out":                  {variables, "", "/a", "", false},
		"of another meaning to us":  {variables, "2008-10-17", "/${aws:username}", "2008-10-17", true},
		"of the same meaning to us": {variables, "2012-10-17", "/${aws:username}", "2012-10-17", false},
	} {
		p := &policyDocument{Version: tt.version, Statement: policyStatements{json.RawMessage(tt.theirs)}}
		_, text := statementName(v1alpha1.PolicyStatement{Sid: "A", Effect: "Deny", Actions: []string{"s3:GetObject"}, Resources: []string{tt.resource}})
		err := p.change("b", "arn:aws:s3:::b", table.Delta{Set: map[string]string{"A": text}})
		if (err != nil) != tt.refused || !tt.refused && p.Version != tt.want {
			t.Errorf("%s: version %q, error %v; want %q, refused %v", name, p.Version, err, tt.want, tt.refused)
		}
	}
}
