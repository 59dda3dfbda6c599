package login

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An edit of who manages the password is made at once, whatever the policy on restarts says. What somebody else turned on or off in the cloud, and the
// password of a server that was taken over, wait for approval: a password that only others know would be lost.
func TestManagementOfPasswords(t *testing.T) {
	handedOver := v1alpha1.ResourceStatus{AppliedGeneration: 1, Applied: map[string][]string{plan.FieldSource: {managedSource}}}
	generated := v1alpha1.ResourceStatus{AppliedGeneration: 1, Applied: map[string][]string{plan.FieldPassword: {"1"}}}
	adopted := v1alpha1.ResourceStatus{Origin: v1alpha1.OriginAdopted}
	back := func(status v1alpha1.ResourceStatus, wanted string) driver.Change {
		s := password.State{Accepted: plan.AcceptedPassword(&status)}
		seen := password.Observation{Ready: true, CloudManaged: true, TakenBack: plan.KnownManaged(&status), Wanted: wanted, Fresh: "fresh", Now: time.Unix(9, 0)}
		return decideObserved(s, seen).Changes[0]
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
		{name: "over, by an edit", status: generated, change: handOver(&generated), to: "CloudManaged", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "over, as somebody turned it off", status: handedOver, change: handOver(&handedOver), to: "CloudManaged", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "over, of a server that was taken over", status: adopted, change: handOver(&adopted), to: "CloudManaged", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true, edit: true},
		{name: "back, by an edit", status: handedOver, change: back(handedOver, ""), to: "Generated", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "back to a Secret, by an edit", status: handedOver, change: back(handedOver, "mine"), to: "SecretRef", effect: driver.Online, cause: v1alpha1.CauseSpec},
		{name: "back, as somebody turned it on", status: generated, change: back(generated, ""), to: "Generated", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "back to a Secret, as somebody turned it on", status: generated, change: back(generated, "mine"), to: "SecretRef", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true},
		{name: "back, of a server that was taken over", status: adopted, change: back(adopted, ""), to: "Generated", effect: driver.Irreversible, cause: v1alpha1.CauseDrift, asks: true, edit: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := plan.View{WasReady: true, Origin: v1alpha1.OriginCreated, Applied: driver.Applied(tt.status.Applied)}
			if tt.change.To != tt.to || tt.change.Effect != tt.effect || plan.CauseOf(v, tt.change) != tt.cause {
				t.Errorf("got %+v, by %s", tt.change, plan.CauseOf(v, tt.change))
			}
			for _, policy := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnApproval, v1alpha1.DisruptiveOnSpecChange} {
				d := plan.Decide(v, []driver.Change{tt.change}, plan.Policy{Disruptive: policy})
				if (d.Changes[0].Fate == plan.AfterApproval) != tt.asks || d.EditWaits != tt.edit {
					t.Errorf("%s: %+v, keeps the edit: %t", policy, d.Changes[0], d.EditWaits)
				}
			}
		})
	}
}

// The note that the cloud manages a password takes the place of the one of the password that was set before.
func TestNoteManaged(t *testing.T) {
	status := v1alpha1.ResourceStatus{Applied: map[string][]string{plan.FieldPassword: {"7"}, "version": {"16"}}}
	if noteManaged(&status); !plan.KnownManaged(&status) || plan.AcceptedPassword(&status) != 0 {
		t.Errorf("got %v", status.Applied)
	}
	dropManaged(&status)
	if diff := cmp.Diff(map[string][]string{"version": {"16"}}, status.Applied); diff != "" || plan.KnownManaged(&status) {
		t.Errorf("-want +got:\n%s", diff)
	}
}
