package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// waitsForWindow makes disruptive changes in the window alone, which is closed.
func waitsForWindow(s *fixture) { s.Policy.Window, s.Now = sunday, closed }

func at(now time.Time) func(*fixture) { return func(s *fixture) { s.Now = now } }

// recorded is a reconciliation of which the status has what was decided.
func recorded(s *fixture) {
	a := s.plan()
	s.Waiting, s.AwaitedHash, s.Edited = a.Pending, a.Hash, a.EditWaits || a.EditAwaitsWindow
}

func TestPlanOfWindows(t *testing.T) {
	revoked := func(s *fixture) { s.Approval = "" }
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
		changes string
		edit    bool
	}{
		{"an edit that restarts", []func(*fixture){edited(instance, driver.Restarts)}, AwaitWindow, "", true},
		{"an edit that restarts, while the window is open", []func(*fixture){edited(instance, driver.Restarts), at(open)}, Update, instance, false},
		{"an edit in part online", []func(*fixture){edited(instance, driver.Restarts), edited(days, driver.Online)}, Update, days, true},
		{"an edit that destroys restore points", []func(*fixture){edited(days, driver.LosesBackups)}, AwaitWindow, "", true},
		{"the class changed, Always", []func(*fixture){byClass(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveAlways)}, AwaitWindow, "", false},
		{"drift", []func(*fixture){drifted(instance, driver.Restarts)}, AwaitApproval, "", false},
		{"drift, while the window is open", []func(*fixture){drifted(instance, driver.Restarts), at(open)}, AwaitApproval, "", false},
		{"drift, Always", []func(*fixture){drifted(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveAlways)}, AwaitWindow, "", false},
		{"drift, approved", []func(*fixture){drifted(instance, driver.Restarts), approved}, AwaitWindow, "", false},
		{"drift, approved before, and the window opens", []func(*fixture){drifted(instance, driver.Restarts), approved, recorded, at(open)}, Update, instance, false},
		{"drift, approved and revoked before the window opens", []func(*fixture){drifted(instance, driver.Restarts), approved, recorded, revoked, at(open)}, AwaitApproval, "", false},
		{"an approved plan of which somebody else made a part", []func(*fixture){
			drifted(instance, driver.Restarts), drifted(days, driver.Interrupts), approved, recorded, func(s *fixture) { s.Seen.Changes = s.Seen.Changes[1:] }, recorded, at(open),
		}, Update, days, false},
		{"drift waits for approval, and an edit for the window", []func(*fixture){drifted(instance, driver.Restarts), edited(days, driver.Interrupts)}, AwaitWindow, "", true},
		{"an edit waits for approval, and drift for the window", []func(*fixture){
			unknownPassword, drifted(instance, driver.Restarts), disruptive(v1alpha1.DisruptiveAlways),
		}, AwaitApproval, "", false},
		{"an edit online", []func(*fixture){edited(days, driver.Online)}, Update, days, false},
		{"an edit in part impossible", []func(*fixture){edited("engine", driver.Impossible), edited(instance, driver.Restarts)}, Stall, "", false},
		{"it can't be used", []func(*fixture){edited(instance, driver.Restarts), full}, Stall, "", true},
		{"what completes a new server", []func(*fixture){edited(instance, driver.Restarts), func(s *fixture) { s.WasReady = false; s.Policy.Disruptive = v1alpha1.DisruptiveAlways }}, Update, instance, false},
		{"a server that was just taken over", []func(*fixture){edited(instance, driver.Restarts), func(s *fixture) {
			s.WasReady, s.Origin, s.Policy.Disruptive = false, v1alpha1.OriginAdopted, v1alpha1.DisruptiveAlways
		}}, AwaitWindow, "", true},
		{"a deletion", []func(*fixture){deleted, withoutSnapshot, edited(instance, driver.Restarts)}, Delete, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			waitsForWindow(&s)
			for _, change := range tt.fixture {
				change(&s)
			}
			a := s.plan()
			if got := strings.Join(driver.Names(a.Changes), " "); a.Verb != tt.verb || got != tt.changes || a.EditAwaitsWindow != tt.edit {
				t.Errorf("%s of %q, an edit waits for the window: %v; want %s of %q, %v\n%s", a.Verb, got, a.EditAwaitsWindow, tt.verb, tt.changes, tt.edit, a.Message)
			}
		})
	}
}

// An object that Mooring only observes needs no window: nothing is ever sent for it.
func TestWindowOfManagement(t *testing.T) {
	for management, want := range map[v1alpha1.Management]v1alpha1.Reason{
		v1alpha1.ManagementFull: v1alpha1.ReasonInvalid, "": v1alpha1.ReasonInvalid, v1alpha1.ManagementObserve: "",
	} {
		d := &v1alpha1.Database{}
		d.Spec.Management, d.Spec.Updates = management, &v1alpha1.Updates{Timing: v1alpha1.TimingMaintenanceWindow}
		if p := PolicyOf(kind.Database(), d); p.Refused.Reason != want {
			t.Errorf("management %q, without a window: refused with %q, want %q", management, p.Refused.Reason, want)
		}
	}
}

