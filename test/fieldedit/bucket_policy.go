package fieldedit

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// Accounts of others.
const (
	reader      = "arn:aws:iam::222222222222:root"
	otherReader = "arn:aws:iam::333333333333:root"
)

// letsRead is a statement that lets principals read reports.
func letsRead(sid string, principals ...string) v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{
		Sid: sid, Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: principals},
		Actions: []string{"s3:GetObject", "s3:GetObjectVersion"}, Resources: []string{"/public/*", "/reports/*"},
	}
}

// deniesPlain is a statement that denies requests without TLS.
func deniesPlain(sid string) v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{
		Sid: sid, Effect: "Deny", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"*"}}, NotActions: []string{"s3:DeleteBucket*", "s3:GetBucket*", "s3:PutBucket*"},
		When: []v1alpha1.PolicyCondition{{Operator: "Bool", Key: "aws:SecureTransport", Values: []string{"false"}}},
	}
}

func policyStatements() []v1alpha1.PolicyStatement {
	return []v1alpha1.PolicyStatement{deniesPlain("DenyPlain"), letsRead("LetReportsRead", reader)}
}

// policyField is the edit of a policy.
var policyField = drivertest.Field{
	Name: "aws.policy", To: []v1alpha1.PolicyStatement{letsRead("LetReportsRead", reader, otherReader), letsRead("LetOthersRead", otherReader)}, Releases: true,
	Listed: &drivertest.Listed{
		Map: func(t testing.TB, list []byte) map[string]string {
			var statements []v1alpha1.PolicyStatement
			if err := json.Unmarshal(list, &statements); err != nil {
				t.Fatal(err)
			}
			return StatementTexts(statements)
		},
		List: func(entries map[string]string) any { return StatementsOf(entries) },
		New:  "BrandNew", NewValue: statementText(letsRead("BrandNew", reader)),
	},
}

// PolicyEntries are entries of a policy that tests have others set.
func PolicyEntries() drivertest.Entries {
	same := StatementTexts([]v1alpha1.PolicyStatement{deniesPlain("DenyPlain"), {
		Sid: "LetReportsRead", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"222222222222"}},
		Actions: []string{"s3:getobjectversion", "S3:GetObject"}, Resources: []string{"/reports/*", "/public/*"},
	}})
	same["LetOthersRead"] = statementText(letsRead("LetOthersRead", otherReader))
	return drivertest.Entries{
		Other: "LetOthersRead", Theirs: statementText(letsRead("LetOthersRead", otherReader)), Ours: statementText(letsRead("LetOthersRead", reader)),
		Spoiled: statementText(letsRead("Spoiled", otherReader)), Exact: "aws.policyMode", ExactMode: "Exact", Same: same,
		Shield: statementText(deniesPlain("LetOthersRead")),
	}
}

// StatementTexts returns statements by their sids, as JSON.
func StatementTexts(statements []v1alpha1.PolicyStatement) map[string]string {
	texts := map[string]string{}
	for _, s := range statements {
		texts[s.Sid] = statementText(s)
	}
	return texts
}

// statementText returns a statement without its sid, which is the name of the entry.
func statementText(s v1alpha1.PolicyStatement) string {
	s.Sid = ""
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// StatementsOf returns the statements of StatementTexts, each with the sid that it stands under.
func StatementsOf(texts map[string]string) []v1alpha1.PolicyStatement {
	statements := []v1alpha1.PolicyStatement{}
	for _, sid := range slices.Sorted(maps.Keys(texts)) {
		var s v1alpha1.PolicyStatement
		if err := json.Unmarshal([]byte(texts[sid]), &s); err != nil {
			panic(err)
		}
		s.Sid = sid
		statements = append(statements, s)
	}
	return statements
}

// PolicyDocument returns statements as somebody would write a policy of a bucket.
func PolicyDocument(statements []v1alpha1.PolicyStatement, bucket string) string {
	principals := func(p *v1alpha1.PolicyPrincipals) any {
		if p == nil {
			return nil
		}
		return p.AWS
	}
	var list []map[string]any
	for _, s := range statements {
		resources := []string{}
		for _, r := range orWhole(s.Resources) {
			resources = append(resources, "arn:aws:s3:::"+bucket+strings.TrimSuffix(r, map[bool]string{true: "/"}[r == "/"]))
		}
		document := map[string]any{"Sid": s.Sid, "Effect": s.Effect, "Principal": map[string]any{"AWS": principals(s.Principals)}, "Resource": resources}
		if s.Actions != nil {
			document["Action"] = s.Actions
		} else {
			document["NotAction"] = s.NotActions
		}
		conditions := map[string]any{}
		for _, c := range s.When {
			conditions[c.Operator] = map[string]any{c.Key: c.Values}
		}
		if len(conditions) > 0 {
			document["Condition"] = conditions
		}
		list = append(list, document)
	}
	raw, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": list})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func orWhole(resources []string) []string {
	if resources == nil {
		return []string{"/", "/*"}
	}
	return resources
}

// StatementsIn returns the statements of a policy that PolicyDocument wrote and S3 returned.
func StatementsIn(document, bucket string) (statements []v1alpha1.PolicyStatement) {
	var have struct{ Statement []map[string]any }
	if err := json.Unmarshal([]byte(document), &have); err != nil {
		panic(err)
	}
	for _, s := range have.Statement {
		out := v1alpha1.PolicyStatement{Sid: s["Sid"].(string), Effect: s["Effect"].(string), Actions: texts(s["Action"]), NotActions: texts(s["NotAction"])}
		if p, ok := s["Principal"].(map[string]any); ok {
			out.Principals = &v1alpha1.PolicyPrincipals{AWS: texts(p["AWS"])}
		}
		for _, r := range texts(s["Resource"]) {
			out.Resources = append(out.Resources, cmp.Or(strings.TrimPrefix(r, "arn:aws:s3:::"+bucket), "/"))
		}
		if slices.Equal(out.Resources, []string{"/", "/*"}) {
			out.Resources = nil
		}
		conditions, _ := s["Condition"].(map[string]any)
		for operator, keys := range conditions {
			for key, values := range keys.(map[string]any) {
				out.When = append(out.When, v1alpha1.PolicyCondition{Operator: operator, Key: key, Values: texts(values)})
			}
		}
		statements = append(statements, out)
	}
	return statements
}

// texts returns a text or a list of them, sorted.
func texts(value any) (list []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, one := range value {
			list = append(list, one.(string))
		}
		slices.Sort(list)
	}
	return list
}
