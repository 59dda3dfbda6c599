package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// windowSync is so long that an object which came back only then would miss most windows.
const windowSync = 5 * time.Hour

// A windowFixture is a database that makes disruptive changes in its maintenance window, on a clock that the test moves.
type windowFixture struct {
	*dayFixture
	cloud *system.Cloud
	d     *v1alpha1.Database
	name  string
	// opens is when the window opens next.
	opens time.Time
}

// With timing: MaintenanceWindow nothing that restarts is sent outside the window, not even what was approved; what is online is sent at once.
func TestMaintenanceWindow(t *testing.T) {
	t.Parallel()
	clock := newSchedule()
	clock.seldom = windowSync
	day := newDayFixture(t, clock, windowSync, localcloud.Durations{Modify: 10 * time.Minute})
	for _, p := range providersFor(t) {
		day.run(p.Name, func(f *fixture) {
			w := newWindowFixture(&dayFixture{f, clock}, day.onDay(p.Name))
			w.editWaits()
			w.approvalWaits()
			w.missedIsTold()
			w.immediateIsAtOnce()
		})
	}
}

func newWindowFixture(day *dayFixture, c *system.Cloud, with ...func(*v1alpha1.Database)) *windowFixture {
	w := &windowFixture{dayFixture: day, cloud: c, opens: day.clock.Now().UTC().Truncate(time.Hour).Add(3 * 24 * time.Hour)}
	weekday := v1alpha1.Weekday(w.opens.Weekday().String())
	w.d = w.database(c, "orders-"+c.Name, system.MinimalDatabase(c))
	w.d.Spec.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: &weekday, StartTime: new(w.opens.Format("15:04"))}}
	w.d.Spec.Updates = &v1alpha1.Updates{Timing: v1alpha1.TimingMaintenanceWindow}
	for _, declare := range with {
		declare(w.d)
	}
	w.d = throughOpenClass(w.fixture, c, w.d)
	w.create(w.d)
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) }) // what completes a new server waits for nothing
	w.name = w.last(w.d).Status.ExternalName
	return w
}

// resize asks for another size.
func (w *windowFixture) resize(to int) {
	edit(w.fixture, w.d, func(d *v1alpha1.Database) {
		system.SetSize(w.cloud, &d.Spec.DatabaseParameters, system.Sizes[w.cloud.Name][to])
	})
}

// drift has somebody change the size in the cloud, who waits for the end of it: so the time has to pass.
func (w *windowFixture) drift(to string) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.cloud.Databases().SetSize(w.T, w.name, to)
	}()
	for limit := w.clock.Now().Add(3 * windowSync); ; {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
			w.clock.step(limit)
		}
	}
}

// waiting waits until a change of the size waits for the window, and returns what the conditions say.
func (w *windowFixture) waiting(cause string) system.Snapshot {
	w.Helper()
	w.until(w.d, "waiting for the window", func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionSynced)
		return s.Generation == w.d.Generation && s.ObservedGeneration == w.d.Generation && c != nil && c.Reason == string(v1alpha1.ReasonWaitingForWindow)
	})
	s := w.last(w.d)
	if n := len(s.Status.PendingChanges); n != 1 {
		w.Fatalf("%d changes are pending:\n    %v", n, s)
	}
	p := s.Status.PendingChanges[0]
	if p.Field != sizeField[w.cloud.Name] || p.Cause != cause || p.WaitsFor != v1alpha1.WaitsForMaintenanceWindow || p.DueSince == nil {
		w.Errorf("%+v is pending", p)
	}
	if says := "opens at " + w.opens.Format("2006-01-02 15:04 UTC"); !strings.Contains(s.Told()+s.Condition(v1alpha1.ConditionSynced).Message, says) {
		w.Errorf("nothing says that it %s:\n    %v", says, s)
	}
	return s
}

// pass lets the time pass until shortly before the window opens. Nothing may be written meanwhile, neither to the cloud nor to the object.
func (w *windowFixture) pass() {
	w.Helper()
	writes, states := len(w.cloud.Writes(w.name)), len(w.States("Database", w.d.Name, 0))
	w.clock.pass(w.opens.Add(-time.Second))
	if got := w.cloud.Writes(w.name)[writes:]; len(got) > 0 {
		w.Errorf("before the window opens, %v was sent", got)
	}
	if n := len(w.States("Database", w.d.Name, 0)) - states; n > 0 {
		w.Errorf("the object was written %d times for waiting", n)
	}
}

