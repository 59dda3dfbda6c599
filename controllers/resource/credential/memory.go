package credential

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// PasswordCheck is how often the password Secret is read of a database that is as declared, and whose connection Secret nobody changed
// since the password Secret was read.
const PasswordCheck = time.Hour

// Memory is what is remembered of an object's connection Secret. All of it may be lost at any time.
type Memory struct {
	// Published is what the connection Secret of a database holds; nil if that is not known.
	Published *ConnectionSecret
	// Unwritten is the name of a connection Secret that did not exist when the cloud object was created. If it exists by now, it can't
	// be created, and is read.
	Unwritten string
	// Followed tells which password of its primary the password Secret of a read replica has: the primary's uid and the serial that its cloud accepted.
	Followed string
}

// A ConnectionSecret is what a connection Secret held when it was found to be, or written, as it should be. There is no password in it.
type ConnectionSecret struct {
	Name, Version string
	Kind          corev1.SecretType
	// Data is the content for an empty password.
	Data map[string][]byte
	// Checked is when the password Secret was read.
	Checked time.Time
}

// Holds reports whether a connection Secret is as it was when it was found to be right, and is to hold what it held. data is the content for
// an empty password.
func (m Memory) Holds(secret *corev1.Secret, kind corev1.SecretType, data map[string][]byte) bool {
	before := m.Published
	return before != nil && secret.Name == before.Name && secret.ResourceVersion == before.Version &&
		before.Kind == kind && maps.EqualFunc(before.Data, data, slices.Equal[[]byte])
}

// PasswordChecked reports whether the password Secret needs no look: it was read lately, it had nothing to be sent or confirmed, and
// nothing asks for another password since.
func (m Memory) PasswordChecked(want v1alpha1.ResourceObject, status *v1alpha1.ResourceStatus, o driver.Observation, now time.Time) bool {
	before := m.Published
	if before == nil || now.Sub(before.Checked) >= PasswordCheck || o.State != driver.Ready || o.Login.GetPasswordRefused() || o.Login.GetCloudManaged() {
		return false
	}
	c := want.GetCredentials()
	return (c == nil || c.PasswordSecretRef == nil) && len(status.FormerSecrets) == 0
}
