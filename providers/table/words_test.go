package table

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Problems are told together, each once. What is not the spec's comes alone.
func TestTogether(t *testing.T) {
	if err := Together(nil, nil); err != nil {
		t.Errorf("no problem is %v", err)
	}
	err := Together(invalid("spec.a: wrong"), nil, invalid("spec.b: wrong"), invalid("spec.a: wrong"))
	if driver.CodeOf(err) != driver.Invalid || err.Error() != "spec.a: wrong; spec.b: wrong" {
		t.Errorf("it is %v", err)
	}
	own := &driver.Error{Code: driver.Internal, Message: "no password"}
	if err := Together(invalid("spec.a: wrong"), own); !errors.Is(err, own) {
		t.Errorf("it is %v, want what no edit mends", err)
	}
}

// What a cloud refuses is told by the field of the spec, with advice, ahead of the cloud's words.
func TestRefusalsNameFields(t *testing.T) {
	r := Refusals{Cloud: "RDS", Words: []Words{
		{Field: "version", Match: regexp.MustCompile("version"), Advice: "for example 16"},
		{Field: "aws.iops", Match: regexp.MustCompile("IOPS")},
		{Field: "deny", Match: regexp.MustCompile("period")},
	}}
	says := func(words string) error {
		return &driver.Error{Code: driver.Invalid, Op: "Create", Message: words, Err: errors.New(words)}
	}
	all := []string{"version", "aws.iops", "deny.startDate"}
	for _, tt := range []struct {
		err  error
		sent []string
		want string
	}{
		{says("no version 99"), all, "Create: correct spec.version (for example 16). RDS says: no version 99"},
		{says("IOPS of this version"), all, "Create: correct spec.version (for example 16), and spec.aws.iops. RDS says: IOPS of this version"},
		{says("the period is long"), all, "Create: correct spec.deny. RDS says: the period is long"},
		{says("no version 99"), []string{"aws.iops"}, "Create: no version 99"},
		{says("something"), all, "Create: something"},
		{says("spec.version: no version"), all, "Create: spec.version: no version"},
		{&driver.Error{Code: driver.Denied, Op: "Create", Message: "version", Err: errors.New("no")}, all, "Create: version"},
		{invalid("this version is the driver's own"), all, "this version is the driver's own"},
	} {
		if err := r.ofCreation(tt.err, tt.sent); err.Error() != tt.want {
			t.Errorf("%q, want %q", err, tt.want)
		}
	}
	for field, want := range map[string]string{
		"version":        "Create: correct spec.version (for example 16). RDS says: wrong",
		"deny.startDate": "Create: correct spec.deny.startDate. RDS says: wrong",
		"tags":           "Create: correct spec.tags. RDS says: wrong",
	} {
		if err := r.ofChange(says("wrong"), driver.Change{Field: field}); err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if err := (Refusals{}).ofChange(says("wrong"), driver.Change{Field: "version"}); strings.Contains(err.Error(), "spec.") {
		t.Errorf("a kind without refusals says %q", err)
	}
}

// A refusal is about the fields that it says something wrong of, and not about those that its advice names.
func TestAdviceBlamesNobody(t *testing.T) {
	r := Refusals{Cloud: "Cloud SQL"}
	err := invalid("spec.a wants b: set spec.b.c, or remove spec.a; spec.d and spec.e exclude each other: remove one of them")
	for field, want := range map[string]bool{"a": true, "b.c": false, "d": true, "e.f": true, "g": false} {
		if got := r.names(err, driver.Change{Field: field}); got != want {
			t.Errorf("%s is blamed: %v, want %v", field, got, want)
		}
	}
}

// However many problems a spec has, they are one short message, and each is said once.
func TestTogetherTellsTheFirst(t *testing.T) {
	var problems []error
	for i := range 5_000 {
		problems = append(problems, invalid("spec.aws.inventory: entry %d is wrong", i/2))
	}
	err := Together(append(problems, invalid("spec.versioning: wrong"))...)
	if says := err.Error(); len(says) > 400 || !strings.HasSuffix(says, "; and 2496 more of spec.aws.inventory, spec.versioning") {
		t.Errorf("it says %s", says)
	}
	if r := (Refusals{}); !r.names(err, driver.Change{Field: "versioning"}) || !r.names(err, driver.Change{Field: "aws.inventory"}) || r.names(err, driver.Change{Field: "tags"}) {
		t.Error("it does not blame the fields that it counts, or blames others")
	}
}
