package resource

import (
	"encoding/json"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// bind notes what may never change from now on, and what a creation will set.
func (r *Reconciler) bind(t *turn) {
	t.status.ExternalName = t.request.Name
	t.status.Provider = t.conn.Provider
	t.status.Location = r.facts(t).Place()
	t.status.AccountID = string(t.account)
	r.facts(t).DescribeClass(t.status)
	if t.seen.State == driver.Absent {
		t.status.Applied, t.status.Origin = t.seen.Applied, v1alpha1.OriginCreated
	} else {
		t.status.Origin = plan.OriginOf(plan.Ownership(t.view, t.seen))
	}
}

// unbind undoes bind, and forgets what was once seen there: it would not fit what is made elsewhere.
func (t *turn) unbind() {
	t.status.ExternalName, t.status.Location, t.status.AccountID = "", "", ""
	t.status.ExternalID, t.status.Operation, t.status.Fixed = "", "", nil
	t.status.Origin, t.status.MarkMissing, t.status.CreationRefused = "", false, false
	t.mem.creationSent, t.mem.creationRefused, t.mem.creationFailed = false, false, false
	t.status.Applied, t.status.AppliedGeneration, t.status.Provider = nil, 0, ""
	t.status.PendingChanges, t.status.Plan = nil, outcome.NextPlan(t.status.Plan, "")
	t.status.ClassName, t.status.ProviderConfigRef, t.status.Effective = "", nil, nil
}

// startOver removes everything that was noted about the cloud object that had the name before, because another object takes
// its place: nothing was applied to that one but what its creation applies, it accepted no password, and it was never usable. It
// reports whether the status changed, and has to be stored before the cloud is called.
func (r *Reconciler) startOver(t *turn, origin v1alpha1.Origin, applied driver.Applied) (changed bool) {
	before := t.status.DeepCopy()
	t.mem.startOver(before.FirstReadyTime != nil)
	t.status.Origin, t.status.MarkMissing, t.status.CreationRefused = origin, false, false
	t.status.ExternalID, t.status.Operation, t.status.Fixed = "", "", nil
	t.status.FirstReadyTime, t.status.AppliedGeneration = nil, 0
	t.status.Applied = applied
	t.status.PendingChanges, t.status.Plan = nil, outcome.NextPlan(t.status.Plan, "")
	if err := t.obj.SetObserved(json.RawMessage("null")); err != nil {
		logf.Log.Error(err, "status.observed could not be cleared")
	}
	if r.Kind.SetEndpoint != nil {
		r.Kind.SetEndpoint(t.obj, driver.Endpoint{})
	}
	t.request.ID, t.request.Operation, t.request.Applied = "", "", applied
	return !equality.Semantic.DeepEqual(before, t.status)
}

// startOver removes what is remembered of the cloud object that had the name before, and that may have been usable.
func (m *memory) startOver(wasReady bool) {
	m.passwordSent, m.report = 0, m.report.StartedOver()
	m.sent, m.sentAt, m.inVain = nil, time.Time{}, false
	m.deleteSent, m.unsaved, m.unmarked = time.Time{}, time.Time{}, time.Time{}
	m.creationRefused, m.creationFailed, m.creation, m.publisher.Published = false, false, nil, nil
	m.answered, m.startedOver = false, m.startedOver || wasReady
}
