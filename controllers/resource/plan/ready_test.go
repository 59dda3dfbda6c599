package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What is lost of what a connection Secret names needs a person, once nothing differs. The server can be used, and its Secret goes on.
func TestLost(t *testing.T) {
	v := View{Bound: true, WasReady: true, HasFinalizer: true, Mark: driver.Mark{UID: "one"}}
	o := driver.Observation{State: driver.Ready, Available: true, Mark: v.Mark, Lost: "somebody dropped the database"}
	full := Policy{Management: v1alpha1.ManagementFull}
	a := Plan(v, o, full)
	if a.Verb != Stall || a.Reason != v1alpha1.ReasonFailed || a.Message != "it is up to date and runs, but somebody dropped the database" || !Publishes(a, v, o, Policy{}) {
		t.Errorf("got %+v", a)
	}
	o.Changes = []driver.Change{{Field: "version", To: "17", Effect: driver.Online}}
	if a := Plan(v, o, full); a.Verb != Update {
		t.Errorf("with a difference: got %+v", a)
	}
	if a := Plan(v, driver.Observation{State: driver.Ready, Available: true, Mark: v.Mark}, full); a.Verb != Converge {
		t.Errorf("with nothing lost: got %+v", a)
	}
}
