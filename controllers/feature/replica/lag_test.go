package replica

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What the cloud does not say for a while stays for two sync periods, also where this process has not seen it say anything.
func TestLag(t *testing.T) {
	const sync = 10 * time.Minute
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	lagging := func(lag time.Duration) *driver.Following { return &driver.Following{Primary: "orders", Lag: &lag} }
	unknown, broken := &driver.Following{Primary: "orders"}, &driver.Following{Primary: "orders", Problem: "terminated"}
	type look struct {
		after   time.Duration // since noon
		follows *driver.Following
		want    v1alpha1.ReplicaLag
	}
	for name, tt := range map[string]struct {
		before v1alpha1.ReplicaLag
		looks  []look
	}{
		"it is known":                 {"", []look{{0, lagging(3 * time.Second), "Seconds"}, {sync, lagging(time.Hour), "Hours"}, {2 * sync, lagging(40 * time.Minute), "Hours"}}},
		"it was never known":          {"", []look{{0, unknown, ""}, {sync, unknown, ""}}},
		"one look does not say it":    {"Minutes", []look{{0, lagging(time.Minute), "Minutes"}, {sync, unknown, "Minutes"}, {2 * sync, lagging(40 * time.Second), "Minutes"}, {4 * sync, unknown, "Minutes"}}},
		"it is not known any more":    {"Minutes", []look{{0, lagging(time.Minute), "Minutes"}, {2 * sync, unknown, "Minutes"}, {2*sync + 1, unknown, ""}}},
		"not known since the start":   {"Hours", []look{{0, unknown, "Hours"}, {2 * sync, unknown, "Hours"}, {2*sync + 1, unknown, ""}}},
		"a problem":                   {"Hours", []look{{0, lagging(time.Hour), "Hours"}, {sync, broken, ""}}},
		"it follows nothing any more": {"Hours", []look{{0, lagging(time.Hour), "Hours"}, {sync, nil, ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			g, is := &reconciliation.State{}, tt.before
			for _, l := range tt.looks {
				g.Now, g.Observed, g.Observation = noon.Add(l.after), true, driver.Observation{State: driver.Ready, Replication: &driver.Replication{Follows: l.follows}}
				if is = lag(g, sync, is); is != l.want {
					t.Fatalf("after %s it is %q, want %q", l.after, is, l.want)
				}
			}
		})
	}
	if got := lag(&reconciliation.State{Facts: outcome.Facts{Now: noon}}, sync, "Days"); got != "Days" {
		t.Errorf("what was not observed is %q", got)
	}
}