// wrote checks how many calls since then change the server. An observation takes none, and the time is the test's, so none is waited for.
func (w *windowFixture) wrote(mark, n int) {
	w.Helper()
	want := slices.Repeat([]string{sizeWrite(w.cloud)}, n)
	if got := w.cloud.Writes(w.name)[mark:]; !slices.Equal(got, want) {
		w.Errorf("writes: %q, want %q", got, want)
	}
}

// sentInWindow checks that since then the only call that disrupts was made as soon as the window opened, and lets the window pass.
func (w *windowFixture) sentInWindow(mark int) {
	w.Helper()
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) })
	w.wrote(mark, 1)
	calls := w.Cloud.Ledger.Calls(localcloud.Filter{Resource: w.name, Write: localcloud.Writes})
	if at := calls[len(calls)-1].Time; at.Before(w.opens) || at.After(w.opens.Add(time.Minute)) {
		w.Errorf("the window opens at %s, and the change was sent at %s", w.opens, at)
	}
	w.clock.pass(w.opens.Add(2 * windowSync)) // it is open still
	w.opens = w.opens.Add(7 * 24 * time.Hour)
}

// editWaits: of an edit the online part is sent at once, and what restarts waits. Nothing makes the window open sooner.
func (w *windowFixture) editWaits() {
	mark := len(w.cloud.Writes(w.name))
	edit(w.fixture, w.d, func(d *v1alpha1.Database) {
		system.SetSize(w.cloud, &d.Spec.DatabaseParameters, system.Sizes[w.cloud.Name][1])
		d.Spec.DeletionProtection = new(true)
	})
	s := w.waiting(v1alpha1.CauseSpec)
	if !s.Is(v1alpha1.ConditionReady, no) || !s.Is(v1alpha1.ConditionAvailable, yes) || !s.Is(v1alpha1.ConditionReconciling, yes) || s.KStatus != status.InProgressStatus {
		w.Errorf("an edit that waits for the window is\n    %v", s)
	}
	w.wrote(mark, 1) // the protection, by the same call
	edit(w.fixture, w.d, func(d *v1alpha1.Database) {
		d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"}
		d.Spec.DeletionProtection = new(false)
	})
	w.waiting(v1alpha1.CauseSpec)
	w.pass()
	w.sentInWindow(len(w.cloud.Writes(w.name)))
}

// approvalWaits: what was approved waits too, and is not sent if the approval was revoked before the window opened.
func (w *windowFixture) approvalWaits() {
	size := system.Sizes[w.cloud.Name]
	w.Disturb()
	w.drift(size[2])
	asks := func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionSynced)
		return c != nil && c.Reason == string(v1alpha1.ReasonApprovalRequired) && s.Generation == w.d.Generation
	}
	w.until(w.d, "waiting for approval", asks)
	s := w.last(w.d)
	hash := s.Status.Plan.Hash
	if message := s.Told() + s.Condition(v1alpha1.ConditionSynced).Message; !s.Is(v1alpha1.ConditionReady, yes) {
		w.Errorf("drift takes Ready away: %s", message)
	}
	mark := len(w.cloud.Writes(w.name))
	w.clock.pass(w.opens.Add(2 * time.Hour)) // the window approves nothing
	w.wrote(mark, 0)
	w.opens = w.opens.Add(7 * 24 * time.Hour)

	w.approve(w.d, hash)
	if s := w.waiting(v1alpha1.CauseDrift); !s.Is(v1alpha1.ConditionReady, yes) || !s.Is(v1alpha1.ConditionReconciling, absent) || s.Status.Plan.Hash != hash {
		w.Errorf("an approved correction of drift that waits for the window is\n    %v", s)
	}
	w.approve(w.d, "")
	w.until(w.d, "waiting for approval again", asks)
	if again := w.last(w.d).Status.Plan.Hash; again != hash {
		w.Errorf("a revoked approval made another plan of %s: %s", hash, again)
	}
	w.clock.pass(w.opens.Add(2 * time.Hour))
	w.wrote(mark, 0) // it was revoked
	w.opens = w.opens.Add(7 * 24 * time.Hour)

	w.approve(w.d, hash)
	w.waiting(v1alpha1.CauseDrift)
	w.pass()
	w.sentInWindow(mark)
}

