package plan

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A difference is a set of changes of which it is known what caused each.
type difference struct {
	name    string
	applied driver.Applied
	changes []driver.Change
	// causes are those of the changes, in order; "?" stands for a cause that depends on whether the
	// spec was edited since the object was Ready.
	causes []string
}

const eitherCause = "?"

// sinceCreation stands for a cause that depends on whether the creation was ever completed.
const sinceCreation = "+"

var differences = []difference{
	{name: "none"},
	{"online edit", driver.Applied{"a": {"old"}}, []driver.Change{{Field: "a", From: "old", To: "new", Effect: driver.Online}}, []string{v1alpha1.CauseSpec}},
	{"online drift", driver.Applied{"a": {"new"}}, []driver.Change{{Field: "a", From: "theirs", To: "new", Effect: driver.Online}}, []string{v1alpha1.CauseDrift}},
	{"disruptive edit", driver.Applied{"b": {"old"}}, []driver.Change{{Field: "b", From: "old", To: "new", Effect: driver.Restarts}}, []string{v1alpha1.CauseSpec}},
	{"disruptive drift", driver.Applied{"b": {"new"}}, []driver.Change{{Field: "b", From: "theirs", To: "new", Effect: driver.Interrupts}}, []string{v1alpha1.CauseDrift}},
	{"disruptive, never applied", nil, []driver.Change{{Field: "b", From: "theirs", To: "new", Effect: driver.Irreversible}}, []string{eitherCause}},
	{"disruptive, missing", driver.Applied{"requesterPays": {"true"}}, []driver.Change{{Field: "requesterPays", From: "false", To: "true", Effect: driver.Irreversible}}, []string{sinceCreation}},
	{"impossible edit", driver.Applied{"c": {"old"}}, []driver.Change{{Field: "c", From: "old", To: "new", Effect: driver.Impossible, Why: "make another"}}, []string{v1alpha1.CauseSpec}},
	{"impossible drift", driver.Applied{"c": {"new"}}, []driver.Change{{Field: "c", From: "theirs", To: "new", Effect: driver.Impossible, Why: "make another"}}, []string{v1alpha1.CauseDrift}},
	{"two impossible edits", driver.Applied{"c": {"old"}, "e": {"old"}}, []driver.Change{
		{Field: "c", From: "old", To: "new", Effect: driver.Impossible, Why: "make another"}, {Field: "e", From: "old", To: "new", Effect: driver.Impossible, Why: "make a third"},
	}, []string{v1alpha1.CauseSpec, v1alpha1.CauseSpec}},
	{"release", driver.Applied{"a": {"old"}}, []driver.Change{{Field: "a", From: "old", To: "safe", Effect: driver.Online, Release: true}}, []string{v1alpha1.CauseSpec}},
	{"disruptive release", driver.Applied{"b": {"old"}}, []driver.Change{{Field: "b", From: "old", To: "safe", Effect: driver.Restarts, Release: true}}, []string{v1alpha1.CauseSpec}},
	{"entries removed", driver.Applied{"t": {"x", "y"}}, []driver.Change{{Field: "t", From: "x=1", Effect: driver.Online, Entries: true, Remove: []string{"x"}}}, []string{v1alpha1.CauseSpec}},
	{"disruptive drift of entries", driver.Applied{"m": {"x=1", "y=1"}}, []driver.Change{
		{Field: "m", From: "x=0", To: "x=1", Effect: driver.Restarts, Entries: true, Names: []string{"x"}, Drifted: []string{"x"}}}, []string{v1alpha1.CauseDrift}},
	{"disruptive edit of entries", driver.Applied{"m": {"x=0", "y=1"}}, []driver.Change{
		{Field: "m", From: "x=0, y=1", To: "x=1", Effect: driver.Restarts, Entries: true, Names: []string{"x", "y"}, Edited: []string{"x", "y"}, Remove: []string{"y"}}}, []string{v1alpha1.CauseSpec}},
	{"an edit of entries beside drift", driver.Applied{"m": {"x=1", "y=1"}}, []driver.Change{
		{Field: "m", From: "x=0, y=1", To: "x=1", Effect: driver.Restarts, Entries: true, Names: []string{"x", "y"}, Edited: []string{"y"}, Drifted: []string{"x"}, Remove: []string{"y"}}}, []string{v1alpha1.CauseDrift}},
	{"password", nil, []driver.Change{{Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}}, []string{v1alpha1.CauseSpec}},
	{"password in place of another's", nil, []driver.Change{{Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Irreversible}}, []string{v1alpha1.CauseDrift}},
	{"protection lifted", driver.Applied{protection: {"true"}}, []driver.Change{{Field: protection, From: "true", To: "false", Effect: driver.Online}}, []string{v1alpha1.CauseSpec}},
	{"of every kind", driver.Applied{"a": {"old"}, "b": {"new"}, "c": {"old"}, "d": {"old"}},
		[]driver.Change{
			{Field: "a", From: "old", To: "new", Effect: driver.Online}, {Field: "b", From: "theirs", To: "new", Effect: driver.Restarts},
			{Field: "c", From: "old", To: "new", Effect: driver.Impossible, Why: "make another"}, {Field: "d", From: "old", To: "new", Effect: driver.Restarts},
		},
		[]string{v1alpha1.CauseSpec, v1alpha1.CauseDrift, v1alpha1.CauseSpec, v1alpha1.CauseSpec}},
}

// How a person may have answered a plan.
const (
	noApproval = iota
	rightApproval
	wrongApproval
	replayedApproval // right for the plan before
	approvals        // how many there are
)

