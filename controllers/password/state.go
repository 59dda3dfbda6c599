package password

import (
	"cmp"
	"time"
)

// FirstSerial is the serial of the password that is set by the call that creates the server. Passwords that are sent
// later have higher serials.
const FirstSerial = 1

// Stored is the content of a password Secret.
type Stored struct {
	// Current is the password that the server is known to have; empty if none is known.
	Current string
	// Next is the password that the server is to get; empty if there is none.
	Next string
	// Serial is the serial of Next, or of Current if there is no Next. It is 0 if there was never a password.
	Serial int
	// Named: Next comes from the user's spec, and was not generated.
	Named bool
	// Foreign: the server has a password that Mooring does not know.
	Foreign bool
	// Superseded: the server may have another password than Current, because a later one was sent and not confirmed.
	// Current is kept, because a server that is restored may have it. It is not published.
	Superseded bool
	// Rotated: Next was generated because the period of Current had passed.
	Rotated bool
	// Confirmed is when Current was confirmed, in Unix seconds; 0 if that is not known.
	Confirmed int64
}

// Latest returns Next, or Current if there is no Next.
func (s Stored) Latest() string {
	if s.Next != "" {
		return s.Next
	}
	return s.Current
}

// A State is everything that is known of a server's password: the content of the Secret and the accepted serials.
type State struct {
	Stored
	// Accepted is the serial that the cloud accepted, as recorded in the object's status; 0 if none is recorded.
	Accepted int
	// Sent is the serial that the cloud accepted from this process; 0 if there is none. It counts even if the write of
	// the status was lost.
	Sent int
}

// A Step is what has to be done with a password.
type Step string

// The steps. If Decision.Store says so, State is stored before the step.
const (
	// Nothing: no password has to be sent.
	Nothing Step = "Nothing"
	// Wait: what to do can't be decided before the next observation.
	Wait Step = "Wait"
	// Send: the next password has to be sent.
	Send Step = "Send"
	// Rotate: the next password has to be sent, because the period of the current one has passed.
	Rotate Step = "Rotate"
	// Replace: the next password has to be sent. It replaces one that Mooring does not know, so the step requires
	// approval.
	Replace Step = "Replace"
	// Include: the latest password has to be part of the call that creates the server or its administrator.
	Include Step = "Include"
)

// A StorePoint says when a decided State is stored, relative to the write of the object's status. The Secret and the
// status are two writes, and the process may crash between them. The order is chosen so that the next reconciliation
// makes the same decision.
type StorePoint string

// The points at which a State is stored.
const (
	// Never: the Secret does not have to be written.
	Never StorePoint = ""
	// AtOnce: before anything else is written, sent or published.
	AtOnce StorePoint = "AtOnce"
	// BeforeStartOver: after finalizer and binding are stored, and before the former server is removed from the status.
	// The status says which password that server accepted; a restored server still has it.
	BeforeStartOver StorePoint = "BeforeStartOver"
	// AfterStartOver: after the former server is removed from the status, and before the creation is sent. Otherwise
	// the serial that the former server accepted would count for the new one.
	AfterStartOver StorePoint = "AfterStartOver"
)

// A Decision is the next state of a password, and what has to be done.
type Decision struct {
	State State
	// Store says when State has to be stored, relative to the other writes. It is always stored before a password is
	// sent or published.
	Store StorePoint
	// Step says what has to be done after State was stored.
	Step Step
}

// decided returns a decision about a state that is stored at a time, if it has to be: if another was stored before.
func decided(s State, before Stored, store StorePoint, do Step) Decision {
	if s.Stored == before {
		store = Never
	}
	return Decision{State: s, Store: store, Step: do}
}

// A Leftover is the password in a connection Secret that was retained, together with its server, when its object was
// deleted. It is used when the server is taken over again.
type Leftover struct {
	// Password is empty if there is no such Secret, or if it belongs to another server.
	Password string
	// Undecided: there is a Secret, but the cloud does not report the server's host yet. So it is not known whether the
	// Secret belongs to this server.
	Undecided bool
}

// An Observation is what was observed of a server that exists.
type Observation struct {
	// Ready: the server is ready, so a password that the cloud accepted earlier is in force.
	Ready bool
	// Refused: the cloud reports that it could not apply a password that it had accepted.
	Refused bool
	// UserMissing: the administrator does not exist yet. A separate call creates it with a password.
	UserMissing bool
	// CloudManaged: the cloud manages the password, so no stored password is in force. TakenBack: the spec asked for
	// that before, and asks for another source now. Without TakenBack, somebody enabled it in the cloud.
	CloudManaged, TakenBack bool
	// Wanted is the password that the user's spec names; empty if it names none.
	Wanted string
	// Leftover is used only while no password is known, and the spec names none.
	Leftover Leftover
	// Fresh is a random password, which is used if a new one is needed.
	Fresh string
	// Due: the period of a generated password has passed, and the password may be rotated now.
	Due bool
	// Now is the time of the observation.
	Now time.Time
}

