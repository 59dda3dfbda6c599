package gather

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A login gathers what the Secrets say that the login of an object's server comes from and goes to.
type login struct {
	secrets *credential.Reader
	*reconciliation.State
}

// isOwn reports whether the server that was observed is the object's own, and to be managed.
func isOwn(g *login) bool {
	o, handsOff := g.Observation, g.Deleting || g.Policy.Management == v1alpha1.ManagementObserve
	if handsOff || !controllerutil.ContainsFinalizer(g.Object, v1alpha1.FinalizerResource) || o.State == driver.Absent || o.Mark != g.Request.Mark {
		return false
	}
	// Where another server has taken the place of the one that was known, that is taken over first, or not at all.
	return o.ID == "" || g.Request.ID == "" || o.ID == g.Request.ID || o.Succession.GetSucceeds() == g.Request.ID
}

// concernsPassword reports whether the password of the server that was observed has to be looked at.
func (g *login) concernsPassword() bool {
	o, missing := g.Observation, plan.UserMissing(g.Observation)
	restored := plan.RestoreUnfinished(g.Kind, g.Object) // with a password that others know
	if !isOwn(g) || !plan.ManagesPassword(g.Kind, g.Want) && !missing && !restored && !wasPromoted(g) {
		return false
	}
	if o.State == driver.Pending && !o.Available && !missing {
		return false // the cloud takes no password now, and none is published
	}
	return missing || wasPromoted(g) || !g.Memory.Published.PasswordChecked(g.Want, g.Status(), o, g.Now) || plan.RotationNeedsSecret(g.Kind, g.Object, g.Want, o, g.Policy, g.Now)
}

// readPassword reads the Secrets that the password of a server that was observed comes from, and takes in what is decided about it. What has
// to be stored is stored when the plan is executed.
func (g *login) readPassword(ctx context.Context) error {
	plan.DropRotation(g.Kind, g.Object, g.Want, g.Policy)
	switch o := g.Observation; {
	case o.Replication.GetFollows() != nil:
		return followPassword(ctx, g)
	case g.Request.Beside && o.Operation != "" && o.State == driver.Ready:
		return nil // another server is prepared to take its place, and would perhaps lack another password
	}
	if plan.CloudManages(g.Kind, g.Want) {
		g.KeepsPrimary = false
		return readManaged(ctx, g)
	}
	if isOwn(g) && !g.Observation.Login.GetCloudManaged() {
		plan.DropManaged(g.Status())
	}
	if !g.concernsPassword() {
		return nil
	}
	stored, err := g.readLogin(ctx)
	if err != nil {
		return err
	}
	if wasPromoted(g) && stored.State.Latest() == "" && !plan.ManagesPassword(g.Kind, g.Want) {
		g.KeepsPrimary = false
		return nil // nobody knows the one of its former primary, and nobody asks for another
	}
	wanted, err := g.wantedPassword(ctx, stored.State)
	if err != nil {
		return err
	}
	left, err := g.leftPassword(ctx, stored.State, wanted)
	if err != nil {
		return err
	}
	due, err := rotationDue(ctx, g, stored.State)
	if err != nil {
		return err
	}
	err = g.decidePassword(ctx, stored, password.Observation{
		Ready: g.Observation.State == driver.Ready, Refused: g.Observation.Login.GetPasswordRefused() || wasPromoted(g), UserMissing: plan.UserMissing(g.Observation),
		CloudManaged: g.Observation.Login.GetCloudManaged(), TakenBack: plan.KnownManaged(g.Status()), Wanted: wanted, Leftover: left, Fresh: driver.NewPassword(g.Request.Username), Due: due, Now: g.Now,
	})
	plan.NoteRotation(g.Kind, g.Object, g.Want, g.Observation, g.Password.State, g.Now)
	g.KeepsPrimary = g.KeepsPrimary && (err != nil || g.Password.Store != password.Never)
	return err
}

// readManaged compares who manages the password of the server with the spec, by which the cloud does. Once that is certain, no password of ours is needed: its
// Secret is read, so that it can be deleted, and the status says from then on that there is none.
func readManaged(ctx context.Context, g *login) error {
	o := g.Observation
	switch {
	case !isOwn(g):
		return nil
	case o.Login.GetCloudManaged() && (o.State != driver.Ready || o.Endpoint.PasswordSecret == "" || plan.KnownManaged(g.Status())):
		return nil
	case o.Login.GetCloudManaged():
		stored, err := g.readLogin(ctx)
		if err == nil {
			g.Obsolete = stored.Secret
		}
		return err
	}
	if g.Want.GetConnection() != nil { // a password that nobody could be told of is not set
		if err := g.mayPublish(ctx, true); err != nil {
			return err
		}
	}
	g.Observation.Changes = append(g.Observation.Changes, plan.WhileStopped(o, []driver.Change{plan.HandOver(g.Status())})...)
	return nil
}

