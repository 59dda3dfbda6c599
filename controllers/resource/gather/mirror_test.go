package gather

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of what is only observed everything is read once an hour, and in between the mirror keeps what it had.
func TestMirrorOfWhatIsOnlyObserved(t *testing.T) {
	b, _ := storedBucket(t, false)
	b.Spec.Management = v1alpha1.ManagementObserve
	now, memory := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC), reconciliation.Memory{}
	look := func(asked bool, seen driver.Observation) (whole bool, mirror string) {
		t.Helper()
		g := (&Gatherer{Kind: kind.Bucket()}).begin(reconciliation.Begin(b, now, reconciliation.News{Asked: asked}, memory))
		g.Connection = &identity.Connection{}
		g.Request = g.request()
		g.observed(t.Context(), seen)
		memory = g.Memory
		if err := b.SetObserved(g.Observation.Mirror); err != nil {
			t.Fatal(err)
		}
		return g.Request.Whole, string(g.Observation.Mirror)
	}
	all := driver.Observation{State: driver.Ready, Mirror: json.RawMessage(`{"location":"eu-central-1","website":{"indexDocument":"index.html"}}`)}
	some := driver.Observation{State: driver.Ready, Mirror: json.RawMessage(`{"location":"eu-central-1"}`), Unread: []string{"website.indexDocument", "website.errorDocument"}}
	for _, step := range []struct {
		what  string
		after time.Duration
		asked bool
		seen  driver.Observation
		whole bool
	}{
		{"the first look", 0, false, all, true},
		{"a re-check", 59 * time.Minute, false, some, false},
		{"a re-check after an hour", time.Minute, false, all, true},
		{"a look that somebody asked for", time.Minute, true, all, true},
		{"a re-check after that", 59 * time.Minute, false, some, false},
	} {
		now = now.Add(step.after)
		whole, mirror := look(step.asked, step.seen)
		if whole != step.whole {
			t.Errorf("%s reads everything: %v, want %v", step.what, whole, step.whole)
		}
		if diff := cmp.Diff(string(all.Mirror), mirror); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
	now = now.Add(time.Minute)
	g := (&Gatherer{Kind: kind.Bucket()}).begin(reconciliation.Begin(b, now, reconciliation.News{Asked: true}, memory))
	g.Connection = &identity.Connection{}
	g.request() // and then it has to wait for its turn
	memory = g.Memory
	if whole, _ := look(false, all); !whole {
		t.Error("what somebody asked for was forgotten while the object waited")
	}
	observed := b.Status.Observed
	b.Status.Observed = nil // the status could not be stored
	if whole, _ := look(false, all); !whole {
		t.Error("a mirror that was not stored is not read again")
	}
	b.Status.Observed = observed
	look(false, driver.Observation{State: driver.Absent})
	b.Status.Observed = observed
	if whole, _ := look(false, all); !whole {
		t.Error("another bucket in place of the former one is not read as a whole")
	}
	memory = reconciliation.Memory{} // a restart
	if whole, _ := look(false, some); whole {
		t.Error("a restart read everything of what was mirrored before")
	}
	now = now.Add(time.Hour)
	if whole, _ := look(false, all); !whole {
		t.Error("an hour after a restart not everything is read")
	}
	now = now.Add(time.Hour)
	if _, mirror := look(false, driver.Observation{State: driver.Ready, Mirror: some.Mirror}); mirror != string(some.Mirror) {
		t.Errorf("what is gone from the cloud is still in the mirror: %s", mirror)
	}
	b.Spec.Management = ""
	if whole, _ := look(true, some); whole {
		t.Error("everything was read of a bucket that Mooring manages")
	}
}