// Observe decides what to do after an observation.
func (s State) Observe(o Observation) Decision {
	s = s.confirmed()
	before := s.Stored
	if s.Latest() == "" && o.Wanted == "" {
		if o.Leftover.Undecided {
			return Decision{State: s, Step: Wait}
		}
		if o.Leftover.Password != "" {
			s = s.propose(o.Leftover.Password, FirstSerial+1).promoted(o.Now)
		}
	}
	if o.UserMissing { // who is created gets a password of ours
		s.Foreign = false
	}
	s = s.renewed(o.Wanted, o.Fresh, FirstSerial+1)
	s = s.displaced(o)
	if o.UserMissing {
		return decided(s.superseded(), before, AtOnce, Include)
	}
	if o.Refused && o.Ready {
		s = s.ChangeFailed()
		if s.Next == "" { // it was thought to be in force
			s = s.propose(s.Current, FirstSerial)
		}
		s = s.superseded() // the next one may have reached the server all the same
	}
	s = s.rotated(o)
	if s.Next == "" || !o.Ready {
		return decided(s, before, AtOnce, Nothing)
	}
	if s.Sent == s.Serial {
		s.Accepted = s.Serial
	}
	switch {
	case s.Serial == FirstSerial && !o.Refused: // the creation set it: the status says so from now on, and the Secret with its next write
		s.Accepted = FirstSerial
		return Decision{State: s.promoted(time.Time{}), Step: Nothing}
	case s.taken() && !o.CloudManaged:
		return Decision{State: s.promoted(o.Now), Store: AtOnce, Step: Nothing}
	case s.Foreign && o.Wanted == "":
		return decided(s, before, AtOnce, Replace)
	case s.Rotating() && !o.Refused:
		return decided(s, before, AtOnce, Rotate)
	default:
		return decided(s, before, AtOnce, Send)
	}
}

// StartedOver returns the state for a new server that replaces the former one: no password was sent to it, and it
// accepted none.
func (s State) StartedOver() State {
	s.Accepted, s.Sent = 0, 0
	return s
}

// Create decides about the password of a server that is about to be created. wanted and fresh are as in Observation.
func (s State) Create(wanted, fresh string) Decision {
	s = s.StartedOver()
	before := s.Stored
	s.Foreign = false
	return decided(s.renewed(wanted, fresh, FirstSerial).superseded(), before, AfterStartOver, Include)
}

// Restore decides about the password of a server that is about to be restored. The server has the password of the time
// of the snapshot until the next one is set. wanted and fresh are as in Observation.
func (s State) Restore(wanted, fresh string) Decision {
	before := s.Stored
	next := cmp.Or(wanted, s.Latest(), fresh)
	s = s.StartedOver()
	s.Foreign, s.Named = false, wanted != ""
	if s.Next != next || s.Serial <= FirstSerial {
		s = s.propose(next, FirstSerial+1)
	}
	return decided(s.superseded(), before, AfterStartOver, Nothing)
}

// TakeOver decides about the password of a server that is about to be taken over. ours: the server was created for this
// object before.
//
// A stored password was not set by the creation of this server, so a next password that was meant for a creation has to
// be sent. A current password is kept, because a server that was restored from a snapshot has it. If there is none, the
// server's password is known only to others. A next password may have reached the server. That is not certain, because
// the status may have been reset meanwhile.
func (s State) TakeOver(ours bool) Decision {
	stored := s.Stored
	s = s.confirmed()
	if s.Next != "" && (s.Serial == FirstSerial || s.taken()) {
		s = s.propose(s.Next, FirstSerial)
	}
	s.Foreign = !ours && s.Current == ""
	if s = s.superseded(); s.Stored == stored {
		return Decision{State: s, Step: Nothing}
	}
	if s.Serial == 0 { // earlier releases can't do without one
		s.Serial = FirstSerial
	}
	return Decision{State: s, Store: BeforeStartOver, Step: Nothing}
}

// Follow decides about the password of a read replica, which has the password of its primary. Nothing changes while the
// password of the primary is not known.
func (s State) Follow(primary State) Decision {
	before, is := s.Stored, primary.InForce()
	switch {
	case is == "" && s.Latest() == "" && !s.Foreign: // only others know it
		s.Foreign, s.Serial = true, max(FirstSerial, s.Serial)
		return decided(s, before, AtOnce, Nothing)
	case is == "", is == s.InForce() && s.Next == "" && !s.Foreign:
		return Decision{State: s, Step: Nothing}
	}
	s = s.propose(is, FirstSerial+1).promoted(time.Time{})
	s.Accepted, s.Sent = s.Serial, s.Serial
	return decided(s, before, AtOnce, Nothing)
}

