package condition

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var (
	then = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	now  = metav1.NewTime(then.Add(time.Hour))
)

// design is the table of the design document. "seen" is what the cloud says; "before" what was last seen; "–" that
// the condition is not there.
const design = `
Progressing     | False   | False   | False   | True   | –
UpToDate         | seen    | True    | True    | –      | –
Updating        | seen    | False   | False   | True   | –
EditWaits       | seen    | False   | False   | –      | True
DriftWaits      | seen    | False   | True    | –      | –
Retrying        | before  | before  | before  | before | before
RetryingLong    | before  | before  | before  | True   | before
Unseen          | Unknown | Unknown | Unknown | True   | –
ObservationRefused | before | before | before  | –      | –
Stalled         | seen    | False   | False   | –      | True
Paused          | before  | False   | before  | –      | –
Deleting        | seen    | False   | False   | True   | –
DeletionStalled | seen    | False   | False   | True   | True
`

var states = map[string]State{
	"Progressing": Progressing, "UpToDate": UpToDate, "Updating": Updating, "EditWaits": EditWaits, "DriftWaits": DriftWaits,
	"Retrying": Retrying, "RetryingLong": RetryingLong, "Unseen": Unobserved, "ObservationRefused": ObservationRefused, "Stalled": Stalled, "Paused": Paused,
	"Deleting": Deleting, "DeletionStalled": DeletionStalled,
}

var columns = []string{
	v1alpha1.ConditionAvailable, v1alpha1.ConditionSynced, v1alpha1.ConditionReady,
	v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled,
}

const none = "–"

// statuses returns the conditions' statuses in the order of the columns.
func statuses(conditions []metav1.Condition) []string {
	var all []string
	for _, name := range columns {
		if c := meta.FindStatusCondition(conditions, name); c != nil {
			all = append(all, string(c.Status))
		} else {
			all = append(all, none)
		}
	}
	return all
}

// reach returns the conditions of an object that came to a state from nothing.
func reach(s State, available bool) []metav1.Condition {
	var conditions []metav1.Condition
	Set(&conditions, Update{State: s, Reason: v1alpha1.ReasonReady, Message: "so it is", Available: &available, Generation: 1, Now: then})
	return conditions
}

