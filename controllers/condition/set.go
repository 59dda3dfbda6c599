package condition

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// An Update is the outcome of a reconciliation, from which Set computes the conditions.
type Update struct {
	State   State
	Reason  v1alpha1.Reason
	Message string
	// Available reports whether the object can be used, as this reconciliation observed it in the cloud; nil if the
	// cloud was not asked.
	Available *bool
	// Unobserved: the object was not observed for two sync periods. Then the condition Available is Unknown.
	Unobserved bool
	// Unavailable is the reason why an object that is as declared is not available, for example because it is stopped
	// as declared.
	Unavailable v1alpha1.Reason
	Generation  int64
	Now         metav1.Time
}

// LongestMessage is the maximum length of the message of a condition, in bytes. The API server rejects a status with a
// message of more than 32,768 characters. The limit is lower, because people do not read that much, and an object has
// five conditions.
const LongestMessage = 8 << 10

// Message returns a text as the message of a condition: on one line, without control characters (see prose.Plain), and
// at most LongestMessage long. A longer text keeps its beginning and its end, where the advice is.
func Message(text string) string { return prose.Shorten(prose.Plain(text), LongestMessage) }

// longestBrief is how many characters a brief message has at most.
const longestBrief = 100

// Summary returns the first part of a message, without advice and details. One condition has the whole message:
// Stalled, or else Ready. The other conditions have the summary.
func Summary(message string) string {
	brief, _, _ := strings.Cut(message, "; ")
	if runes := []rune(brief); len(runes) > longestBrief {
		brief = string(runes[:longestBrief])
		if i := strings.LastIndexByte(brief, ' '); i > 0 {
			brief = brief[:i]
		}
		brief = strings.TrimRight(brief, " ,:") + " …"
	}
	return brief
}

// Set updates conditions to what the table says for an update. A condition whose status, reason and message stay the
// same keeps its times, so that a converged object causes no write.
func Set(conditions *[]metav1.Condition, u Update) {
	r := table[u.State]
	if u.Unobserved && u.State != Paused && (r.available == asSeen || r.available == asLastSeen) {
		r.available = isUnknown
	}
	full := Message(u.Message)
	for _, c := range []struct {
		name   string
		status status
	}{
		{v1alpha1.ConditionReady, r.ready},
		{v1alpha1.ConditionSynced, r.synced},
		{v1alpha1.ConditionAvailable, r.available},
		{v1alpha1.ConditionReconciling, r.reconciling},
		{v1alpha1.ConditionStalled, r.stalled},
	} {
		u.Message = full
		if r.isBrief(c.name) {
			u.Message = Summary(full)
		}
		set(conditions, c.name, c.status, u)
	}
	slices.SortFunc(*conditions, func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) })
}

// isBrief reports whether a condition leaves it to another one to say everything: to Stalled, to Ready where that is not there, and to Reconciling while Ready stays as it was.
func (r row) isBrief(name string) bool {
	switch name {
	case v1alpha1.ConditionStalled:
		return false
	case v1alpha1.ConditionReady:
		return r.stalled == isTrue
	case v1alpha1.ConditionReconciling:
		return r.ready != asLastSeen && r.ready != withReason
	}
	return true
}

func set(conditions *[]metav1.Condition, name string, s status, u Update) {
	if s == absent {
		meta.RemoveStatusCondition(conditions, name)
		return
	}
	resolved, known := s.resolve(u.Available)
	present := meta.FindStatusCondition(*conditions, name)
	if !known {
		if present != nil && (s == withReason || u.State != Paused && present.Reason == string(v1alpha1.ReasonPaused)) {
			present.Reason, present.Message = string(u.Reason), u.Message // a pause that is over is not talked of any more
		}
		if present != nil || name == v1alpha1.ConditionReconciling || name == v1alpha1.ConditionStalled {
			return // as last seen
		}
		resolved = metav1.ConditionUnknown
	}
	c := metav1.Condition{
		Type: name, Status: resolved, Reason: string(u.Reason), Message: u.Message,
		ObservedGeneration: u.Generation, LastTransitionTime: u.Now,
	}
	if name == v1alpha1.ConditionAvailable {
		c.Reason, c.Message = availableReason(resolved, u)
	}
	meta.SetStatusCondition(conditions, c) // keeps the time unless the status changes
}

// availableReason keeps Available from repeating what the other conditions say: it speaks about use only.
func availableReason(s metav1.ConditionStatus, u Update) (reason, message string) {
	switch {
	case s == metav1.ConditionTrue:
		return string(v1alpha1.ConditionAvailable), "it can be used"
	case u.Unavailable != "":
		return string(u.Unavailable), u.Message
	default:
		return string(u.Reason), u.Message
	}
}