// A sample is a fixture, and what is known of how it came about.
type sample struct {
	fixture
	difference difference
	approval   int
	// classChanged: all that differs does so because the class says something else.
	classChanged bool
}

// build makes a sample from choices: choose returns a number below n. It is how the product and the fuzzer
// name the same sample. What can't matter in a state keeps one value there, or the product would be too large;
// TestPlanLeavesOut holds that it does not.
func build(choose func(n int) int, deleting bool) sample {
	return buildWith(choose, deleting, func(*sample) {})
}

// buildWith is build; prepare changes the sample before a person answers its plan.
func buildWith(choose func(n int) int, deleting bool, prepare func(*sample)) sample {
	var w sample
	flag := func() bool { return choose(2) == 1 }
	w.Mark, w.Deleting, w.Bound, w.HasFinalizer = itsMark, deleting, true, true
	w.Policy = settled().Policy
	w.Policy.Management = []v1alpha1.Management{v1alpha1.ManagementFull, v1alpha1.ManagementObserve}[choose(2)]
	w.WasReady, w.InConsistencyWindow = flag(), flag()
	chooseSeen(&w, choose, deleting)
	if w.Seen.State == driver.Absent {
		w.Bound, w.AbsenceSure = flag(), flag()
	}
	if w.there() && w.Seen.Mark.Zero() {
		w.UnmarkedSure = flag()
	}
	if deleting {
		if w.there() && w.ours() {
			w.WasApplied, w.Origin = flag(), []v1alpha1.Origin{v1alpha1.OriginCreated, v1alpha1.OriginAdopted, ""}[choose(3)]
		}
		w.Policy.Deletion = []v1alpha1.DeletionPolicy{v1alpha1.DeletionSnapshot, v1alpha1.DeletionDelete, v1alpha1.DeletionRetain}[choose(3)]
		return w
	}
	if !w.there() {
		w.Moved = flag()
		w.Policy.WhenVanished = []v1alpha1.WhenVanished{v1alpha1.WhenVanishedStop, v1alpha1.WhenVanishedRecreate, v1alpha1.WhenVanishedRestore}[choose(3)]
		w.Vanished = []driver.ParentRef{{}, {Name: "orders", ID: "db-0"}}[choose(2)]
		return w
	}
	w.Edited = flag()
	w.Policy.Adoption = []v1alpha1.Adoption{v1alpha1.AdoptionIfMarked, v1alpha1.AdoptionNever, v1alpha1.AdoptionIfExists}[choose(3)]
	w.Policy.Disruptive = []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnApproval}[choose(3)]
	chooseWindow(&w, choose)
	choosePast(&w, choose)
	prepare(&w)
	if w.plan().Hash != "" {
		w.answer(choose(approvals))
	}
	return w
}

// chooseSeen fills in what was seen, as far as the contract lets an observation say it: only what is there has
// a mark, an id and changes, and a snapshot is looked for once it is gone.
func chooseSeen(w *sample, choose func(int) int, deleting bool) {
	w.Seen.State = []driver.State{driver.Unknown, driver.Absent, driver.Pending, driver.Ready, driver.Failed, driver.Deleting}[choose(6)]
	switch w.Seen.State {
	case driver.Unknown:
		return
	case driver.Absent:
		if deleting {
			states := []driver.State{driver.Unknown, driver.Absent, driver.Pending, driver.Ready, driver.Failed}
			w.Seen.Backup = &driver.Backup{FinalSnapshot: states[choose(5)]}
			w.SnapshotAbsenceSure = w.Seen.Backup.GetFinalSnapshot() == driver.Absent && choose(2) == 1
		}
		return
	default: // it is there
	}
	w.Seen.Mark = []driver.Mark{itsMark, {}, beforeMark, releasedMark, othersMark, foreignMark, leftByOthers}[choose(7)]
	if w.Seen.Mark == leftByOthers {
		w.AdoptFrom = []string{"", "bank/orders", "bank/others"}[choose(3)]
	}
	ids := [][2]string{{"", ""}, {"", itsID}, {itsID, itsID}, {itsID, "db-2"}}[choose(4)] // known, seen
	w.ID, w.Seen.ID = ids[0], ids[1]
	if w.Seen.State == driver.Deleting {
		return
	}
	if w.Seen.State == driver.Failed {
		w.Seen.Problem = "it broke"
	}
	if w.Seen.State == driver.Ready {
		switch choose(4) {
		case 0:
			w.Seen.Available = true
		case 1:
			w.Seen.Stopped = true
		case 2:
			w.Seen.Problem = "the disk is full"
		}
	}
	if deleting {
		w.Seen.Protected = choose(2) == 1
	}
	w.difference = differences[choose(len(differences))]
	w.Applied, w.Seen.Changes = w.difference.applied, w.difference.changes
}

// sunday is the maintenance window of samples, closed and open two times at which it is so.
var (
	sunday = window.Parse("Sunday", "03:00")
	closed = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	open   = time.Date(2026, 11, 29, 3, 30, 0, 0, time.UTC)
	opens  = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)
)

// mayWait reports whether a sample may have disruptive changes to make.
func (w sample) mayWait() bool {
	return w.Seen.State == driver.Ready && w.full() && w.ours() && slices.ContainsFunc(w.Seen.Changes, func(c driver.Change) bool { return c.Effect.Disruptive() })
}

