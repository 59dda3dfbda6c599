package login

import (
	"context"
	"errors"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// checkEvery is how often the password Secret is read of a server that is as declared, and whose connection Secret nobody changed
// since the password Secret was read.
const checkEvery = time.Hour

// A reading is what is known of the password of one object, while Secrets are read and it is decided what comes of that.
type reading struct {
	*Login
	*reconciliation.State
	part
}

// begin returns what is known. What is added is kept by end.
func (l *Login) begin(in *reconciliation.State) *reading { return &reading{l, in, place.In(in.Parts)} }

// end keeps what is known by now.
func (r *reading) end() {
	r.CallSecrets.Own = r.plan.Sent
	place.Set(&r.Parts, r.part)
}

// compare reads the Secrets that the password of a server that was observed comes from, and takes in what is decided about it. What has
// to be stored is stored when the plan is carried out.
func (l *Login) compare(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
	r := l.begin(in)
	defer r.end()
	r.compared, r.settled = true, isSettled(r.Stored)
	return nil, r.readPassword(ctx)
}

// isOwn reports whether the server that was observed is the object's own, and to be managed.
func isOwn(in *reconciliation.State) bool {
	o, known, handsOff := in.Observation, in.Request.ID, in.Deleting || in.Policy.Management == v1alpha1.ManagementObserve
	if handsOff || !controllerutil.ContainsFinalizer(in.Object, v1alpha1.FinalizerResource) || o.State == driver.Absent || o.Mark != in.Request.Mark {
		return false
	}
	// Where another server has taken the place of the one that was known, that is taken over first, or not at all.
	return o.ID == "" || known == "" || o.ID == known || o.Succession.GetSucceeds() == known
}

// concernsPassword reports whether the password of the server that was observed has to be looked at.
func (r *reading) concernsPassword() bool {
	o, missing := r.Observation, userMissing(r.Observation)
	restored := plan.RestoreUnfinished(r.Kind, r.Object) // with a password that others know
	if !isOwn(r.State) || !managesPassword(r.Kind, r.Want) && !missing && !restored && !wasPromoted(r.State) {
		return false
	}
	if o.State == driver.Pending && !o.Available && !missing {
		return false // the cloud takes no password now, and none is published
	}
	return missing || wasPromoted(r.State) || !r.checked() || rotationNeedsSecret(r.Kind, r.Object, r.Want, o, r.Policy, r.Now)
}

// checked reports whether the password Secret needs no look: it was read lately, it had nothing to be sent or confirmed, and
// nothing asks for another password since.
func (r *reading) checked() bool {
	published, o := binding.Remembered.In(r.Memory.Parts).Published, r.Observation
	if published == nil || r.Now.Sub(published.Checked) >= checkEvery || o.State != driver.Ready || o.Login.GetPasswordRefused() || o.Login.GetCloudManaged() {
		return false
	}
	c := r.Want.GetCredentials()
	return (c == nil || c.PasswordSecretRef == nil) && len(r.Status().FormerSecrets) == 0
}

// readPassword finds out what is to be done about the password of a server that was observed.
func (r *reading) readPassword(ctx context.Context) error {
	dropRotation(r.Kind, r.Object, r.Want, r.Policy)
	switch o := r.Observation; {
	case o.Replication.GetFollows() != nil:
		return followPassword(ctx, r)
	case r.Request.Beside && o.Operation != "" && o.State == driver.Ready:
		return nil // another server is prepared to take its place, and would perhaps lack another password
	}
	if plan.CloudManages(r.Kind, r.Want) {
		r.KeepsPrimary = false
		return readManaged(ctx, r)
	}
	if isOwn(r.State) && !r.Observation.Login.GetCloudManaged() {
		dropManaged(r.Status())
	}
	if !r.concernsPassword() {
		return nil
	}
	found, err := r.readLogin(ctx)
	if err != nil {
		return err
	}
	if wasPromoted(r.State) && found.state.Latest() == "" && !managesPassword(r.Kind, r.Want) {
		r.KeepsPrimary = false
		return nil // nobody knows the one of its former primary, and nobody asks for another
	}
	wanted, err := r.wantedPassword(ctx, found.state)
	if err != nil {
		return err
	}
	left, err := r.leftPassword(ctx, found.state, wanted)
	if err != nil {
		return err
	}
	due, err := rotationDue(ctx, r, found.state)
	if err != nil {
		return err
	}
	err = r.decidePassword(ctx, found, password.Observation{
		Ready: r.Observation.State == driver.Ready, Refused: r.Observation.Login.GetPasswordRefused() || wasPromoted(r.State), UserMissing: userMissing(r.Observation),
		CloudManaged: r.Observation.Login.GetCloudManaged(), TakenBack: plan.KnownManaged(r.Status()), Wanted: wanted, Leftover: left, Fresh: driver.NewPassword(r.Request.Username), Due: due, Now: r.Now,
	})
	noteRotation(r.Kind, r.Object, r.Want, r.Observation, r.plan.State, r.Now)
	r.KeepsPrimary = r.KeepsPrimary && (err != nil || r.plan.Store != password.Never)
	return err
}

// readManaged compares who manages the password of the server with the spec, by which the cloud does. Once that is certain, no password of ours is needed: its
// Secret is read, so that it can be deleted, and the status says from then on that there is none.
func readManaged(ctx context.Context, r *reading) error {
	o := r.Observation
	switch {
	case !isOwn(r.State):
		return nil
	case o.Login.GetCloudManaged() && (o.State != driver.Ready || o.Endpoint.PasswordSecret == "" || plan.KnownManaged(r.Status())):
		return nil
	case o.Login.GetCloudManaged():
		found, err := r.readLogin(ctx)
		if err == nil {
			r.obsolete = found.secret
		}
		return err
	}
	if r.Want.GetConnection() != nil { // a password that nobody could be told of is not set
		if err := r.connections.MayPublish(ctx, r.State, true); err != nil {
			return err
		}
	}
	r.Observation.Changes = append(r.Observation.Changes, plan.WhileStopped(o, []driver.Change{handOver(r.Status())})...)
	return nil
}

// rotationDue reports whether the password is to be changed because its period has passed. What a person has to mend before is said once the
// action is executed: it keeps nothing else from being done.
func rotationDue(ctx context.Context, r *reading, s password.State) (bool, error) {
	if !isRotationDue(r.Kind, r.Object, r.Want, r.Observation, r.Policy, s, r.Now) {
		return false, nil
	}
	err := r.connections.MayPublish(ctx, r.State, true)
	if refused, ok := errors.AsType[*identity.ValidationError](err); ok {
		r.rotationRefused = refused
		return false, nil
	}
	return err == nil, err
}

// decidePassword takes in what is decided about the password of a server that was observed: what has to be stored, what the status says,
// what is remembered, what is sent, and what differs.
func (r *reading) decidePassword(ctx context.Context, found *stored, seen password.Observation) error {
	decided := decideObserved(found.state, seen)
	r.takeIn(found.secret, decided)
	notePassword(r.State, decided.State)
	if decided.State.Serial != found.state.Serial { // another password than the one that was sent last: changes do not tell them apart
		r.Memory.Cloud.Sent = slices.DeleteFunc(slices.Clone(r.Memory.Cloud.Sent), func(c driver.Change) bool { return plan.PasswordChange(c).Sets() })
	}
	if decided.Step == password.Replace || seen.CloudManaged && seen.Wanted == "" && len(decided.Changes) > 0 { // a password that nobody could be told is not set
		if err := r.connections.MayPublish(ctx, r.State, true); err != nil {
			r.plan.Sent = ""
			return err
		}
	}
	r.Observation.Changes = append(r.Observation.Changes, plan.WhileStopped(r.Observation, decided.Changes)...)
	return nil
}

// takeIn takes in what is decided about a password.
func (r *reading) takeIn(secret *password.Secret, decided decision) {
	if decided.Stale {
		binding.Forget(&r.Memory)
	}
	r.secret, r.plan = secret, decided
	r.KeepSecret(decided.State.Next)
}
