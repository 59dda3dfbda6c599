package succession

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Kinds of which nothing takes the place have nothing of the feature.
func TestOf(t *testing.T) {
	if Of(kind.Bucket()) != nil || Of(kind.Database()) == nil {
		t.Error("a server has a successor, and a bucket has none")
	}
}

// The status forgets the server from before an upgrade once its deletion was taken and nothing shows it any more, and not if the deletion failed.
func TestFormerServerIsForgotten(t *testing.T) {
	deletes := plan.Action{Verb: plan.Update, Command: &driver.Command{Verb: driver.DeleteFormer}}
	change := []driver.Change{{Field: "formerServer", From: "orders-old1", To: "Deleted"}}
	for _, tt := range []struct {
		name    string
		action  plan.Action
		applied []driver.Change
		shown   *driver.Former
		kept    bool
	}{
		{"deleted, and gone", deletes, change, nil, false},
		{"deleted, and still shown", deletes, change, &driver.Former{}, true},
		{"refused", deletes, nil, nil, true},
		{"something else", plan.Action{Verb: plan.Update}, change, nil, true},
	} {
		d := &v1alpha1.Database{}
		d.Status.FormerServer = &v1alpha1.FormerServer{}
		w := &featuretest.Work{State: reconciliation.State{Object: d, Facts: outcome.Facts{Kind: kind.Database(), Observation: driver.Observation{Succession: &driver.Succession{Former: tt.shown}}}}}
		sent(w, tt.action, tt.applied)
		if kept := d.Status.FormerServer != nil; kept != tt.kept {
			t.Errorf("%s: kept %t, want %t", tt.name, kept, tt.kept)
		}
	}
}

// The status says in whose place a server was put, by the cloud's own answer alone. That it took over is told once, before the status has its identity.
func TestSwitchover(t *testing.T) {
	formerly := &driver.Former{ParentRef: driver.ParentRef{Name: "orders-old1", ID: "db-1"}}
	for name, tt := range map[string]struct {
		seen        *driver.Succession
		id          string
		told, noted bool
	}{
		"it took over":                {seen: &driver.Succession{Succeeds: "db-1", Former: formerly}, id: "db-1", told: true, noted: true},
		"it took over before":         {seen: &driver.Succession{Succeeds: "db-1", Former: formerly}, id: "db-2", noted: true},
		"the former one is shown":     {seen: &driver.Succession{Former: formerly}, id: "db-2"},
		"the former one is not shown": {seen: &driver.Succession{Succeeds: "db-1"}, id: "db-1"},
		"nothing took over":           {id: "db-1"},
	} {
		in := upgraded()
		in.Request.Name, in.Request.ID, in.Observation.Succession = "orders", tt.id, tt.seen
		interpret(&in)
		if told := slices.ContainsFunc(in.Notes, func(n outcome.Note) bool { return n.Reason == v1alpha1.EventSwitchedOver }); told != tt.told {
			t.Errorf("%s: told: %t, want %t", name, told, tt.told)
		}
		d := &v1alpha1.Database{}
		if record(in, d); (d.Status.FormerServer != nil) != tt.noted {
			t.Errorf("%s: the status has %+v", name, d.Status.FormerServer)
		}
	}
}

// Events say what was asked for. That the former server is marked, or that nothing is left of it, is no news.
func TestEvents(t *testing.T) {
	version, tags := []driver.Change{{Field: "version", To: "16"}}, []driver.Change{{Field: "tags"}}
	former := []driver.Change{{Field: fieldFormer, From: "orders-old1"}}
	shown := func(in *reconciliation.State) {
		in.Observation.Succession = &driver.Succession{Former: &driver.Former{}}
	}
	beside := func(in *reconciliation.State) { in.Request.Beside = true }
	for name, tt := range map[string]struct {
		is     func(*reconciliation.State)
		does   driver.Verb
		sent   []driver.Change
		reason string
		known  bool
	}{
		"an upgrade in place":       {sent: version},
		"an upgrade beside it":      {is: beside, sent: version, reason: v1alpha1.EventUpdated, known: true},
		"a switchover":              {is: func(in *reconciliation.State) { beside(in); in.Request.Operation = "bgd-1" }, sent: version, reason: v1alpha1.EventUpdated, known: true},
		"something else beside it":  {is: beside, sent: tags},
		"the mark":                  {is: shown, does: driver.ReleaseFormer, sent: former, known: true},
		"its deletion":              {is: shown, does: driver.DeleteFormer, sent: former, reason: v1alpha1.EventDeletionRequested, known: true},
		"what only it used":         {does: driver.DeleteFormer, sent: former, known: true},
		"another feature's command": {does: driver.Promote, sent: tags},
	} {
		in, a := upgraded(), plan.Action{Verb: plan.Update}
		if tt.is != nil {
			tt.is(&in)
		}
		if tt.does != "" {
			a.Command = &driver.Command{Verb: tt.does}
		}
		said := sent(&featuretest.Work{State: in}, a, tt.sent)
		if (said != nil) != tt.known || said != nil && said.Reason != tt.reason {
			t.Errorf("%s: got %+v", name, said)
		}
	}
}