// Every state is entered from every other, with and without an observation.
func TestSetFollowsTheDesign(t *testing.T) {
	yes, no := true, false
	rows := strings.Split(strings.TrimSpace(design), "\n")
	if len(rows) != len(states) || len(rows) != len(table) {
		t.Fatalf("the design has %d rows, the package %d states and %d rows", len(rows), len(states), len(table))
	}
	for _, text := range rows {
		cells := strings.Split(text, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		for before, from := range states {
			for what, available := range map[string]*bool{"can be used": &yes, "can't be used": &no, "not asked": nil} {
				conditions := reach(from, true)
				if from == states[cells[0]] && what == "can be used" {
					continue // nothing changes; see TestSetIsQuiet
				}
				old := statuses(conditions)
				want := slices.Clone(cells[1:])
				for i := range want {
					switch {
					case want[i] == "before", want[i] == "seen" && available == nil:
						want[i] = old[i]
					case want[i] == "seen":
						want[i] = map[bool]string{true: "True", false: "False"}[*available]
					}
				}
				Set(&conditions, Update{State: states[cells[0]], Reason: v1alpha1.ReasonRetrying, Message: "next", Available: available, Generation: 2, Now: now})
				if diff := cmp.Diff(want, statuses(conditions)); diff != "" {
					t.Errorf("%s after %s, %s: %v (-want +got):\n%s", cells[0], before, what, columns, diff)
				}
			}
		}
	}
}

// A fresh object has nothing that was last seen: kstatus and kubectl wait need the three to be there.
func TestSetOnAFreshObject(t *testing.T) {
	for _, s := range []State{Retrying, RetryingLong, ObservationRefused, Paused, Unobserved, Stalled, Updating} {
		var conditions []metav1.Condition
		Set(&conditions, Update{State: s, Reason: v1alpha1.ReasonRetrying, Message: "first", Generation: 1, Now: now})
		for _, name := range columns[:3] {
			if meta.FindStatusCondition(conditions, name) == nil {
				t.Errorf("state %d: no %s", s, name)
			}
		}
		for _, c := range conditions {
			if c.Reason == "" || c.Message == "" || c.LastTransitionTime.IsZero() || c.ObservedGeneration != 1 {
				t.Errorf("state %d: %+v", s, c)
			}
		}
	}
}

// Compare before patching; no timestamps that move by themselves.
func TestSetIsQuiet(t *testing.T) {
	available := true
	for name, s := range states {
		u := Update{State: s, Reason: v1alpha1.ReasonReady, Message: "so it is", Available: &available, Generation: 1, Now: then}
		var conditions []metav1.Condition
		Set(&conditions, u)
		before := slices.Clone(conditions)
		u.Now = now
		Set(&conditions, u)
		if diff := cmp.Diff(before, conditions); diff != "" {
			t.Errorf("%s, set twice (-first +second):\n%s", name, diff)
		}
		if !slices.IsSortedFunc(conditions, func(a, b metav1.Condition) int { return strings.Compare(a.Type, b.Type) }) {
			t.Errorf("%s: the order is not stable: %v", name, conditions)
		}
	}
}

// A condition's time is that of its status: another reason, message or generation is no transition.
func TestSetMovesTimesWithStatusOnly(t *testing.T) {
	available := true
	conditions := reach(UpToDate, true)
	Set(&conditions, Update{State: DriftWaits, Reason: v1alpha1.ReasonApprovalRequired, Message: "waits", Available: &available, Generation: 2, Now: now})
	want := []metav1.Condition{
		{Type: "Available", Status: "True", Reason: "Available", Message: "it can be used", ObservedGeneration: 2, LastTransitionTime: then},
		{Type: "Ready", Status: "True", Reason: "ApprovalRequired", Message: "waits", ObservedGeneration: 2, LastTransitionTime: then},
		{Type: "Synced", Status: "False", Reason: "ApprovalRequired", Message: "waits", ObservedGeneration: 2, LastTransitionTime: now},
	}
	if diff := cmp.Diff(want, conditions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What nobody observed for two sync periods may be usable or not, whatever else is known. A pause is meant.
func TestUnobserved(t *testing.T) {
	for name, s := range states {
		for before, from := range states {
			conditions := reach(from, true)
			old := statuses(conditions)[0]
			Set(&conditions, Update{State: s, Reason: v1alpha1.ReasonDenied, Message: "next", Unobserved: true, Generation: 1, Now: now})
			want := "Unknown"
			switch s {
			case Progressing:
				want = "False"
			case UpToDate, Updating, EditWaits, DriftWaits, Retrying, RetryingLong, Unobserved, ObservationRefused, Stalled, Deleting, DeletionStalled:
			case Paused:
				want = old
			}
			if got := statuses(conditions)[0]; got != want {
				t.Errorf("%s after %s: Available is %s, want %s", name, before, got, want)
			}
		}
	}
}

// A pause shows in Ready, in whose reason people look for it, and changes nothing else of it. What comes after speaks for itself,
// whether or not the cloud answers.
func TestPauseShows(t *testing.T) {
	ready := func(conditions []metav1.Condition) metav1.Condition {
		return *meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	}
	conditions := reach(UpToDate, true)
	want := ready(conditions)
	Set(&conditions, Update{State: Paused, Reason: v1alpha1.ReasonPaused, Message: "paused", Generation: 2, Now: now})
	want.Reason, want.Message = "Paused", "paused"
	if diff := cmp.Diff(want, ready(conditions)); diff != "" {
		t.Errorf("paused (-want +got):\n%s", diff)
	}
	Set(&conditions, Update{State: Retrying, Reason: v1alpha1.ReasonRetrying, Message: "no answer", Generation: 2, Now: now})
	want.Reason, want.Message = "Retrying", "no answer"
	if diff := cmp.Diff(want, ready(conditions)); diff != "" {
		t.Errorf("no longer paused, and no answer (-want +got):\n%s", diff)
	}
}

// Available speaks about use alone: what else is going on does not move it.
func TestAvailableSaysWhyNot(t *testing.T) {
	no := false
	for _, tt := range []struct {
		name string
		u    Update
		want string
	}{
		{"stopped as declared", Update{State: UpToDate, Reason: v1alpha1.ReasonReady, Unavailable: v1alpha1.ReasonStopped, Available: &no}, "Stopped"},
		{"being created", Update{State: Progressing, Reason: v1alpha1.ReasonCreating, Available: &no}, "Creating"},
		{"failed", Update{State: Stalled, Reason: v1alpha1.ReasonFailed, Available: &no}, "Failed"},
	} {
		tt.u.Message, tt.u.Now = "why", now
		var conditions []metav1.Condition
		Set(&conditions, tt.u)
		if c := meta.FindStatusCondition(conditions, v1alpha1.ConditionAvailable); c.Reason != tt.want || c.Message != "why" {
			t.Errorf("%s: %+v, want reason %s", tt.name, c, tt.want)
		}
	}
}

// One condition has the whole text: Stalled, Ready where that is not there, and Reconciling where Ready stays as it was.
func TestOneConditionIsLong(t *testing.T) {
	long := "CreateBucket: " + strings.Repeat("the cloud said a lot about it, ", 9) + "and that was that; choose another name"
	for name, s := range states {
		conditions := reach(UpToDate, true)
		before := slices.Clone(conditions)
		available := false
		Set(&conditions, Update{State: s, Reason: v1alpha1.ReasonRetrying, Message: long, Available: &available, Generation: 2, Now: now})
		told := false
		for _, c := range conditions {
			fresh := !slices.ContainsFunc(before, func(b metav1.Condition) bool { return b.Type == c.Type && b.Message == c.Message })
			whole := c.Type == v1alpha1.ConditionStalled || c.Type == v1alpha1.ConditionReady && !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionStalled) ||
				c.Type == v1alpha1.ConditionReconciling && s == RetryingLong
			if told = told || c.Message == long; fresh && (c.Message == long) != whole {
				t.Errorf("%s: %s says %q", name, c.Type, c.Message)
			}
		}
		if !told && s != Retrying && s != ObservationRefused {
			t.Errorf("%s: no condition has the whole text", name)
		}
	}
}

func TestBrief(t *testing.T) {
	for message, want := range map[string]string{
		"usable and as declared":                                                    "usable and as declared",
		"there is no ProviderConfig team; create it":                                "there is no ProviderConfig team",
		"being applied: " + strings.Repeat("x", 40) + " " + strings.Repeat("y", 60): "being applied: " + strings.Repeat("x", 40) + " …",
		strings.Repeat("ü", 200):                                                    strings.Repeat("ü", 100) + " …",
	} {
		if got := Summary(message); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