// chooseWindow fills in when disruptive changes are made, where there are any.
func chooseWindow(w *sample, choose func(int) int) {
	w.Now = closed
	if !w.mayWait() {
		return
	}
	switch choose(3) {
	case 0:
		return
	case 1:
		w.Now = open
	}
	w.Policy.Window = sunday
	if !w.WasReady {
		w.Origin = []v1alpha1.Origin{"", v1alpha1.OriginCreated, v1alpha1.OriginAdopted}[choose(3)]
	}
}

// choosePast fills in what became of the creation, where something is missing that it asked for.
func choosePast(w *sample, choose func(int) int) {
	if !slices.Contains(w.difference.causes, sinceCreation) {
		return
	}
	switch choose(4) {
	case 0:
		w.Origin = v1alpha1.OriginCreated
	case 1:
		w.Origin, w.WasApplied = v1alpha1.OriginCreated, true
	case 2:
		w.Origin, w.Mirror = v1alpha1.OriginCreated, &v1alpha1.BucketParameters{RequesterPays: new(true)}
	case 3:
		w.Origin = v1alpha1.OriginAdopted
	}
}

// lacks reports whether the i-th change sets what the creation of the object asked for and never set.
func (w sample) lacks(i int) bool {
	return w.difference.causes[i] == sinceCreation && w.Origin == v1alpha1.OriginCreated && !w.WasApplied
}

// shut reports whether disruptive changes have to wait for the window: others may use the object, and the window is closed.
func (w sample) shut() bool {
	return w.Policy.Window != nil && w.Now.Equal(closed) && (w.WasReady || w.Origin != v1alpha1.OriginCreated)
}

// agreed reports whether nobody needs to be asked about the i-th change any more.
func (w sample) agreed(i int) bool {
	return !w.waits(i) || w.approval == rightApproval && !w.contradicts()
}

// awaitsWindow reports whether the i-th change may be made, and waits for the window.
func (w sample) awaitsWindow(i int) bool {
	c := w.Seen.Changes[i]
	return w.shut() && c.Effect.Disruptive() && !w.contradicts() && w.agreed(i)
}

// edits reports whether the i-th change was asked for by an edit, or the field never was as the spec says.
func (w sample) edits(i int) bool {
	c := w.Seen.Changes[i]
	_, known := w.Applied[c.Field]
	mixed := w.Edited && w.cause(i) == v1alpha1.CauseDrift && len(c.Drifted) < len(c.Names)
	return !known || w.cause(i) == v1alpha1.CauseSpec || mixed
}

// any reports whether something holds of a change.
func (w sample) any(is func(i int) bool) bool {
	for i := range w.Seen.Changes {
		if is(i) {
			return true
		}
	}
	return false
}

func (w *sample) answer(approval int) {
	w.approval = approval
	switch approval {
	case rightApproval:
		w.Approval = w.plan().Hash
	case wrongApproval:
		w.Approval = "0123456789ab"
	case replayedApproval:
		w.Approval = w.plan().Hash
		w.Serial++
	}
}

func (w sample) there() bool {
	return w.Seen.State == driver.Pending || w.Seen.State == driver.Ready || w.Seen.State == driver.Failed
}

// ours says as the design does, and not as ownership does: it bears our mark, or lost its mark and
// has the identity that we know. Another object of our name is not ours.
func (w sample) ours() bool {
	if w.ID != "" && w.Seen.ID != "" && w.ID != w.Seen.ID {
		return false
	}
	return w.Seen.Mark == itsMark || w.Seen.Mark.Zero() && w.ID != "" && w.ID == w.Seen.ID
}

// made reports whether the cloud object was made for the object, as far as that is noted: 0.1.0 did not note it.
func (w sample) made() bool {
	contradicts := slices.ContainsFunc(w.Seen.Changes, func(c driver.Change) bool { return c.Effect == driver.Impossible })
	return w.Origin == v1alpha1.OriginCreated || w.Origin == "" && w.Policy.Adoption != v1alpha1.AdoptionIfExists && !contradicts
}

func (w sample) full() bool { return w.Policy.Management == v1alpha1.ManagementFull }

// cause is the known cause of the i-th change.
func (w sample) cause(i int) string {
	if w.classChanged {
		return v1alpha1.CauseClass
	}
	switch c := w.difference.causes[i]; {
	case c == sinceCreation && w.lacks(i) && (!w.WasReady || w.Mirror == nil):
		return v1alpha1.CauseSpec
	case c == sinceCreation:
		return v1alpha1.CauseDrift
	case c != eitherCause:
		return c
	}
	if w.Edited && w.WasReady {
		return v1alpha1.CauseSpec
	}
	return v1alpha1.CauseDrift
}

// waits reports whether the i-th change may not be made before it is approved.
func (w sample) waits(i int) bool {
	if !w.Seen.Changes[i].Effect.Disruptive() {
		return false
	}
	if w.Seen.Changes[i].Field == FieldPassword {
		return true
	}
	if w.lacks(i) && !w.WasReady { // nobody uses what never was as declared
		return false
	}
	switch w.Policy.Disruptive {
	case v1alpha1.DisruptiveAlways:
		return false
	case v1alpha1.DisruptiveOnApproval:
		return true
	default:
		return w.cause(i) != v1alpha1.CauseSpec
	}
}

// contradicts reports whether the spec itself asks for something that is impossible.
func (w sample) contradicts() bool {
	for i, c := range w.Seen.Changes {
		if c.Effect == driver.Impossible && w.cause(i) != v1alpha1.CauseClass {
			return true
		}
	}
	return false
}

