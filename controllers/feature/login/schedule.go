package login

import (
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// rotationPeriod returns how old the generated password of an object gets at most, as long as nothing keeps it from being changed; 0 if it stays. A password
// that nobody is told, or that the spec names, stays.
func rotationPeriod(k *kind.Kind, want v1alpha1.ResourceObject) time.Duration {
	c := want.GetCredentials()
	if k.Rotation == nil || c == nil || c.PasswordSecretRef != nil || want.GetConnection() == nil {
		return 0
	}
	return durationOf(c.RotationPeriod)
}

// durationOf returns a duration that the API server has checked; 0 for none.
func durationOf(text string) time.Duration {
	period, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return period
}

// rotationOf returns the schedule that the status has.
func rotationOf(k *kind.Kind, object v1alpha1.ResourceObject) password.Schedule {
	if k.Rotation == nil || *k.Rotation(object) == nil {
		return password.Schedule{}
	}
	r := *k.Rotation(object)
	return password.Schedule{Period: durationOf(r.Period), Last: r.LastTime.Time, Next: r.NextTime.Time}
}

// nextRotation returns when the password of an object is changed next, as its status says; zero if it says nothing.
func nextRotation(k *kind.Kind, object v1alpha1.ResourceObject) time.Time {
	return rotationOf(k, object).Next
}

// dropRotation removes the schedule from the status of an object whose password is not changed by itself.
func dropRotation(k *kind.Kind, object, want v1alpha1.ResourceObject, p plan.Policy) {
	if k.Rotation != nil && (rotationPeriod(k, want) == 0 || p.Management == v1alpha1.ManagementObserve) {
		*k.Rotation(object) = nil
	}
}

// noteRotation notes in the status when the password is changed next, once it is known which one is in force. While another one is on its way, the
// status stays as it is.
func noteRotation(k *kind.Kind, object, want v1alpha1.ResourceObject, o driver.Observation, s password.State, now time.Time) {
	period := rotationPeriod(k, want)
	last, known := confirmedAt(object, o, s, now)
	if period == 0 || !known || !s.Rotatable() {
		return
	}
	before := rotationOf(k, object)
	if next := before.For(object.GetUID(), period, last, now); next != before {
		*k.Rotation(object) = &v1alpha1.PasswordRotation{
			Period: want.GetCredentials().RotationPeriod, LastTime: metav1.NewTime(next.Last), NextTime: metav1.NewTime(next.Next),
		}
	}
}

// confirmedAt returns when the password in force was confirmed. A server that works for the first time, and of which nothing differs, is recorded to be
// ready from now on.
func confirmedAt(object v1alpha1.ResourceObject, o driver.Observation, s password.State, now time.Time) (last time.Time, known bool) {
	first := object.GetResourceStatus().FirstReadyTime
	switch {
	case first != nil:
		return s.ConfirmedAt(first.Time), true
	case o.State == driver.Ready && o.Available && len(o.Changes) == 0 && len(o.Unreadable) == 0:
		return s.ConfirmedAt(now), true
	default:
		return time.Time{}, false
	}
}

// rotationNeedsSecret reports whether the password Secret has to be read because of a rotation: it may be due, or its schedule is not made yet.
func rotationNeedsSecret(k *kind.Kind, object, want v1alpha1.ResourceObject, o driver.Observation, p plan.Policy, now time.Time) bool {
	period, has := rotationPeriod(k, want), rotationOf(k, object)
	_, asked := rotationAsked(k, object, want)
	switch {
	case asked && takesPassword(o, p):
		return true
	case period == 0:
		return false
	case has.Period != period:
		return object.GetResourceStatus().FirstReadyTime != nil
	default:
		return !now.Before(has.Next) && mayRotate(object, o, p)
	}
}

// isRotationDue reports whether the password of an object is to be changed now.
func isRotationDue(k *kind.Kind, object, want v1alpha1.ResourceObject, o driver.Observation, p plan.Policy, s password.State, now time.Time) bool {
	if rotationRequested(k, object, want, s.Serial) && s.Rotatable() && mayRotate(object, o, p) {
		return true
	}
	last, known := confirmedAt(object, o, s, now)
	return known && s.Rotatable() && rotationOf(k, object).Due(rotationPeriod(k, want), last, now) && mayRotate(object, o, p)
}

// rotationMissed reports whether a look that came to no harm began too early to change a password whose time had come: before the object was recorded to be
// settled, as settled says. Such a look is followed by one that did not.
func rotationMissed(k *kind.Kind, settled bool, object v1alpha1.ResourceObject, o driver.Observation, p plan.Policy) bool {
	return !nextRotation(k, object).IsZero() && takesPassword(o, p) && !settled
}

// mayRotate reports whether nothing keeps Mooring from changing the password of an object: its present spec is applied, and nothing is the matter
// with it. The server works and is at rest, and nothing differs from the spec but what is known to wait, so no other change is made at the same time.
func mayRotate(object v1alpha1.ResourceObject, o driver.Observation, p plan.Policy) bool {
	status := object.GetResourceStatus()
	return isSettled(object) && takesPassword(o, p) && !slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return !listed(status, c) })
}

