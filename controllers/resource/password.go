package resource

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// wantedPassword returns the password that the spec refers to; empty if it refers to none. One that the cloud would not take
// is refused here, before it is stored or sent, and so is the connection Secret: its values change whenever the password does.
func (r *Reconciler) wantedPassword(ctx context.Context, t *turn) (string, error) {
	c := t.want.GetCredentials()
	if c == nil || c.PasswordSecretRef == nil {
		return "", nil
	}
	ref := c.PasswordSecretRef
	key := ref.Key
	if key == "" {
		key = "password"
	}
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.obj.GetNamespace(), Name: ref.Name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read Secret %s: %w", ref.Name, err)
	}
	value := string(secret.Data[key])
	if value != "" && value == t.vault.current() { // the server took it
		return value, nil
	}
	if slices.Contains(t.published(t.want.GetConnection()), ref.Name) {
		return "", &identity.ValidationError{Reason: v1alpha1.ReasonPasswordInvalid,
			Message: fmt.Sprintf("spec.credentials.passwordSecretRef names Secret %s, which Mooring writes for this object's own connection; store the password in another Secret", ref.Name)}
	}
	if value == "" {
		return "", &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound,
			Message: fmt.Sprintf("there is no key %q in a Secret %s of this namespace; create it, or change spec.credentials.passwordSecretRef", key, ref.Name)}
	}
	t.knows(value)
	rule, err := t.described.Password(t.request.Spec)
	if err != nil {
		return "", err
	}
	if problem := rule.Check(value); problem != "" { // before it is stored or sent
		return "", &identity.ValidationError{Reason: v1alpha1.ReasonPasswordInvalid,
			Message: fmt.Sprintf("the password in Secret %s can't be used: %s; change it there", ref.Name, problem)}
	}
	return value, nil
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
// if they differ. The cloud can't be asked: it never tells a password.
func (r *Reconciler) checkPassword(ctx context.Context, t *turn) error {
	// An administrator who is made by a call of its own gets the password with it.
	unmade := slices.ContainsFunc(t.seen.Changes, func(c field.Change) bool { return c.Field == driver.FieldUsername })
	handsOff := t.deleting || t.policy.Management == v1alpha1.ManagementObserve
	if handsOff || !r.managesPassword(t) && !unmade || !t.held() || t.seen.State == driver.Absent || t.seen.Mark != t.request.Mark {
		return nil
	}
	if t.seen.State == driver.Pending && !t.seen.Available && !unmade {
		return nil // the cloud takes no password now, and none is published
	}
	if !unmade && r.passwordChecked(t) {
		return nil
	}
	if err := r.openVault(ctx, t); err != nil {
		return err
	}
	wanted, err := r.wantedPassword(ctx, t)
	if err != nil {
		return err
	}
	if waits, err := r.recallPassword(ctx, t, wanted); waits || err != nil {
		return err
	}
	if unmade {
		if err := r.own(ctx, t); err != nil {
			return err
		}
	}
	if err := r.renewVault(ctx, t, wanted, firstSerial+1); err != nil {
		return err
	}
	if unmade {
		t.password = driver.Password(t.vault.latest())
		return nil
	}
	return r.offerPassword(ctx, t, wanted != "")
}

// offerPassword has the next password sent, unless the cloud has taken it already. named: the spec refers to it; else it was made
// here, and takes the place of one that only others know once a person approves.
func (r *Reconciler) offerPassword(ctx context.Context, t *turn, named bool) error {
	if t.seen.PasswordRefused && t.seen.State == driver.Ready {
		t.refused()
		if err := r.offerAgain(ctx, t); err != nil {
			return err
		}
	}
	if t.vault.next() == "" || t.seen.State != driver.Ready {
		return nil
	}
	if t.mem.password == t.vault.serial() {
		t.accepted()
	}
	if t.vault.serial() == strconv.Itoa(firstSerial) && !t.seen.PasswordRefused { // by the creation: the status says so from now on
		t.vault.promote()
		t.accepted()
		return nil
	}
	if t.took() {
		return r.promote(ctx, t)
	}
	change := field.Change{Field: driver.FieldPassword, From: field.Redacted, To: field.Redacted, Effect: field.Online}
	if t.vault.is(vaultForeign) && !named {
		change.Effect, change.Why = field.Irreversible, whyReplaced
		if err := r.mayPublish(ctx, t); err != nil {
			return err
		}
	}
	t.password = driver.Password(t.vault.next())
	t.seen.Changes = append(t.seen.Changes, change)
	return nil
}

// whyReplaced says what comes of a new password for a server whose old one only others know.
const whyReplaced = "Mooring sets a new one, because no cloud returns the current one, and every login with the current one then fails; " +
	"to keep the current one, name the Secret that has it in spec.credentials.passwordSecretRef"

// recallPassword takes the password of a server that is taken back from the connection Secret that was left with
// it, so that nobody who uses that is cut off. It waits until the cloud says where the server is: the Secret may be of another.
func (r *Reconciler) recallPassword(ctx context.Context, t *turn, wanted string) (waits bool, err error) {
	connection := t.want.GetConnection()
	if t.vault.latest() != "" || wanted != "" || connection == nil {
		return false, nil
	}
	secret, err := r.connectionSecret(ctx, t, connection.SecretName)
	if err != nil {
		return false, err
	}
	password := secret.Data["password"]
	if !r.mine(secret, t) || len(password) == 0 {
		return false, nil // it is not there, or not ours
	}
	if t.seen.Endpoint.Host == "" {
		return true, nil
	}
	_, data := r.Kind.Binding(t.want, &t.conn.Cloud, t.seen.Endpoint, string(password))
	if string(data["host"]) != string(secret.Data["host"]) || string(data["username"]) != string(secret.Data["username"]) {
		return false, nil
	}
	serial, err := t.unused(firstSerial + 1)
	if err != nil {
		return false, err
	}
	t.knows(string(password))
	t.vault.propose(string(password), serial)
	return false, r.promote(ctx, t)
}

// choosePassword settles the password of a server that is about to be created. first: nothing
// was stored for the object before.
func (r *Reconciler) choosePassword(ctx context.Context, t *turn, first bool) error {
	if !r.Kind.Login {
		return nil
	}
	if first {
		r.emptyVault(t)
	} else if err := r.openVault(ctx, t); err != nil {
		return err
	}
	wanted, err := r.wantedPassword(ctx, t)
	if err != nil {
		return err
	}
	if err := r.own(ctx, t); err != nil {
		return err
	}
	if err := r.renewVault(ctx, t, wanted, firstSerial); err != nil {
		return err
	}
	t.password = driver.Password(t.vault.latest())
	return nil
}

// sent notes what the cloud accepted and can't be read back.
func (t *turn) sent(changes []field.Change) {
	for _, c := range changes {
		if c.Field == driver.FieldPassword && t.vault != nil {
			t.mem.password = t.vault.serial()
			t.accepted()
		}
	}
}

// refused notes that a change which the cloud had accepted came to nothing. It may have been the password: that is
// not in force then, and is sent again. What a creation set is in force since.
func (t *turn) refused() {
	t.mem.password, t.mem.published = "", nil
	if !t.accepts(strconv.Itoa(firstSerial)) {
		delete(t.status.Applied, driver.FieldPassword)
	}
}

// accepted notes in the status that the cloud has the vault's next password.
func (t *turn) accepted() {
	if t.status.Applied == nil {
		t.status.Applied = map[string][]string{}
	}
	t.status.Applied[driver.FieldPassword] = []string{t.vault.serial()}
}
