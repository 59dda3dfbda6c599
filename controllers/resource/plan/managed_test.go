package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A password that the cloud can no longer change as it should needs a person, once nothing differs. The server can be used.
func TestImpairedPassword(t *testing.T) {
	v := View{Bound: true, WasReady: true, HasFinalizer: true, Mark: driver.Mark{UID: "one"}}
	o := driver.Observation{State: driver.Ready, Available: true, Mark: v.Mark, Login: &driver.LoginState{PasswordProblem: "the cloud may not use the key"}}
	if a := Plan(v, o, Policy{Management: v1alpha1.ManagementFull}); a.Verb != Stall || a.Reason != v1alpha1.ReasonPasswordImpaired || !Publishes(a, v, o, Policy{}) {
		t.Errorf("got %+v", a)
	}
	o.Changes = []driver.Change{{Field: "version", To: "17", Effect: driver.Online}}
	if a := Plan(v, o, Policy{Management: v1alpha1.ManagementFull}); a.Verb != Update {
		t.Errorf("with a difference: got %+v", a)
	}
}
