package binding

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Login says what is known of the login that the connection Secrets of a kind hold.
type Login interface {
	// Password returns what is known of the password, without a read.
	Password(in reconciliation.State) Password
	// ReadPassword reads it, for a connection Secret that is not as it was when it was written last. It returns outcome.ErrStale if the password was lost.
	ReadPassword(ctx context.Context, in *reconciliation.State) error
}

// A Password is what is known of the password that a connection Secret is to hold.
type Password struct {
	// Read: the password Secret was read. Value is the password in force; empty if none is known to be set yet.
	Read  bool
	Value string
	// Changing: another password is on its way to the server.
	Changing bool
	// Managed: the cloud manages the password, and the connection Secret says where in place of a Value.
	Managed bool
	// Withheld is why the login is not published before a person acts; nil if nothing keeps it.
	Withheld error
}

type binding struct {
	kind    *kind.Kind
	secrets *Reader
	writer  client.Writer
	// login is what the Secrets hold of a login; nil for a kind without one.
	login Login
}

// part is what one reconciliation knows of connection Secrets.
type part struct {
	// connections are those that an action concerns.
	connections Connections
	// unread is why the Secrets could not be read that it takes to bring connection Secrets up to date, or why they may not be; nil if nothing is in the way.
	unread error
	// holds is what the connection Secret holds now; it counts once the status is stored, which says that the server has the password. It is nil if that is not known, or if
	// the password is about to change.
	holds *ConnectionSecret
	// keepsCertificates: the authorities of the server are not known, because what the provider config says of them is missing or wrong.
	keepsCertificates bool
}

var place = reconciliation.PartOf[part]("binding")

// Of returns the feature of a kind; nothing if its objects have no connection Secret. login is nil for a kind without one.
func Of(k *kind.Kind, secrets *Reader, writer client.Writer, login Login) feature.Set {
	if k.Binding == nil {
		return nil
	}
	b := &binding{k, secrets, writer, login}
	return feature.Set{{Observed: b.observed, Read: b.read, Publish: b.publish, Drop: b.drop, Recorded: recorded, Clear: clearMemory}}
}

// password returns what is known of the password; nothing for a kind without a login.
func (b *binding) password(in reconciliation.State) Password {
	if b.login == nil {
		return Password{}
	}
	return b.login.Password(in)
}

// observed adds the authorities of the server to its endpoint where the cloud does not report them and the provider config does. They matter to
// those alone who get a connection Secret.
func (b *binding) observed(ctx context.Context, in *reconciliation.State) {
	at := &in.Observation.Endpoint
	if b.login == nil || at.Host == "" || at.Certificates != "" || in.Want.GetConnection() == nil {
		return
	}
	certificates, known := in.Connection.DatabaseCA(ctx)
	at.Certificates = certificates
	now := place.In(in.Parts)
	now.keepsCertificates = !known
	place.Set(&in.Parts, now)
}

// recorded remembers what the connection Secret holds.
func recorded(in reconciliation.State, remembered *reconciliation.Memory) {
	if holds := place.In(in.Parts).holds; holds != nil {
		known := Remembered.In(remembered.Parts)
		known.Published = holds
		Remembered.Set(&remembered.Parts, known)
	}
}

// Usable reports whether a connection Secret may name the cloud object of an object: it is the object's own and works, and has all that the Secret names. What
// was just sent may not have arrived.
func Usable(in reconciliation.State) bool {
	return in.Observation.Available && plan.Ownership(in.View, in.Observation) == plan.Ours && !lacksLogin(in.Differences)
}

// lacksLogin reports whether changes say that something which the connection Secret names may not be in the cloud yet: the
// administrator, or the initial database.
func lacksLogin(changes []driver.Change) bool {
	return slices.ContainsFunc(changes, func(c driver.Change) bool {
		return c.Effect != driver.Impossible && (c.Field == driver.FieldUsername || c.Field == "databaseName")
	})
}

// clearMemory forgets what the connection Secret holds of the former cloud object.
func clearMemory(in *reconciliation.State) (store bool) {
	Forget(&in.Memory)
	return false
}