// implies is logic's: only what is claimed can be broken.
func implies(claim, consequence bool) bool { return !claim || consequence }

// properties are what holds of every plan. Each has the sentence of the design that it stands for.
var properties = []struct {
	name  string
	says  string
	holds func(w sample, a Action) bool
}{
	{"Unknown permits nothing", "The zero value of an observation permits nothing.",
		func(w sample, a Action) bool { return implies(w.Seen.State == driver.Unknown, a.Verb == Wait) }},
	{"Create what is surely not there", "Unknown permits nothing. Absence from a list is not absence. One cloud object per Kubernetes object, ever.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Create, w.Seen.State == driver.Absent && !w.Deleting && w.full() && (!w.Bound || w.AbsenceSure))
		}},
	{"Create nothing in place of a lost one", "An empty database in place of a lost one is not healing.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Create && w.Bound && w.WasReady, w.Policy.WhenVanished == v1alpha1.WhenVanishedRecreate || a.InPlace)
		}},
	{"Restore in place what is lost, and nothing else", "Once a restore has begun, nothing empty comes in its place, whatever the policy.",
		func(w sample, a Action) bool {
			begun := w.Vanished.ID != "" && !w.WasReady && w.Origin != v1alpha1.OriginAdopted
			asked := w.WasReady && w.Policy.WhenVanished == v1alpha1.WhenVanishedRestore
			return implies(a.Verb == Create, a.InPlace == (begun || asked)) && implies(a.InPlace, a.Verb == Create)
		}},
	{"Delete only by wish", "Deletion is the dangerous verb.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Delete, w.Deleting && w.full() && w.ours() &&
				w.Policy.Deletion != v1alpha1.DeletionRetain && !w.Seen.Protected && (w.Seen.State == driver.Ready || w.Seen.State == driver.Failed))
		}},
	{"Delete what was made, or was once as declared", "An object that was never Ready under us deletes nothing that it did not make.",
		func(w sample, a Action) bool { return implies(a.Verb == Delete, w.WasApplied || w.made()) }},
	{"what contradicts the spec is not taken over", "What contradicts the spec for good (engine, location) is not marked at all.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Adopt && !w.ours(), !slices.ContainsFunc(w.Seen.Changes, func(c driver.Change) bool {
				return c.Effect == driver.Impossible && !w.classChanged
			}))
		}},
	{"what a namespace left is for that namespace", "Only the same namespace may take it back.",
		func(w sample, a Action) bool {
			return implies(w.Seen.Mark == leftByOthers && w.AdoptFrom != "bank/orders", a.Verb != Adopt && a.Verb != Converge)
		}},
	{"tenants are not told whose it is", "Tenants are told that it is another's, not whose.",
		func(w sample, a Action) bool {
			return implies(!w.Seen.Mark.SameOwner(itsMark), !strings.Contains(a.Message, "bank") && !strings.Contains(a.Message, "c2") && !strings.Contains(a.Message, "c1"))
		}},
	{"nothing of others is touched", "Nothing without our mark, or an explicit adoption, is changed or deleted.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Update || a.Verb == Delete || a.Verb == Release, w.there() && w.ours())
		}},
	{"Adopt only as allowed", "IfMarked (default: marked by this cluster id, namespace and name, under an earlier uid, and not released), Never, IfExists.",
		func(w sample, a Action) bool {
			allowed := w.Policy.Adoption == v1alpha1.AdoptionIfExists ||
				w.Policy.Adoption == v1alpha1.AdoptionIfMarked && w.Seen.Mark == beforeMark && (w.ID == "" || w.Seen.ID == "" || w.ID == w.Seen.ID)
			return implies(a.Verb == Adopt, !w.Deleting && w.full() && (w.Seen.State == driver.Ready || w.Seen.State == driver.Failed)) &&
				implies(a.Verb == Adopt, w.ours() || allowed)
		}},
	{"no fight over an object", "Owned by someone else: Stalled, nothing touched.",
		func(w sample, a Action) bool {
			same := w.ID == "" || w.Seen.ID == "" || w.ID == w.Seen.ID
			elses := w.Seen.Mark == beforeMark && same || w.Seen.Mark == othersMark || w.Seen.Mark == foreignMark || w.Seen.Mark == leftByOthers
			return implies(w.WasReady && elses && !w.Deleting && w.full(), a.Verb == Stall || a.Verb == Wait)
		}},
	{"a mark that does not show yet is no verdict", "Only what was seen counts. 401, 403, 429, 5xx and time-outs are never \"not found\".",
		func(w sample, a Action) bool {
			return implies(w.there() && w.Seen.Mark.Zero() && w.Bound && !w.UnmarkedSure && w.full() && !(w.Deleting && w.ours()), a.Verb == Wait)
		}},
	{"Observe writes nothing", "management: Observe puts no mark, no finalizer, and never deletes.",
		func(w sample, a Action) bool {
			return implies(!w.full(), slices.Contains([]Verb{Wait, Converge, Stall, RemoveFinalizer}, a.Verb))
		}},
	{"Forget only what needs nothing more", "The finalizer goes only after the cloud confirmed absence or the policy says retain.",
		func(w sample, a Action) bool {
			absent := w.Seen.State == driver.Absent && (!w.Bound || w.AbsenceSure)
			return implies(a.Verb == RemoveFinalizer, w.Deleting && w.Seen.State != driver.Unknown &&
				(absent || !w.full() || w.there() && !w.ours()))
		}},
	{"Forget nothing whose snapshot is not there", "The finalizer goes only once that is available.",
		func(w sample, a Action) bool {
			wanted := w.full() && w.Bound && w.Policy.Deletion == v1alpha1.DeletionSnapshot && w.Seen.State == driver.Absent
			return implies(a.Verb == RemoveFinalizer && wanted, w.Seen.Backup.GetFinalSnapshot() == driver.Ready || w.SnapshotAbsenceSure)
		}},
	{"a snapshot of all that works", "Snapshot (default: final snapshot); an instance that never worked needs none.",
		func(w sample, a Action) bool {
			return a.Snapshot == (a.Verb == Delete && w.Policy.Deletion == v1alpha1.DeletionSnapshot && (w.WasReady || w.Seen.State == driver.Ready))
		}},
	{"what stays is said to stay", "Retain also keeps the connection Secret.",
		func(w sample, a Action) bool {
			return a.Orphaned == (a.Verb == RemoveFinalizer && (w.Seen.State != driver.Absent || !w.full()))
		}},
	{"Release only to retain", "Retain marks what it leaves as released.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Release, w.Deleting && w.full() && (w.Policy.Deletion == v1alpha1.DeletionRetain || !w.WasApplied && !w.made()))
		}},
	{"a deletion changes nothing but its protection", "Deletion is the dangerous verb.",
		func(w sample, a Action) bool {
			return implies(w.Deleting, !slices.Contains([]Verb{Create, Adopt, AwaitApproval, Converge}, a.Verb)) &&
				implies(w.Deleting && a.Verb == Update, w.Seen.Protected && slices.Equal(driver.Names(a.Changes), []string{protection}))
		}},
	{"only a deletion deletes", "It is created, kept as declared, and deleted only when that is safe.",
		func(w sample, a Action) bool {
			return implies(!w.Deleting, !slices.Contains([]Verb{Delete, Release, RemoveFinalizer}, a.Verb))
		}},
	{"disruption needs an edit or an approval", "OnSpecChange (default: an edit of the spec is applied; a disruptive drift correction or class change waits for approval), Always, OnApproval.",
		func(w sample, a Action) bool {
			for i, c := range w.Seen.Changes {
				if !w.Deleting && w.waits(i) && slices.Contains(driver.Names(a.Changes), c.Field) && w.approval != rightApproval {
					return false
				}
			}
			return true
		}},
	{"what need not wait does not", "An edit of the spec is applied.",
		func(w sample, a Action) bool {
			for i, c := range w.Seen.Changes {
				if a.Verb == Update && !w.Deleting && c.Effect != driver.Impossible && !(w.contradicts() && c.Effect.Disruptive()) && !w.waits(i) && !w.awaitsWindow(i) && !slices.Contains(driver.Names(a.Changes), c.Field) {
					return false
				}
			}
			return true
		}},
	{"a right approval approves all that waits", "Approval is the annotation mooring.dev/approve: <hash>.",
		func(w sample, a Action) bool {
			approved := w.approval == rightApproval && w.Approval != "" && !w.contradicts()
			return implies(approved && !w.shut(), a.Verb == Update && a.Hash == "") && implies(approved && w.shut(), a.Hash == w.Approval && !a.Approved)
		}},
	{"a wrong or replayed approval approves nothing", "The hash of the plan (with a serial, so that an old approval kept in Git approves nothing new).",
		func(w sample, a Action) bool {
			if w.approval != wrongApproval && w.approval != replayedApproval {
				return true
			}
			without := w.View
			without.Approval = ""
			other := Plan(without, w.Seen, w.Policy)
			other.Message = a.Message // that answers it
			return reflect.DeepEqual(a, other)
		}},
	{"a wrong or replayed approval is answered", "A wrong approval is answered in the status.",
		func(w sample, a Action) bool {
			wrong := (w.approval == wrongApproval || w.approval == replayedApproval) && w.Approval != ""
			return implies(a.Verb == AwaitApproval && a.Reason == v1alpha1.ReasonApprovalRequired, wrong == strings.Contains(a.Message, "which is not the hash of this plan"))
		}},
	{"nothing disruptive beside what is impossible", "Nothing disruptive starts while another part of the spec is impossible.",
		func(w sample, a Action) bool {
			return implies(w.contradicts() && !w.Deleting, !slices.ContainsFunc(a.Changes, func(c driver.Change) bool { return c.Effect.Disruptive() }))
		}},
	{"all that is impossible is told", "All impossible changes at once, not one by one.",
		func(w sample, a Action) bool {
			for _, c := range w.Seen.Changes {
				if a.Reason == v1alpha1.ReasonImmutable && c.Effect == driver.Impossible && !strings.Contains(a.Message, c.Field+" can't change") {
					return false
				}
			}
			return true
		}},
	{"Impossible is never tried", "Impossible: the cloud can't do it to what exists.",
		func(_ sample, a Action) bool {
			return !slices.ContainsFunc(a.Changes, func(c driver.Change) bool { return c.Effect == driver.Impossible })
		}},
	{"Update and changes go together", "Update applies exactly changes.",
		func(w sample, a Action) bool {
			return (a.Verb == Update) == (len(a.Changes) > 0) && !slices.ContainsFunc(a.Changes, func(c driver.Change) bool {
				return !slices.ContainsFunc(w.Seen.Changes, func(s driver.Change) bool { return reflect.DeepEqual(s, c) })
			})
		}},
	{"every difference is shown, with its cause", "pendingChanges shows from, to, effect and cause.",
		func(w sample, a Action) bool {
			if w.Deleting || w.Seen.State != driver.Ready || !w.full() || !w.ours() || a.Verb == Adopt || a.KeepConditions {
				return true
			}
			var want []v1alpha1.PendingChange
			for i, c := range w.Seen.Changes {
				p := v1alpha1.PendingChange{Field: c.Field, From: c.From, To: c.To, Effect: string(c.Effect), Cause: w.cause(i)}
				p.Approved = w.waits(i) && w.agreed(i)
				switch due := c.Effect.Disruptive() && w.agreed(i) && !w.contradicts(); {
				case w.waits(i) && !w.agreed(i):
					p.WaitsFor = v1alpha1.WaitsForApproval
				case w.awaitsWindow(i):
					p.WaitsFor, p.DueSince, p.DueIn = v1alpha1.WaitsForMaintenanceWindow, &metav1.Time{Time: w.Now}, sunday.String()
				case due && w.Policy.Window != nil && (w.WasReady || w.Origin != v1alpha1.OriginCreated):
					p.DueSince, p.DueIn = &metav1.Time{Time: w.Now}, sunday.String()
				}
				want = append(want, p)
			}
			return reflect.DeepEqual(a.Pending, want)
		}},
	{"Converge only when nothing differs", "Converged means silent.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Converge && w.full(), len(w.Seen.Changes) == 0 && !w.InConsistencyWindow && w.Seen.State == driver.Ready && w.ours())
		}},
	{"Ready can be used", "Ready: this generation of the spec was applied, and it is usable.",
		func(w sample, a Action) bool {
			return implies(a.Verb == Converge && w.full(), w.Seen.Available && a.Reason == v1alpha1.ReasonReady || w.Seen.Stopped && a.Reason == v1alpha1.ReasonStopped)
		}},
	{"Ask says what to approve", "The hash of the plan stands in status and in the condition's message.",
		func(_ sample, a Action) bool {
			return implies(a.Verb == AwaitApproval && a.Reason == v1alpha1.ReasonApprovalRequired, len(a.Hash) == 12 && strings.Contains(a.Message, v1alpha1.AnnotationApprove+"="+a.Hash)) &&
				implies(a.Verb == AwaitApproval && a.Reason != v1alpha1.ReasonApprovalRequired, a.Hash == "" && a.Reason == v1alpha1.ReasonImmutable)
		}},
	{"an unapplied generation is not called applied", "An edit waits for approval: Ready False. Drift waits for approval; the spec's generation is applied: Ready True.",
		func(w sample, a Action) bool {
			asks := w.any(func(i int) bool { return w.waits(i) && !w.agreed(i) && w.edits(i) })
			timed := w.any(func(i int) bool { return w.awaitsWindow(i) && w.edits(i) })
			return implies(a.Verb == AwaitApproval || a.Verb == AwaitWindow, a.EditWaits == asks && a.EditAwaitsWindow == timed) &&
				implies(a.Verb == AwaitApproval, asks || !timed) && implies(a.Verb == AwaitWindow && asks, false)
		}},
	{"nothing disruptive outside the window", "With timing: MaintenanceWindow nothing restarts outside the window, not even what was approved.",
		func(w sample, a Action) bool {
			return implies(w.shut(), !slices.ContainsFunc(a.Changes, func(c driver.Change) bool { return c.Effect.Disruptive() }))
		}},
	{"the window holds what is agreed to, until it opens", "updates.timing says when what is consented to is sent.",
		func(w sample, a Action) bool {
			if !a.Decided {
				return a.Opens.IsZero() && a.Closes.IsZero()
			}
			timed := w.any(w.awaitsWindow)
			return implies(timed, a.Opens.Equal(opens)) && implies(!timed, a.Opens.IsZero()) &&
				implies(a.Verb == AwaitWindow, timed && a.Reason == v1alpha1.ReasonWaitingForWindow && strings.Contains(a.Message, "opens at 2026-11-29 03:00 UTC"))
		}},
	{"an open window is none", "Consent and time are two things.",
		func(w sample, a Action) bool {
			if w.Policy.Window == nil || w.shut() {
				return true
			}
			always := w
			always.Policy.Window = nil
			other := always.plan()
			for i := range a.Pending {
				if i < len(other.Pending) {
					other.Pending[i].DueSince, other.Pending[i].DueIn = a.Pending[i].DueSince, a.Pending[i].DueIn
				}
			}
			closes := slices.ContainsFunc(a.Changes, func(c driver.Change) bool { return c.Effect.Disruptive() }) && (w.WasReady || w.Origin != v1alpha1.OriginCreated)
			if closes != a.Closes.Equal(open.Add(30*time.Minute)) {
				return false
			}
			other.Closes, other.Message = a.Closes, a.Message
			return reflect.DeepEqual(a, other)
		}},
	{"quiet is only who waits", "One failed observation flips nothing.",
		func(_ sample, a Action) bool { return implies(a.KeepConditions, a.Verb == Wait) }},
	{"every plan is explained", "Messages say what to do next.",
		func(_ sample, a Action) bool { return len(a.Message) > 10 && !strings.Contains(a.Message, "%!") }},
	{"reasons are of the list", "Reasons are a closed, documented list of constants.",
		func(_ sample, a Action) bool { return slices.Contains(reasons, a.Reason) }},
}

