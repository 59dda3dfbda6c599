package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Clouds have limits: how many instances there may be, and how often they may be called. Nothing else runs here, since
// all of an account share its limits.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := newEnvironment(t, localcloud.Options{Durations: durations, ListenersOnly: true, RateLimits: true, InstanceQuota: 2}, 3)
	in := func(name string) *system.Cloud {
		return system.NewCloud(s.Cloud, name)
	}
	for _, provider := range []string{"aws", "gcp"} {
		t.Run("quota of "+provider, func(t *testing.T) {
			t.Parallel()
			testQuota(s.fixture(t), in(provider))
		})
	}
	t.Run("rates", func(t *testing.T) {
		t.Parallel()
		testRates(s.fixture(t), in("gcp"))
	})
}

// testQuota: who finds no room says so, tries now and then, and gets it once there is some.
func testQuota(w *fixture, c *system.Cloud) {
	first, second, third := w.database(c, "first", system.MinimalDatabase(c)), w.database(c, "second", system.MinimalDatabase(c)), w.database(c, "third", system.MinimalDatabase(c))
	w.create(first)
	w.create(second)
	w.ready(first)
	converged := w.ready(second).Status.ExternalName
	w.create(third)
	s := w.stalled(third, v1alpha1.ReasonQuotaExceeded, "higher quota")
	calls := func() int { return c.Ledger.Count(localcloud.Filter{Resource: s.Status.ExternalName}) }
	before := calls()
	w.observedAgain(c, converged, 3)
	if n := calls() - before; n > mostCalls {
		w.Errorf("%d calls for it while a converged one was looked at three times", n)
	}
	w.Disturb()
	w.delete(first)
	w.awaitDeleted(first)
	w.ready(third)
	w.ready(second)
}

// testRates: what a limit on calls refuses is done a little later, without being asked for over and over.
func testRates(w *fixture, c *system.Cloud) {
	const many = 4
	var buckets []*v1alpha1.Bucket
	for i := range many {
		b := throughOpenClass(w, c, w.bucket(c, fmt.Sprintf("photos-%d", i), system.FullBucket(c)))
		w.create(b)
		buckets = append(buckets, b)
	}
	for _, b := range buckets {
		w.ready(b)
	}
	for round := range 3 { // sooner one after the other than a bucket takes updates
		for _, b := range buckets {
			edit(w, b, func(b *v1alpha1.Bucket) {
				b.Spec.Tags = map[string]v1alpha1.TagValue{"team": v1alpha1.TagValue(rune('a' + round))}
			})
		}
	}
	for _, b := range buckets {
		name := w.ready(b).Status.ExternalName
		w.mirrors(b, "tags.team", `"c"`)
		if n := len(c.Writes(name)); n > mostWrites {
			w.Errorf("%d writes to %s, want %d at most", n, name, mostWrites)
		}
	}
	refused := 0
	for _, call := range c.Ledger.Calls(localcloud.Filter{Service: "storage"}) {
		if call.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		w.Error("no limit was met, so that nothing was tested")
	}
	for _, b := range buckets {
		w.delete(b)
	}
	for _, b := range buckets {
		w.awaitDeleted(b)
	}
}

// How often something may be tried in vain here. Tries without a pause between them are many more. How often exactly something is
// tried is for TestADay, which has a clock of its own.
const (
	mostCalls  = 60 // about an object that can't go on, in two or three sync periods; each try takes three
	mostWrites = 24 // to a bucket that is created and edited three times
)
