package e2e

import (
	"maps"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

const (
	yes    = metav1.ConditionTrue
	no     = metav1.ConditionFalse
	open   = metav1.ConditionUnknown
	absent = metav1.ConditionStatus("")
	either = metav1.ConditionStatus("True or False")
)

// A row is a state that the design allows: conditions, and what kstatus makes of them once the
// generation was observed.
type row struct {
	name                                           string
	available, synced, ready, reconciling, stalled metav1.ConditionStatus
	reason                                         v1alpha1.Reason // of Synced; empty for any
	working                                        v1alpha1.Reason // of Reconciling; empty for any
	kstatus                                        status.Status
	deleting                                       bool
}

// The design's table of conditions.
var designed = []row{
	{name: "not seen yet", kstatus: status.InProgressStatus},
	{name: "being created", available: no, synced: no, ready: no, reconciling: yes, kstatus: status.InProgressStatus},
	{name: "usable and as declared", available: either, synced: yes, ready: yes, kstatus: status.CurrentStatus},
	{name: "an edit is being applied", available: either, synced: no, ready: no, reconciling: yes, kstatus: status.InProgressStatus},
	{name: "drift waits", available: either, synced: no, ready: yes, kstatus: status.CurrentStatus},
	{name: "failing for long, after Ready", available: either, synced: either, ready: either, reconciling: yes, working: v1alpha1.ReasonRetrying, kstatus: status.InProgressStatus},
	{name: "not observed", available: open, synced: open, ready: open, reconciling: yes, kstatus: status.InProgressStatus},
	{name: "first call failed", available: open, synced: open, ready: open, kstatus: status.InProgressStatus},
	{name: "stalled, an edit waits for approval", available: either, synced: no, ready: no, stalled: yes, kstatus: status.FailedStatus},
	{name: "stalled before the cloud was seen", available: open, synced: no, ready: no, stalled: yes, kstatus: status.FailedStatus},
	{name: "paused when Ready", available: either, synced: no, ready: yes, reason: v1alpha1.ReasonPaused, kstatus: status.CurrentStatus},
	{name: "paused before Ready", available: either, synced: no, ready: no, reason: v1alpha1.ReasonPaused, kstatus: status.InProgressStatus},
	{name: "paused from the beginning", available: open, synced: no, ready: open, reason: v1alpha1.ReasonPaused, kstatus: status.InProgressStatus},
	{name: "being deleted", available: either, synced: no, ready: no, reconciling: yes, kstatus: status.TerminatingStatus, deleting: true},
	{name: "being deleted, not observed for long", available: open, synced: no, ready: no, reconciling: yes, kstatus: status.TerminatingStatus, deleting: true},
	{name: "can't be deleted", available: either, synced: no, ready: no, reconciling: yes, stalled: yes, kstatus: status.TerminatingStatus, deleting: true},
	{name: "can't be deleted, never seen", available: open, synced: no, ready: no, reconciling: yes, stalled: yes, kstatus: status.TerminatingStatus, deleting: true},
}

func (r row) matches(s snapshot) bool {
	for name, want := range map[string]metav1.ConditionStatus{
		v1alpha1.ConditionAvailable: r.available, v1alpha1.ConditionSynced: r.synced, v1alpha1.ConditionReady: r.ready,
		v1alpha1.ConditionReconciling: r.reconciling, v1alpha1.ConditionStalled: r.stalled,
	} {
		fits := s.is(name, want)
		if want == either {
			fits = s.is(name, yes) || s.is(name, no)
		}
		if !fits {
			return false
		}
	}
	return (r.reason == "" || s.condition(v1alpha1.ConditionSynced).Reason == string(r.reason)) &&
		(r.working == "" || s.condition(v1alpha1.ConditionReconciling).Reason == string(r.working))
}

// check holds every state that was passed through against the table.
func (c *chronicle) check(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	before, turns := map[string]snapshot{}, map[string]*turns{}
	for _, s := range c.states {
		if s.disturbance {
			for _, t := range turns {
				t.excuse()
			}
			continue
		}
		if !s.allowed() {
			t.Errorf("no row of the design's table is this state, with kstatus %s:\n    %v", s.kstatus, s)
		}
		was, known := before[s.uid]
		if m := restless(was, s); m != "" {
			t.Errorf("%s/%s: a message changed for no reason: %s", s.kind, s.name, m)
		}
		switch {
		case !known || was.generation != s.generation:
			turns[s.uid] = newTurns()
		case !maps.Equal(was.annotations, s.annotations):
			turns[s.uid].excuse()
		}
		if m := turns[s.uid].back(s); m != "" {
			t.Errorf("%s/%s: a condition turned and turned back, and nothing had changed but itself: %s\n    %v", s.kind, s.name, m, s)
		}
		before[s.uid] = s
	}
}

// allowed reports whether a row is this state and kstatus makes of it what the row says. An edit that was not seen
// yet, and a deletion, come before all else.
func (s snapshot) allowed() bool {
	for _, r := range designed {
		want := r.kstatus
		switch {
		case s.deleting:
			want = status.TerminatingStatus
		case r.deleting:
			continue
		case s.observed != s.generation && want == status.CurrentStatus:
			want = status.InProgressStatus
		case s.observed != s.generation && s.stale():
			want = status.InProgressStatus
		}
		if r.matches(s) && s.kstatus == want {
			return true
		}
	}
	return false
}

// stale reports whether the conditions are about an earlier generation.
func (s snapshot) stale() bool {
	c := s.condition(v1alpha1.ConditionReady)
	return c != nil && c.ObservedGeneration != s.generation
}

// restless returns how a message differs between two states, one after the other, that have the same to say. What Deleting says tells how
// far a deletion has come, and may change.
func restless(a, b snapshot) string {
	if a.generation != b.generation {
		return ""
	}
	for _, was := range a.status.Conditions {
		is := b.condition(was.Type)
		if is == nil || is.ObservedGeneration != was.ObservedGeneration || is.Reason == string(v1alpha1.ReasonDeleting) || is.Reason == string(v1alpha1.ReasonApprovalRequired) {
			continue
		}
		if is.Reason == was.Reason && is.Status == was.Status && is.Message != was.Message {
			return was.Type + " " + was.Reason + ": " + was.Message + " / " + is.Message
		}
	}
	return ""
}