// reasons are the documented constants, read from their source.
var reasons = func() []v1alpha1.Reason {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../apis/v1alpha1/condition.go", nil, 0)
	if err != nil {
		panic(err)
	}
	var all []v1alpha1.Reason
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Reason" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				panic(err)
			}
			all = append(all, v1alpha1.Reason(value))
		}
		return true
	})
	return all
}()

// check returns the plan that holds them.
func check(t *testing.T, w sample) Action {
	t.Helper()
	a := w.plan()
	for _, p := range properties {
		if !p.holds(w, a) {
			text, _ := json.MarshalIndent(w.fixture, "", " ")
			t.Fatalf("%s\n  %q\ndecided: %+v\ndifference: %s, approval: %d\n%s", p.name, p.says, a, w.difference.name, w.approval, text)
		}
	}
	return a
}

// product calls visit with every sequence of choices that build asks for.
func product(visit func(choose func(n int) int)) {
	var digits, bases []int
	for {
		at := 0
		visit(func(n int) int {
			if at == len(digits) {
				digits, bases = append(digits, 0), append(bases, n)
			}
			bases[at] = n
			at++
			return digits[at-1]
		})
		digits, bases = digits[:at], bases[:at]
		for len(digits) > 0 && digits[len(digits)-1] == bases[len(digits)-1]-1 {
			digits, bases = digits[:len(digits)-1], bases[:len(bases)-1]
		}
		if len(digits) == 0 {
			return
		}
		digits[len(digits)-1]++
	}
}

