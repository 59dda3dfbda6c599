package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// shared adds a difference in entries that an edit asks for, of which others set one.
func shared(effect driver.Effect, names ...string) func(*fixture) {
	return func(s *fixture) {
		s.Edited = true
		s.Applied["rules"] = []string{"old"}
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: "rules", From: "old", To: "new", Effect: effect, Entries: true, Names: names, Foreign: []string{"theirs"}})
	}
}

// That others have entries by names that the spec wants is known from the observation. It is told at once, whatever else the field or another one waits for, and
// no call is made for it alone.
func TestEntriesOfOthersAreToldAtOnce(t *testing.T) {
	asks := func(s *fixture) { s.Policy.Disruptive = v1alpha1.DisruptiveOnApproval }
	const conflict, waits = "rules: the cloud object has entries that are not known as this object's", "waiting for approval: "
	for name, tt := range map[string]struct {
		edits   []func(*fixture)
		verb    Verb
		reason  v1alpha1.Reason
		says    []string
		silent  string
		changes []string // names of the entries of each change that is made, or else its field
	}{
		"nothing else differs": {edits: []func(*fixture){shared(driver.Online, "theirs")}, verb: Stall, reason: v1alpha1.ReasonConflict, says: []string{conflict}, silent: waits},
		"the rest of the field waits for approval": {edits: []func(*fixture){asks, shared(driver.Irreversible, "ours", "theirs")}, verb: Stall, reason: v1alpha1.ReasonConflict,
			says: []string{conflict, waits, v1alpha1.AnnotationApprove}},
		"another field waits for approval": {edits: []func(*fixture){shared(driver.Online, "theirs"), drifted("size", driver.Restarts)}, verb: Stall, reason: v1alpha1.ReasonConflict,
			says: []string{conflict, waits + "size"}},
		"the rest waits, and another field is set": {edits: []func(*fixture){asks, shared(driver.Irreversible, "ours", "theirs"), edited("tags", driver.Online)}, verb: Update,
			reason: v1alpha1.ReasonUpdating, changes: []string{"tags", "theirs"}},
		"another field is set": {edits: []func(*fixture){shared(driver.Online, "theirs"), edited("tags", driver.Online)}, verb: Update, reason: v1alpha1.ReasonUpdating, changes: []string{"tags", "theirs"}},
		"the rest is set":      {edits: []func(*fixture){shared(driver.Online, "ours", "theirs")}, verb: Update, reason: v1alpha1.ReasonUpdating, changes: []string{"ours theirs"}},
		"the rest is approved": {edits: []func(*fixture){asks, shared(driver.Irreversible, "ours", "theirs"), approved}, verb: Update, reason: v1alpha1.ReasonDrifted, changes: []string{"ours theirs"}},
		"something is impossible": {edits: []func(*fixture){shared(driver.Online, "theirs"), edited("engine", driver.Impossible)}, verb: Stall, reason: v1alpha1.ReasonImmutable,
			says: []string{"engine can't change", conflict}},
		"it can't be used": {edits: []func(*fixture){shared(driver.Online, "theirs"), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "it is full" }}, verb: Stall,
			reason: v1alpha1.ReasonFailed, says: []string{"it is full", conflict}},
		"what was written is not to be seen yet": {edits: []func(*fixture){shared(driver.Online, "theirs"), func(s *fixture) { s.InConsistencyWindow = true }}, verb: Wait, reason: v1alpha1.ReasonCloudBusy},
		"observed only":                          {edits: []func(*fixture){shared(driver.Online, "theirs"), observed}, verb: Converge, reason: v1alpha1.ReasonObserved},
	} {
		s := settled()
		for _, edit := range tt.edits {
			edit(&s)
		}
		a := s.plan()
		if a.Verb != tt.verb || a.Reason != tt.reason {
			t.Errorf("%s: got %s, %s: %s", name, a.Verb, a.Reason, a.Message)
		}
		for _, says := range tt.says {
			if !strings.Contains(a.Message, says) {
				t.Errorf("%s: the message is %q, want it to say %q", name, a.Message, says)
			}
		}
		if tt.silent != "" && strings.Contains(a.Message, tt.silent) || strings.HasSuffix(a.Message, "; ") {
			t.Errorf("%s: the message is %q", name, a.Message)
		}
		var made []string
		for _, c := range a.Changes {
			if len(c.Names) == 0 {
				c.Names = []string{c.Field}
			}
			made = append(made, strings.Join(c.Names, " "))
		}
		if !slices.Equal(made, tt.changes) {
			t.Errorf("%s: the changes are %q, want %q", name, made, tt.changes)
		}
		if approval := slices.Contains(tt.says, waits); approval && (a.Hash == "" || !a.Decided) {
			t.Errorf("%s: nothing can be approved: %+v", name, a)
		}
	}
}
