package gather

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A full account has one slot, which another object has.
func fullAccount(t *testing.T, now func() time.Time) (source *account.Source, others *account.Slot) {
	t.Helper()
	source = account.New(1, now, nil).Source("team", "third", account.Key{Source: "team"})
	if others = source.Acquire(account.Request{Requester: "other", Kind: "Bucket", Priority: account.Resync, Wake: func() {}}); others == nil {
		t.Fatal("there is no slot at all")
	}
	return source, others
}

// queue has an object wait for a slot, and returns what is to be said of it.
func queueFor(t *testing.T, g *gathering, source *account.Source) *reconciliation.Stop {
	t.Helper()
	g.gatherer.Requeue = func(client.ObjectKey, account.Priority) {}
	g.Connection = &identity.Connection{Provider: "third", Slots: source}
	if err := g.acquireSlot(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop := hasSlot(g.State)
	if stop == nil {
		t.Fatal("it has a slot")
	}
	return stop
}

// A new object that waits for a slot is not written for what features note of it: that is noted with the first write that it costs anyway.
func TestNothingIsNotedOfAnObjectThatWaits(t *testing.T) {
	now := time.Unix(1000, 0)
	source, _ := fullAccount(t, func() time.Time { return now })
	object := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid", Generation: 1}}
	notes := feature.Feature{Begin: func(in *reconciliation.State) {
		in.Object.(*v1alpha1.Database).Status.Actions = []v1alpha1.ActionStatus{{Name: "restart"}}
	}}
	notes.Queued = func(in *reconciliation.State) { in.Object.(*v1alpha1.Database).Status.Actions = nil }
	gatherer := &Gatherer{Kind: kind.Database(), Sync: time.Minute, Features: feature.Set{notes}}
	g := gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{}, reconciliation.Memory{}))
	if equality.Semantic.DeepEqual(g.Stored, g.Object) {
		t.Fatal("nothing is noted of a new object: this test shows nothing")
	}
	queueFor(t, g, source)
	if !equality.Semantic.DeepEqual(g.Stored, g.Object) {
		t.Errorf("it would be written for %+v", g.Object.(*v1alpha1.Database).Status)
	}
}

// Of many objects that wait, none says so as long as others get their slots: that would be a write for each. If nobody gets one, or if it takes
// very long, it does.
func TestWhoWaitsIsSilentWhileTheQueueMoves(t *testing.T) {
	for _, test := range []struct {
		name   string
		waits  time.Duration
		stands bool
		silent bool
	}{
		{name: "the queue moves", waits: time.Minute, silent: true},
		{name: "the queue moves for long", waits: longestSilentWait + time.Second},
		{name: "it stands, but not for long", waits: silentWait - time.Second, stands: true, silent: true},
		{name: "it stands", waits: silentWait + time.Second, stands: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			source, other := fullAccount(t, func() time.Time { return now })
			object := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "uid", Generation: 1}}
			object.Status.ObservedGeneration = -1
			gatherer := &Gatherer{Kind: kind.Bucket(), Sync: time.Minute}
			g := gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{}, reconciliation.Memory{}))
			queueFor(t, g, source)
			memory := g.Memory
			for began, i := now, 0; now.Sub(began) < test.waits; i++ {
				now = now.Add(time.Second)
				if test.stands {
					continue
				}
				other.Release(true)
				for other = nil; other == nil; now = now.Add(time.Second) { // until the slot is reserved no more for the object, which does not come
					other = source.Acquire(account.Request{Requester: fmt.Sprint("other", i), Priority: account.InProgress, Wake: func() {}})
				}
			}
			g = gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{}, memory))
			g.Slot.Queued, g.Slot.Moves = true, source.GrantedSlotWithin(silentWait)
			if got := hasSlot(g.State).Outcome.KeepConditions; got != test.silent {
				t.Errorf("silent: %t, want %t", got, test.silent)
			}
		})
	}
}

