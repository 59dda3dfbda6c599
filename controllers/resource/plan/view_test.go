package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A field that was set under its other name, and is left to the class's default now, was edited: it does not wait as a change of the class would.
func TestAFieldLeftToTheClassUnderItsOtherNameWasEdited(t *testing.T) {
	tls := driver.Field{Field: "tls", StandsFor: &driver.Alternative{Field: "gcp.sslMode", Agree: map[string][]string{"Optional": {"ALLOW"}}}}
	found := &class.Resolution{Name: "standard", Class: &class.Class{}, Same: class.Alternatives{tls}}
	found.Effective = class.Effective{Defaults: class.Tree{"tls": "Optional"}}
	for applied, want := range map[string]string{"gcp.sslMode": v1alpha1.CauseSpec, "gcp.tier": v1alpha1.CauseClass} {
		d := &v1alpha1.Database{}
		d.Generation, d.Status.AppliedGeneration = 2, 1
		d.Status.ClassName, d.Status.Effective, d.Status.Applied = "standard", &v1alpha1.Effective{}, driver.Applied{applied: {"ENCRYPTED_ONLY"}}
		v := ViewOf(d, &d.Status.ResourceStatus, found)
		v.WasReady = true
		if got := CauseOf(v, driver.Change{Field: "tls", From: "Required", To: "Optional", Effect: driver.Online}); got != want {
			t.Errorf("%s was set: the cause is %s, want %s", applied, got, want)
		}
	}
}
