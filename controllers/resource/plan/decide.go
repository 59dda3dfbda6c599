package plan

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Fate is what becomes of a change.
type Fate string

// The fates.
const (
	AtOnce        Fate = "AtOnce"        // it is made
	AfterApproval Fate = "AfterApproval" // it waits until a person approves it
	InWindow      Fate = "InWindow"      // it waits until the maintenance window opens
	AfterStart    Fate = "AfterStart"    // it waits until the server runs, which is stopped
	AfterOthers   Fate = "AfterOthers"   // it waits until those changes are made that are made now: they are not sent together
	AfterBackup   Fate = "AfterBackup"   // it waits until a snapshot was taken, because it can't be taken back
	Withheld      Fate = "Withheld"      // it waits until the spec no longer asks for an Impossible change
	LeftAlone     Fate = "LeftAlone"     // others set all of its entries, which stay as they are
	Never         Fate = "Never"         // the cloud can't make it
)

// A Decided change is one with its cause and its fate.
type Decided struct {
	driver.Change
	Cause string
	Fate  Fate
	// Approved: a person approved it.
	Approved bool
	// Asks: once the server runs, which is stopped, it waits for approval.
	Asks bool
	// Window is the maintenance window in which alone it is made; nil if it is made at any time.
	Window *window.Window
}

// DecidedChanges says what becomes of the differences of an object at rest.
type DecidedChanges struct {
	Changes []Decided
	// Hash identifies the changes that wait for approval, or were approved and wait for the maintenance window or for the start of the server; empty
	// if none does.
	Hash string
	// EditWaits: some of what waits for approval was asked for by an edit of the spec, or was never as the spec says. EditAwaitsWindow is the same of
	// what waits for the maintenance window.
	EditWaits, EditAwaitsWindow bool
	// EditSleeps is the same of what waits until the server runs.
	EditSleeps bool
	// Opens is when the window opens for which changes wait, Closes when the one closes in which changes are to be made at once; zero if none do.
	Opens, Closes time.Time
	// Blocked: the spec asks for something that is impossible for what exists.
	Blocked bool
	// Approved: a person approved some of what is done at once.
	Approved bool
}

// With returns the changes that have a fate, in their order.
func (d DecidedChanges) With(fate Fate) (changes []driver.Change) {
	for _, c := range d.Changes {
		if c.Fate == fate {
			changes = append(changes, c.Change)
		}
	}
	return changes
}

// Decide says which changes are made now, which wait for a person or for the maintenance window, and which can't be made. Whether a change is
// agreed to is decided first, and what is agreed to then waits for the window. The plan does what it says, and the preview of an edit shows it.
func Decide(v View, changes []driver.Change, p Policy) DecidedChanges {
	d := DecidedChanges{Blocked: specImpossible(v, changes)}
	for _, c := range changes {
		decided := Decided{Change: c, Cause: CauseOf(v, c), Fate: AtOnce}
		switch {
		case c.Effect == driver.Impossible:
			decided.Fate = Never
		case !hasOwn(c):
			decided.Fate = LeftAlone
		case c.NeedsRunning:
			decided.Fate, decided.Asks = AfterStart, mustAsk(v, c, p) // a person is asked once it can be made
		case d.Blocked && c.Effect.Disruptive() && !mustAsk(v, c, p):
			decided.Fate = Withheld // it was asked for together with what can't be, and may be taken back together with it
		case mustAsk(v, c, p):
			decided.Fate = AfterApproval
		}
		if c.Effect.Disruptive() && mayBeUsed(v) && !v.treatment(c).Apart {
			decided.Window = cmp.Or(p.Window, heldFor(v, c))
		}
		d.Changes = append(d.Changes, decided)
	}
	d.askApart(v)
	if wait := d.With(AfterApproval); len(wait) > 0 {
		d.Hash = planHash(v, wait)
		if !d.Blocked && agreed(v, d.Hash, wait) {
			d.approve()
		}
	}
	d.awaitWindow(v)
	d.inOrder(v)
	d.awaitBackup(v)
	d.keepAgreed(v)
	d.EditWaits, d.EditAwaitsWindow = d.edited(v, AfterApproval), d.edited(v, InWindow)
	d.EditSleeps = d.edited(v, AfterStart)
	return d
}

// askApart has a person asked about what concerns no user of the object alone, once nothing else waits for approval: who agrees to a restart does not agree to a deletion.
func (d *DecidedChanges) askApart(v View) {
	waits := func(c Decided) bool { return c.Fate == AfterApproval && !v.treatment(c.Change).Apart }
	if !slices.ContainsFunc(d.Changes, waits) {
		return
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; v.treatment(c.Change).Apart && c.Fate == AfterApproval {
			c.Fate = AfterOthers
		}
	}
}

// mayBeUsed reports whether others may use the cloud object: it worked before, or was not made for the object. What completes a new server disturbs
// nobody.
func mayBeUsed(v View) bool { return v.WasReady || v.Origin != v1alpha1.OriginCreated }