func TestPlanProperties(t *testing.T) {
	for name, deleting := range map[string]bool{"living": false, "deleting": true} {
		t.Run(name, func(t *testing.T) {
			samples, verbs := 0, map[Verb]bool{}
			product(func(choose func(n int) int) {
				w := build(choose, deleting)
				samples++
				verbs[check(t, w).Verb] = true
			})
			// A product that lost a dimension would pass everything.
			if least := map[bool]int{false: 250_000, true: 30_000}[deleting]; samples < least {
				t.Errorf("only %d samples", samples)
			}
			want := []Verb{Wait, Converge, Create, Adopt, Update, AwaitApproval, AwaitWindow, Stall}
			if deleting {
				want = []Verb{Wait, Update, Delete, Release, RemoveFinalizer, Stall}
			}
			for _, v := range want {
				if !verbs[v] {
					t.Errorf("%s was never decided", v)
				}
			}
		})
	}
}

// The same holds when it is the class that says something else, whatever was edited at the same time; and then nothing
// stalls for what can't be changed, since the object's own spec is applied.
func TestPlanPropertiesOfChangedClasses(t *testing.T) {
	samples, asked := 0, 0
	product(func(choose func(n int) int) {
		w := buildWith(choose, false, func(w *sample) {
			w.classChanged = true
			w.ByClass, w.ClassChanged = driver.Names(w.Seen.Changes), driver.Names(w.Seen.Changes)
		})
		if len(w.Seen.Changes) == 0 {
			return
		}
		a := check(t, w)
		if samples++; a.Verb == AwaitApproval {
			asked++
		}
		if a.Verb == Stall && a.Reason == v1alpha1.ReasonImmutable {
			t.Fatalf("%s stalls an object whose spec is applied: %+v", w.difference.name, a)
		}
	})
	if samples < 200_000 || asked == 0 {
		t.Errorf("only %d samples, of which %d ask", samples, asked)
	}
}

