package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

func planReady(v View, o driver.Observation, p Policy) Action {
	if r := p.refusal(false, o.Changes); r.Reason != "" {
		return Action{Verb: Stall, Reason: r.Reason, Message: r.Message, Pending: PendingChanges(v, o.Changes)}
	}
	if r := v.Mismatch; r.Reason != "" {
		return Action{Verb: Stall, Reason: r.Reason, Message: r.Message}
	}
	if v.Halt.Why != "" {
		return planHalted(v, o, p)
	}
	d := Decide(v, o.Changes, p)
	now, never, blocked, theirs := d.With(AtOnce), d.With(Never), d.Blocked, foreign(d)
	a := Action{
		Decided: true, Pending: d.pending(v, o.Changes), Hash: d.Hash, EditWaits: d.EditWaits, EditAwaitsWindow: d.EditAwaitsWindow, EditSleeps: d.EditSleeps, Approved: d.Approved, Opens: d.Opens, Closes: d.Closes,
	}
	a.BackupFor = backupToAskFor(v, d)
	switch {
	case len(now) > 0:
		a = a.sending(v, now...)
		if a.Reason = reasonOf(v, now); a.Command == nil {
			a.Changes = append(a.Changes, refusals(d)...)
		}
		a.Message = "being applied: " + ListChanges(now)
	case v.InConsistencyWindow:
		a.Verb, a.Reason, a.KeepConditions = Wait, v1alpha1.ReasonCloudBusy, true
		a.Message = "waiting for the cloud to show what was written"
	case blocked:
		a.Verb, a.Reason = Stall, whyNever(never)
		a.Message = strings.Join(append([]string{impossible(never) + waitsBeside(d)}, staysTheirs(theirs)...), "; ")
	case len(d.With(AfterBackup)) > 0:
		return planBackup(v, d, a)
	case len(theirs) > 0:
		return planConflict(v, o, p, d, a, theirs)
	case anyWaits(d):
		return planWaiting(v, o, p, d, a)
	case !o.Available && !o.Stopped:
		return planUnusable(v, o, a)
	case len(never) > 0: // the class's doing: what the object itself asks for is as declared
		a.Verb, a.Reason, a.Message = AwaitApproval, v1alpha1.ReasonImmutable, "the class changed, but the existing cloud object can't be changed: "+impossible(never)+"; it stays as it is"
	case v.Impaired.Reason != "":
		a.Verb, a.Reason, a.Message = Stall, v.Impaired.Reason, v.Impaired.Message
	case o.Lost != "":
		a.Verb, a.Reason, a.Message = Stall, v1alpha1.ReasonFailed, "it is up to date and runs, but "+o.Lost
	case o.Login.GetPasswordProblem() != "":
		a.Verb, a.Reason, a.Message = Stall, v1alpha1.ReasonPasswordImpaired, "it is up to date and can be used, but "+o.Login.GetPasswordProblem()
	case o.Stopped:
		a.Verb, a.Reason, a.Message = Converge, v1alpha1.ReasonStopped, stoppedBy(o)
	default:
		a.Verb, a.Reason, a.Message = Converge, v1alpha1.ReasonReady, "usable and up to date"
	}
	return a
}

// planHalted decides about what differs beside fields that are not changed before a person acts: what can be changed at once is.
func planHalted(v View, o driver.Observation, p Policy) Action {
	pending, why := PendingChanges(v, o.Changes), v.Halt.Why
	others := o
	others.OperationError, others.Changes = nil, slices.DeleteFunc(slices.Clone(o.Changes), func(c driver.Change) bool { return slices.Contains(v.Halt.Fields, c.Field) })
	v.Halt = Halt{}
	if a := planReady(v, others, p); a.Verb == Update {
		a.Pending = pending
		return a
	}
	return Action{Verb: Stall, Reason: v1alpha1.ReasonInvalid, Message: why, Pending: pending}
}

// anyWaits reports whether something waits for a person, for the maintenance window or for the start of the server.
func anyWaits(d DecidedChanges) bool {
	return len(d.With(AfterApproval)) > 0 || len(d.With(InWindow)) > 0 || len(d.With(AfterStart)) > 0
}

// planWaiting is for what differs and waits for a person, or for the maintenance window. What an edit asked for keeps the object from
// being as declared, so that is told first.
func planWaiting(v View, o driver.Observation, p Policy, d DecidedChanges, a Action) Action {
	wait, inWindow, sleeping := d.With(AfterApproval), d.With(InWindow), d.With(AfterStart)
	var says []string
	if len(wait) > 0 {
		says = append(says, asksFor(v, p, wait, d.Hash))
	}
	a.Verb, a.Reason = AwaitApproval, v1alpha1.ReasonApprovalRequired
	if len(inWindow) > 0 {
		says = append(says, waitsFor(d, inWindow, a.Pending, v.Now))
		if len(wait) == 0 || d.EditAwaitsWindow && !d.EditWaits {
			a.Verb, a.Reason = AwaitWindow, v1alpha1.ReasonWaitingForWindow
			slices.Reverse(says)
		}
	}
	if len(sleeping) > 0 {
		says = append(says, sleeps(sleeping))
		if len(says) == 1 || d.EditSleeps && !d.EditWaits && !d.EditAwaitsWindow {
			a.Verb, a.Reason = AwaitStart, v1alpha1.ReasonStopped
			slices.Reverse(says)
		}
	}
	a.Message = strings.Join(says, "; ")
	if !o.Available && !o.Stopped && o.Problem != "" { // that is worse than to differ, and what waits may mend it
		a.Verb, a.Reason, a.Message = Stall, v1alpha1.ReasonFailed, "it can't be used: "+o.Problem+"; "+a.Message
	}
	return a
}

