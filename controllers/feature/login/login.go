package login

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Login is the administrator of servers of one kind. It implements binding.Login.
type Login struct {
	// api reads from the API server the Secrets that specs name; passwords reads and writes password Secrets, and connections reads connection Secrets.
	api         client.Reader
	passwords   *password.Store
	connections *binding.Reader
	// primary returns the object that stands for the very server that a read replica follows; nil if there is none.
	primary func(reconciliation.State) v1alpha1.ResourceObject
}

// part is what one reconciliation knows of the password.
type part struct {
	// secret is the password Secret as it was read; nil if it was not. plan is what is decided about the password.
	secret *password.Secret
	plan   decision
	// obsolete is the password Secret, as it was read, of a server whose password the cloud manages; nil if it is known that there is none.
	obsolete *password.Secret
	// unknown is why the connection Secret of a read replica is not written before a person acts; nil if nothing keeps it.
	unknown *identity.ValidationError
	// changing: the password of the primary is being changed, and nothing tells when it has come true.
	changing bool
	// rotationRefused is why a password whose period has passed is not changed before a person acts; nil if nothing keeps it.
	rotationRefused error
	// compared: it was found out what differs. settled: the spec was applied before, and nobody had to act: see isSettled.
	compared, settled bool
}

// memory is what is remembered of the password.
type memory struct {
	// sent is the serial of the password that the cloud accepted: the status that says so may have been lost. It is 0 if there is
	// none, or if the password Secret was lost.
	sent int
	// followed tells which password of its primary the password Secret of a read replica has: the primary's uid and the serial that its cloud accepted.
	followed string
}

var (
	place      = reconciliation.PartOf[part]("login")
	remembered = reconciliation.PartOf[memory]("login")
)

// New returns the login of a kind.
func New(api client.Reader, passwords *password.Store, connections *binding.Reader, primary func(reconciliation.State) v1alpha1.ResourceObject) *Login {
	return &Login{api, passwords, connections, primary}
}

// Features returns the feature of the kind.
func (l *Login) Features() feature.Set {
	return feature.Set{{
		Request: request, Failed: failed, Observed: observed, Compare: l.compare, Interpret: interpret, Plan: planLogin, Read: l.read, Prepare: l.prepare, Sent: sent, Publish: l.publish,
		Clear: clearMemory, Drop: l.drop, Due: due,
	}}
}

// Password implements binding.Login.
func (l *Login) Password(in reconciliation.State) binding.Password {
	now := place.In(in.Parts)
	p := binding.Password{Read: now.secret != nil, Changing: now.plan.State.Pending() != "", Managed: plan.CloudManages(in.Kind, in.Want), Withheld: now.rotationRefused}
	if p.Withheld == nil && now.unknown != nil {
		p.Withheld = now.unknown
	}
	if !p.Managed {
		p.Value = now.plan.State.InForce()
	}
	return p
}

// ReadPassword implements binding.Login.
func (l *Login) ReadPassword(ctx context.Context, in *reconciliation.State) error {
	r := l.begin(in)
	stored, err := r.readLogin(ctx)
	if err != nil {
		return err
	}
	if !stored.secret.Exists { // lost: the next reconciliation makes another, or finds the password again
		binding.Forget(&in.Memory)
		return outcome.ErrStale
	}
	r.secret, r.plan.State = stored.secret, stored.state
	r.end()
	return nil
}

// Found returns what actions look at of the password that Mooring stores.
func Found(in reconciliation.State) PasswordFound {
	now := place.In(in.Parts)
	return findPassword(in.Object, in.View.Concerning(in.Observation), in.Policy, now.plan.State, now.secret != nil)
}

// request adds who the administrator is, and whether the cloud is to manage the password.
func request(in *reconciliation.State, request *driver.Request) {
	if c := in.Want.GetCredentials(); c != nil && c.Username != nil {
		request.Username = *c.Username
	}
	request.CloudManaged, request.PasswordSet = plan.CloudManages(in.Kind, in.Want), plan.AcceptedPassword(in.Status()) > 0
}

// failed takes in that a change which the cloud had accepted came to nothing. It may have been the password.
func failed(in *reconciliation.State, _ string) {
	binding.Forget(&in.Memory)
	notePassword(in, password.State{Accepted: plan.AcceptedPassword(in.Status()), Sent: remembered.In(in.Memory.Parts).sent}.ChangeFailed())
}

// observed hides where the cloud keeps a password that it is not to manage: that is nobody's way to the password.
func observed(_ context.Context, in *reconciliation.State) {
	if !in.Request.CloudManaged {
		in.Observation.Endpoint.PasswordSecret = ""
		if in.Observation.Login != nil {
			login := *in.Observation.Login
			login.PasswordProblem, in.Observation.Login = "", &login
		}
	}
	in.KeepsPrimary = wasPromoted(in)
}

// interpret says that a new password is on its way.
func interpret(in *reconciliation.State) []driver.Change {
	in.View.Rotates = place.In(in.Parts).plan.State.Rotating() && !in.Observation.Login.GetPasswordRefused()
	return nil
}

// clearMemory removes what is remembered of the password of the former server.
func clearMemory(in *reconciliation.State) (store bool) {
	m := remembered.In(in.Memory.Parts)
	m.sent = 0
	remembered.Set(&in.Memory.Parts, m)
	return false
}

// notePassword notes in the status and in memory which password the cloud accepted.
func notePassword(in *reconciliation.State, s password.State) {
	noteSent(in, s.Sent)
	plan.NotePassword(in.Status(), s.Accepted)
}

// noteSent remembers the serial of the password that the cloud accepted.
func noteSent(in *reconciliation.State, serial int) {
	m := remembered.In(in.Memory.Parts)
	m.sent = serial
	remembered.Set(&in.Memory.Parts, m)
}
