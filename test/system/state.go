package system

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// What a condition may be in a row of the table.
const (
	isTrue      = metav1.ConditionTrue
	isFalse     = metav1.ConditionFalse
	isUnknown   = metav1.ConditionUnknown
	isAbsent    = metav1.ConditionStatus("")
	trueOrFalse = metav1.ConditionStatus("True or False")
)

// A stateRow is a state that the design allows: conditions, and what kstatus makes of them once the
// generation was observed.
type stateRow struct {
	name                                           string
	available, synced, ready, reconciling, stalled metav1.ConditionStatus
	reason                                         v1alpha1.Reason // of Synced; empty for any
	working                                        v1alpha1.Reason // of Reconciling; empty for any
	kstatus                                        status.Status
	deleting                                       bool
}

// The design's table of conditions.
var designed = []stateRow{
	{name: "not seen yet", kstatus: status.InProgressStatus},
	{name: "being created", available: isFalse, synced: isFalse, ready: isFalse, reconciling: isTrue, kstatus: status.InProgressStatus},
	{name: "usable and as declared", available: trueOrFalse, synced: isTrue, ready: isTrue, kstatus: status.CurrentStatus},
	{name: "an edit is being applied", available: trueOrFalse, synced: isFalse, ready: isFalse, reconciling: isTrue, kstatus: status.InProgressStatus},
	{name: "drift waits", available: trueOrFalse, synced: isFalse, ready: isTrue, kstatus: status.CurrentStatus},
	{name: "failing for long, after Ready", available: trueOrFalse, synced: trueOrFalse, ready: trueOrFalse, reconciling: isTrue, working: v1alpha1.ReasonRetrying, kstatus: status.InProgressStatus},
	{name: "not observed", available: isUnknown, synced: isUnknown, ready: isUnknown, reconciling: isTrue, kstatus: status.InProgressStatus},
	{name: "first call failed", available: isUnknown, synced: isUnknown, ready: isUnknown, kstatus: status.InProgressStatus},
	{name: "stalled, an edit waits for approval", available: trueOrFalse, synced: isFalse, ready: isFalse, stalled: isTrue, kstatus: status.FailedStatus},
	{name: "stalled before the cloud was seen", available: isUnknown, synced: isFalse, ready: isFalse, stalled: isTrue, kstatus: status.FailedStatus},
	{name: "paused when Ready", available: trueOrFalse, synced: isFalse, ready: isTrue, reason: v1alpha1.ReasonPaused, kstatus: status.CurrentStatus},
	{name: "paused before Ready", available: trueOrFalse, synced: isFalse, ready: isFalse, reason: v1alpha1.ReasonPaused, kstatus: status.InProgressStatus},
	{name: "paused from the beginning", available: isUnknown, synced: isFalse, ready: isUnknown, reason: v1alpha1.ReasonPaused, kstatus: status.InProgressStatus},
	{name: "being deleted", available: trueOrFalse, synced: isFalse, ready: isFalse, reconciling: isTrue, kstatus: status.TerminatingStatus, deleting: true},
	{name: "being deleted, not observed for long", available: isUnknown, synced: isFalse, ready: isFalse, reconciling: isTrue, kstatus: status.TerminatingStatus, deleting: true},
	{name: "can't be deleted", available: trueOrFalse, synced: isFalse, ready: isFalse, reconciling: isTrue, stalled: isTrue, kstatus: status.TerminatingStatus, deleting: true},
	{name: "can't be deleted, never seen", available: isUnknown, synced: isFalse, ready: isFalse, reconciling: isTrue, stalled: isTrue, kstatus: status.TerminatingStatus, deleting: true},
}

func (r stateRow) matches(s Snapshot) bool {
	for name, want := range map[string]metav1.ConditionStatus{
		v1alpha1.ConditionAvailable: r.available, v1alpha1.ConditionSynced: r.synced, v1alpha1.ConditionReady: r.ready,
		v1alpha1.ConditionReconciling: r.reconciling, v1alpha1.ConditionStalled: r.stalled,
	} {
		fits := s.Is(name, want)
		if want == trueOrFalse {
			fits = s.Is(name, isTrue) || s.Is(name, isFalse)
		}
		if !fits {
			return false
		}
	}
	return (r.reason == "" || s.Condition(v1alpha1.ConditionSynced).Reason == string(r.reason)) &&
		(r.working == "" || s.Condition(v1alpha1.ConditionReconciling).Reason == string(r.working))
}

// CheckStates holds every state that was passed through against the table, but not how one followed another.
func (c *Recorder) CheckStates(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		if !s.disturbance {
			s.check(t)
		}
	}
}

// check holds a state against the table.
func (s Snapshot) check(t testing.TB) {
	t.Helper()
	if !s.allowed() {
		t.Errorf("no row of the design's table is this state, with kstatus %s:\n    %v", s.KStatus, s)
	}
}

