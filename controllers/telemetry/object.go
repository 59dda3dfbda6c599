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
		Help: "How many objects have a condition, by status and reason. Ready, Synced and Available count every object once, as Unknown if the object does not have the condition yet. Reconciling and Stalled count only objects that have them. " +
			"A paused object is Synced=False with the reason Paused. The label class is empty for an object without a class. The label provider is empty until the object is bound to an account.",
		Question: "How many objects are not Ready, and why?",
		Query:    `sum by (kind, provider, reason) (mooring_resources{condition="Ready",status!="True"})`,
	}
	reconcilingAge = &Metric{
		Name: "mooring_reconciling_age_seconds", Type: Gauge, Labels: []string{"kind", "provider", "reason"},
		Help:     "The age of the longest Reconciling condition, of all objects that are Reconciling with the reason Creating, Updating, Adopting or CloudBusy. Objects that are being deleted do not count. There is no series if no such object exists.",
		Question: "Which operations of a cloud never finish?",
		Query:    "max by (kind, provider, reason) (mooring_reconciling_age_seconds) > 3600",
	}
	deletionAge = &Metric{
		Name: "mooring_deletion_age_seconds", Type: Gauge, Labels: []string{"kind", "provider"},
		Help:     "How long ago the oldest unfinished deletion was requested. There is no series if no object is being deleted.",
		Question: "Is a deletion stuck?",
		Query:    "max by (kind, provider) (mooring_deletion_age_seconds) > 3600",
	}
	observationAge = &Metric{
		Name: "mooring_observation_age_seconds", Type: Gauge, Labels: []string{"kind", "provider"},
		Help:     "The age of the oldest last observation. An observation counts once the object's status records it. The age begins at the start of Mooring at the earliest. Paused objects are not observed and do not count.",
		Question: "Is every object observed?",
		Query:    "max by (kind, provider) (mooring_observation_age_seconds)",
	}
	rollouts = &Metric{
		Name: "mooring_rollout_resources", Type: Gauge, Labels: []string{"kind", "class", "state"},
		Help:     "Objects that have to change because their class changed, by state: changing, or waiting for a slot of the rollout. There is no series for a class whose objects are up to date.",
		Question: "How far is the rollout of a changed class?",
		Query:    "sum by (kind, class, state) (mooring_rollout_resources)",
	}
	providerConfigs = &Metric{
		Name: "mooring_provider_configs", Type: Gauge, Labels: []string{"kind", "provider", "condition", "status", "reason"},
		Help:     "How many provider configs have the condition Ready, by status and reason.",
		Question: "Do all credentials work?",
		Query:    `sum by (kind, provider, reason) (mooring_provider_configs{condition="Ready",status="False"})`,
	}
)

// counted are the conditions that are shown, and whether every object has them.
var counted = map[string]bool{
	v1alpha1.ConditionReady: true, v1alpha1.ConditionSynced: true, v1alpha1.ConditionAvailable: true,
	v1alpha1.ConditionReconciling: false, v1alpha1.ConditionStalled: false,
}

// inProgress are the reasons for which an object is Reconciling that end by themselves once the cloud is done.
var inProgress = []string{
	string(v1alpha1.ReasonCreating), string(v1alpha1.ReasonUpdating), string(v1alpha1.ReasonAdopting), string(v1alpha1.ReasonCloudBusy),
}

// inProgressLabels are the labels of reconcilingAge, except the kind.
type inProgressLabels struct{ provider, reason string }

// tally is the labels of resources, but the kind.
type tally struct{ provider, class, condition, status, reason string }

// collect shows what is counted of a kind's objects, and returns the unhealthy ones.
func (k Kind) collect(ctx context.Context, cache client.Reader, now, mustBeObservedSince time.Time, to chan<- prometheus.Metric) (unhealthy []unhealthyObject, err error) {
	list := k.NewList()
	if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	lastObserved := k.lastObservedByName()
	tallies, deleting, begun := map[tally]int{}, map[string]time.Duration{}, map[inProgressLabels]time.Duration{}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(v1alpha1.ResourceObject)
		status := object.GetResourceStatus()
		count(tallies, status)
		name := client.ObjectKeyFromObject(object)
		if conditions := unhealthyConditions(object, status, lastObserved[name], mustBeObservedSince); len(conditions) > 0 {
			unhealthy = append(unhealthy, unhealthyObject{kind: k.Name, provider: status.Provider, class: status.ClassName, name: name, conditions: conditions})
		}
		if at := object.GetDeletionTimestamp(); at != nil {
			deleting[status.Provider] = max(deleting[status.Provider], now.Sub(at.Time))
		} else if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReconciling); c != nil && slices.Contains(inProgress, c.Reason) {
			u := inProgressLabels{status.Provider, c.Reason}
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
		show(to, reconcilingAge, age.Seconds(), k.Name, u.provider, u.reason)
	}
	k.collectLastObserved(now, to)
	if k.StaleStatuses != nil {
		show(to, staleStatusResources, float64(k.StaleStatuses()), k.Name)
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

// lastObservedByName returns when each cloud object was last observed that is to be observed.
func (k Kind) lastObservedByName() map[types.NamespacedName]time.Time {
	if k.LastObserved == nil {
		return nil
	}
	at := map[types.NamespacedName]time.Time{}
	for _, s := range k.LastObserved() {
		at[s.Name] = s.At
	}
	return at
}

func (k Kind) collectLastObserved(now time.Time, to chan<- prometheus.Metric) {
	if k.LastObserved == nil {
		return
	}
	oldest := map[string]time.Time{}
	for _, s := range k.LastObserved() {
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
	list := k.NewList()
	if err := cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	tallies := map[tally]int{}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(v1alpha1.ProviderConfigObject)
		provider := object.GetAccount().Cloud()
		ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionUnknown, LastTransitionTime: object.GetCreationTimestamp()}
		if c := meta.FindStatusCondition(object.GetConditions(), v1alpha1.ConditionReady); c != nil {
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
