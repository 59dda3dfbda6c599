package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What differs of a server that was made of a snapshot was never as its spec says, and nobody uses the server yet: nobody is asked. What can't be undone is
// refused before, so somebody else did it.
func TestWhatCompletesARestoreAsksNobody(t *testing.T) {
	restored := View{Restored: true, Origin: v1alpha1.OriginCreated, Applied: driver.Applied{"backup.retentionDays": {"7"}}}
	differs := driver.Change{Field: "aws.instanceClass", From: "db.t4g.micro", To: "db.m7g.large", Effect: driver.Interrupts}
	for name, tt := range map[string]struct {
		view   func(*View)
		change func(*driver.Change)
		asks   bool
	}{
		"it was as the snapshot was":                      {},
		"it worked before":                                {view: func(v *View) { v.WasReady = true }, asks: true},
		"it was there before":                             {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }, asks: true},
		"it was made empty":                               {view: func(v *View) { v.Restored = false }, asks: true},
		"it was taken back, and its spec has restoreFrom": {view: func(v *View) { v.Restored, v.Restores, v.RestoreFrom = false, true, true }, asks: true},
		"it can't be undone":                              {change: func(c *driver.Change) { c.Effect = driver.Irreversible }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			v, c := restored, differs
			if tt.view != nil {
				tt.view(&v)
			}
			if tt.change != nil {
				tt.change(&c)
			}
			if got := mustAsk(v, c, Policy{Disruptive: v1alpha1.DisruptiveOnSpecChange}); got != tt.asks {
				t.Errorf("it asks: %v, want %v", got, tt.asks)
			}
			if cause := CauseOf(v, c); (cause == v1alpha1.CauseSpec) == tt.asks {
				t.Errorf("the cause is %s", cause)
			}
		})
	}
}

// Nothing empty is created in place of what had to be in the snapshot.
func TestNothingEmptyTakesThePlaceOfContents(t *testing.T) {
	missing := []driver.Change{{Field: "databaseName", To: "app", Effect: driver.Online}, {Field: "tags", Effect: driver.Online}}
	restored := View{Restored: true, Origin: v1alpha1.OriginCreated}
	for name, tt := range map[string]struct {
		view     func(*View)
		withheld bool
	}{
		"it was restored":                      {withheld: true},
		"it works, and never was as declared":  {view: func(v *View) { v.WasReady = true }, withheld: true}, // as earlier releases noted of one that stalled
		"it was as declared, and never worked": {view: func(v *View) { v.WasApplied = true }, withheld: true},
		"it was created empty":                 {view: func(v *View) { v.Restored = false }},
		"it was taken over":                    {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }},
		"it worked before":                     {view: func(v *View) { v.WasReady, v.WasApplied = true, true }},
	} {
		v := restored
		if tt.view != nil {
			tt.view(&v)
		}
		d := &v1alpha1.Database{}
		if v.Restored {
			d.Status.RestoredFrom = &v1alpha1.RestoredFrom{}
		}
		v.NoteRestore(kind.Database(), d, d)
		got := v.Source.Withhold(missing)
		if withheld := got[0].Effect == driver.Impossible && got[0].Why != ""; withheld != tt.withheld || got[1].Effect != driver.Online {
			t.Errorf("%s: got %+v, want the database to be withheld: %t", name, got, tt.withheld)
		}
	}
	if missing[0].Effect != driver.Online {
		t.Error("what was observed is changed")
	}
}

// A connection Secret names no copy and no restored server before that is as its spec says: until then it has the networks or the users of another one, and people
// would use what may have to be restored again.
func TestNoCopyIsPublished(t *testing.T) {
	for name, made := range map[string]func(*fixture){
		"copied":   copied,
		"restored": func(s *fixture) { s.Restored, s.WasReady, s.WasApplied = true, false, false },
	} {
		s := settled()
		made(&s)
		s.Seen.Mark = itsMark
		for _, verb := range []Verb{Stall, Wait, AwaitApproval, AwaitWindow, AwaitStart, Converge} {
			if got := Publishes(Action{Verb: verb}, s.View, s.Seen, s.Policy); got != (verb == Converge) {
				t.Errorf("%s: it is published with %s: %t", name, verb, got)
			}
		}
	}
}
