package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What the cloud put in the place of an object's cloud object is the object's, by the cloud's own answer and by nothing else.
func TestOwnershipOfASuccessor(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark}
	for name, tt := range map[string]struct {
		seen driver.Observation
		want Belonging
	}{
		"the same one":                   {driver.Observation{ID: "db-1", Mark: mark}, Ours},
		"another one":                    {driver.Observation{ID: "db-2", Mark: mark}, Replaced},
		"its successor":                  {driver.Observation{ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-1"}}, Ours},
		"the successor of another one":   {driver.Observation{ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-0"}}, Replaced},
		"its successor, without a mark":  {driver.Observation{ID: "db-2", Succession: &driver.Succession{Succeeds: "db-1"}}, OursUnmarked},
		"its successor, taken by others": {driver.Observation{ID: "db-2", Succession: &driver.Succession{Succeeds: "db-1"}, Mark: driver.Mark{Cluster: "there"}}, Others},
	} {
		if got := Ownership(v, tt.seen); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// In whose place the cloud put what has the name now is stored before anything is written: the cloud's answer may be gone after that.
func TestSuccessorIsStoredFirst(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark}
	seen := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-1"}, Changes: []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Online}}}
	for _, deleting := range []bool{false, true} {
		for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionDelete, v1alpha1.DeletionRetain} {
			v.Deleting = deleting
			p := Policy{Management: v1alpha1.ManagementFull, Deletion: policy}
			if a := Plan(v, seen, p); a.Verb != Wait || !a.KeepConditions {
				t.Errorf("deleting: %t, %s: got %+v", deleting, policy, a)
			}
			bound := v
			bound.ID = "db-2"
			if a := Plan(bound, seen, p); a.Verb == Wait {
				t.Errorf("deleting: %t, %s, bound: got %+v", deleting, policy, a)
			}
		}
	}
}

// The same change is sent once more when the cloud waits for that, and is sent in vain if it is sent again after it.
func TestSendingAgain(t *testing.T) {
	version, tags := []driver.Change{{Field: "version", From: "15", To: "16"}}, []driver.Change{{Field: "tags"}}
	m := Memory{}.Sending(version, "")
	if m.InVain {
		t.Error("nothing was sent before, and it is in vain")
	}
	m.Sent = version
	if m = m.Sending(version, "bgd-1"); m.InVain {
		t.Error("the cloud waits for it, and it is in vain")
	}
	if again := m.Sending(version, "bgd-1"); !again.InVain {
		t.Error("the cloud was told already, and it is not in vain")
	}
	if other := m.Sending(version, "bgd-2"); other.InVain {
		t.Error("another operation waits for it, and it is in vain")
	}
	if without := m.Sending(version, ""); !without.InVain {
		t.Error("nothing waits for it, and it is not in vain")
	}
	if other := m.Sending(tags, ""); other.InVain {
		t.Error("another change is in vain")
	}
}
