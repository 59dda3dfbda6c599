package binding

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Memory is what is remembered of an object's connection Secret. All of it may be lost at any time.
type Memory struct {
	// Published is what the connection Secret of a database holds; nil if that is not known.
	Published *ConnectionSecret
	// Unwritten is the name of a connection Secret that did not exist when the cloud object was created. If it exists by now, it can't
	// be created, and is read.
	Unwritten string
}

// Remembered is where the memory of an object has what is remembered of its connection Secret.
var Remembered = reconciliation.PartOf[Memory]("binding")

// Forget has the connection Secret looked at again: it may be behind the server from now on.
func Forget(m *reconciliation.Memory) {
	known := Remembered.In(m.Parts)
	known.Published = nil
	Remembered.Set(&m.Parts, known)
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

// holds reports whether a connection Secret is as it was when it was found to be right, and is to hold what it held. data is the content for
// an empty password.
func (m Memory) holds(secret *corev1.Secret, kind corev1.SecretType, data map[string][]byte) bool {
	before := m.Published
	return before != nil && secret.Name == before.Name && secret.ResourceVersion == before.Version &&
		before.Kind == kind && maps.EqualFunc(before.Data, data, slices.Equal[[]byte])
}