// What the conditions say of a wait is the same until the window has passed, and says then that it was missed.
func TestMessageOfAWindow(t *testing.T) {
	s := settled()
	waitsForWindow(&s)
	edited(instance, driver.Restarts)(&s)
	said := s.plan().Message
	want := "waiting for the maintenance window that opens at 2026-11-29 03:00 UTC: " + instance + " old -> new (Restarts: make another); to make the change at once, set spec.updates.timing to Immediate"
	if said != want {
		t.Errorf("it says\n%s, want\n%s", said, want)
	}
	recorded(&s)
	since := s.Waiting[0].DueSince
	for now := closed; now.Before(opens); now = now.Add(7 * time.Minute) {
		at(now)(&s)
		if a := s.plan(); a.Message != said || !a.Pending[0].DueSince.Equal(since) || !a.Opens.Equal(opens) {
			t.Fatalf("at %s it says\n%s", now, a.Message)
		}
		recorded(&s)
	}
	at(open)(&s)
	if a := s.plan(); a.Verb != Update || !a.Closes.Equal(opens.Add(time.Hour)) {
		t.Fatalf("in the window: %s, to be sent until %s", a.Verb, a.Closes)
	}
	recorded(&s) // and the cloud was busy
	at(opens.Add(time.Hour))(&s)
	missed := s.plan().Message
	if !strings.Contains(missed, "opens at 2026-12-06 03:00 UTC") || !strings.Contains(missed, "the window that opened at 2026-11-29 03:00 UTC was missed") {
		t.Errorf("after the window it says %s", missed)
	}
	recorded(&s)
	if at(opens.Add(5 * 24 * time.Hour))(&s); s.plan().Message != missed {
		t.Errorf("days later it says %s", s.plan().Message)
	}
}

// What was only approved after a window missed none.
func TestApprovalAfterAWindowMissedNone(t *testing.T) {
	s := settled()
	waitsForWindow(&s)
	drifted(instance, driver.Restarts)(&s)
	recorded(&s)
	if message := s.plan().Message; !strings.Contains(message, "Mooring then makes the change in the maintenance window Sunday 03:00–04:00 UTC") {
		t.Errorf("it says %s", message)
	}
	at(opens.Add(2 * time.Hour))(&s)
	recorded(&s)
	approved(&s)
	if a := s.plan(); a.Verb != AwaitWindow || strings.Contains(a.Message, "missed") {
		t.Errorf("%s: %s", a.Verb, a.Message)
	}
}

// An approval is of the changes that were in its plan. An edit that waited for the window beside them needed none by then, and asks once the policy does.
func TestApprovalOfWhatIsHeldCoversNothingElse(t *testing.T) {
	s := settled()
	waitsForWindow(&s)
	for _, step := range []func(*fixture){drifted(instance, driver.Restarts), recorded, approved, recorded, edited(days, driver.Interrupts), recorded} {
		step(&s)
	}
	if a := s.plan(); a.Verb != AwaitWindow || a.Hash != s.Approval || a.Pending[0].Approved == a.Pending[1].Approved {
		t.Fatalf("%s, hash %q: %+v; want all to wait for the window, and the drift alone approved", a.Verb, a.Hash, a.Pending)
	}
	disruptive(v1alpha1.DisruptiveOnApproval)(&s)
	if a := s.plan(); a.Verb != AwaitApproval || a.Hash == s.Approval || !a.Opens.IsZero() {
		t.Errorf("OnApproval: %s, hash %q: %s", a.Verb, a.Hash, a.Message)
	}
	if at(open)(&s); s.plan().Verb != AwaitApproval {
		t.Errorf("in the window: %s of %v", s.plan().Verb, s.plan().Changes)
	}
	at(closed)(&s)
	recorded(&s)
	if a := s.plan(); a.Verb != AwaitApproval {
		t.Errorf("looked at again: %s", a.Message)
	}
	approved(&s)
	if a := s.plan(); a.Verb != AwaitWindow {
		t.Errorf("approved anew: %s", a.Message)
	}
}

// While the cloud is busy nothing is decided, and who approved what is not forgotten.
func TestBusyCloudKeepsWhatWasApproved(t *testing.T) {
	s := settled()
	waitsForWindow(&s)
	for _, step := range []func(*fixture){drifted(instance, driver.Restarts), recorded, approved, recorded, edited(days, driver.Interrupts)} {
		step(&s)
	}
	s.Seen.State = driver.Pending
	s.Waiting = s.plan().Pending
	s.Seen.State = driver.Ready
	disruptive(v1alpha1.DisruptiveOnApproval)(&s)
	if a := s.plan(); a.Verb != AwaitApproval {
		t.Errorf("%s: %s", a.Verb, a.Message)
	}
}

// A window that was set after its hour had passed was not missed.
func TestAnotherWindowMissedNone(t *testing.T) {
	s := settled()
	waitsForWindow(&s)
	edited(instance, driver.Restarts)(&s)
	monday := opens.Add(-6*24*time.Hour + 8*time.Hour)
	at(monday)(&s)
	recorded(&s)
	thursday := monday.Add(3 * 24 * time.Hour)
	at(thursday)(&s)
	s.Policy.Window = window.Parse("Wednesday", "03:00")
	a := s.plan()
	if strings.Contains(a.Message, "missed") || !a.Pending[0].DueSince.Time.Equal(thursday) {
		t.Errorf("due since %s: %s", a.Pending[0].DueSince, a.Message)
	}
	recorded(&s)
	at(thursday.Add(7 * 24 * time.Hour))(&s)
	if message := s.plan().Message; !strings.Contains(message, "was missed") || !strings.Contains(message, "no slot of the class was free") {
		t.Errorf("a week later it says %s", message)
	}
	s.Waiting[0].DueIn = "" // an earlier release recorded it
	if a := s.plan(); !strings.Contains(a.Message, "was missed") || a.Pending[0].DueIn != "Wednesday 03:00–04:00 UTC" {
		t.Errorf("without the window: %s", a.Message)
	}
}