// In an account whose calls are limited, or of which other objects get their slots, an object is not called unobserved before the stated age; in others,
// after two sync periods.
func TestWhatIsOnlyLateIsNotUnobserved(t *testing.T) {
	const sync = time.Minute
	for _, test := range []struct {
		name            string
		limited, stands bool
		age             time.Duration
		want            bool
	}{
		{name: "in time", stands: true, age: sync},
		{name: "late, without a limit", stands: true, age: 3 * sync, want: true},
		{name: "late, while others get their slots", age: 3 * sync},
		{name: "at the stated age, while others get their slots", age: retry.StaleAfterRateLimited(sync)},
		{name: "older, while others get their slots", age: retry.StaleAfterRateLimited(sync) + time.Second, want: true},
		{name: "late, with a limit", limited: true, stands: true, age: 3 * sync},
		{name: "at the stated age", limited: true, stands: true, age: retry.StaleAfterRateLimited(sync)},
		{name: "older", limited: true, stands: true, age: retry.StaleAfterRateLimited(sync) + time.Second, want: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := time.Unix(10000, 0)
			source, other := fullAccount(t, func() time.Time { return now })
			if test.stands {
				now = now.Add(silentWait + time.Second)
			}
			if test.limited {
				limit(t, source, other)
			}
			object := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "uid", Generation: 1}}
			object.Status.ExternalName, object.Status.ObservedGeneration = "photos", 1
			gatherer := &Gatherer{Kind: kind.Bucket(), Sync: sync}
			g := gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{}, reconciliation.Memory{LastObserved: now.Add(-test.age)}))
			out := queueFor(t, g, source).Outcome
			if g.Unobserved != test.want || out.KeepConditions == test.want {
				t.Errorf("unobserved: %t, want %t; it says %q", g.Unobserved, test.want, out.Message)
			}
		})
	}
}

// limit has the cloud refuse a call that is made with a slot, for the rate of the account's calls.
func limit(t *testing.T, source *account.Source, slot *account.Slot) {
	t.Helper()
	session := slot.Session(calling{calls: source.Calls(nil, nil, "")})
	if _, err := session.Observe(t.Context(), "Bucket", driver.Request{}, driver.Secrets{}); driver.CodeOf(err) != driver.Throttled {
		t.Fatalf("got %v", err)
	}
	if !slot.RateLimited() {
		t.Error("the account's limiter does not know of the refusal")
	}
	slot.Release(true)
}

// calling is a session whose calls are all refused for their rate.
type calling struct {
	driver.Session
	calls driver.Calls
}

func (c calling) Observe(ctx context.Context, _ string, _ driver.Request, _ driver.Secrets) (driver.Observation, error) {
	_, end := c.calls(ctx, "third", "get")
	end(driver.Call{Failed: true, Code: driver.Throttled})
	return driver.Observation{}, &driver.Error{Code: driver.Throttled}
}

// What somebody asked for is not forgotten while the object waits for a slot, and counts once against the share of its namespace.
func TestAskedWhileItWaitsForASlot(t *testing.T) {
	now := time.Unix(1000, 0)
	source, other := fullAccount(t, func() time.Time { return now })
	object := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "uid", Generation: 1}}
	object.Status.ObservedGeneration = 1
	gatherer := &Gatherer{Kind: kind.Bucket(), Sync: time.Minute}
	g := gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{Any: true, Wanted: true, Asked: true}, reconciliation.Memory{}))
	queueFor(t, g, source)
	other.Release(true)
	g = gatherer.begin(reconciliation.Begin(object, now, reconciliation.News{}, g.Memory))
	g.Connection = &identity.Connection{Slots: source}
	if err := g.acquireSlot(t.Context()); err != nil || g.Slot.Queued {
		t.Fatalf("it has no slot: %v", err)
	}
	if !g.News.Asked {
		t.Error("nobody knows any more that somebody asked")
	}
}
