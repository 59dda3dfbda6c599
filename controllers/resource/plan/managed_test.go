package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An edit of who manages the password is made at once, whatever the policy on restarts says. What somebody else turned on or off in the cloud, and the
// password of a server that was taken over, wait for approval: a password that only others know would be lost.
func TestManagementOfPasswords(t *testing.T) {
	handedOver := v1alpha1.ResourceStatus{AppliedGeneration: 1, Applied: map[string][]string{FieldSource: {managedSource}}}
	generated := v1alpha1.ResourceStatus{AppliedGeneration: 1, Applied: map[string][]string{FieldPassword: {"1"}}}
	adopted := v1alpha1.ResourceStatus{Origin: v1alpha1.OriginAdopted}
	back := func(status v1alpha1.ResourceStatus, wanted string) driver.Change {
		s := password.State{Accepted: AcceptedPassword(&status)}
		seen := password.Observation{Ready: true, CloudManaged: true, TakenBack: KnownManaged(&status), Wanted: wanted, Fresh: "fresh", Now: time.Unix(9, 0)}
		return ObservePassword(s, seen).Changes[0]
	}
	for _, tt := range []struct {
		name   string
		status v1alpha1.ResourceStatus
		change driver.Change
		to     string
		effect driver.Effect
		cause  string
		asks   bool
		// edit: it keeps this generation of the spec from being applied while it waits.
		edit bool
	}{
		{name: "over, by an edit", status: generated, change: HandOver(&generated), to: "CloudManaged", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "over, as somebody turned it off", status: handedOver, change: HandOver(&handedOver), to: "CloudManaged", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "over, of a server that was taken over", status: adopted, change: HandOver(&adopted), to: "CloudManaged", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true, edit: true},
		{name: "back, by an edit", status: handedOver, change: back(handedOver, ""), to: "Generated", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "back to a Secret, by an edit", status: handedOver, change: back(handedOver, "mine"), to: "SecretRef", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "back, as somebody turned it on", status: generated, change: back(generated, ""), to: "Generated", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "back to a Secret, as somebody turned it on", status: generated, change: back(generated, "mine"), to: "SecretRef", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "back, of a server that was taken over", status: adopted, change: back(adopted, ""), to: "Generated", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true, edit: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := View{WasReady: true, Origin: v1alpha1.OriginCreated, Applied: driver.Applied(tt.status.Applied)}
			if tt.change.To != tt.to || tt.change.Effect != tt.effect || CauseOf(v, tt.change) != tt.cause {
				t.Errorf("got %+v, by %s", tt.change, CauseOf(v, tt.change))
			}
			for _, policy := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnApproval, v1alpha1.DisruptiveOnSpecChange} {
				d := Decide(v, []driver.Change{tt.change}, Policy{Disruptive: policy})
				if (d.Changes[0].Fate == AfterApproval) != tt.asks || d.EditWaits != tt.edit {
					t.Errorf("%s: %+v, keeps the edit: %t", policy, d.Changes[0], d.EditWaits)
				}
			}
		})
	}
}

// The note that the cloud manages a password takes the place of the one of the password that was set before.
func TestNoteManaged(t *testing.T) {
	status := v1alpha1.ResourceStatus{Applied: map[string][]string{FieldPassword: {"7"}, "version": {"16"}}}
	if NoteManaged(&status); !KnownManaged(&status) || AcceptedPassword(&status) != 0 {
		t.Errorf("got %v", status.Applied)
	}
	DropManaged(&status)
	if diff := cmp.Diff(map[string][]string{"version": {"16"}}, status.Applied); diff != "" || KnownManaged(&status) {
		t.Errorf("-want +got:\n%s", diff)
	}
}

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
