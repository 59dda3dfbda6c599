package resource

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/credential"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// vault is the private Secret in Mooring's namespace that holds the truth about a password. next is stored
// before it is sent, and becomes current only once the cloud took it; so no lost call leaves
// the connection Secret and the server disagreeing for good. Each next has a serial, and the status
// says which serial the cloud accepted.
type vault struct {
	secret *corev1.Secret
	exists bool
}

const (
	vaultCurrent = "current"
	vaultNext    = "next"
	vaultSerial  = "serial"
)

// firstSerial is that of a password that the cloud got by the creation itself.
const firstSerial = 1

func (v *vault) current() string { return string(v.secret.Data[vaultCurrent]) }
func (v *vault) next() string    { return string(v.secret.Data[vaultNext]) }
func (v *vault) serial() string  { return string(v.secret.Data[vaultSerial]) }

// latest is the password that the cloud has or will have.
func (v *vault) latest() string {
	if next := v.next(); next != "" {
		return next
	}
	return v.current()
}

func vaultName(obj client.Object) string {
	return "password-" + string(obj.GetUID())
}

// openVault reads the object's vault.
func (r *Reconciler[T, S]) openVault(ctx context.Context, t *turn[T, S]) error {
	key := client.ObjectKey{Namespace: r.Namespace, Name: vaultName(t.obj)}
	v := &vault{secret: &corev1.Secret{}, exists: true}
	err := r.Reader.Get(ctx, key, v.secret)
	if apierrors.IsNotFound(err) {
		v.exists = false
		v.secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Labels: r.labels(t)},
			Data:       map[string][]byte{},
		}
		err = nil
	}
	if err != nil {
		return fmt.Errorf("read the password: %w", err)
	}
	t.vault = v
	t.knows(v.current(), v.next())
	return nil
}

// store writes the vault, guarded by its resourceVersion.
func (r *Reconciler[T, S]) store(ctx context.Context, v *vault) error {
	var err error
	if v.exists {
		err = r.Client.Update(ctx, v.secret)
	} else {
		err = r.Client.Create(ctx, v.secret)
	}
	if apierrors.IsAlreadyExists(err) {
		return errStale
	}
	if err != nil {
		return fmt.Errorf("store the password: %w", err)
	}
	v.exists = true
	return nil
}

// wantedPassword returns the password that the spec refers to; empty if it refers to none.
func (r *Reconciler[T, S]) wantedPassword(ctx context.Context, t *turn[T, S]) (string, error) {
	c := r.Kind.Credentials(t.want)
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
	if value == "" {
		return "", &credential.Refusal{Reason: v1alpha1.ReasonPasswordNotFound,
			Message: fmt.Sprintf("there is no key %q in a Secret %s of this namespace; create it, or change spec.credentials.passwordSecretRef", key, ref.Name)}
	}
	t.knows(value)
	return value, nil
}

// managesPassword reports whether the password of a server that exists is any of our business: if nobody
// asked for it, a server that was adopted keeps the one it has.
func (r *Reconciler[T, S]) managesPassword(t *turn[T, S]) bool {
	if r.Kind.Credentials == nil {
		return false
	}
	c := r.Kind.Credentials(t.want)
	return r.Kind.Connection(t.want) != nil || (c != nil && c.PasswordSecretRef != nil)
}

// checkPassword compares the password that is wanted with the one the cloud got, and adds a change
// if they differ. The cloud can't be asked: it never tells a password.
func (r *Reconciler[T, S]) checkPassword(ctx context.Context, t *turn[T, S]) error {
	// An administrator who is made by a call of its own gets the password with it.
	unmade := slices.ContainsFunc(t.seen.Changes, func(c field.Change) bool { return c.Field == driver.FieldUsername })
	handsOff := t.deleting || t.policy.Management == v1alpha1.ManagementObserve
	if handsOff || !r.managesPassword(t) && !unmade || !t.held() || t.seen.State == driver.Absent || t.seen.Mark != t.request.Mark {
		return nil
	}
	if err := r.openVault(ctx, t); err != nil {
		return err
	}
	wanted, err := r.wantedPassword(ctx, t)
	if err != nil {
		return err
	}
	if err := r.recallPassword(ctx, t, wanted); err != nil {
		return err
	}
	if err := r.renewVault(ctx, t, wanted, firstSerial+1); err != nil {
		return err
	}
	if unmade {
		t.request.Login.Password = t.vault.latest()
		return nil
	}
	return r.offerPassword(ctx, t)
}

