package password

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The keys of the password Secret. Earlier releases read and write them too.
const (
	keyCurrent    = "current"
	keyNext       = "next"
	keySerial     = "serial"
	keyNamed      = "named"
	keyForeign    = "foreign"
	keySuperseded = "superseded" // 0.1.0 leaves it as it is
	keyRotated    = "rotated"    // so it does with this one
	keyConfirmed  = "confirmed"  // and with this one, so it may be older than the current password: then that is changed sooner than it need be
)

// A Store reads and writes password Secrets in Mooring's own namespace.
type Store struct {
	Reader client.Reader
	// Writer creates, updates and deletes Secrets. An update has the resourceVersion that was read, so that it fails
	// with a conflict after another write.
	Writer    client.Writer
	Namespace string
}

// An Owner is the object to whose server a password belongs.
type Owner struct {
	Kind, Name string
	UID        types.UID
}

// SecretName returns the name of the password Secret of an owner.
func SecretName(uid types.UID) string { return "password-" + string(uid) }

// A Secret is a password Secret as it was read, or as it is about to be created.
type Secret struct {
	Stored Stored
	// Exists: the Secret exists in the cluster, because it was read or written.
	Exists bool
	object *corev1.Secret
}

// Clone returns a deep copy; nil for nil. Put on the original does not change the copy.
func (s *Secret) Clone() *Secret {
	if s == nil {
		return nil
	}
	clone := *s
	clone.object = s.object.DeepCopy()
	return &clone
}

// A NotOwnedError says that a Secret with the name of a password Secret exists, and that Mooring did not create it for
// this owner.
type NotOwnedError struct{ Secret string }

// Error implements error.
func (e *NotOwnedError) Error() string {
	return fmt.Sprintf("Secret %s in Mooring's own namespace, which stores this object's password, was not created by Mooring; ask your platform team to check it", e.Secret)
}

// New returns a new Secret for an owner without reading the cluster. If one exists, Put fails instead of overwriting
// it.
func (s *Store) New(owner Owner) *Secret {
	return &Secret{object: &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: SecretName(owner.UID), Labels: map[string]string{
			v1alpha1.LabelKind: owner.Kind, v1alpha1.LabelName: owner.Name, v1alpha1.LabelUID: string(owner.UID),
		}},
		Data: map[string][]byte{},
	}}
}

// Get reads the Secret of an owner. If there is none, it returns a new one that is not stored yet.
func (s *Store) Get(ctx context.Context, owner Owner) (*Secret, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: SecretName(owner.UID)}, secret)
	if apierrors.IsNotFound(err) {
		return s.New(owner), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the password: %w", err)
	}
	labelled := secret.Labels[v1alpha1.LabelKind] == owner.Kind && secret.Labels[v1alpha1.LabelName] == owner.Name
	if !labelled || secret.Type != corev1.SecretTypeOpaque && secret.Type != "" {
		return nil, &NotOwnedError{secret.Name}
	}
	stored, err := decode(secret.Data)
	if err != nil {
		return nil, fmt.Errorf("read the password's serial in Secret %s: %w", secret.Name, err)
	}
	return &Secret{Stored: stored, Exists: true, object: secret}, nil
}

// Put stores the content of a Secret. It returns a conflict if somebody else wrote the Secret since it was read.
func (s *Store) Put(ctx context.Context, secret *Secret, stored Stored) error {
	written := secret.object.DeepCopy()
	encode(stored, written)
	var err error
	if secret.Exists {
		err = s.Writer.Update(ctx, written)
	} else {
		err = s.Writer.Create(ctx, written)
	}
	if apierrors.IsAlreadyExists(err) {
		err = apierrors.NewConflict(corev1.Resource("secrets"), written.Name, err)
	}
	if err != nil {
		return fmt.Errorf("store the password: %w", err)
	}
	secret.object, secret.Stored, secret.Exists = written, stored, true
	return nil
}

// Delete deletes the Secret of an owner, if there is one.
func (s *Store) Delete(ctx context.Context, uid types.UID) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: SecretName(uid)}}
	if err := client.IgnoreNotFound(s.Writer.Delete(ctx, secret)); err != nil {
		return fmt.Errorf("delete the stored password: %w", err)
	}
	return nil
}

// Forget deletes a Secret as it was read. It returns no error if the Secret does not exist, and a conflict if it was
// changed since.
func (s *Store) Forget(ctx context.Context, secret *Secret) error {
	uid, version := secret.object.GetUID(), secret.object.GetResourceVersion()
	err := s.Writer.Delete(ctx, secret.object.DeepCopy(), client.Preconditions{UID: &uid, ResourceVersion: &version})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete the stored password: %w", err)
	}
	return nil
}

func decode(data map[string][]byte) (Stored, error) {
	s := Stored{
		Current: string(data[keyCurrent]), Next: string(data[keyNext]),
		Named: data[keyNamed] != nil, Foreign: data[keyForeign] != nil,
	}
	s.Superseded = s.Next != "" && data[keySuperseded] != nil // without a next password it was left by 0.1.0
	s.Rotated = s.Next != "" && data[keyRotated] != nil
	if at, err := time.Parse(time.RFC3339, string(data[keyConfirmed])); err == nil {
		s.Confirmed = at.Unix()
	}
	if len(data[keySerial]) == 0 {
		return s, nil
	}
	var err error
	s.Serial, err = strconv.Atoi(string(data[keySerial]))
	return s, err
}

// encode writes what is stored into a Secret. Other keys stay.
func encode(s Stored, into *corev1.Secret) {
	if into.Data == nil {
		into.Data = map[string][]byte{}
	}
	set := func(key, value string) {
		delete(into.Data, key)
		if value != "" {
			into.Data[key] = []byte(value)
		}
	}
	flag := map[bool]string{true: "true"}
	set(keyCurrent, s.Current)
	set(keyNext, s.Next)
	set(keySerial, "")
	if s.Serial != 0 {
		set(keySerial, strconv.Itoa(s.Serial))
	}
	set(keyNamed, flag[s.Named])
	set(keyForeign, flag[s.Foreign])
	set(keySuperseded, flag[s.Superseded])
	set(keyRotated, flag[s.Rotated])
	set(keyConfirmed, "")
	if s.Confirmed != 0 {
		set(keyConfirmed, time.Unix(s.Confirmed, 0).UTC().Format(time.RFC3339))
	}
}
