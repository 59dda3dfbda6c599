package plan

import (
	"cmp"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// OwnRules are what the spec of an object itself says of spec.updates; a value is empty that it leaves to the class.
type OwnRules struct {
	Disruptive v1alpha1.DisruptivePolicy
	Timing     v1alpha1.UpdateTiming
}

// OwnRulesOf returns what an object's own spec says.
func OwnRulesOf(object v1alpha1.ResourceObject) OwnRules {
	updates := object.GetResourceSpec().Updates
	if updates == nil {
		return OwnRules{}
	}
	return OwnRules{Disruptive: updates.Disruptive, Timing: updates.Timing}
}

// held reports whether a change waits for approval because it waited before, although the policy no longer asks for that. A class releases nothing
// that waits, or one edit of it would restart the servers of many teams. Only the object's own spec does, for which a person needs the verb approve.
func held(v View, c driver.Change) bool {
	w := waited(v, c, v.asked)
	return w != nil && waitsOn(v, *w)
}

// asked reports whether a person was to approve a change that waited, at once or once the server runs.
func (v View) asked(w v1alpha1.PendingChange) bool {
	early := v.notedEarly() && v.AwaitedHash != "" && driver.Effect(w.Effect).Disruptive()
	return w.AwaitsApproval() || early
}

// notedEarly reports whether an earlier release noted what waits: it recorded neither who approved what nor what a change waits for.
func (v View) notedEarly() bool {
	return !slices.ContainsFunc(v.Waiting, func(w v1alpha1.PendingChange) bool { return w.Approved || w.WaitsFor != "" })
}

// waitsOn reports whether what waited still does by the object's own spec, whatever the class says by now.
func waitsOn(v View, w v1alpha1.PendingChange) bool {
	switch {
	case v.asked(w):
		return v.notedEarly() || v.Own.Disruptive == v.AwaitedOwn.Disruptive
	case w.AwaitsWindow():
		return v.Own.Timing == v.AwaitedOwn.Timing
	default:
		return false
	}
}

// heldOnly reports whether a change waits for approval for no other reason than that it waited before.
func heldOnly(v View, c driver.Change, p Policy) bool {
	return held(v, c) && !ofPassword(c) && !v.treatment(c).Asks && !policyAsks(v, c, p)
}

// heldFor returns the maintenance window for which a change waited before; nil if there is none, or if the object's own spec says something else since.
func heldFor(v View, c driver.Change) *window.Window {
	w := waited(v, c, v1alpha1.PendingChange.AwaitsWindow)
	if w == nil || !waitsOn(v, *w) {
		return nil
	}
	return window.FromString(w.DueIn)
}

// waited returns a change as it was listed when the object was last looked at, and waited as that says; nil if it did not. Entries of a map are made together, so what waited
// for some of them is not released by another entry.
func waited(v View, c driver.Change, as func(v1alpha1.PendingChange) bool) *v1alpha1.PendingChange {
	i := slices.IndexFunc(v.Waiting, func(w v1alpha1.PendingChange) bool {
		return as(w) && (w.Field == c.Field && (c.Entries || isRecordedAs(w.To, c.To)) || isLeftOf(w, c))
	})
	if i < 0 {
		return nil
	}
	return &v.Waiting[i]
}

// whileUnseen has what waits and is not seen wait on: its hash stays good, and where nothing else is to be done, the object is not told to be up to date for as long as
// the cloud leaves it out.
func whileUnseen(v View, o driver.Observation, a Action) Action {
	unseen := waitsUnseen(v, o, a.Pending)
	a.Pending = append(a.Pending, unseen...)
	if slices.ContainsFunc(unseen, v.asked) {
		a.Hash = cmp.Or(a.Hash, v.AwaitedHash)
	}
	leftOut := slices.ContainsFunc(unseen, func(w v1alpha1.PendingChange) bool { return slices.Contains(o.LeftOut, w.Field) })
	if leftOut && a.Verb == Converge && !o.Stopped {
		a.Verb, a.Reason, a.KeepConditions = Wait, v1alpha1.ReasonCloudBusy, true
		a.Message = "waiting for the cloud to finish what it is at: it does not say yet what is left to do of " + unseen[0].Field
	}
	return a
}

// waitsUnseen returns what waited of the fields about which the observation says nothing: it goes on waiting, so that it is not taken for news once they are seen
// again.
func waitsUnseen(v View, o driver.Observation, listed []v1alpha1.PendingChange) (unseen []v1alpha1.PendingChange) {
	for _, w := range v.Waiting {
		isField := func(p v1alpha1.PendingChange) bool { return p.Field == w.Field }
		unread := func(e driver.FieldError) bool { return e.Field == w.Field }
		if waitsOn(v, w) && !slices.ContainsFunc(listed, isField) && (slices.Contains(o.LeftOut, w.Field) || slices.ContainsFunc(o.Unreadable, unread)) {
			unseen = append(unseen, w)
		}
	}
	return unseen
}
