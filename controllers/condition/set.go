package condition

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// An Update says how it stands with an object, and why.
type Update struct {
	State   State
	Reason  v1alpha1.Reason
	Message string
	// Available is what the cloud said; nil if it was not asked.
	Available *bool
	// Unobserved: the cloud did not say it for two sync periods.
	Unobserved bool
	// Unavailable says why, when Available is false although the object is as declared (stopped, for one).
	Unavailable v1alpha1.Reason
	Generation  int64
	Now         metav1.Time
}

// LongestMessage is how long the message of a condition is, in bytes. The API server stores no status with one of more than 32,768 characters; that much
// nobody reads, and each of five conditions has a message.
const LongestMessage = 8 << 10

// Message returns a message as conditions have it: in one line, without what could forge another (prose.Plain), and of one that is too long the beginning and
// the end, where the advice is. What it is made of is cut before, where that is known to be long; this holds for all else.
func Message(text string) string { return prose.Shorten(prose.Plain(text), LongestMessage) }

// longestBrief is how many characters a brief message has at most.
const longestBrief = 100

// Summary returns what happened, without advice and details: the message of conditions beside the one that has all of it, which is Stalled, or Ready where that is not there.
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

// Set brings conditions to what the table says for the update. Nothing changes that need not: a condition
// whose status, reason and message stay keeps its times, so that no write follows.
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
