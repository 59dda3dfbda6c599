package telemetry

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var (
	resources = &Metric{
		Name: "mooring_resources", Type: Gauge, Labels: []string{"kind", "provider", "class", "condition", "status", "reason"},
		Help: "How many objects have a condition with a status and a reason. Ready, Synced and Available count each object once, as Unknown where nothing was said yet; Reconciling and Stalled only those that have them. " +
			"A paused object is Synced=False for the reason Paused. class is empty for an object that goes by none, provider until it has a place in a cloud.",
		Asks:  "What is not Ready, and why?",
		Query: `sum by (kind, provider, reason) (mooring_resources{condition="Ready",status!="True"})`,
	}
	unfinishedAge = &Metric{
		Name: "mooring_unfinished_age_seconds", Type: Gauge, Labels: []string{"kind", "provider", "reason"},
		Help:  "For how long the object has been Reconciling that has been so for longest, of those that are it now for the reason Creating, Updating, Adopting or CloudBusy. What is being deleted doesn't count. There is no series if nothing is under way.",
		Asks:  "Does the cloud ever finish what was begun?",
		Query: "max by (kind, provider, reason) (mooring_unfinished_age_seconds) > 3600",
	}
	deletionAge = &Metric{
		Name: "mooring_deletion_age_seconds", Type: Gauge, Labels: []string{"kind", "provider"},
		Help:  "How long ago the deletion was asked for that has waited longest for its end. There is no series if nothing is being deleted.",
		Asks:  "Does a deletion hang?",
		Query: "max by (kind, provider) (mooring_deletion_age_seconds) > 3600",
	}
	observationAge = &Metric{
		Name: "mooring_observation_age_seconds", Type: Gauge, Labels: []string{"kind", "provider"},
		Help:  "How long ago the cloud object was last observed that was not observed for longest, and the status told of it; since Mooring started, if that was later. Paused objects are not observed, and don't count.",
		Asks:  "Is everything looked at?",
		Query: "max by (kind, provider) (mooring_observation_age_seconds)",
	}
	rollouts = &Metric{
		Name: "mooring_rollout_resources", Type: Gauge, Labels: []string{"kind", "class", "state"},
		Help:  "Objects that are to change because their class did, by state: changing, or waiting until fewer are. There is no series for a class whose objects are as it says.",
		Asks:  "How far has a changed class come?",
		Query: "sum by (kind, class, state) (mooring_rollout_resources)",
	}
	providerConfigs = &Metric{
		Name: "mooring_provider_configs", Type: Gauge, Labels: []string{"kind", "provider", "condition", "status", "reason"},
		Help:  "How many provider configs have the condition Ready with a status and a reason.",
		Asks:  "Do all credentials work?",
		Query: `sum by (kind, provider, reason) (mooring_provider_configs{condition="Ready",status="False"})`,
	}
)

// counted are the conditions that are shown, and whether every object has them.
var counted = map[string]bool{
	v1alpha1.ConditionReady: true, v1alpha1.ConditionSynced: true, v1alpha1.ConditionAvailable: true,
	v1alpha1.ConditionReconciling: false, v1alpha1.ConditionStalled: false,
}

// underWay are the reasons for which an object is Reconciling that the cloud ends by itself, if all goes well.
var underWay = []string{
	string(v1alpha1.ReasonCreating), string(v1alpha1.ReasonUpdating), string(v1alpha1.ReasonAdopting), string(v1alpha1.ReasonCloudBusy),
}

// unfinished is the labels of unfinishedAge, but the kind.
type unfinished struct{ provider, reason string }

// tally is the labels of resources, but the kind.
type tally struct{ provider, class, condition, status, reason string }

