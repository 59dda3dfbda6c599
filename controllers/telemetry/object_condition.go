package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var (
	objectCondition = &Metric{
		Name: "mooring_object_condition_timestamp_seconds", Type: Gauge, PerObject: true,
		Labels: []string{"kind", "provider", "namespace", "name", "class", "condition", "status", "reason"},
		Help: "When each unhealthy condition of an object began, in Unix time. Ready, Synced and Available are unhealthy unless they are True. An object without a Ready condition is Ready=Unknown since its creation. Reconciling and Stalled have a series while they are True. " +
			"Deleting is True since the deletion was requested. Observed is False since the last observation, if that is more than two sync periods ago. A healthy object and a deleted object have no series. Provider configs have Ready only. A ClusterProviderConfig has an empty namespace.",
		Question: "Which objects are unhealthy, and since when?",
		Query:    `sort(mooring_object_condition_timestamp_seconds{condition="Ready"})`,
	}
	objectsOmitted = &Metric{
		Name: "mooring_objects_omitted", Type: Gauge, PerObject: true,
		Help:     "How many unhealthy objects have no series of their own because of the limit --metrics-object-limit. Stalled objects come first, then the others. Within both groups the objects that have been unhealthy for longest come first.",
		Question: "Does every unhealthy object have a series?",
		Query:    "max(mooring_objects_omitted) > 0",
	}
)

// Values of the label condition that no object has in its status.
const (
	conditionDeleting = "Deleting"
	conditionObserved = "Observed"
)

// An unhealthyObject is an object with conditions that are not as they should be.
type unhealthyObject struct {
	kind, provider, class string
	name                  types.NamespacedName
	conditions            []metav1.Condition
}

// since returns since when the object has been Stalled, else since when it has had any of its conditions.
func (o unhealthyObject) since() (at time.Time, isStalled bool) {
	for _, c := range o.conditions {
		if c.Type == v1alpha1.ConditionStalled {
			return c.LastTransitionTime.Time, true
		}
		if at.IsZero() || c.LastTransitionTime.Time.Before(at) {
			at = c.LastTransitionTime.Time
		}
	}
	return at, false
}

// byUrgency sorts objects that are Stalled before others, then those that have been so for longest, then by name.
func byUrgency(a, b unhealthyObject) int {
	aSince, aStalled := a.since()
	bSince, bStalled := b.since()
	switch {
	case aStalled && !bStalled:
		return -1
	case bStalled && !aStalled:
		return 1
	}
	return cmp.Or(aSince.Compare(bSince), cmp.Compare(a.kind, b.kind), cmp.Compare(a.name.Namespace, b.name.Namespace), cmp.Compare(a.name.Name, b.name.Name))
}

// showUnhealthy shows the conditions of as many objects as the limit allows, and how many are left out.
func showUnhealthy(objects []unhealthyObject, limit int, to chan<- prometheus.Metric) {
	slices.SortFunc(objects, byUrgency)
	shown := objects[:min(limit, len(objects))]
	for _, o := range shown {
		for _, c := range o.conditions {
			show(to, objectCondition, float64(c.LastTransitionTime.Unix()), o.kind, o.provider, o.name.Namespace, o.name.Name, o.class, c.Type, string(c.Status), c.Reason)
		}
	}
	show(to, objectsOmitted, float64(len(objects)-len(shown)))
}

// unhealthyConditions returns the conditions of an object that are not as they should be. lastObserved is zero for an object
// that is not to be observed.
func unhealthyConditions(object client.Object, status *v1alpha1.ResourceStatus, lastObserved, mustBeObservedSince time.Time) (out []metav1.Condition) {
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	if ready == nil {
		ready = &metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionUnknown, LastTransitionTime: object.GetCreationTimestamp()}
	}
	synced := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSynced)
	available := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionAvailable)
	isStalled := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled)
	unobserved := !lastObserved.IsZero() && lastObserved.Before(mustBeObservedSince)
	isDeleting := object.GetDeletionTimestamp() != nil
	if isFine(ready, synced, available) && isStalled == nil && !unobserved && !isDeleting {
		return nil
	}
	if ready.Status != metav1.ConditionTrue {
		out = append(out, *ready)
	}
	for _, c := range []*metav1.Condition{synced, available} {
		if c != nil && c.Status != metav1.ConditionTrue {
			out = append(out, *c)
		}
	}
	for _, name := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
		if c := meta.FindStatusCondition(status.Conditions, name); c != nil && c.Status == metav1.ConditionTrue {
			out = append(out, *c)
		}
	}
	if isDeleting {
		reason := ready.Reason
		if isStalled != nil {
			reason = isStalled.Reason
		}
		out = append(out, metav1.Condition{Type: conditionDeleting, Status: metav1.ConditionTrue, Reason: reason, LastTransitionTime: *object.GetDeletionTimestamp()})
	}
	if unobserved {
		out = append(out, metav1.Condition{
			Type: conditionObserved, Status: metav1.ConditionFalse, Reason: string(v1alpha1.ReasonNotObserved), LastTransitionTime: metav1.NewTime(lastObserved),
		})
	}
	return out
}

// isFine reports whether conditions say that all is well. A database that is stopped as declared is Ready and Synced, though not
// Available. Synced and Available may be nil.
func isFine(ready, synced, available *metav1.Condition) bool {
	usable := available == nil || available.Status == metav1.ConditionTrue || available.Reason == string(v1alpha1.ReasonStopped)
	return ready.Status == metav1.ConditionTrue && (synced == nil || synced.Status == metav1.ConditionTrue) && usable
}
