package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

const disk = "storage.sizeGiB"

// stopped is a server that is stopped, by the spec or by somebody.
func stopped(s *fixture) {
	s.Seen.Available, s.Seen.Stopped, s.Seen.Problem = false, true, "the instance is stopped"
}

func byWish(s *fixture) { s.Applied[driver.FieldPowerState] = []string{"Stopped"} }

// asleep has changes wait until the server runs.
func asleep(s *fixture) { s.Seen.Changes = portable.WhileStopped(s.Seen.Changes, "tags") }

// power is a change of the power state, by an edit or by drift.
func power(from, to v1alpha1.PowerState, edit bool) func(*fixture) {
	return func(s *fixture) {
		effect, why := portable.PowerEffect(to)
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: driver.FieldPowerState, From: string(from), To: string(to), Effect: effect, Why: why})
		s.Applied[driver.FieldPowerState] = []string{string(to)}
		if edit {
			s.Applied[driver.FieldPowerState], s.Edited = []string{string(from)}, true
		}
	}
}

func TestPlanOfPower(t *testing.T) {
	const running, down = v1alpha1.PowerStateRunning, v1alpha1.PowerStateStopped
	neverReady := func(s *fixture) { s.WasReady = false; delete(s.Applied, driver.FieldPowerState) }
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
		changes string
		sleeps  bool
	}{
		{"stopped as declared", []func(*fixture){stopped, byWish}, Converge, "", false},
		{"an edit stops it", []func(*fixture){power(running, down, true)}, Update, "powerState", false},
		{"an edit stops it, OnApproval", []func(*fixture){power(running, down, true), disruptive(v1alpha1.DisruptiveOnApproval)}, AwaitApproval, "", false},
		{"an edit stops it, in the window", []func(*fixture){power(running, down, true), waitsForWindow}, AwaitWindow, "", false},
		{"an edit stops it and changes more", []func(*fixture){power(running, down, true), edited(disk, driver.Online)}, Update, disk, false},
		{"an edit stops it, and drift waits", []func(*fixture){power(running, down, true), drifted(instance, driver.Restarts)}, Update, "powerState", false},
		{"RDS started it again", []func(*fixture){power(running, down, false)}, AwaitApproval, "", false},
		{"RDS started it again, Always", []func(*fixture){power(running, down, false), disruptive(v1alpha1.DisruptiveAlways)}, Update, "powerState", false},
		{"a new server that is declared stopped", []func(*fixture){power(running, down, false), neverReady}, Update, "powerState", false},
		{"a new server that was stopped and that somebody started", []func(*fixture){power(running, down, false), func(s *fixture) { s.WasReady = false }}, AwaitApproval, "", false},
		{"an edit starts it", []func(*fixture){stopped, power(down, running, true)}, Update, "powerState", false},
		{"somebody stopped it", []func(*fixture){stopped, power(down, running, false), waitsForWindow}, Update, "powerState", false},
		{"an edit starts it and changes more", []func(*fixture){stopped, power(down, running, true), edited(instance, driver.Restarts), asleep}, Update, "powerState", true},
		{"an edit while it is stopped", []func(*fixture){stopped, byWish, edited(disk, driver.Online), asleep}, AwaitStart, "", true},
		{"drift while it is stopped", []func(*fixture){stopped, byWish, drifted(disk, driver.Online), asleep}, AwaitStart, "", false},
		{"an edit that restarts while it is stopped", []func(*fixture){stopped, byWish, edited(instance, driver.Restarts), waitsForWindow, asleep}, AwaitStart, "", true},
		{"an edit of what it takes", []func(*fixture){stopped, byWish, edited("tags", driver.Online), edited(disk, driver.Online), asleep}, Update, "tags", true},
		{"a deletion while it is stopped", []func(*fixture){stopped, byWish, deleted, withoutSnapshot, edited(disk, driver.Online), asleep}, Delete, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, change := range tt.fixture {
				change(&s)
			}
			a := s.plan()
			if got := strings.Join(driver.Names(a.Changes), " "); a.Verb != tt.verb || got != tt.changes || a.EditSleeps != tt.sleeps {
				t.Errorf("%s of %q, an edit sleeps: %v; want %s of %q, %v\n%s", a.Verb, got, a.EditSleeps, tt.verb, tt.changes, tt.sleeps, a.Message)
			}
			if a.Verb == AwaitStart {
				if a.Reason != v1alpha1.ReasonStopped || !strings.Contains(a.Message, s.Seen.Changes[0].Field) || !strings.Contains(a.Message, "set spec.powerState to Running") {
					t.Errorf("%s: %s", a.Reason, a.Message)
				}
				if a.Pending[0].WaitsFor != v1alpha1.WaitsForStart {
					t.Errorf("pending: %+v", a.Pending)
				}
			}
		})
	}
}

