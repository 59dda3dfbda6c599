package docs

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// endsWithIt are fields of which some changes can't be undone, and which nobody but their own object has to bear: why a tenant needs no word of its class for them.
// spec.updates decides who approves them.
var endsWithIt = map[string]string{
	"Bucket lifecycle":                               "the bucket's own objects are deleted, which a tenant may do anyway",
	"Bucket aws.objectLock":                          "the bucket has it until it is deleted, which it does not prevent: periods do",
	"Database version":                               "the server has the newer version until it is deleted",
	"Database aws.performanceInsights.retentionDays": "the server's own records are deleted",
}

// TestWhatOutlivesAnObjectIsTheClassesToAllow demands of each field with a change that can't be undone that it is reserved for the class, or that it is written down why it need not be.
func TestWhatOutlivesAnObjectIsTheClassesToAllow(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()} {
		for _, r := range d.Resources {
			for _, f := range r.Fields {
				if !slices.ContainsFunc(f.Effects, func(e driver.PossibleEffect) bool { return e.Effect == driver.Irreversible }) {
					continue
				}
				name := r.Kind + " " + f.Field
				reserved := slices.ContainsFunc(r.Reserved, func(v driver.Reserved) bool { return v.Field == f.Field || v.Most == f.Field })
				if why := endsWithIt[name]; (why != "") == reserved {
					t.Errorf("%s of %s can change for good: reserved for the class: %t; why not: %q", name, d.Name, reserved, why)
				}
				seen[name] = true
			}
		}
	}
	for name := range endsWithIt {
		if !seen[name] {
			t.Errorf("%s has no change that can't be undone", name)
		}
	}
}
