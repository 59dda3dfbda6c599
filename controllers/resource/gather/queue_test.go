package gather

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// While an object waits for a slot its account may answer and time out many times. The object is written for what its conditions
// have not said yet, and not each time.
func TestWritesWhileQueued(t *testing.T) {
	upToDate := outcome.Outcome{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Message: "usable", Next: outcome.AtSync}
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
			b, c := storedBucket(t, test.unborn)
			recorder := events.NewFakeRecorder(100)
			cadence := retry.DefaultCadence(time.Minute)
			reporter := &report.Reporter{Client: c, Recorder: recorder, Kind: kind.Bucket(), Cadence: cadence, Deadline: time.Minute}
			began := time.Now()
			reports := report.NewMemory(cadence, began)
			now, memory := began, reconciliation.Memory{LastObserved: began}
			begin := func() reconciliation.State {
				news, m := reconciliation.NewsOf(b, memory)
				return (&Gatherer{Kind: kind.Bucket(), Sync: cadence.Sync}).begin(reconciliation.Begin(b, now, news, m)).State
			}
			write := func(g reconciliation.State, out outcome.Outcome) {
				g.Redact = g.Redactor()
				g.Outcome = out
				reported := reporter.Report(t.Context(), g, reports)
				reports, memory = reported.Memory, g.Memory
				b = &v1alpha1.Bucket{}
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(g.Object), b); err != nil {
					t.Fatal(err)
				}
			}
			if !test.unborn {
				g := begin()
				g.Observed, g.Observation = true, driver.Observation{State: driver.Ready, Available: true}
				write(g, upToDate)
			}
			if test.edited {
				b.Generation++
				if err := c.Update(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			writes := 0
			if test.unobserved {
				now = now.Add(3 * cadence.Sync)
			}
			for flip := range 20 {
				now = now.Add(time.Second)
				if test.restarted {
					memory, reports = reconciliation.Memory{LastObserved: now}, report.NewMemory(cadence, now)
				}
				before := b.GetResourceVersion()
				g := begin()
				g.Deleting, g.Slot = test.deleting, reconciliation.Slot{Queued: true, Degraded: flip%2 == 1, Account: "aws account 111"}
				g.Memory.Queue.Since = plan.Since(g.Memory.Queue.Since, true, now.Add(-silentWait))
				stop := hasSlot(g)
				g.Memory.Queue.Said = stop.Said
				write(g, stop.Outcome)
				if b.GetResourceVersion() != before {
					writes++
				}
			}
			if writes > test.most {
				t.Errorf("%d writes, want at most %d:\n%v", writes, test.most, b.Status.Conditions)
			}
			if told := len(recorder.Events); told > 2 { // that it is Ready, and what keeps it waiting
				t.Errorf("%d Events", told)
			}
		})
	}
}

// storedBucket returns a bucket that was Ready, and the client that stores it. unborn: nothing was observed of it yet.
func storedBucket(t *testing.T, unborn bool) (*v1alpha1.Bucket, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "photos", UID: "uid-now", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource},
	}}
	if !unborn {
		b.Status.ExternalName, b.Status.Provider, b.Status.AppliedGeneration = "photos", "aws", 1
		b.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).Build()
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	return b, c
}
