package class

import "testing"

// A refusal of what the class gave names the class, and who can change it. What the object's own spec says is its own.
func TestOrigin(t *testing.T) {
	r := &Resolution{Name: "small", Evaluation: Evaluation{
		Spec: Tree{
			"version": "16", "aws": Tree{"dbSubnetGroupName": "gone", "instanceClass": "db.t4g.micro"}, "tags": Tree{"team": "shop"},
			"parameters": Tree{"work_mem": "1", "a": "1", "mine": "2"}, "encryption": Tree{}, "maintenance": Tree{"window": Tree{"day": "Monday"}}, "lifecycle": []any{Tree{"name": "logs"}},
		},
		Effective: Effective{
			Size: "s", Defaults: Tree{"version": "16", "parameters": Tree{"work_mem": "1", "a": "1"}, "maintenance": Tree{"window": Tree{"day": "Monday"}}},
			Sized: Tree{"aws": Tree{"instanceClass": "db.t4g.micro"}}, Enforced: Tree{"encryption": Tree{}, "aws": Tree{"dbSubnetGroupName": "gone"}, "lifecycle": []any{Tree{"name": "logs"}}},
		},
	}}
	const (
		enforces = `class "small" enforces spec.`
		sized    = `size s of class "small" sets spec.`
		sets     = `class "small" sets spec.`
		only     = ": ask your platform team to change the class"
		other    = ": choose another size, or ask your platform team to change the class"
		here     = ": set it in this object, or ask your platform team to change the class"
	)
	for _, tt := range []struct {
		name, refusal string
		fields        []string
		want          string
	}{
		{"its own field", "correct spec.tags", nil, ""},
		{"no field", "the cloud refuses it", nil, ""},
		{"enforced", "RDS has no group: correct spec.aws.dbSubnetGroupName", nil, enforces + "aws.dbSubnetGroupName" + only},
		{"by its name alone", "RDS says no", []string{"aws.dbSubnetGroupName"}, enforces + "aws.dbSubnetGroupName" + only},
		{"a list", "correct spec.lifecycle (rules of different names)", nil, enforces + "lifecycle" + only},
		{"an entry of a list", `correct "logs" of spec.lifecycle[0].name`, nil, enforces + "lifecycle" + only},
		{"of the size", "correct spec.aws.instanceClass", nil, sized + "aws.instanceClass" + other},
		{"a default", "correct spec.version.", nil, sets + "version" + here},
		{"all of a part", "correct spec.maintenance.window", nil, sets + "maintenance.window" + here},
		{"one entry of a map", "correct spec.parameters: work_mem is too large", nil, sets + "parameters.work_mem" + here},
		{"its own entry of a map", "correct spec.parameters: mine is too large", nil, ""},
		{"a name that is longer than that of the class", "correct spec.parameters: work_mems is no parameter", nil, ""},
		{"a short name, which is a word", "correct spec.parameters: mine is a value", nil, ""},
		{"a field of an empty value", "correct spec.encryption.key", nil, enforces + "encryption" + only},
		{"a way out", "set spec.version to another one, or name principals", nil, ""},
		{"what is said beside the fields", "correct spec.version: no", []string{"tags"}, ""},
		{"several", "correct spec.version or spec.aws.dbSubnetGroupName", nil, enforces + "aws.dbSubnetGroupName" + only + "; " + sets + "version" + here},
	} {
		if got := r.Origin(tt.refusal, tt.fields); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := (*Resolution)(nil).Origin("correct spec.version", nil); got != "" {
		t.Errorf("without a class: %q", got)
	}
}
