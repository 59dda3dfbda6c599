package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// TestEvents: each thing that was done is told once, and so is each thing that a person has to do. That a new object is made and
// works is told by its conditions.
func TestEvents(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "photos")
		tagged(k, o, "a")
		w.create(o)
		ready := w.ready(o).Status
		name := ready.ExternalName
		edit(w, o, func(o client.Object) { tagged(k, o, "b") })
		w.ready(o)
		mark := len(c.Writes(name))
		w.Disturb()
		k.Tag(c, w.T, name, map[string]string{"team": "z"})
		w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+1 })
		w.observedAgain(c, name, 2)

		other := w.declare(c, k, "other")
		system.SpecOf(other).ExternalName = name
		w.create(other)
		stalled := w.stalled(other, v1alpha1.ReasonNotOwned)
		w.observedAgain(c, name, 2) // it is looked at again, and is not told again
		w.delete(other)             // else it would take the name as soon as that is free

		edit(w, o, func(o client.Object) { k.SetDeletionPolicy(o, v1alpha1.DeletionDelete) })
		w.ready(o)
		w.delete(o)
		w.awaitDeleted(o)

		w.expectEvents(o, []string{
			"Normal Updated: changed tags.team a -> b",
			"Normal Ready: usable and up to date",
			"Normal DriftCorrected: corrected drift: tags.team z -> b",
			"Normal DeletionRequested: asked " + c.Name + " to delete " + name,
			"Normal Deleted: the cloud object is deleted",
		})
		w.expectEvents(other, []string{
			"Warning " + string(v1alpha1.ReasonNotOwned) + ": " + stalled.Condition(v1alpha1.ConditionStalled).Message,
		})
	})
}

// tagged sets the tag team.
func tagged(k system.Target, o client.Object, team v1alpha1.TagValue) {
	k.SetTags(o, map[string]v1alpha1.TagValue{"team": team})
}

// expectEvents checks the Events of an object: what happened once is told once, and what happened again is counted. They arrive
// a little later than what they are about, and in any order.
func (w *fixture) expectEvents(o client.Object, happened []string) {
	w.Helper()
	want, told := map[string]int{}, map[string]int{}
	for _, text := range happened {
		want[text]++
	}
	events := &eventsv1.EventList{}
	w.AwaitList(events, fmt.Sprintf("%d things are told of %s", len(happened), o.GetName()), func() bool {
		clear(told)
		times := 0
		for _, e := range events.Items {
			if e.Regarding.UID != o.GetUID() {
				continue
			}
			text, n := fmt.Sprintf("%s %s: %s", e.Type, e.Reason, e.Note), 1
			if e.Series != nil {
				n = int(e.Series.Count)
			}
			if told[text] > 0 {
				w.Errorf("two Events say %q", text)
			}
			told[text], times = n, times+n
		}
		return times >= len(happened)
	})
	w.equal("Events", told, want)
}

// What keeps a ClusterProviderConfig from being used is told where the platform team looks, as it is known.
func TestUnusableClusterConfigIsTold(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	config := system.ClusterConfig(w.Namespace, c.AccountSpec(), c.Endpoint())
	w.Must(w.Client.Create(w.Context(), config))
	w.Cleanup(func() {
		if err := w.Client.Delete(suite.Context(), config); err != nil {
			w.Error(err)
		}
	})
	all := &eventsv1.EventList{}
	system.AwaitList(t, w.Client, all, "an Event tells that there are no credentials", func() bool {
		return slices.ContainsFunc(all.Items, func(e eventsv1.Event) bool {
			return e.Regarding.UID == config.GetUID() && e.Type == corev1.EventTypeWarning &&
				e.Reason == string(v1alpha1.ReasonCredentialsNotFound) && strings.Contains(e.Note, "create it")
		})
	}, client.InNamespace(system.Namespace))
}
