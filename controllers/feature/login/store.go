package login

import (
	"context"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// when says of each moment which decisions about a password are stored then.
var when = map[feature.Moment]password.StorePoint{
	feature.AtOnce: password.AtOnce, feature.BeforeTakeover: password.BeforeStartOver, feature.BeforeCreation: password.AfterStartOver,
}

// prepare stores what was decided about the password, if that is to be stored now, guarded by the version of the Secret that was read. No server is created or taken over whose
// password can't be used.
func (l *Login) prepare(ctx context.Context, w feature.Work, at feature.Moment) error {
	in := w.Reconciliation()
	now := place.In(in.Parts)
	switch {
	case at != feature.AtOnce && now.plan.Refused != nil:
		return now.plan.Refused
	case now.plan.Store != when[at] || now.plan.Store == password.Never:
		return nil
	}
	now.secret = now.secret.Clone()
	if err := l.passwords.Put(ctx, now.secret, now.plan.State.Stored); err != nil {
		if at == feature.AtOnce {
			keepAccepted(in.Status(), in.Stored.GetResourceStatus())
		}
		return err
	}
	now.plan.Store, in.KeepsPrimary = password.Never, false
	place.Set(&in.Parts, now)
	noteSent(in, now.plan.State.Sent)
	return nil
}

// keepAccepted leaves the note in the status that the cloud accepted the next password, if the password Secret could not be written: until that says
// that the password may have arrived, nothing else does, and the one before would be published.
func keepAccepted(status, stored *v1alpha1.ResourceStatus) {
	plan.NotePassword(status, max(plan.AcceptedPassword(status), plan.AcceptedPassword(stored)))
}

// sent notes what can't be read back: that the cloud accepted the password.
func sent(w feature.Work, _ plan.Action, accepted []driver.Change) *outcome.Note {
	in := w.Reconciliation()
	said := event(*in, accepted)
	for _, c := range accepted {
		if plan.PasswordChange(c).Sets() {
			now := place.In(in.Parts)
			now.plan.State = now.plan.State.Accept()
			place.Set(&in.Parts, now)
			notePassword(in, now.plan.State)
			break
		}
	}
	return said
}

// event returns the Event about a password that the cloud accepted; nil if it is about something else.
func event(in reconciliation.State, accepted []driver.Change) *outcome.Note {
	if len(accepted) != 1 {
		return nil
	}
	changed := func(format string, args ...any) *outcome.Note {
		return new(outcome.Normal(v1alpha1.EventPasswordChanged, format, args...))
	}
	s := place.In(in.Parts).plan.State
	switch plan.PasswordChange(accepted[0]) {
	case driver.HandOverPassword:
		return changed("the cloud sets a password of its own for the administrator, and manages it from now on; the connection Secret then says where it is")
	case driver.TakeBackPassword:
		return changed("changed the administrator's password, which the cloud no longer manages")
	case driver.SetPassword:
	default:
		return nil
	}
	switch {
	case in.View.Rotates:
		return changed("changed the administrator's password, because %s; the connection Secret gets it once the cloud has applied it", whyRotated(in))
	case s.Next == s.Current: // after a promotion, or a refusal
		return new(outcome.Normal(v1alpha1.EventUpdated, "set the administrator's password once more, which is the one that it was before, so that it is certain"))
	default:
		return changed("changed the administrator's password")
	}
}

// whyRotated says why a generated password is changed: a person asked for it, or it is old.
func whyRotated(in reconciliation.State) string {
	if rotationStored(in.Kind, in.Object, in.Want) {
		return "somebody asked for it with " + v1alpha1.AnnotationRotatePassword
	}
	return "spec.credentials.rotationPeriod has passed"
}

// publish deletes the password Secret of a server whose password the cloud manages for certain, and notes in the status that there is none.
func (l *Login) publish(ctx context.Context, w feature.Work, out outcome.Outcome) (outcome.Outcome, error) {
	in := w.Reconciliation()
	obsolete := place.In(in.Parts).obsolete
	if obsolete == nil {
		return out, nil
	}
	if obsolete.Exists {
		if err := l.passwords.Forget(ctx, obsolete); err != nil {
			return out, err
		}
	}
	noteSent(in, 0)
	noteManaged(in.Status())
	return out, nil
}

// drop deletes the password Secret of an object that goes.
func (l *Login) drop(ctx context.Context, w feature.Work, _ bool) error {
	return l.passwords.Delete(ctx, w.Reconciliation().Object.GetUID())
}