// approve has what waits made after all else.
func (d *DecidedChanges) approve() {
	waits := func(c Decided) bool { return c.Fate == AfterApproval }
	var approved []Decided
	for _, c := range d.Changes {
		if waits(c) {
			c.Fate, c.Approved = AtOnce, true
			approved = append(approved, c)
		}
	}
	d.Changes = append(slices.DeleteFunc(d.Changes, waits), approved...)
	d.Hash, d.Approved = "", true
}

// awaitWindow has what is agreed to wait until its window opens. Its approval stays that of the plan, so that it can be revoked, and is not used
// up.
func (d *DecidedChanges) awaitWindow(v View) {
	for i := range d.Changes {
		switch c := &d.Changes[i]; {
		case c.Fate != AtOnce || c.Window == nil:
		case c.Window.Open(v.Now):
			d.Closes = c.Window.Closes(v.Now)
		default:
			c.Fate, d.Opens = InWindow, c.Window.Next(v.Now)
		}
	}
	if d.Approved && !d.Opens.IsZero() { // what is approved is disruptive, so all of it waits for the window
		d.Hash, d.Approved = v.Approval, false
	}
}

// edited reports whether an edit of the spec asked for some of the changes with a fate, or they were never as the spec says.
func (d *DecidedChanges) edited(v View, fate Fate) bool {
	return slices.ContainsFunc(d.Changes, func(c Decided) bool {
		known := appliedBefore(v, c.Change) || v.treatment(c.Change).Apart
		edit := c.Cause == v1alpha1.CauseSpec || c.Cause == v1alpha1.CauseDrift && mixesEdit(v, c.Change)
		return c.Fate == fate && (!known || edit)
	})
}

// waitsForWords are what a change with a fate waits for, as the status says it.
var waitsForWords = map[Fate]string{
	AfterApproval: v1alpha1.WaitsForApproval, InWindow: v1alpha1.WaitsForMaintenanceWindow, AfterStart: v1alpha1.WaitsForStart,
}

// pending returns all changes as the status lists them, in the order in which they were observed.
func (d *DecidedChanges) pending(v View, changes []driver.Change) []v1alpha1.PendingChange {
	out := PendingChanges(v, changes)
	for i := range out {
		at := slices.IndexFunc(d.Changes, func(c Decided) bool { return c.Field == out[i].Field })
		c := d.Changes[at]
		switch {
		case c.Window == nil || !d.due(c):
			out[i].DueSince, out[i].DueIn = nil, ""
		case out[i].DueSince == nil, out[i].DueIn != "" && out[i].DueIn != c.Window.String(): // another window was not missed before it was set
			out[i].DueSince, out[i].DueIn = &metav1.Time{Time: v.Now.Truncate(time.Second)}, c.Window.String()
		default:
			out[i].DueIn = c.Window.String()
		}
		out[i].WaitsFor, out[i].Approved, out[i].NeedsApproval = waitsForWords[c.Fate], c.Approved, c.Fate == AfterStart && c.Asks
	}
	return out
}

// due reports whether a change is agreed to, so that only the window, the start of the server or the changes before it delay it.
func (d *DecidedChanges) due(c Decided) bool {
	return c.Fate == InWindow || c.Fate == AtOnce || c.Fate == AfterOthers || c.Fate == AfterBackup || c.Fate == AfterStart && !c.Asks && !d.Blocked
}

// specImpossible reports whether a part of the spec is impossible for what exists, by an edit or by drift. What the class asks for and
// can't be is not the object's own contradiction.
func specImpossible(v View, changes []driver.Change) bool {
	return slices.ContainsFunc(changes, func(c driver.Change) bool {
		return c.Effect == driver.Impossible && CauseOf(v, c) != v1alpha1.CauseClass
	})
}

// inOrder has changes wait for each other that are not sent together. Commands come first, one at a time: the most urgent one, and then what
// concerns no user. A stop is the last.
func (d *DecidedChanges) inOrder(v View) {
	rank := func(c driver.Change) int {
		switch t := v.treatment(c); {
		case t.First:
			return 0
		case t.Apart:
			return 1
		case t.Command != "":
			return 2
		case c.Stops():
			return 4
		}
		return 3
	}
	now := d.With(AtOnce)
	if len(now) == 0 {
		return
	}
	first := rank(slices.MinFunc(now, func(a, b driver.Change) int { return rank(a) - rank(b) }))
	for i := range d.Changes {
		if c := &d.Changes[i]; rank(c.Change) > first && c.Fate == AtOnce {
			d.delay(v, c, AfterOthers)
		}
	}
}

// delay has a change wait that was to be made at once. Its approval stays that of the plan, and is not used up.
func (d *DecidedChanges) delay(v View, c *Decided, fate Fate) {
	c.Fate = fate
	if c.Approved {
		d.Hash = v.Approval
		d.Approved = slices.ContainsFunc(d.Changes, func(c Decided) bool { return c.Fate == AtOnce && c.Approved })
	}
}