// collect shows what is counted of a kind's objects, and returns those that are not fine.
func (k Kind) collect(ctx context.Context, cache client.Reader, now, mustBeObservedSince time.Time, to chan<- prometheus.Metric) (unhealthy []unhealthyObject, err error) {
	list := k.List()
	if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	lastObserved := k.lastObserved()
	tallies, deleting, begun := map[tally]int{}, map[string]time.Duration{}, map[unfinished]time.Duration{}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(client.Object)
		status := k.Status(object)
		count(tallies, status)
		name := client.ObjectKeyFromObject(object)
		if conditions := unhealthyConditions(object, status, lastObserved[name], mustBeObservedSince); len(conditions) > 0 {
			unhealthy = append(unhealthy, unhealthyObject{kind: k.Name, provider: status.Provider, class: status.ClassName, name: name, conditions: conditions})
		}
		if at := object.GetDeletionTimestamp(); at != nil {
			deleting[status.Provider] = max(deleting[status.Provider], now.Sub(at.Time))
		} else if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReconciling); c != nil && slices.Contains(underWay, c.Reason) {
			u := unfinished{status.Provider, c.Reason}
			begun[u] = max(begun[u], now.Sub(c.LastTransitionTime.Time))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for t, n := range tallies {
		show(to, resources, float64(n), k.Name, t.provider, t.class, t.condition, t.status, t.reason)
	}
	for provider, age := range deleting {
		show(to, deletionAge, age.Seconds(), k.Name, provider)
	}
	for u, age := range begun {
		show(to, unfinishedAge, age.Seconds(), k.Name, u.provider, u.reason)
	}
	k.collectSightings(now, to)
	if k.Unrecorded != nil {
		show(to, unrecordedResources, float64(k.Unrecorded()), k.Name)
	}
	if k.Rollouts != nil {
		for _, r := range k.Rollouts() {
			show(to, rollouts, float64(r.Changing), k.Name, r.Class, "changing")
			show(to, rollouts, float64(r.Waiting), k.Name, r.Class, "waiting")
		}
	}
	return unhealthy, nil
}

func count(tallies map[tally]int, status *v1alpha1.ResourceStatus) {
	for name, always := range counted {
		if c := meta.FindStatusCondition(status.Conditions, name); c != nil {
			tallies[tally{status.Provider, status.ClassName, name, string(c.Status), c.Reason}]++
		} else if always {
			tallies[tally{status.Provider, status.ClassName, name, string(metav1.ConditionUnknown), ""}]++
		}
	}
}

// lastObserved returns when each cloud object was last observed that is to be observed.
func (k Kind) lastObserved() map[types.NamespacedName]time.Time {
	if k.Sightings == nil {
		return nil
	}
	at := map[types.NamespacedName]time.Time{}
	for _, s := range k.Sightings() {
		at[s.Name] = s.At
	}
	return at
}

func (k Kind) collectSightings(now time.Time, to chan<- prometheus.Metric) {
	if k.Sightings == nil {
		return
	}
	oldest := map[string]time.Time{}
	for _, s := range k.Sightings() {
		if at, known := oldest[s.Provider]; !known || s.At.Before(at) {
			oldest[s.Provider] = s.At
		}
	}
	for provider, at := range oldest {
		show(to, observationAge, max(0, now.Sub(at).Seconds()), k.Name, provider)
	}
}

// collect shows how many provider configs are Ready, and returns those that are not.
func (k ConfigKind) collect(ctx context.Context, cache client.Reader, to chan<- prometheus.Metric) (unhealthy []unhealthyObject, err error) {
	list := k.List()
	if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	tallies := map[tally]int{}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(client.Object)
		provider, conditions := k.Of(object)
		ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionUnknown, LastTransitionTime: object.GetCreationTimestamp()}
		if c := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady); c != nil {
			ready = *c
		}
		tallies[tally{provider: provider, status: string(ready.Status), reason: ready.Reason}]++
		if ready.Status != metav1.ConditionTrue {
			unhealthy = append(unhealthy, unhealthyObject{kind: k.Name, provider: provider, name: client.ObjectKeyFromObject(object), conditions: []metav1.Condition{ready}})
		}
		return nil
	})
	for t, n := range tallies {
		show(to, providerConfigs, float64(n), k.Name, t.provider, v1alpha1.ConditionReady, t.status, t.reason)
	}
	return unhealthy, err
}
