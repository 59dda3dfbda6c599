package execute

import (
	"context"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// storePassword stores what was decided about the password, if that is to be stored now, guarded by the version of the Secret that was read.
func (w *work) storePassword(ctx context.Context, now password.StorePoint) error {
	if w.Password.Store != now {
		return nil
	}
	if err := w.executor.Passwords.Put(ctx, w.PasswordSecret, w.Password.State.Stored); err != nil {
		return err
	}
	w.Password.Store, w.Memory.Cloud.PasswordSent, w.KeepsPrimary = password.Never, w.Password.State.Sent, false
	return nil
}

// secrets returns what a call sends beside its request.
func (w *work) secrets() driver.Secrets { return driver.Secrets{Own: w.Password.Sent} }

// keepAccepted leaves the note in the status that the cloud accepted the next password, if the password Secret could not be written: until that says
// that the password may have arrived, nothing else does, and the one before would be published.
func keepAccepted(status, stored *v1alpha1.ResourceStatus) {
	plan.NotePassword(status, max(plan.AcceptedPassword(status), plan.AcceptedPassword(stored)))
}

// sent takes in what the cloud accepted: Events tell it, and the status notes what can't be read back of it, such as that it accepted the password.
func (w *work) sent(a plan.Action, changes []driver.Change) {
	if !w.Memory.Cloud.InVain {
		w.Notes = append(w.Notes, updated(w.executor.Features, w.State, a, changes)...)
	}
	w.executor.Features.Sent(&w.State, a, changes)
	if !slices.ContainsFunc(changes, func(c driver.Change) bool { return plan.PasswordChange(c).Sets() }) {
		return
	}
	w.Password.State = w.Password.State.Accept()
	w.Memory.Cloud.PasswordSent = w.Password.State.Sent
	plan.NotePassword(w.status, w.Password.State.Accepted)
}

// forgetPassword deletes the password Secret of a server whose password the cloud manages for certain, and notes in the status that there is none.
func forgetPassword(ctx context.Context, w *work) error {
	if w.Obsolete == nil {
		return nil
	}
	if w.Obsolete.Exists {
		if err := w.executor.Passwords.Forget(ctx, w.Obsolete); err != nil {
			return err
		}
	}
	w.Memory.Cloud.PasswordSent = 0
	plan.NoteManaged(w.status)
	return nil
}

// untilRotation returns how long it is until the password has to be changed because its period passes; 0 if nothing has to come back for that. before is
// the object as this reconciliation found it. What it left for a reason that it ended itself is looked at again at once: that look begins after the
// time and with what is recorded now, so it changes the password, or knows why not.
func (e *Executor) untilRotation(w reconciliation.State, before v1alpha1.ResourceObject, out outcome.Outcome) time.Duration {
	now := e.Clock()
	if wait := plan.NextRotation(w.Kind, w.Object).Sub(now); wait > 0 {
		return wait
	}
	ready := (out.State == condition.UpToDate || out.State == condition.DriftWaits) && out.Next == outcome.AtSync && !out.KeepConditions
	if ready && plan.Usable(w.View, w.Observation, w.Unmade) && plan.RotationMissed(w.Kind, before, w.Object, w.Observation, w.Policy, w.Now) {
		return time.Millisecond
	}
	return 0
}
