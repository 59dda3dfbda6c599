package execute

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// storePassword stores what was decided about the password, guarded by the version of the Secret that was read.
func (w *work) storePassword(ctx context.Context) error {
	if w.Login == nil || !w.StoreLogin {
		return nil
	}
	if err := w.Passwords.Put(ctx, w.Login.Secret, w.Login.State.Stored); err != nil {
		return err
	}
	w.StoreLogin = false
	return nil
}

// choosePassword decides about the password of a server that is about to be created, and stores it. first: nothing
// was stored for the object before.
func (w *work) choosePassword(ctx context.Context, first bool) error {
	if !w.Kind.Login {
		return nil
	}
	if first {
		w.setLogin(credential.NewLogin(w.Passwords.New(w.Secrets.Owner(w.Object)), w.status, w.Memory.PasswordSent))
	} else if err := w.readPassword(ctx); err != nil {
		return err
	}
	wanted, err := w.wantedPassword(ctx)
	if err != nil {
		return err
	}
	w.decide(w.Login.State.Create(wanted, rand.Text()))
	if err := w.storePassword(ctx); err != nil {
		return err
	}
	w.Password = driver.Password(w.Login.State.Latest())
	return nil
}

// takeOverPassword decides about the password of a server that is about to be taken over, and stores that.
func (w *work) takeOverPassword(ctx context.Context) error {
	belongs := plan.Ownership(w.View, w.Observation)
	if !w.Kind.Login || belongs == plan.OursUnmarked {
		return nil
	}
	if err := w.readPassword(ctx); err != nil {
		return err
	}
	w.decide(w.Login.State.TakeOver(belongs == plan.OursBefore))
	return w.storePassword(ctx)
}

// sent notes what the cloud accepted and can't be read back.
func (w *work) sent(changes []driver.Change) {
	if w.Login != nil && slices.ContainsFunc(changes, func(c driver.Change) bool { return c.Field == driver.FieldPassword }) {
		w.Login.State = w.Login.State.Accept()
		w.notePassword(w.Login.State)
	}
}

// readPassword reads the object's password Secret.
func (w *work) readPassword(ctx context.Context) error {
	login, err := w.Secrets.Login(ctx, w.Object, w.Memory.PasswordSent)
	if err != nil {
		return err
	}
	w.setLogin(login)
	return nil
}

func (w *work) setLogin(login *credential.Login) {
	w.Login, w.Memory.PasswordSent = login, login.State.Sent
	w.done.Secrets = append(w.done.Secrets, login.Secret.Stored.Current, login.Secret.Stored.Next)
}

// wantedPassword returns the password that the spec names; empty if it names none.
func (w *work) wantedPassword(ctx context.Context) (string, error) {
	wanted, secrets, err := w.Secrets.Wanted(ctx, w.Object, w.Want, w.Described, w.Request.Spec, w.Login.State.InForce())
	w.done.Secrets = append(w.done.Secrets, secrets...)
	return wanted, err
}

// decide takes in a decision about the password: what has to be stored, what the status says, and what is remembered.
func (w *work) decide(d password.Decision) {
	if d.State.Serial != w.Login.State.Serial {
		w.Published.Published = nil // from here on the connection Secret may be behind the server
	}
	w.Login.State, w.StoreLogin = d.State, d.Store
	w.done.Secrets = append(w.done.Secrets, d.State.Next)
	w.notePassword(d.State)
}

// notePassword notes in the status and in memory which password the cloud accepted.
func (w *work) notePassword(s password.State) {
	w.Memory.PasswordSent = s.Sent
	plan.NotePassword(w.status, s.Accepted)
}
