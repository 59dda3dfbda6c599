package login

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// userMissing reports whether the administrator is created by a call of its own, and gets the password with it.
func userMissing(o driver.Observation) bool {
	return slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return c.Field == driver.FieldUsername })
}

// managesPassword reports whether the password of a server that exists is any of its object's business: if nobody asked for it, a server
// that was adopted keeps the one it has.
func managesPassword(k *kind.Kind, want v1alpha1.ResourceObject) bool {
	if !k.Login {
		return false
	}
	c := want.GetCredentials()
	return want.GetConnection() != nil || (c != nil && c.PasswordSecretRef != nil)
}

// A decision is what is decided about the password of a server that was observed, or that is about to be created or taken over.
type decision struct {
	password.Decision
	// Sent is the password that calls send; empty if none is to be touched. Changes are what differs because of it.
	Sent    driver.Password
	Changes []driver.Change
	// Stale: from here on the connection Secret may be behind the server.
	Stale bool
	// Refused is why no server is created or taken over before a person acts, once finalizer and binding are stored; nil if nothing keeps it.
	Refused error
}

// facts are what was read about the password of a server that is about to be created or taken over.
type facts struct {
	State password.State
	// Wanted is the password that the spec names; empty if it names none. Fresh is a random one, for the case that Mooring has to make one.
	Wanted, Fresh string
	// Restored: the server is made of a snapshot, whose password it has at first.
	Restored bool
	// Follows: the server follows another one, and has the password of that.
	Follows bool
	// Refused is why the password can't be used; nil if it can.
	Refused error
}

// needsPassword reports whether an action creates or takes over a server whose password has to be decided about. What only lost its mark
// keeps the password that it has, and that of a copy was decided about before it was made.
func needsPassword(k *kind.Kind, a plan.Action, v plan.View, o driver.Observation) bool {
	return k.Login && (a.Verb == plan.Create || a.Verb == plan.Adopt && plan.Ownership(v, o).TakenOver())
}

// decideFor decides about the password of a server that an action creates or takes over. It is nothing for other actions.
func decideFor(a plan.Action, v plan.View, o driver.Observation, read facts) decision {
	if read.Refused != nil {
		return decision{Decision: password.Decision{State: read.State}, Refused: read.Refused}
	}
	p := decision{}
	switch {
	case a.Verb == plan.Create && read.Follows:
		return decision{Decision: password.Decision{State: read.State.StartedOver(), Step: password.Nothing}}
	case a.Verb == plan.Create && read.Restored:
		p.Decision = read.State.Restore(read.Wanted, read.Fresh)
	case a.Verb == plan.Create:
		p.Decision = read.State.Create(read.Wanted, read.Fresh)
		p.Sent = driver.Password(p.State.Latest())
	case a.Verb == plan.Adopt:
		p.Decision = read.State.TakeOver(plan.Ownership(v, o) == plan.OursBefore)
	default:
		return p
	}
	p.Stale = p.State.Serial != read.State.Serial || p.State.Superseded != read.State.Superseded
	return p
}

// decideObserved compares the password that is wanted with the one that the cloud got, and says what differs. The cloud can't be asked: it
// never tells a password.
func decideObserved(s password.State, seen password.Observation) decision {
	p := decision{Decision: s.Observe(seen)}
	p.Stale = seen.Refused && seen.Ready || p.State.Serial != s.Serial
	change := driver.Change{Field: plan.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}
	switch p.Step {
	case password.Include:
		p.Sent = driver.Password(p.State.Latest())
		return p
	case password.Replace:
		change.Effect, change.Why = driver.Irreversible, plan.WhyReplaced
	case password.Send, password.Rotate:
	case password.Nothing, password.Wait:
		return p
	}
	if seen.CloudManaged {
		change = takeBack(seen.Wanted != "", seen.TakenBack && p.Step != password.Replace)
	}
	p.Sent, p.Changes = driver.Password(p.State.Next), []driver.Change{change}
	return p
}