// What its class does not allow is looked at, and left as it is; it is deleted as if it were allowed.
func TestPlanOfRefused(t *testing.T) {
	product(func(choose func(n int) int) {
		w := build(choose, false)
		w.Policy.Refused = Refusal{v1alpha1.ReasonClassViolated, "at most 100 GiB"}
		if a := w.plan(); w.Seen.State != driver.Unknown && (a.Verb != Stall || a.Reason != v1alpha1.ReasonClassViolated || len(a.Changes) > 0) {
			t.Fatalf("%+v\ndecides %+v", w.fixture, a)
		}
	})
	product(func(choose func(n int) int) {
		w := build(choose, true)
		before := w.plan()
		w.Policy.Refused = Refusal{v1alpha1.ReasonClassViolated, "at most 100 GiB"}
		if after := w.plan(); !reflect.DeepEqual(before, after) {
			t.Fatalf("%+v\ndecides %+v, and refused %+v", w.fixture, before, after)
		}
	})
}

// What a cloud object keeps although nobody may set it is never sent: neither by a creation nor by a change. All else goes on, a deletion too.
func TestPlanOfKept(t *testing.T) {
	kept := map[string]Refusal{"encryption.key": {v1alpha1.ReasonClassViolated, "not this key"}}
	created, changed := 0, 0
	for _, deleting := range []bool{false, true} {
		product(func(choose func(n int) int) {
			w := build(choose, deleting)
			other := w
			before := w.plan()
			w.Policy.Kept = kept
			after := w.plan()
			if before.Verb == Create {
				created++
				if after.Verb != Stall || after.Reason != v1alpha1.ReasonClassViolated {
					t.Fatalf("%+v\ndecides %+v", w.fixture, after)
				}
			} else if !reflect.DeepEqual(before, after) {
				t.Fatalf("%+v\ndecides %+v, and with something kept %+v", w.fixture, before, after)
			}
			differs := other
			differs.Seen.Changes = append(slices.Clone(differs.Seen.Changes), driver.Change{Field: "encryption.key", From: "theirs", To: "mine", Effect: driver.Online})
			if !slices.ContainsFunc(differs.plan().Changes, func(c driver.Change) bool { return c.Field == "encryption.key" }) {
				return
			}
			changed++
			differs.Policy.Kept = kept
			if a := differs.plan(); a.Verb != Stall || a.Reason != v1alpha1.ReasonClassViolated || len(a.Changes) > 0 {
				t.Fatalf("%+v\ndecides %+v", differs.fixture, a)
			}
		})
	}
	if created == 0 || changed == 0 {
		t.Errorf("%d creations and %d changes show nothing", created, changed)
	}
}

