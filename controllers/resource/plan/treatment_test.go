package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A command is sent alone, whatever stands beside the change that it makes.
func TestACommandIsSentAlone(t *testing.T) {
	staged, tags := driver.Change{Field: driver.FieldStrategy}, driver.Change{Field: "tags"}
	v := View{Treatments: Treatments{driver.FieldStrategy: {Command: driver.DropStaged}}}
	if a := (Action{}).sending(v, staged, tags); !a.Does(driver.DropStaged) || len(a.Changes) != 1 {
		t.Errorf("the command %+v is sent with %+v", a.Command, a.Changes)
	}
	if a := (Action{}).sending(v, tags, staged); a.Command != nil || len(a.Changes) != 2 {
		t.Errorf("an update is sent with the command %+v and %+v", a.Command, a.Changes)
	}
}

// Who approves another change has not approved what concerns no user, such as the deletion of a former server, and is asked about that afterwards.
func TestWhatConcernsNoUserIsAskedAboutAlone(t *testing.T) {
	v := View{WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2"}
	former := driver.Change{Field: "formerServer", From: "orders-old1", To: "Deleted", Effect: driver.Irreversible}
	restart := driver.Change{Field: "parameters", From: "a", To: "b", Effect: driver.Restarts}
	p := Policy{Disruptive: v1alpha1.DisruptiveOnApproval}
	v.Treat("formerServer", Treatment{Command: driver.DeleteFormer, Asks: true, Cause: v1alpha1.CauseDrift, Apart: true})
	both, alone := Decide(v, []driver.Change{former, restart}, p), Decide(v, []driver.Change{restart}, p)
	if both.Hash != alone.Hash || len(both.With(AfterApproval)) != 1 || len(both.With(AfterOthers)) != 1 {
		t.Errorf("beside a restart that waits: %+v", both)
	}
	v.Approval = both.Hash
	if d := Decide(v, []driver.Change{former, restart}, p); len(d.With(AtOnce)) != 1 || d.With(AtOnce)[0].Field != "parameters" {
		t.Errorf("once the restart is approved: %+v", d)
	}
	if d := Decide(v, []driver.Change{former}, p); len(d.With(AfterApproval)) != 1 || d.Hash == both.Hash {
		t.Errorf("once the restart is made: %+v", d)
	}
}

// What concerns no user of an object keeps nothing that does from being done.
func TestConcerning(t *testing.T) {
	v := View{Treatments: Treatments{"formerServer": {Apart: true}}}
	o := driver.Observation{Problem: "slow", Changes: []driver.Change{{Field: "formerServer"}, {Field: "tags"}}}
	if got := v.Concerning(o); len(got.Changes) != 1 || got.Changes[0].Field != "tags" || got.Problem != "slow" {
		t.Errorf("got %+v", got)
	}
	if len(o.Changes) != 2 || o.Changes[0].Field != "formerServer" {
		t.Error("what was observed is changed")
	}
}