// Created returns the state of a server that is ready after its creation: the password of the creation is in force,
// even if no observation recorded that.
func (s State) Created() State {
	if s.Next != "" && s.Serial == FirstSerial && s.Accepted == 0 {
		s.Accepted = FirstSerial
	}
	return s
}

// Accept returns the state after the cloud accepted the password that was sent.
func (s State) Accept() State {
	s.Sent, s.Accepted = s.Serial, s.Serial
	return s
}

// ChangeFailed returns the state after the cloud failed to apply a change that it had accepted. The change may have
// been the password, so the password counts as not accepted, and is sent again. A password that the creation set stays
// accepted.
func (s State) ChangeFailed() State {
	s.Sent = 0
	if s.Accepted != FirstSerial {
		s.Accepted = 0
	}
	return s
}

// Known returns the last password that the server was known to have; empty if there never was one. The server may have
// another one by now. So Known may be sent again, but only InForce may be published.
func (s State) Known() string { return s.confirmed().Current }

// InForce returns the password that is known to be in force, and that may be published; empty if none is known.
func (s State) InForce() string {
	s = s.confirmed()
	if s.Superseded || s.Next != "" && s.taken() {
		return ""
	}
	return s.Current
}

// Pending returns the password that is to be set, or that was sent and is not confirmed yet; empty if there is none.
func (s State) Pending() string { return s.confirmed().Next }

// NextAccepted reports whether the cloud accepted the next password, and has not confirmed yet that it is in force.
func (s State) NextAccepted() bool {
	s = s.confirmed()
	return s.Next != "" && s.taken()
}

// confirmed is the state with what the status adds to the Secret: a password that the creation set is not worth a write of its own.
// Without a Secret, nothing was sent from it.
func (s State) confirmed() State {
	if s.Serial == 0 {
		s.Sent = 0
	}
	if s.Next != "" && s.Serial == FirstSerial && s.Accepted == FirstSerial {
		s = s.promoted(time.Time{})
	}
	return s
}

// taken reports whether the cloud is known to have accepted the next password.
func (s State) taken() bool { return s.Serial != 0 && (s.Sent == s.Serial || s.Accepted == s.Serial) }

// propose makes a password the next one, with a serial that was not used before and is low at least. The status may outlive the
// Secret, so its serial counts too. Nothing with the new serial was sent yet.
func (s State) propose(password string, low int) State {
	s.Next, s.Serial, s.Sent, s.Rotated = password, max(low, s.Serial+1, s.Accepted+1), 0, false
	return s
}

// promoted is the state after the server took the next password, which was confirmed at that time; zero if the time is not stored.
func (s State) promoted(confirmed time.Time) State {
	before := s.Confirmed
	s.Current, s.Next, s.Named, s.Foreign, s.Superseded, s.Rotated, s.Confirmed = s.Next, "", false, false, false, false, 0
	if !confirmed.IsZero() {
		s.Confirmed = max(confirmed.Unix(), before+1) // the time is what a schedule knows the password by
	}
	return s
}

// superseded is the state once the server may get the next password without being known to work: only when that one is confirmed it is known
// again which password the server has.
func (s State) superseded() State {
	s.Superseded = s.Current != "" && s.Next != ""
	return s
}

// displaced is the state of a server whose password the cloud manages: only that is in force, so there is a next one to take its place. Unless the
// spec takes it back, only others know the password, also once somebody has turned the management off again: that takes another password.
func (s State) displaced(o Observation) State {
	if !o.CloudManaged {
		return s
	}
	if s.Next != "" && s.Serial == FirstSerial { // it was in force before
		s.Accepted = FirstSerial
		s = s.promoted(time.Time{})
	}
	if s.Next == "" {
		s.Named = o.Wanted != ""
		s = s.propose(cmp.Or(o.Wanted, o.Fresh), FirstSerial+1)
	}
	s.Foreign = s.Foreign || !o.TakenBack
	return s.superseded()
}

// rotated is the state with a fresh next password in place of the one in force, whose period has passed, if nothing else is to be done about it.
func (s State) rotated(o Observation) State {
	if !o.Due || !o.Ready || o.Refused || o.Wanted != "" || !s.Rotatable() {
		return s
	}
	s = s.propose(o.Fresh, FirstSerial+1)
	s.Rotated = true
	return s
}

// renewed is the state with a next password if there is none yet, or if another is wanted: the one that is wanted, or a fresh one.
func (s State) renewed(wanted, fresh string, low int) State {
	withdrawn := s.Next != "" && s.Named && !s.taken() // the spec no longer names it, and no server has it
	if s.Latest() != "" && (wanted == "" && !withdrawn || wanted != "" && wanted == s.Latest()) {
		return s
	}
	s = s.superseded() // by the next password, if it was sent
	s.Named = wanted != ""
	if wanted == "" {
		wanted = fresh
	}
	return s.propose(wanted, low)
}