// missedIsTold: what could not be sent in the window waits for the next one, and says so.
func (w *windowFixture) missedIsTold() {
	w.resize(2)
	w.waiting(v1alpha1.CauseSpec)
	mark := len(w.cloud.Writes(w.name))
	w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Resource: w.name, Write: localcloud.Writes}, Kind: localcloud.Conflict})
	missed := w.opens
	w.clock.pass(missed.Add(70 * time.Minute))
	w.Cloud.Faults.Reset()
	tried := w.Cloud.Ledger.Calls(localcloud.Filter{Resource: w.name, Write: localcloud.Writes})
	if last := tried[len(tried)-1].Time; last.Before(missed) || !last.Before(missed.Add(time.Hour)) || len(tried) < 3 {
		w.Errorf("in the window of %s it was tried %d times, the last time at %s", missed, len(tried), last)
	}
	w.opens = missed.Add(7 * 24 * time.Hour)
	s := w.waiting(v1alpha1.CauseSpec)
	if says := fmt.Sprintf("the window that opened at %s was missed", missed.Format("2006-01-02 15:04 UTC")); !strings.Contains(s.Told(), says) {
		w.Errorf("nothing says that %s:\n    %v", says, s)
	}
	mark = max(mark, len(w.cloud.Writes(w.name)))
	w.pass()
	w.sentInWindow(mark)
}

// immediateIsAtOnce: who can't wait says so in the spec.
func (w *windowFixture) immediateIsAtOnce() {
	w.resize(0)
	w.waiting(v1alpha1.CauseSpec)
	mark := len(w.cloud.Writes(w.name))
	edit(w.fixture, w.d, func(d *v1alpha1.Database) { d.Spec.Updates.Timing = v1alpha1.TimingImmediate })
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) })
	w.wrote(mark, 1)
	if calls := w.Cloud.Ledger.Calls(localcloud.Filter{Resource: w.name, Write: localcloud.Writes}); !slices.MaxFunc(calls, func(a, b localcloud.Call) int { return a.Time.Compare(b.Time) }).Time.Before(w.opens) {
		w.Error("it waited for the window")
	}
}

// A parameter group is attached at once, which disturbs nobody, and the restart that brings it into force waits for the window.
func TestRestartForAGroupWaits(t *testing.T) {
	t.Parallel()
	if !slices.ContainsFunc(providersFor(t), func(p system.Provider) bool { return p.Name == "aws" }) {
		t.Skip("only AWS has parameter groups")
	}
	clock := newSchedule()
	clock.seldom = windowSync
	day := newDayFixture(t, clock, windowSync, localcloud.Durations{Modify: 10 * time.Minute})
	w := newWindowFixture(day, day.onDay("aws"), func(d *v1alpha1.Database) { d.Spec.AWS.DBParameterGroupName = new("default.postgres17") })
	mark := len(w.cloud.Writes(w.name))
	edit(w.fixture, w.d, func(d *v1alpha1.Database) { d.Spec.AWS.DBParameterGroupName = new("later") })
	w.until(w.d, "waiting for the window", func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionSynced)
		return s.Generation == w.d.Generation && s.ObservedGeneration == w.d.Generation && c != nil && c.Reason == string(v1alpha1.ReasonWaitingForWindow)
	})
	pending := w.last(w.d).Status.PendingChanges
	if len(pending) != 1 || pending[0].From != "later (pending-reboot)" || pending[0].Effect != string(driver.Restarts) || pending[0].Cause != v1alpha1.CauseSpec ||
		pending[0].WaitsFor != v1alpha1.WaitsForMaintenanceWindow {
		t.Errorf("%+v is pending", pending)
	}
	w.equal("writes", w.cloud.Writes(w.name)[mark:], []string{"ModifyDBInstance"})
	w.pass()
	w.until(w.d, "ready", func(s system.Snapshot) bool { return s.IsReady(w.d) })
	w.equal("writes", w.cloud.Writes(w.name)[mark:], []string{"ModifyDBInstance", "RebootDBInstance"})
	calls := w.Cloud.Ledger.Calls(localcloud.Filter{Resource: w.name, Write: localcloud.Writes})
	if at := calls[len(calls)-1].Time; at.Before(w.opens) || at.After(w.opens.Add(time.Minute)) {
		t.Errorf("the window opens at %s, and it restarted at %s", w.opens, at)
	}
}
