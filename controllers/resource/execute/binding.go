package execute

import (
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// bind notes what may never change from now on, and what a creation will set.
func (w *work) bind() {
	w.status.ExternalName = w.Request.Name
	w.status.Provider = w.Provider
	w.status.Location = w.Place()
	w.status.AccountID = string(w.Account)
	w.DescribeClass(w.status)
	w.Kind.SetParentRef(w.Object, w.Request.Parent)
	if w.Observation.State == driver.Absent {
		w.status.Applied, w.status.Origin = maps.Clone(w.Observation.Applied), v1alpha1.OriginCreated
	} else {
		w.status.Origin = plan.OriginOf(plan.Ownership(w.View, w.Observation))
	}
}

// clearBinding undoes bind, and forgets what was once seen there: it would not fit what is made elsewhere.
func (w *work) clearBinding() {
	w.status.ExternalName, w.status.Location, w.status.AccountID = "", "", ""
	w.status.ExternalID, w.status.Operation, w.status.Fixed = "", "", nil
	w.status.Origin, w.status.MarkMissing, w.status.CreationRefused = "", false, false
	w.Memory.Cloud.CreationSent, w.Memory.Cloud.CreationRefused, w.Memory.Cloud.CreationFailed, w.Memory.Cloud.CreationUnclear = false, false, false, false
	w.status.Applied, w.status.AppliedGeneration, w.status.Provider = nil, 0, ""
	w.status.PendingChanges, w.status.Plan = nil, outcome.NextPlan(w.status.Plan, "")
	w.status.ClassName, w.status.ProviderConfigRef, w.status.Effective = "", nil, nil
	w.Kind.SetParentRef(w.Object, driver.ParentRef{})
	w.executor.Features.ClearBinding(w.Object)
}

// startOver removes everything that was noted about the cloud object that had the name before, because another object takes
// its place: nothing was applied to that one but what its creation applies, it accepted no password, and it was never usable. It
// reports whether the status changed, and has to be stored before the cloud is called.
func (w *work) startOver(origin v1alpha1.Origin, applied driver.Applied) (changed bool) {
	before := w.status.DeepCopy()
	w.Memory.Cloud = w.Memory.Cloud.StartOver(before.FirstReadyTime != nil)
	w.StartedOver = true
	w.status.Origin, w.status.MarkMissing, w.status.CreationRefused = origin, false, false
	w.status.ExternalID, w.status.Operation, w.status.Fixed = "", "", nil
	w.status.FirstReadyTime, w.status.AppliedGeneration = nil, 0
	w.status.Applied = maps.Clone(applied)
	w.status.PendingChanges, w.status.Plan = nil, outcome.NextPlan(w.status.Plan, "")
	if err := w.Object.SetObserved(json.RawMessage("null")); err != nil {
		logf.Log.Error(err, "status.observed could not be cleared")
	}
	if w.Kind.SetEndpoint != nil {
		w.Kind.SetEndpoint(w.Object, driver.Endpoint{})
	}
	store := w.executor.Features.Clear(&w.State)
	w.Request.ID, w.Request.Operation, w.Request.Applied = "", "", applied
	store = w.Kind.SetParentRef(w.Object, w.Request.Parent) || store
	store = w.Kind.SetRestored(w.Object, w.Request.Restore) || store
	return store || !equality.Semantic.DeepEqual(before, w.status)
}
