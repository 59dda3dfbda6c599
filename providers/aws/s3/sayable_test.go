package s3

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A statement that a spec can't say has a sid in parentheses, which says why. All others are shown as they are.
func TestTheMirrorOfAPolicySaysWhatASpecCannot(t *testing.T) {
	const user = "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"
	read := func(text string) v1alpha1.PolicyStatement {
		s, err := readStatement(json.RawMessage(text), "photos")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const rest = `"Action": "s3:GetObject", "Resource": "arn:aws:s3:::photos/*"}`
	for name, tt := range map[string]struct {
		statements []string
		want       []string
	}{
		"a sid with spaces":     {[]string{`{"Sid": "Allow get requests from www.example.com.", "Effect": "Allow", "Principal": "*", ` + rest}, []string{"Allow get requests from www.example.com."}},
		"a canonical user":      {[]string{`{"Sid": "Logs", "Effect": "Allow", "Principal": {"CanonicalUser": "` + user + `"}, ` + rest}, []string{"(Logs: it names an account by its canonical user id)"}},
		"no sid":                {[]string{`{"Effect": "Deny", "Principal": "*", ` + rest}, []string{"(no sid)"}},
		"no sid, and a user":    {[]string{`{"Effect": "Deny", "NotPrincipal": {"CanonicalUser": "` + user + `"}, ` + rest}, []string{"(no sid: it names an account by its canonical user id)"}},
		"a deleted role":        {[]string{`{"Sid": "Old", "Effect": "Allow", "Principal": {"AWS": "AROAEXAMPLEEXAMPLEEX"}, ` + rest}, []string{"(Old: it names an IAM identity that was deleted)"}},
		"all but some let in":   {[]string{`{"Sid": "Odd", "Effect": "Allow", "NotPrincipal": {"AWS": "111122223333"}, ` + rest}, []string{"(Odd: it lets in everybody but some)"}},
		"another bucket":        {[]string{`{"Sid": "Far", "Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::films/*"}`}, []string{"(Far: it names what is no part of this bucket)"}},
		"one sid of two":        {[]string{`{"Sid": "A", "Effect": "Deny", "Principal": "*", ` + rest, `{"Sid": "A", "Effect": "Allow", "Principal": "*", ` + rest}, []string{"(A: another statement has this sid, too)", "(A: another statement has this sid, too)"}},
		"a sid of no spec":      {[]string{`{"Sid": "(x)", "Effect": "Deny", "Principal": "*", ` + rest}, []string{"((x): its sid is too long, or has characters that no spec has)"}},
		"an account by its ARN": {[]string{`{"Sid": "B", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::111122223333:root"}, ` + rest}, []string{"B"}},
	} {
		var have []v1alpha1.PolicyStatement
		for _, text := range tt.statements {
			have = append(have, read(text))
		}
		before := have[0].Sid
		var got []string
		for _, s := range sayableStatements(have) {
			got = append(got, s.Sid)
		}
		if !slices.Equal(got, tt.want) || have[0].Sid != before {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		for i, shown := range sayableStatements(have) { // a preview reads the mirror, and has to know the statements by their names
			if sid := sidOf(shown.Sid); sid != have[i].Sid {
				t.Errorf("%s: %q is read as %q, want %q", name, shown.Sid, sid, have[i].Sid)
			}
		}
	}
	bare := read(`{"Effect": "Deny", "Principal": "*", ` + rest)
	name, _ := statementName(bare)
	if shown, _ := statementName(sayableStatements([]v1alpha1.PolicyStatement{bare})[0]); shown != name {
		t.Errorf("a statement without a sid is %q in the bucket and %q in the mirror: a preview would take it for another", name, shown)
	}
}

// A rule of replication that has no priority is shown with its name in parentheses, and is known by the name that it has.
func TestTheMirrorOfReplicationSaysWhatASpecCannot(t *testing.T) {
	old := replicationFrom(types.ReplicationRule{
		ID: new("all"), Prefix: new(""), Status: types.ReplicationRuleStatusEnabled, //nolint:staticcheck // deprecated, and there may be such rules
		Destination: &types.Destination{Bucket: new("arn:aws:s3:::copies")},
	})
	mirror, err := rows.Mirror(&bucket{replicationRules: &[]replicationRule{old}})
	if err != nil || !strings.Contains(string(mirror), `(rule \"all\": it is of the first version of S3's schema, and has no priority)`) {
		t.Errorf("mirror %s, error %v", mirror, err)
	}
	if old.Name != "all" {
		t.Errorf("the rule is %q", old.Name)
	}
	if name := nameOfRule(sayableReplication(old)); name != "all" {
		t.Errorf("a preview knows the rule as %q", name)
	}
}

// A retention of years is not invisible.
func TestTheMirrorOfARetentionOfYears(t *testing.T) {
	days := daysOf(&types.DefaultRetention{Mode: types.ObjectLockRetentionModeCompliance, Years: new(int32(1))})
	mirror, err := rows.Mirror(&bucket{retentionDays: days, retentionLocked: new(true)})
	if err != nil || !strings.Contains(string(mirror), `"retention":{"days":-1,"locked":true}`) {
		t.Errorf("mirror %s, error %v", mirror, err)
	}
}