// asksFor says what waits for approval, and how to approve it.
func asksFor(v View, p Policy, wait []driver.Change, hash string) string {
	text := fmt.Sprintf("waiting for approval: %s; to approve, set the annotation %s=%s%s", ListChanges(wait), v1alpha1.AnnotationApprove, hash, instead(v.Approval))
	if p.Window != nil && mayBeUsed(v) && slices.ContainsFunc(wait, func(c driver.Change) bool { return !v.treatment(c).Apart }) {
		text += fmt.Sprintf("; Mooring then makes the change in the maintenance window %s", p.Window)
	}
	if !slices.ContainsFunc(wait, func(c driver.Change) bool {
		return CauseOf(v, c) != v1alpha1.CauseDrift || c.From == driver.Redacted || v.treatment(c).Apart
	}) {
		text += "; to keep the values in the cloud, set the spec to them"
	}
	if slices.ContainsFunc(wait, func(c driver.Change) bool { return heldOnly(v, c, p) }) {
		text += fmt.Sprintf("; it waited before updates.disruptive became %s, and that releases nothing that waits", p.Disruptive)
	}
	return text
}

// waitsFor says what waits for the maintenance window, and when that opens. It changes with the window, so once a week at most.
func waitsFor(d DecidedChanges, changes []driver.Change, pending []v1alpha1.PendingChange, now time.Time) string {
	const minute = "2006-01-02 15:04 UTC"
	text := fmt.Sprintf("waiting for the maintenance window that opens at %s: %s; to make the change at once, set spec.updates.timing to Immediate",
		d.Opens.Format(minute), ListChanges(changes))
	missed := time.Time{}
	for _, c := range pending {
		if in := window.FromString(c.DueIn); c.WaitsFor == v1alpha1.WaitsForMaintenanceWindow && missed.IsZero() && in != nil {
			missed = in.Missed(c.DueSince.Time, now)
		}
	}
	if !missed.IsZero() {
		text += fmt.Sprintf("; the window that opened at %s was missed: until its end Mooring did not run or was paused, or the database was stopped, or the cloud was busy, or the change failed, or no slot of the class was free", missed.Format(minute))
	}
	return text
}

// impossible says of all changes that can't be made why not.
func impossible(never []driver.Change) string {
	var all []string
	for _, c := range never {
		if c.Entries {
			all = append(all, fmt.Sprintf("spec.%s is refused: %s", c.Field, c.Why))
			continue
		}
		all = append(all, fmt.Sprintf("%s can't change from %q to %q: %s", c.Field, prose.Shorten(c.From, longestListed), prose.Shorten(c.To, longestListed), c.Why))
	}
	return prose.Join(all)
}

// whyNever says why changes can't be made: entries of a map that the cloud does not have can be in no cloud object, and all else can't be in one that exists.
func whyNever(never []driver.Change) v1alpha1.Reason {
	if slices.ContainsFunc(never, func(c driver.Change) bool { return !c.Entries }) {
		return v1alpha1.ReasonImmutable
	}
	return v1alpha1.ReasonInvalid
}

// waitsBeside names what is not made as long as the spec asks for something impossible; nothing if nothing waits.
func waitsBeside(d DecidedChanges) string {
	var all []string
	for _, c := range d.Changes {
		if c.Fate != Never && c.Fate != AtOnce && c.Fate != LeftAlone {
			all = append(all, shownInMessage(c.Change))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; waiting until the spec no longer asks for that: " + strings.Join(all, ", ")
}

// reasonOf says why changes are made: an edit comes before a changed class, and that before drift.
func reasonOf(v View, changes []driver.Change) v1alpha1.Reason {
	causes := map[string]bool{}
	for _, c := range changes {
		causes[CauseOf(v, c)] = true
	}
	switch {
	case causes[v1alpha1.CauseSpec]:
		return v1alpha1.ReasonUpdating
	case causes[v1alpha1.CauseClass]:
		return v1alpha1.ReasonClassChanged
	default:
		return v1alpha1.ReasonDrifted
	}
}

// planUnusable decides about what is as declared and at rest, and yet can't be used.
func planUnusable(v View, o driver.Observation, a Action) Action {
	switch {
	case o.Problem != "":
		a.Verb, a.Reason, a.Message = Stall, v1alpha1.ReasonFailed, "it is up to date, but can't be used: "+o.Problem
	case v.WasReady:
		a.Verb, a.Reason, a.Message = Wait, v1alpha1.ReasonCloudBusy, "it is up to date, but can't be used yet"
	default:
		a.Verb, a.Reason, a.Message = Wait, v1alpha1.ReasonCreating, MessageOfNew(v)
	}
	return a
}
