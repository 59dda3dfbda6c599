package plan

import (
	"slices"
	"strconv"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/providers/driver"
)

// AcceptedPassword returns the serial of the password that the cloud accepted, as the status says; 0 if it says nothing.
func AcceptedPassword(status *v1alpha1.ResourceStatus) int {
	applied := status.Applied[FieldPassword]
	if len(applied) != 1 {
		return 0
	}
	serial, err := strconv.Atoi(applied[0])
	if err != nil {
		return 0
	}
	return serial
}

// NotePassword notes in a status which password the cloud accepted, by its serial; 0 for none.
func NotePassword(status *v1alpha1.ResourceStatus, accepted int) {
	switch {
	case accepted == AcceptedPassword(status):
	case accepted == 0:
		delete(status.Applied, FieldPassword)
	default:
		if status.Applied == nil {
			status.Applied = map[string][]string{}
		}
		status.Applied[FieldPassword] = []string{strconv.Itoa(accepted)}
	}
}

// NeverCreated reports whether it is sure that nothing was created for an object: the cloud refused every creation that was sent
// since the object was bound to its name and account. Then nothing in the cloud can be lost, wherever its provider config leads.
//
// There is a note in the status, which is written together with the first refusal, and one in memory. Both are removed, the first in
// the API server, before a creation is sent: after a crash in between neither is there. A creation that is sent again and refused
// again is noted in memory alone: else an object that waits for a quota would be written twice for each try. Of an object within a parent it is
// noted in the status again once the parent takes no creation, because the parent's deletion goes by that.
func NeverCreated(status *v1alpha1.ResourceStatus, m Memory) bool {
	return status.ExternalName != "" && (status.CreationRefused || m.CreationRefused)
}

// UserMissing reports whether the administrator is created by a call of its own, and gets the password with it.
func UserMissing(o driver.Observation) bool {
	return slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return c.Field == driver.FieldUsername })
}

// ManagesPassword reports whether the password of a server that exists is any of its object's business: if nobody asked for it, a server
// that was adopted keeps the one it has.
func ManagesPassword(k *kind.Kind, want v1alpha1.ResourceObject) bool {
	if !k.Login {
		return false
	}
	c := want.GetCredentials()
	return want.GetConnection() != nil || (c != nil && c.PasswordSecretRef != nil)
}

// A PasswordPlan is what is decided about the password of a server that was observed, or that is about to be created or taken over.
type PasswordPlan struct {
	password.Decision
	// Sent is the password that calls send; empty if none is to be touched. Changes are what differs because of it.
	Sent    driver.Password
	Changes []driver.Change
	// Stale: from here on the connection Secret may be behind the server.
	Stale bool
	// Refused is why no server is created or taken over before a person acts, once finalizer and binding are stored; nil if nothing keeps it.
	Refused error
}

// PasswordFacts are what was read about the password of a server that is about to be created or taken over.
type PasswordFacts struct {
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

// NeedsPassword reports whether an action creates or takes over a server whose password has to be decided about. What only lost its mark
// keeps the password that it has, and that of a copy was decided about before it was made.
func NeedsPassword(k *kind.Kind, a Action, v View, o driver.Observation) bool {
	return k.Login && (a.Verb == Create || a.Verb == Adopt && Ownership(v, o).TakenOver())
}

// PasswordFor decides about the password of a server that an action creates or takes over. It is nothing for other actions.
func PasswordFor(a Action, v View, o driver.Observation, read PasswordFacts) PasswordPlan {
	if read.Refused != nil {
		return PasswordPlan{Decision: password.Decision{State: read.State}, Refused: read.Refused}
	}
	p := PasswordPlan{}
	switch {
	case a.Verb == Create && read.Follows:
		return PasswordPlan{Decision: password.Decision{State: read.State.StartedOver(), Step: password.Nothing}}
	case a.Verb == Create && read.Restored:
		p.Decision = read.State.Restore(read.Wanted, read.Fresh)
	case a.Verb == Create:
		p.Decision = read.State.Create(read.Wanted, read.Fresh)
		p.Sent = driver.Password(p.State.Latest())
	case a.Verb == Adopt:
		p.Decision = read.State.TakeOver(Ownership(v, o) == OursBefore)
	default:
		return p
	}
	p.Stale = p.State.Serial != read.State.Serial || p.State.Superseded != read.State.Superseded
	return p
}

// ObservePassword compares the password that is wanted with the one that the cloud got, and says what differs. The cloud can't be asked: it
// never tells a password.
func ObservePassword(s password.State, seen password.Observation) PasswordPlan {
	p := PasswordPlan{Decision: s.Observe(seen)}
	p.Stale = seen.Refused && seen.Ready || p.State.Serial != s.Serial
	change := driver.Change{Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}
	switch p.Step {
	case password.Include:
		p.Sent = driver.Password(p.State.Latest())
		return p
	case password.Replace:
		change.Effect, change.Why = driver.Irreversible, WhyReplaced
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
