package resource

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A login is what one reconciliation knows of the password of its object's server.
type login struct {
	credential.Login
	// store: its State has to be stored before anything is sent or published.
	store bool
}

func (r *Reconciler) passwords() *password.Store {
	return &password.Store{Reader: r.Reader, Writer: r.Client, Namespace: r.Namespace}
}

// readPassword reads the object's password Secret.
func (r *Reconciler) readPassword(ctx context.Context, t *turn) error {
	read, err := r.secrets().Login(ctx, t.obj, t.mem.cloud.PasswordSent)
	if err != nil {
		return err
	}
	t.setLogin(read)
	return nil
}

func (t *turn) setLogin(read *credential.Login) {
	t.mem.cloud.PasswordSent = read.State.Sent
	t.login = &login{Login: *read}
	t.knows(read.Secret.Stored.Current, read.Secret.Stored.Next)
}

// decide takes in a decision about the password: what has to be stored, what the status says, and what is remembered.
func (t *turn) decide(d password.Decision) {
	if d.State.Serial != t.login.State.Serial {
		t.mem.publisher.Published = nil // from here on the connection Secret may be behind the server
	}
	t.login.State, t.login.store = d.State, d.Store
	t.knows(d.State.Next)
	t.notePassword(d.State)
}

// notePassword notes in the status and in memory which password the cloud accepted.
func (t *turn) notePassword(s password.State) {
	t.mem.cloud.PasswordSent = s.Sent
	plan.NotePassword(t.status, s.Accepted)
}

// wantedPassword returns the password that the spec names; empty if it names none. One that can't be used is refused here, before
// it is stored or sent.
func (r *Reconciler) wantedPassword(ctx context.Context, t *turn) (string, error) {
	wanted, secrets, err := r.secrets().Wanted(ctx, t.obj, t.want, t.described, t.request.Spec, t.login.State.InForce())
	t.knows(secrets...)
	return wanted, err
}

// managesPassword reports whether the password of a server that exists is any of our business: if nobody
// asked for it, a server that was adopted keeps the one it has.
func (r *Reconciler) managesPassword(t *turn) bool {
	if !r.Kind.Login {
		return false
	}
	c := t.want.GetCredentials()
	return t.want.GetConnection() != nil || (c != nil && c.PasswordSecretRef != nil)
}

// checkPassword compares the password that is wanted with the one the cloud got, and adds a change
// if they differ. The cloud can't be asked: it never tells a password. It reads, and writes nothing: what has to be stored is stored
// when the plan is executed.
func (r *Reconciler) checkPassword(ctx context.Context, t *turn) error {
	// An administrator who is created by a call of its own gets the password with it.
	userMissing := slices.ContainsFunc(t.seen.Changes, func(c driver.Change) bool { return c.Field == driver.FieldUsername })
	handsOff := t.deleting || t.policy.Management == v1alpha1.ManagementObserve
	if handsOff || !r.managesPassword(t) && !userMissing || !t.held() || t.seen.State == driver.Absent || t.seen.Mark != t.request.Mark {
		return nil
	}
	if t.seen.State == driver.Pending && !t.seen.Available && !userMissing {
		return nil // the cloud takes no password now, and none is published
	}
	if !userMissing && t.mem.publisher.PasswordChecked(t.want, t.status, t.seen, t.now) {
		return nil
	}
	if err := r.readPassword(ctx, t); err != nil {
		return err
	}
	wanted, err := r.wantedPassword(ctx, t)
	if err != nil {
		return err
	}
	left, err := r.leftPassword(ctx, t, wanted)
	if err != nil {
		return err
	}
	seen := password.Observation{
		Ready: t.seen.State == driver.Ready, Refused: t.seen.PasswordRefused, UserMissing: userMissing, Wanted: wanted, Left: left, Fresh: rand.Text(),
	}
	if seen.Refused && seen.Ready {
		t.mem.publisher.Published = nil
	}
	decision := t.login.State.Observe(seen)
	t.decide(decision)
	return r.planPassword(ctx, t, decision.Do)
}

// planPassword adds to what is sent, and to what differs, what was decided about the password.
func (r *Reconciler) planPassword(ctx context.Context, t *turn, do password.Do) error {
	change := driver.Change{Field: driver.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}
	switch do {
	case password.Include:
		t.password = driver.Password(t.login.State.Latest())
		return nil
	case password.Replace:
		change.Effect, change.Why = driver.Irreversible, plan.WhyReplaced
		if err := r.mayPublish(ctx, t); err != nil {
			return err
		}
	case password.Send:
	case password.Nothing, password.Wait:
		return nil
	}
	t.password = driver.Password(t.login.State.Next)
	t.seen.Changes = append(t.seen.Changes, change)
	return nil
}

// leftPassword returns the password of a server that is taken back, from the connection Secret that was left with
// it, so that nobody who uses that is cut off. It waits until the cloud says where the server is: the Secret may be of another.
func (r *Reconciler) leftPassword(ctx context.Context, t *turn, wanted string) (password.Left, error) {
	if t.login.State.Latest() != "" || wanted != "" || t.want.GetConnection() == nil {
		return password.Left{}, nil
	}
	left, err := r.secrets().Left(ctx, t.obj, t.want, &t.conn.Cloud, t.seen.Endpoint)
	if left.Password != "" {
		t.knows(left.Password)
	}
	return left, err
}

// refused notes that a change which the cloud had accepted came to nothing. It may have been the password.
func (t *turn) refused() {
	t.mem.publisher.Published = nil
	t.notePassword(password.State{Accepted: plan.AcceptedPassword(t.status), Sent: t.mem.cloud.PasswordSent}.Refuse())
}