// offerPassword has the next password sent, unless the cloud has taken it already.
func (r *Reconciler[T, S]) offerPassword(ctx context.Context, t *turn[T, S]) error {
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
	accepted := t.status.Applied[driver.FieldPassword]
	byCreation := t.vault.serial() == strconv.Itoa(firstSerial) && !t.seen.PasswordRefused
	if byCreation || len(accepted) == 1 && accepted[0] == t.vault.serial() {
		return r.promote(ctx, t)
	}
	t.request.Login.Password = t.vault.next()
	t.seen.Changes = append(t.seen.Changes, field.Change{
		Field: driver.FieldPassword, From: field.Redacted, To: field.Redacted, Effect: field.Online,
	})
	return nil
}

// recallPassword takes the password of a server that is taken back from the connection Secret that was left with
// it, so that nobody who uses that is cut off.
func (r *Reconciler[T, S]) recallPassword(ctx context.Context, t *turn[T, S], wanted string) error {
	connection := r.Kind.Connection(t.want)
	if t.vault.exists || wanted != "" || connection == nil {
		return nil
	}
	secret := &corev1.Secret{}
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: t.obj.GetNamespace(), Name: connection.SecretName}, secret)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read the connection Secret %s: %w", connection.SecretName, err)
	}
	password := secret.Data["password"]
	if !r.mine(secret.Labels, t) || len(password) == 0 {
		return nil // it is not there, or not ours
	}
	t.knows(string(password))
	t.vault.secret.Data[vaultCurrent] = password
	t.vault.secret.Data[vaultSerial] = []byte(strconv.Itoa(firstSerial + 1))
	return r.store(ctx, t.vault)
}

// renewVault stores a next password if there is none yet, or if another is wanted. A vault that is made when
// the server already exists gets a serial that says so: the creation did not set that password.
func (r *Reconciler[T, S]) renewVault(ctx context.Context, t *turn[T, S], wanted string, serial int) error {
	v := t.vault
	switch {
	case v.exists && (wanted == "" || wanted == v.latest()):
		return nil
	case v.exists:
		before, err := strconv.Atoi(v.serial())
		if err != nil {
			return fmt.Errorf("read the password's serial: %w", err)
		}
		serial = before + 1
	}
	if wanted == "" {
		wanted = rand.Text()
	}
	t.knows(wanted)
	v.secret.Data[vaultNext] = []byte(wanted)
	v.secret.Data[vaultSerial] = []byte(strconv.Itoa(serial))
	return r.store(ctx, v)
}

// offerAgain makes what is thought to be in force the next password, since it is not.
func (r *Reconciler[T, S]) offerAgain(ctx context.Context, t *turn[T, S]) error {
	if t.vault.next() != "" {
		return nil
	}
	serial, err := strconv.Atoi(t.vault.serial())
	if err != nil {
		return fmt.Errorf("read the password's serial: %w", err)
	}
	t.vault.secret.Data[vaultNext] = t.vault.secret.Data[vaultCurrent]
	t.vault.secret.Data[vaultSerial] = []byte(strconv.Itoa(serial + 1))
	return r.store(ctx, t.vault)
}

// promote notes that the cloud has taken next.
func (r *Reconciler[T, S]) promote(ctx context.Context, t *turn[T, S]) error {
	t.vault.secret.Data[vaultCurrent] = t.vault.secret.Data[vaultNext]
	delete(t.vault.secret.Data, vaultNext)
	return r.store(ctx, t.vault)
}

// choosePassword settles the password of a server that is about to be created.
func (r *Reconciler[T, S]) choosePassword(ctx context.Context, t *turn[T, S]) error {
	if r.Kind.Credentials == nil {
		return nil
	}
	if err := r.openVault(ctx, t); err != nil {
		return err
	}
	wanted, err := r.wantedPassword(ctx, t)
	if err != nil {
		return err
	}
	if err := r.renewVault(ctx, t, wanted, firstSerial); err != nil {
		return err
	}
	t.request.Login.Password = t.vault.latest()
	return nil
}