// rotationDue reports whether the password is to be changed because its period has passed. What a person has to mend before is said once the
// action is executed: it keeps nothing else from being done.
func rotationDue(ctx context.Context, g *login, s password.State) (bool, error) {
	if !plan.RotationDue(g.Kind, g.Object, g.Want, g.Observation, g.Policy, s, g.Now) {
		return false, nil
	}
	err := g.mayPublish(ctx, true)
	if refused, ok := errors.AsType[*identity.ValidationError](err); ok {
		g.RotationRefused = refused
		return false, nil
	}
	return err == nil, err
}

// readLogin reads the password Secret.
func (g *login) readLogin(ctx context.Context) (*credential.Login, error) {
	stored, err := g.secrets.Login(ctx, g.Object, g.Memory.Cloud.PasswordSent)
	if err != nil {
		return nil, err
	}
	g.Memory.Cloud.PasswordSent = stored.State.Sent
	g.KeepSecret(stored.Secret.Stored.Current, stored.Secret.Stored.Next)
	return stored, nil
}

// wantedPassword reads the password that the spec names; empty if it names none.
func (g *login) wantedPassword(ctx context.Context, s password.State) (string, error) {
	wanted, secrets, err := g.secrets.Wanted(ctx, g.Object, g.Want, g.Described, g.Request.Spec, s.Known())
	g.KeepSecret(secrets...)
	return wanted, err
}

// leftPassword reads the password of a server that is taken back, if no other is known or wanted.
func (g *login) leftPassword(ctx context.Context, s password.State, wanted string) (password.Leftover, error) {
	if s.Latest() != "" || wanted != "" || g.Want.GetConnection() == nil || g.Observation.Login.GetCloudManaged() {
		return password.Leftover{}, nil
	}
	left, err := g.secrets.Left(ctx, g.Object, g.Want, &g.Connection.Cloud, g.Observation.Endpoint)
	if left.Password != "" {
		g.KeepSecret(left.Password)
	}
	return left, err
}

// decidePassword takes in what is decided about the password of a server that was observed: what has to be stored, what the status says,
// what is remembered, what is sent, and what differs.
func (g *login) decidePassword(ctx context.Context, stored *credential.Login, seen password.Observation) error {
	decided := plan.ObservePassword(stored.State, seen)
	g.takeIn(stored.Secret, decided)
	g.notePassword(decided.State)
	if decided.State.Serial != stored.State.Serial { // another password than the one that was sent last: changes do not tell them apart
		g.Memory.Cloud.Sent = slices.DeleteFunc(slices.Clone(g.Memory.Cloud.Sent), func(c driver.Change) bool { return plan.PasswordChange(c).Sets() })
	}
	if decided.Step == password.Replace || seen.CloudManaged && seen.Wanted == "" && len(decided.Changes) > 0 { // a password that nobody could be told is not set
		if err := g.mayPublish(ctx, true); err != nil {
			g.Password.Sent = ""
			return err
		}
	}
	g.Observation.Changes = append(g.Observation.Changes, plan.WhileStopped(g.Observation, decided.Changes)...)
	return nil
}

// takeIn takes in what is decided about a password.
func (g *login) takeIn(secret *password.Secret, decided plan.PasswordPlan) {
	if decided.Stale {
		g.Memory.Published.Published = nil
	}
	g.PasswordSecret, g.Password = secret, decided
	g.KeepSecret(decided.State.Next)
}

// mayPublish refuses to go on if the connection Secret is somebody else's, or can't be changed if the password changes.
func (g *login) mayPublish(ctx context.Context, changes bool) error {
	missing, err := g.secrets.MayPublish(ctx, g.Object, g.Want, &g.Connection.Cloud, changes)
	if missing != "" {
		g.Memory.Published.Unwritten = missing
	}
	return err
}

// notePassword notes in the status and in memory which password the cloud accepted.
func (g *login) notePassword(s password.State) {
	g.Memory.Cloud.PasswordSent = s.Sent
	plan.NotePassword(g.Status(), s.Accepted)
}

// operationRefused notes that a change which the cloud had accepted came to nothing. It may have been the password.
func (g *login) operationRefused() {
	g.Memory.Published.Published = nil
	g.notePassword(password.State{Accepted: plan.AcceptedPassword(g.Status()), Sent: g.Memory.Cloud.PasswordSent}.ChangeFailed())
}