// Check is CheckStates, and checks that no message changed for no reason and that no condition changed and changed back.
func (c *Recorder) Check(t testing.TB) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	before, turns := map[string]Snapshot{}, map[string]*flapDetector{}
	for _, s := range c.states {
		if s.disturbance {
			for _, t := range turns {
				t.excuse()
			}
			continue
		}
		s.check(t)
		was, known := before[s.UID]
		if m := changedMessage(was, s); m != "" {
			t.Errorf("%s/%s: a message changed for no reason: %s", s.Kind, s.Name, m)
		}
		switch {
		case !known || was.Generation != s.Generation:
			turns[s.UID] = newFlapDetector()
		case !maps.Equal(was.Annotations, s.Annotations):
			turns[s.UID].excuse()
		}
		if m := turns[s.UID].flapped(s); m != "" {
			t.Errorf("%s/%s: a condition turned and turned back, and nothing had changed but itself: %s\n    %v", s.Kind, s.Name, m, s)
		}
		before[s.UID] = s
	}
}

// allowed reports whether a row is this state and kstatus makes of it what the row says. An edit that was not seen
// yet, and a deletion, come before all else.
func (s Snapshot) allowed() bool {
	for _, r := range designed {
		want := r.kstatus
		switch {
		case s.Deleting:
			want = status.TerminatingStatus
		case r.deleting:
			continue
		case s.ObservedGeneration != s.Generation && want == status.CurrentStatus:
			want = status.InProgressStatus
		case s.ObservedGeneration != s.Generation && s.stale():
			want = status.InProgressStatus
		}
		if r.matches(s) && s.KStatus == want {
			return true
		}
	}
	return false
}

// stale reports whether the conditions are about an earlier generation.
func (s Snapshot) stale() bool {
	c := s.Condition(v1alpha1.ConditionReady)
	return c != nil && c.ObservedGeneration != s.Generation
}

// changedMessage returns how a message differs between two states, one after the other, that have the same to say. What Deleting and
// Stopped say tells how far a deletion or a stop has come, and may change.
func changedMessage(a, b Snapshot) string {
	if a.Generation != b.Generation {
		return ""
	}
	for _, was := range a.Status.Conditions {
		is := b.Condition(was.Type)
		if is == nil || is.ObservedGeneration != was.ObservedGeneration || slices.Contains(onTheWay, is.Reason) || is.Reason == string(v1alpha1.ReasonApprovalRequired) {
			continue
		}
		if is.Reason == string(v1alpha1.ReasonConflict) && strings.Contains(was.Message, "waiting for approval") != strings.Contains(is.Message, "waiting for approval") {
			continue // what waits beside entries of others was approved
		}
		if was.Type == v1alpha1.ConditionReady && a.Is(v1alpha1.ConditionStalled, isTrue) != b.Is(v1alpha1.ConditionStalled, isTrue) {
			continue // another condition says everything
		}
		if is.Reason == string(v1alpha1.ReasonCloudBusy) && strings.HasPrefix(is.Message, was.Message+": ") {
			continue // the cloud says more of what it is at
		}
		if is.Reason == string(v1alpha1.ReasonUpdating) && strings.HasPrefix(is.Message, strings.TrimSuffix(was.Message, ")")+"; ") {
			continue // a change has come to its next step, as one by a second server that is prepared now
		}
		if slices.Contains(ofPending, is.Reason) && !slices.EqualFunc(a.Status.PendingChanges, b.Status.PendingChanges, sameStep) {
			continue
		}
		if is.Reason == was.Reason && is.Status == was.Status && is.Message != was.Message {
			return was.Type + " " + was.Reason + ": " + was.Message + " / " + is.Message
		}
	}
	return ""
}

// onTheWay are reasons whose messages tell how far something has come.
var onTheWay = []string{string(v1alpha1.ReasonDeleting), string(v1alpha1.ReasonStopped), string(v1alpha1.ReasonParentNotReady), string(v1alpha1.ReasonPrimaryNotReady), string(v1alpha1.ReasonSnapshotNotReady), string(v1alpha1.ReasonInUse)}

// ofPending are reasons whose messages speak of the pending changes: what is applied, and that has more than one step; and what would be.
var ofPending = []string{string(v1alpha1.ReasonUpdating), string(v1alpha1.ReasonObserved)}

func sameStep(a, b v1alpha1.PendingChange) bool {
	return a.Field == b.Field && a.From == b.From && a.To == b.To && a.Effect == b.Effect
}

// WaitsForSlot reports whether conditions say that an object was not observed in time, because its account is busy with others and
// answers. On a busy machine that says nothing about the object.
func WaitsForSlot(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionSynced)
	return c != nil && c.Reason == string(v1alpha1.ReasonNotObserved) && strings.Contains(c.Message, "waiting for a slot of")
}
