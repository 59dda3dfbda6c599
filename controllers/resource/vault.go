package resource

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// vault is the private Secret in Mooring's namespace that holds the truth about a password. next is stored
// before it is sent, and becomes current only once the cloud took it; so no lost call leaves
// the connection Secret and the server disagreeing for good. Each next has a serial, and the status
// says which serial the cloud accepted.
type vault struct {
	secret *corev1.Secret
	exists bool
	// ahead: current is what the status says, and the Secret is brought up to date by its next write.
	ahead bool
}

const (
	vaultCurrent = "current"
	vaultNext    = "next"
	vaultSerial  = "serial"
	// vaultNamed is there if next is what the spec referred to, and was not made here.
	vaultNamed = "named"
	// vaultForeign is there as long as the server has a password that only others know.
	vaultForeign = "foreign"
)

// firstSerial is that of a password that the cloud got by the creation itself.
const firstSerial = 1

func (v *vault) current() string { return string(v.secret.Data[vaultCurrent]) }
func (v *vault) next() string    { return string(v.secret.Data[vaultNext]) }
func (v *vault) serial() string  { return string(v.secret.Data[vaultSerial]) }

func (v *vault) is(key string) bool { return v.secret.Data[key] != nil }

func (v *vault) set(key string, is bool) {
	delete(v.secret.Data, key)
	if is {
		v.secret.Data[key] = []byte("true")
	}
}

// following returns the serial after the vault's, which has none as long as it has held no password.
func (v *vault) following() (int, error) {
	if v.serial() == "" {
		return firstSerial, nil
	}
	serial, err := strconv.Atoi(v.serial())
	if err != nil {
		return 0, fmt.Errorf("read the password's serial in Secret %s: %w", v.secret.Name, err)
	}
	return serial + 1, nil
}

// propose makes a password the next one.
func (v *vault) propose(password string, serial int) {
	v.secret.Data[vaultNext] = []byte(password)
	v.secret.Data[vaultSerial] = []byte(strconv.Itoa(serial))
}

// promote makes next the current password.
func (v *vault) promote() {
	v.secret.Data[vaultCurrent] = v.secret.Data[vaultNext]
	for _, key := range []string{vaultNext, vaultNamed, vaultForeign} {
		delete(v.secret.Data, key)
	}
}

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
func (r *Reconciler) openVault(ctx context.Context, t *turn) error {
	key := client.ObjectKey{Namespace: r.Namespace, Name: vaultName(t.obj)}
	v := &vault{secret: &corev1.Secret{}, exists: true}
	err := r.Reader.Get(ctx, key, v.secret)
	if apierrors.IsNotFound(err) {
		r.emptyVault(t)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the password: %w", err)
	}
	if v.exists && (!r.labelled(v.secret, t) || v.secret.Type != corev1.SecretTypeOpaque && v.secret.Type != "") {
		return &identity.ValidationError{Reason: v1alpha1.ReasonSecretNotOwned, Message: fmt.Sprintf(
			"Secret %s in Mooring's own namespace, which stores this object's password, was not created by Mooring; ask your platform team to check it", key.Name)}
	}
	if v.secret.Data == nil {
		v.secret.Data = map[string][]byte{}
	}
	if v.next() != "" && v.serial() == strconv.Itoa(firstSerial) && t.accepts(v.serial()) {
		v.promote()
		v.ahead = true
	}
	t.vault = v
	t.knows(v.current(), v.next())
	return nil
}

// emptyVault begins a vault of which nothing is stored. Should there be one after all, it can't be stored over that.
func (r *Reconciler) emptyVault(t *turn) {
	t.mem.password = ""
	t.vault = &vault{secret: &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: vaultName(t.obj), Labels: r.labels(t)},
		Data:       map[string][]byte{},
	}}
}

// store writes the vault, guarded by its resourceVersion.
func (r *Reconciler) store(ctx context.Context, v *vault) error {
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
	v.exists, v.ahead = true, false
	return nil
}

// unused returns a serial, low at least, that neither the vault has had nor the status tells of, which may outlive the vault.
func (t *turn) unused(low int) (int, error) {
	following, err := t.vault.following()
	low = max(low, following)
	for _, told := range t.status.Applied[driver.FieldPassword] {
		if serial, err := strconv.Atoi(told); err == nil {
			low = max(low, serial+1)
		}
	}
	return low, err
}

// took reports whether the cloud is known to have taken the vault's next password.
func (t *turn) took() bool {
	return t.mem.password == t.vault.serial() || t.accepts(t.vault.serial())
}

// accepts reports whether the status says that the cloud has the password with this serial.
func (t *turn) accepts(serial string) bool {
	accepted := t.status.Applied[driver.FieldPassword]
	return len(accepted) == 1 && accepted[0] == serial
}

// renewVault stores a next password if there is none yet, or if another is wanted: the one wanted, or one that is made here.
// The first one's serial is low at least.
func (r *Reconciler) renewVault(ctx context.Context, t *turn, wanted string, low int) error {
	v := t.vault
	withdrawn := v.next() != "" && v.is(vaultNamed) && !t.took() // the spec refers to it no longer, and no server has it
	if v.latest() != "" && (wanted == "" && !withdrawn || wanted != "" && wanted == v.latest()) {
		return nil
	}
	serial, err := t.unused(low)
	if err != nil {
		return err
	}
	v.set(vaultNamed, wanted != "")
	if wanted == "" {
		wanted = rand.Text()
	}
	t.knows(wanted)
	v.propose(wanted, serial)
	t.mem.published = nil // from here on the connection Secret may be behind the server
	return r.store(ctx, v)
}

// offerAgain makes what is thought to be in force the next password, since it is not.
func (r *Reconciler) offerAgain(ctx context.Context, t *turn) error {
	if t.vault.next() != "" {
		return nil
	}
	serial, err := t.unused(firstSerial)
	if err != nil {
		return err
	}
	t.vault.propose(t.vault.current(), serial)
	t.mem.published = nil
	return r.store(ctx, t.vault)
}

// promote notes that the cloud has taken next.
func (r *Reconciler) promote(ctx context.Context, t *turn) error {
	t.vault.promote()
	return r.store(ctx, t.vault)
}

// own is for an administrator who is about to be made, with a password of ours.
func (r *Reconciler) own(ctx context.Context, t *turn) error {
	if !t.vault.is(vaultForeign) {
		return nil
	}
	t.vault.set(vaultForeign, false)
	return r.store(ctx, t.vault)
}

// disown is for a server that is about to be taken over. What was meant for one of our own making, and never confirmed, was not
// set by its creation. A password that was in force stays, as a server that was restored from a snapshot has it; else only
// others know the server's, unless it was made for this object before.
func (r *Reconciler) disown(ctx context.Context, t *turn) error {
	belongs := ownership(t.view, t.seen)
	if !r.Kind.Login || belongs == oursUnmarked {
		return nil
	}
	if err := r.openVault(ctx, t); err != nil {
		return err
	}
	v := t.vault
	foreign := belongs != oursBefore && v.current() == ""
	trusted := v.next() != "" && (v.serial() == strconv.Itoa(firstSerial) || t.took())
	if !trusted && foreign == v.is(vaultForeign) && !v.ahead { // the status starts over
		return nil
	}
	if trusted {
		serial, err := t.unused(firstSerial)
		if err != nil {
			return err
		}
		v.propose(v.next(), serial)
	}
	v.set(vaultForeign, foreign)
	if v.serial() == "" { // earlier releases can't do without one
		v.secret.Data[vaultSerial] = []byte(strconv.Itoa(firstSerial))
	}
	return r.store(ctx, v)
}
