package docs

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// TestReferenceFieldsSayWhoDecides demands that the description of each field that names another cloud object, or that of
// the block that it is in, says that the class decides which ones.
func TestReferenceFieldsSayWhoDecides(t *testing.T) {
	found := 0
	for _, d := range []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()} {
		for _, r := range d.Resources {
			spec := specOf(t, strings.ToLower(r.Kind)+"s")
			for _, f := range r.Fields {
				if f.Refers == "" {
					continue
				}
				found++
				at, text := spec, ""
				for step := range strings.SplitSeq(f.Field, ".") {
					at = at.Properties[step]
					text += " " + strings.Join(strings.Fields(at.Description), " ")
				}
				if !strings.Contains(text, "Through a ClusterProviderConfig, the class decides which ") {
					t.Errorf("%s %s names another cloud object, and its description does not say that the class decides which: %q", r.Title, f.Field, text)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d fields name other cloud objects: the test reads them no more", found)
	}
}

// TestReservedFieldsSayWhoDecides demands that the description of each field with a reserved value says that only the class sets it.
func TestReservedFieldsSayWhoDecides(t *testing.T) {
	found := 0
	for _, d := range []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()} {
		for _, r := range d.Resources {
			for _, reserved := range r.Reserved {
				found++
				at := specOf(t, strings.ToLower(r.Kind)+"s")
				for step := range strings.SplitSeq(reserved.Field, ".") {
					at = at.Properties[step]
				}
				text := strings.Join(strings.Fields(at.Description), " ")
				if want := "Through a ClusterProviderConfig, only the class sets " + reserved.Value; !strings.Contains(text, want) {
					t.Errorf("the description of %s %s lacks %q: %q", r.Title, reserved.Field, want, text)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no values are reserved: the test reads them no more")
	}
}
