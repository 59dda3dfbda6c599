package gather

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// When somebody asked for a reconciliation, drivers know from then on: the cloud object may have to wait for its turn,
// or be at work.
func TestDriversKnowWhenSomebodyAsked(t *testing.T) {
	b, _ := storedBucket(t, false)
	now, memory := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC), reconciliation.Memory{}
	first := now.Add(time.Minute)
	for _, step := range []struct {
		what  string
		asked bool
		want  time.Time
	}{
		{"nobody asked", false, time.Time{}}, {"somebody asks", true, first}, {"a re-check after that", false, first}, {"somebody asks again", true, first.Add(2 * time.Minute)},
	} {
		g := (&Gatherer{Kind: kind.Bucket()}).begin(reconciliation.Begin(b, now, reconciliation.News{Asked: step.asked}, memory))
		g.Connection = &identity.Connection{}
		if got := g.request().AskedAt; !got.Equal(step.want) {
			t.Errorf("%s: the driver is told %s, want %s", step.what, got, step.want)
		}
		memory, now = g.Memory, now.Add(time.Minute)
	}
}
