package resource

import (
	"testing"
	"time"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// While an object waits for a slot its account may answer and time out many times. The object is written for what its conditions
// have not said yet, and not each time.
func TestWritesWhileQueued(t *testing.T) {
	settled := outcome.Outcome{State: condition.Settled, Reason: v1alpha1.ReasonReady, Message: "usable", Next: outcome.AtSync}
	for _, test := range []struct {
		name string
		// unborn: nothing was observed yet; edited: the spec is newer than the conditions; unobserved: for two sync periods.
		unborn, edited, unobserved, deleting bool
		// restarted: each flip is seen by another process.
		restarted bool
		most      int // writes
	}{
		{name: "as declared", most: 0},
		{name: "new", unborn: true, most: 2},
		{name: "edited", edited: true, most: 2},
		{name: "edited, and seen by other processes", edited: true, restarted: true, most: 2},
		{name: "not observed for long", unobserved: true, most: 1},
		{name: "not observed for long, and edited", unobserved: true, edited: true, most: 1},
		{name: "being deleted", edited: true, deleting: true, most: 1},
		{name: "being deleted, and not observed for long", edited: true, deleting: true, unobserved: true, most: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.RecordDeadline = time.Minute
			if test.unborn {
				d.status.FirstReadyTime, d.status.ExternalName, d.status.AppliedGeneration = nil, "", 0
			} else {
				d.looked, d.seen = true, driver.Observation{State: driver.Ready, Available: true, Mark: d.request.Mark}
				if _, err := d.record(t.Context(), d.turn, settled, nil); err != nil {
					t.Fatal(err)
				}
			}
			if test.edited {
				d.bucket().Generation++
				if err := d.Client.Update(t.Context(), d.obj); err != nil {
					t.Fatal(err)
				}
			}
			writes, now := 0, time.Now()
			if test.unobserved {
				now = now.Add(3 * d.Cadence.Sync)
			}
			d.Now = func() time.Time { return now }
			conn := d.conn
			for flip := range 20 {
				now = now.Add(time.Second)
				if test.restarted {
					d.memories.forget(client.ObjectKeyFromObject(d.obj))
				}
				before := d.obj.GetResourceVersion()
				d.turn = d.begin(d.obj)
				d.conn, d.deleting, d.queued = conn, test.deleting, true
				d.mem.queuedSince = plan.Since(d.mem.queuedSince, true, now.Add(-silentWait))
				if _, err := d.record(t.Context(), d.turn, *d.whileQueued(d.turn, flip%2 == 1), nil); err != nil {
					t.Fatal(err)
				}
				if d.obj.GetResourceVersion() != before {
					writes++
				}
			}
			if writes > test.most {
				t.Errorf("%d writes, want at most %d:\n%v", writes, test.most, d.status.Conditions)
			}
			if told := len(d.Recorder.(*events.FakeRecorder).Events); told > 2 { // that it is Ready, and what keeps it waiting
				t.Errorf("%d Events", told)
			}
		})
	}
}