// What may not be set in each entry of a list keeps the whole list from being sent, and no other field.
func TestKeptInAList(t *testing.T) {
	p := Policy{Kept: map[string]Refusal{"aws.copies.key": {v1alpha1.ReasonClassViolated, "not this key"}}}
	for field, refused := range map[string]bool{"aws.copies": true, "aws.copies.key": true, "aws.copy": false, "aws.copies.keys": false} {
		if got := p.refusal(false, []driver.Change{{Field: field}}); (got.Reason != "") != refused {
			t.Errorf("%s: %+v", field, got)
		}
	}
}

// What the product leaves out does not matter there: a deletion asks for no approval and adopts nothing, a living
// object's protection is for later, and what is there is neither created nor surely absent.
func TestPlanLeavesOut(t *testing.T) {
	same := func(w sample, other fixture) {
		t.Helper()
		if a, b := w.plan(), other.plan(); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\ndecides %+v, and\n%+v\ndecides %+v", w.fixture, a, other, b)
		}
	}
	product(func(choose func(n int) int) {
		w := build(choose, true)
		other := w.fixture
		other.Policy.WhenVanished = v1alpha1.WhenVanishedRecreate
		if w.Origin != "" {
			other.Policy.Adoption = v1alpha1.AdoptionIfExists
		}
		other.Policy.Disruptive, other.Edited, other.Approval = v1alpha1.DisruptiveOnApproval, true, "0123456789ab"
		other.Policy.Window, other.Now = sunday, closed
		same(w, other)
	})
	product(func(choose func(n int) int) {
		w := build(choose, false)
		other := w.fixture
		other.Policy.Deletion, other.Seen.Protected = v1alpha1.DeletionRetain, true
		other.Seen.Backup = &driver.Backup{FinalSnapshot: driver.Failed}
		if !w.mayWait() {
			other.Policy.Window = sunday
		}
		if w.there() {
			other.AbsenceSure, other.Policy.WhenVanished = true, v1alpha1.WhenVanishedRecreate
		} else {
			other.Policy.Adoption, other.Policy.Disruptive, other.Edited = v1alpha1.AdoptionIfExists, v1alpha1.DisruptiveAlways, true
		}
		same(w, other)
	})
}

// No mark that was read is not the same as none that is there.
func TestPlanNeedsTheMark(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		product(func(choose func(n int) int) {
			w := build(choose, deleting)
			if !w.there() || !w.Seen.Mark.Zero() {
				return
			}
			w.Seen.Unreadable = []driver.FieldError{{Field: driver.FieldMark, Err: &driver.Error{Code: driver.Denied}}}
			if a := w.plan(); a.Verb != Wait {
				t.Fatalf("%s, and nobody knows whose it is", a.Verb)
			}
		})
	}
}

// Plan is pure: it changes nothing that it was given.
func TestPlanIsPure(t *testing.T) {
	w := build(func(n int) int { return n - 1 }, false)
	w.Seen.State = driver.Ready
	w.Seen.Mark, w.ID, w.Seen.ID = itsMark, "", ""
	before, _ := json.Marshal(w.fixture)
	first, second := w.plan(), w.plan()
	if after, _ := json.Marshal(w.fixture); !reflect.DeepEqual(first, second) || string(before) != string(after) {
		t.Errorf("planned %+v, then %+v; the fixture was %s and is %s", first, second, before, after)
	}
}

// FuzzPlan holds the properties where the product's dimensions are not kept apart: each byte is a choice.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 2, 0, 4, 1}, "b", "theirs", "new")
	f.Add([]byte{1, 1, 1, 1, 0, 0, 0, 3, 0, 2, 1}, protection, "true", "false")
	f.Fuzz(func(t *testing.T, choices []byte, name, from, to string) {
		at := 0
		choose := func(n int) int {
			if at == len(choices) {
				return 0
			}
			at++
			return int(choices[at-1]) % n
		}
		deleting := choose(2) == 1
		w := build(choose, deleting)
		if choose(2) == 1 {
			w.Bound, w.AbsenceSure = true, true
		}
		w.Policy.Deletion = []v1alpha1.DeletionPolicy{v1alpha1.DeletionSnapshot, v1alpha1.DeletionDelete, v1alpha1.DeletionRetain}[choose(3)]
		w.Seen.Protected = w.there() && choose(2) == 1
		if deleting {
			w.Policy.Adoption, w.Policy.Disruptive, w.Approval = v1alpha1.AdoptionIfExists, v1alpha1.DisruptiveOnApproval, name
		} else if w.there() && name != "" && len(w.difference.changes) == 1 && w.difference.causes[0] == v1alpha1.CauseDrift && to != "" && from != to {
			// Whatever texts a cloud has: drift of them is drift, and waits if it disrupts.
			c := w.Seen.Changes[0]
			c.Field, c.From, c.To = name, from, to
			if name == FieldPassword {
				return
			}
			w.Applied, w.Seen.Changes = driver.Applied{name: {to}}, []driver.Change{c}
			w.Approval = ""
			w.answer(w.approval)
		}
		check(t, w)
	})
}
