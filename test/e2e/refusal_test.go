package e2e

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A key that was rotated wrongly turns nothing red that is as declared: for two sync periods all stays as it was last observed,
// while a Warning and the provider config say what is wrong. Then nobody knows, and somebody has to act. An edit that can't be
// applied is stalled.
func TestObservationRefused(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		w.credentials(c, nil)
		w.Must(w.Client.Create(w.Context(), w.team(c)))
		b := ofTeam(w, c)
		w.create(b)
		since := len(w.States(system.KindOf(b), b.GetName(), 0))
		w.ready(b)
		w.Disturb()
		key := map[string]string{"aws": v1alpha1.SecretKeyAWSSecretAccessKey, "gcp": v1alpha1.SecretKeyGCPCredentials}[c.Name]
		w.credentials(c, map[string][]byte{key: []byte("not-the-key")})
		s := w.state(b, "not observed, and stalled", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionStalled, yes) && s.Is(v1alpha1.ConditionAvailable, open) && s.Is(v1alpha1.ConditionReady, no)
		})
		reason := s.Condition(v1alpha1.ConditionStalled).Reason
		for _, was := range w.States(system.KindOf(b), b.GetName(), since) {
			if was.Status.FirstReadyTime != nil && !was.Is(v1alpha1.ConditionReady, yes) && !was.Is(v1alpha1.ConditionAvailable, open) {
				w.Errorf("before two sync periods were over it was\n    %v", was)
			}
		}
		events := &eventsv1.EventList{}
		w.AwaitList(events, "object and provider config are warned of", func() bool {
			warned := func(kind string) bool {
				return slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
					return e.Regarding.Kind == kind && e.Type == corev1.EventTypeWarning && e.Reason == reason
				})
			}
			return warned("Bucket") && warned("ProviderConfig")
		})
		config := w.team(c)
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(config), config))
		if ready := meta.FindStatusCondition(config.Status.Conditions, v1alpha1.ConditionReady); ready == nil || ready.Status != no || ready.Reason != reason {
			w.Errorf("the provider config is %+v", ready)
		}
		w.Disturb()
		w.credentials(c, nil)
		w.ready(b)
	})
}

// That the object can't be observed is recorded at once, by Events and the provider config, and its conditions stay as they are: two
// sync periods are two days here.
func TestRefusedObservationIsRecorded(t *testing.T) {
	t.Parallel()
	s := newIdleEnvironment(t, localcloud.Options{ListenersOnly: true, InstanceQuota: -1}, 2)
	s.StartManager(t, controllers.Options{SyncPeriod: 24 * time.Hour}, nil)
	for name, key := range map[string]string{"aws": v1alpha1.SecretKeyAWSSecretAccessKey, "gcp": v1alpha1.SecretKeyGCPCredentials} {
		t.Run(name, func(t *testing.T) {
			w := s.fixture(t)
			c := system.NewCloud(s.Cloud, name)
			w.credentials(c, nil)
			config := w.team(c)
			w.Must(w.Client.Create(w.Context(), config))
			b := ofTeam(w, c)
			w.create(b)
			w.ready(b)
			since := len(w.States(system.KindOf(b), b.GetName(), 0))
			w.Disturb()
			w.credentials(c, map[string][]byte{key: []byte("not-the-key")})
			w.says(b, "", "it can't be observed, so its status shows the last observation: ")
			w.AwaitObject(config, "the provider config is not Ready", func() bool {
				return meta.IsStatusConditionFalse(config.Status.Conditions, v1alpha1.ConditionReady)
			})
			w.credentials(c, nil)
			w.says(b, v1alpha1.EventRecovered, "the cloud answers again")
			for _, was := range w.States(system.KindOf(b), b.GetName(), since) {
				w.Errorf("the refusal shows in its conditions:\n    %v", was)
			}
		})
	}
}

// What the cloud keeps refusing as busy is recorded, with the cloud's words: an edit does not stay "being applied", and an
// object that is being deleted is never Ready.
func TestBusyForLong(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "busy")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.Disturb()
		lift := c.RefuseWrites(name)
		since := edit(w, o, func(o client.Object) { tagged(k, o, "b") })
		s := w.state(o, "an edit that is refused as busy", func(s system.Snapshot) bool {
			c := s.Condition(v1alpha1.ConditionReconciling)
			return c != nil && c.Reason == string(v1alpha1.ReasonCloudBusy) && s.Is(v1alpha1.ConditionReady, no)
		})
		if p := s.Status.PendingChanges; len(p) != 1 || p[0].Field != "tags" {
			w.Errorf("pending are %+v", p)
		}
		w.delete(o)
		w.state(o, "a deletion that is refused as busy", func(s system.Snapshot) bool {
			c := s.Condition(v1alpha1.ConditionReconciling)
			return s.Deleting && c != nil && c.Reason == string(v1alpha1.ReasonDeleting) && len(c.Message) > len("the cloud refuses this for now, and Mooring retries: ") &&
				c.Message[:len("the cloud refuses this")] == "the cloud refuses this"
		})
		for _, s := range w.States(k.Kind, o.GetName(), since) {
			if s.Deleting && s.ObservedGeneration == s.Generation && s.Is(v1alpha1.ConditionReady, yes) {
				w.Errorf("it is being deleted, and\n    %v", s)
			}
		}
		w.Disturb()
		lift()
		w.awaitDeleted(o)
	})
}

// A deletion shows at once, although the cloud refuses it first.
func TestDeletionShowsAtOnce(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		o := w.declare(c, k, "going")
		w.create(o)
		name := w.ready(o).Status.ExternalName
		w.Disturb()
		lift := c.RefuseWrites(name)
		w.delete(o)
		deletes := func(s system.Snapshot) bool { return s.Deleting && !s.Is(v1alpha1.ConditionReady, yes) }
		w.state(o, "being deleted", deletes)
		states := w.States(k.Kind, o.GetName(), 0)
		first := states[slices.IndexFunc(states, deletes)]
		w.equal("the first message", first.Condition(v1alpha1.ConditionReady).Message, "being deleted")
		lift()
		w.awaitDeleted(o)
	})
}
