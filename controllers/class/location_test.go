package class

import (
	"strings"
	"testing"
)

func TestLocations(t *testing.T) {
	const listed = `spec: {locations: [eu-central-1, eu-west-1]}`
	for _, tt := range []struct {
		name, class, spec string
		change            func(*Input)
		location, problem string
	}{
		{"the first is the default", listed, `{}`, nil, "eu-central-1", ""},
		{"a default of the class", listed + "\n", `{}`, func(*Input) {}, "eu-central-1", ""},
		{"another default", `spec: {locations: [eu-central-1, eu-west-1], defaults: {location: eu-west-1}}`, `{}`, nil, "eu-west-1", ""},
		{"what the class insists on", `spec: {locations: [eu-central-1, eu-west-1], enforced: {location: eu-west-1}}`, `{}`, nil, "eu-west-1", ""},
		{"one of the list", listed, `{"location":"eu-west-1"}`, nil, "eu-west-1", ""},
		{"another", listed, `{"location":"us-east-1"}`, nil, "us-east-1",
			`spec.location: class "standard" does not allow the location us-east-1, only eu-central-1, eu-west-1; set one of these, or remove the field`},
		{"no list", ``, `{"location":"us-east-1"}`, nil, "us-east-1", ""},
		{"an empty list", `spec: {locations: []}`, `{"location":"us-east-1"}`, nil, "us-east-1", ""},
		{"made elsewhere", listed, `{"location":"us-east-1"}`, func(o *Input) { o.Bound, o.Joined, o.Location = true, true, "us-east-1" }, "us-east-1", ""},
		{"made elsewhere without saying so", listed, `{}`, func(o *Input) { o.Bound, o.Joined, o.Location = true, true, "us-east-1" }, "", ""},
		{"made elsewhere by a default", listed, `{}`, func(o *Input) {
			o.Bound, o.Joined, o.Location, o.Before = true, true, "us-east-1", Effective{Defaults: Tree{"location": "us-east-1"}}.Stored(nil)
		}, "us-east-1", ""},
		{"a multi-region as the cloud writes it", `spec: {locations: [eu]}`, `{"location":"eu"}`, func(o *Input) { o.Bound, o.Location = true, "EU" }, "eu", ""},
		{"a creation that was refused, and another location", listed, `{"location":"us-east-1"}`, func(o *Input) { o.Bound, o.Joined, o.Location = true, true, "eu-west-1" }, "us-east-1",
			"spec.location: class \"standard\" does not allow the location us-east-1"},
		{"made elsewhere by another class", listed, `{}`, func(o *Input) { o.Bound, o.Location = true, "us-east-1" }, "",
			`spec.className: class "standard" allows only the locations eu-central-1, eu-west-1, but this object is in us-east-1, which can't change; choose another class`},
		{"made there by another class", listed, `{}`, func(o *Input) { o.Bound, o.Location = true, "eu-west-1" }, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Input{Spec: tree(t, tt.spec), Namespace: Namespace{Name: "shop", Labels: map[string]string{"team": "shop"}}, Cloud: "aws", Leads: "aws", Fixed: []string{"location"}}
			if tt.change != nil {
				tt.change(&o)
			}
			v := Evaluate(classOf(t, catalogue, tt.class), o, nil)
			location, _ := get(v.Spec, atLocation)
			says := ""
			if p := Join(v.Problems); p != nil {
				says = p.String()
			}
			if text(location) != tt.location || !strings.HasPrefix(says, tt.problem) || (says == "") != (tt.problem == "") {
				t.Errorf("location %v, problem %q; want %q, %q", location, says, tt.location, tt.problem)
			}
		})
	}
}