// A cloud that lifts the protection of no stopped server has it started first, if the spec says so, and the user is told if it does not.
func TestProtectionOfAStoppedServer(t *testing.T) {
	const running, down = v1alpha1.PowerStateRunning, v1alpha1.PowerStateStopped
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
		changes string
		says    string
	}{
		{"declared stopped", []func(*fixture){byWish, unprotect, asleep}, Stall, "", "set spec.powerState: Running"},
		{"nothing declared", []func(*fixture){unprotect, asleep}, Stall, "", "set spec.powerState: Running"},
		{"declared running", []func(*fixture){unprotect, power(down, running, true), asleep}, Update, "powerState", "starting"},
		{"on its way down", []func(*fixture){unprotect, power(down, running, true), asleep, func(s *fixture) { s.Seen.State = driver.Pending }}, Wait, "", ""},
		{"a cloud that lifts it at once", []func(*fixture){byWish, unprotect}, Update, protection, "turning off"},
		{"it runs, and is declared stopped", []func(*fixture){unprotect, power(running, down, true)}, Update, protection, "turning off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, change := range append([]func(*fixture){deleted, protected, stopped}, tt.fixture...) {
				change(&s)
			}
			a := s.plan()
			if got := strings.Join(driver.Names(a.Changes), " "); a.Verb != tt.verb || got != tt.changes || !strings.Contains(a.Message, tt.says) {
				t.Errorf("%s of %q: %s; want %s of %q: %s", a.Verb, got, a.Message, tt.verb, tt.changes, tt.says)
			}
			if want := EndingOf(s.View, s.Seen, s.Policy).StopsBecause; a.Verb == Stall && (a.Reason != v1alpha1.ReasonDeletionProtected || a.Message != want) {
				t.Errorf("%s: %s; announced: %s", a.Reason, a.Message, want)
			}
		})
	}
}

// The approval of a stop outlives the change that is made before it.
func TestApprovedStopComesLast(t *testing.T) {
	s := settled()
	power(v1alpha1.PowerStateRunning, v1alpha1.PowerStateStopped, false)(&s)
	s.Approval = s.plan().Hash
	edited(disk, driver.Online)(&s)
	a := s.plan()
	if got := driver.Names(a.Changes); len(got) != 1 || got[0] != disk || a.Hash != s.Approval || a.Approved {
		t.Fatalf("%s of %v, hash %q, approved %t; want the edit alone, and the approval kept", a.Verb, got, a.Hash, a.Approved)
	}
	s.Waiting, s.AwaitedHash, s.Seen.Changes = a.Pending, a.Hash, s.Seen.Changes[:1]
	if a := s.plan(); len(a.Changes) != 1 || !a.Changes[0].Stops() || !a.Approved {
		t.Errorf("then %s of %v, approved %t; want the stop", a.Verb, driver.Names(a.Changes), a.Approved)
	}
}

// What a person approved is approved still when somebody stops the server before it is made, and starts it later. Of what was not approved, the plan
// begins anew.
func TestApprovalOutlivesAStop(t *testing.T) {
	for _, tt := range []struct {
		name     string
		before   []func(*fixture)
		approval func(*fixture)
		kept     bool
		then     Verb
	}{
		{"approved, and waits for the window", []func(*fixture){waitsForWindow}, approved, true, Update},
		{"approved just now", nil, approved, true, Update},
		{"approved, and revoked while it is stopped", nil, func(*fixture) {}, false, AwaitApproval},
		{"a wrong approval", nil, func(s *fixture) { s.Approval = "0123456789ab" }, false, AwaitApproval},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, change := range tt.before {
				change(&s)
			}
			drifted(instance, driver.Restarts)(&s)
			recorded(&s)
			tt.approval(&s)
			if len(tt.before) > 0 {
				recorded(&s)
			}
			awake := s.Seen
			stopped(&s)
			asleep(&s)
			a := s.plan()
			if kept := a.Hash != ""; a.Verb != AwaitStart || kept != tt.kept || a.Pending[0].Approved != tt.kept || a.Approved || kept && a.Hash != s.Approval {
				t.Fatalf("while it is stopped: %s, hash %q, %+v; want the approval kept: %v", a.Verb, a.Hash, a.Pending, tt.kept)
			}
			recorded(&s)
			if !tt.kept {
				s.Serial++
			}
			s.Seen, s.Now = awake, open
			if a := s.plan(); a.Verb != tt.then {
				t.Errorf("once it runs: %s: %s; want %s", a.Verb, a.Message, tt.then)
			}
		})
	}
}

// A stop that comes after other changes, and a change that waits for the start, are due all the same. What a person has yet to approve is not.
func TestDueWhileOthersOrTheStartComeFirst(t *testing.T) {
	const running, down = v1alpha1.PowerStateRunning, v1alpha1.PowerStateStopped
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		then    []func(*fixture)
		want    bool
	}{
		{"a stop after others", []func(*fixture){power(running, down, true)}, []func(*fixture){edited(disk, driver.Online)}, true},
		{"a stop after others, the window open", []func(*fixture){power(running, down, true)}, []func(*fixture){edited(disk, driver.Online), at(open)}, true},
		{"an edit that restarts, and the server is stopped", []func(*fixture){edited(instance, driver.Restarts)}, []func(*fixture){stopped, asleep}, true},
		{"drift that restarts, and the server is stopped", []func(*fixture){drifted(instance, driver.Restarts)}, []func(*fixture){stopped, asleep}, false},
		{"beside what is impossible", []func(*fixture){edited(instance, driver.Restarts)}, []func(*fixture){contradicts, stopped, asleep}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			waitsForWindow(&s)
			for _, change := range tt.fixture {
				change(&s)
			}
			recorded(&s)
			s.Now = closed.Add(time.Hour)
			for _, change := range tt.then {
				change(&s)
			}
			got := s.plan().Pending[0]
			if due := got.DueSince != nil && got.DueSince.Time.Equal(closed) && got.DueIn == sunday.String(); due != tt.want || !tt.want && got.DueSince != nil {
				t.Errorf("due as before: %v, want %v: %+v", due, tt.want, got)
			}
		})
	}
}