// PasswordFound is what was read of the password that Mooring stores. The zero PasswordFound says that it was not read.
type PasswordFound struct {
	Known bool
	// Serial is the number of the latest password. Pending: it is not confirmed. Rotatable: Mooring may set another one.
	Serial             int
	Pending, Rotatable bool
	// MayRotate: nothing keeps Mooring from changing it now.
	MayRotate bool
}

// WhyNotRotated says why Mooring changes no password by itself; empty if it does.
func WhyNotRotated(k *kind.Kind, object, want v1alpha1.ResourceObject) string {
	switch c := want.GetCredentials(); {
	case kind.ReplicaStatusOf(k, object) != nil:
		return "a read replica has the password of its primary: ask for another one there"
	case c != nil && c.PasswordSecretRef != nil:
		return "the password is that of the Secret in spec.credentials.passwordSecretRef: change it there, and Mooring sets it"
	case want.GetConnection() == nil:
		return "nobody could be told the new password: set spec.connection.secretName, and then another value"
	default:
		return ""
	}
}

// rotationAsked returns the request for a new password of Mooring's own that is open: new, or stored and not done.
func rotationAsked(k *kind.Kind, object, want v1alpha1.ResourceObject) (r kind.ActionRequest, open bool) {
	if plan.CloudManages(k, want) || WhyNotRotated(k, object, want) != "" {
		return kind.ActionRequest{}, false
	}
	for _, r := range kind.ActionRequests(k, object) {
		if r.Action == driver.RotatePassword {
			return r, r.IsStored() || r.IsNew()
		}
	}
	return kind.ActionRequest{}, false
}

// rotationStored reports whether a person asked for another password, and the status says so.
func rotationStored(k *kind.Kind, object, want v1alpha1.ResourceObject) bool {
	return !plan.CloudManages(k, want) && slices.ContainsFunc(kind.ActionRequests(k, object), func(r kind.ActionRequest) bool {
		return r.Action == driver.RotatePassword && r.IsStored()
	})
}

// rotationRequested reports whether a person asked for another password, which is stored, and which was not made yet.
func rotationRequested(k *kind.Kind, object, want v1alpha1.ResourceObject, serial int) bool {
	r, open := rotationAsked(k, object, want)
	return open && r.IsStored() && r.Status.Before == strconv.Itoa(serial)
}

// findPassword returns what actions look at of the password that Mooring stores. read: it was read.
func findPassword(object v1alpha1.ResourceObject, o driver.Observation, p plan.Policy, s password.State, read bool) PasswordFound {
	return PasswordFound{
		Known: read, Serial: s.Serial, Pending: s.Pending() != "", Rotatable: s.Rotatable(), MayRotate: mayRotate(object, o, p),
	}
}

// takesPassword reports whether a server can be given another password, and its class allows what it is.
func takesPassword(o driver.Observation, p plan.Policy) bool {
	atRest := o.State == driver.Ready && o.Available && !o.Stopped && (o.Operation == "" || o.OperationError != nil)
	return p.Refused.Reason == "" && atRest && !o.Login.GetPasswordRefused() && !o.Login.GetCloudManaged() && len(o.Unreadable) == 0
}

// isSettled reports whether the present spec of an object is applied, and nobody has to act; or only about the connection Secret, which may be what keeps
// its password from being changed.
func isSettled(object v1alpha1.ResourceObject) bool {
	status := object.GetResourceStatus()
	if stalled := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled); stalled != nil {
		secret := stalled.Reason == string(v1alpha1.ReasonSecretNotOwned) || stalled.Reason == string(v1alpha1.ReasonSecretNotWritten)
		return secret && status.AppliedGeneration == object.GetGeneration()
	}
	ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == object.GetGeneration()
}

// listed reports whether the status lists a change as pending.
func listed(status *v1alpha1.ResourceStatus, c driver.Change) bool {
	return slices.ContainsFunc(status.PendingChanges, func(w v1alpha1.PendingChange) bool { return w.Field == c.Field && w.To == c.To })
}
