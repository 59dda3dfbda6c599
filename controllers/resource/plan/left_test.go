package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What was approved is set by one call and comes into force by the next. If the second one fails, the approval still holds for what is left to do, and for
// nothing else.
func TestApprovalHoldsForWhatIsLeft(t *testing.T) {
	asked := driver.Change{
		Field: "parameters", From: "max_connections=50, work_mem=64", To: "max_connections=60, work_mem=128",
		Names: []string{"max_connections", "work_mem"}, Entries: true, Effect: driver.Restarts,
	}
	gone := driver.Change{Field: "parameters", From: "max_connections=50", Names: []string{"max_connections"}, Entries: true, Effect: driver.Restarts}
	scalar := driver.Change{Field: "tls", From: "Required", To: "Optional", Effect: driver.Restarts}
	with := func(c driver.Change, from, to string, names ...string) driver.Change {
		c.From, c.To, c.Names = from, to, names
		return c
	}
	for _, tt := range []struct {
		name     string
		approved driver.Change
		left     driver.Change
		holds    bool
	}{
		{"all of it", asked, asked, true},
		{"the restart", asked, with(asked, asked.To+" (pending-reboot)", asked.To, asked.Names...), true},
		{"the restart, for which one entry waits", asked, with(asked, "max_connections=60 (pending-reboot)", "max_connections=60", "max_connections"), true},
		{"one entry", asked, with(asked, "max_connections=50", "max_connections=60", "max_connections"), true},
		{"another value", asked, with(asked, "max_connections=50", "max_connections=70", "max_connections"), false},
		{"another value by now", asked, with(asked, "max_connections=55", "max_connections=60", "max_connections"), false},
		{"another entry", asked, with(asked, "", "jit=on", "jit"), false},
		{"another entry goes", asked, with(asked, "max_connections=60 (pending-reboot)", "max_connections=60", "jit", "max_connections"), false},
		{"another effect", asked, driver.Change{Field: asked.Field, From: asked.From, To: asked.To, Names: asked.Names, Entries: true, Effect: driver.Irreversible}, false},
		{"the restart for an entry that is gone", gone, with(gone, "(pending-reboot)", "", "max_connections"), true},
		{"the restart for another one that is gone", gone, with(gone, "(pending-reboot)", "", "jit"), false},
		{"the restart for a value", scalar, with(scalar, "Optional (pending-reboot)", "Optional"), true},
		{"another value of it by now", scalar, with(scalar, "Sometimes", "Optional"), false},
		{"the restart for another value", scalar, with(scalar, "Sometimes (pending-reboot)", "Sometimes"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			disruptive(v1alpha1.DisruptiveOnApproval)(&s)
			s.Edited, s.Seen.Changes = true, []driver.Change{tt.approved}
			approved(&s)
			s.Waiting, s.AwaitedHash = s.plan().Pending, s.Approval
			s.Seen.Changes = []driver.Change{tt.left}
			if a, want := s.plan(), map[bool]Verb{true: Update, false: AwaitApproval}[tt.holds]; a.Verb != want {
				t.Errorf("%s: %s, want %s", a.Verb, a.Message, want)
			}
		})
	}
}
