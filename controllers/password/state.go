package password

import (
	"cmp"
	"time"
)

// FirstSerial is the serial of a password that the cloud got with the creation itself. All others are sent later, and have higher ones.
const FirstSerial = 1

// Stored is what the password Secret holds.
type Stored struct {
	// Current is the password that the server is known to have; empty if none is known.
	Current string
	// Next is the password that the server is to get; empty if there is none.
	Next string
	// Serial is that of Next, or of Current if there is no Next; 0 if there never was a password.
	Serial int
	// Named: the user's spec names Next; Mooring did not make it.
	Named bool
	// Foreign: the server has a password that only others know.
	Foreign bool
	// Superseded: the server may have got another password since Current, and nobody confirmed which one it has. Current is kept, because
	// a server that comes back may have it, and it is not published.
	Superseded bool
	// Rotated: Mooring made Next because the period of Current had passed.
	Rotated bool
	// Confirmed is when Current was confirmed, in Unix seconds; 0 if that is not known.
	Confirmed int64
}

// Latest is the password that the server has or will have.
func (s Stored) Latest() string {
	if s.Next != "" {
		return s.Next
	}
	return s.Current
}

// A State is all that is known of a server's password.
type State struct {
	Stored
	// Accepted is the serial that the cloud accepted, as the object's status says; 0 if it says nothing.
	Accepted int
	// Sent is the serial that this process knows to be accepted: the status that says so may have been lost. 0 if there is none.
	Sent int
}

// Step says what has to be done about a password.
type Step string

// What has to be done, after State was stored if Decision.Store says so.
const (
	// Nothing has to be sent.
	Nothing Step = "Nothing"
	// Wait: it can't be decided yet.
	Wait Step = "Wait"
	// Send: the next password has to be sent.
	Send Step = "Send"
	// Rotate: the next password has to be sent, because the period of the current one has passed.
	Rotate Step = "Rotate"
	// Replace: the next password has to be sent, and takes the place of one that only others know. It requires approval.
	Replace Step = "Replace"
	// Include: the latest password belongs into the call that creates the server or its administrator.
	Include Step = "Include"
)

// StorePoint says when a State is stored that was decided. The Secret and the object's status are two writes, and a crash may come between them:
// each order is the one after which the next reconciliation decides the same.
type StorePoint string

// StorePoint a State is stored.
const (
	// Never: the Secret holds what matters.
	Never StorePoint = ""
	// AtOnce: before anything else is written, sent or published.
	AtOnce StorePoint = "AtOnce"
	// BeforeStartOver: once finalizer and binding are stored, and before the status forgets the former server. The status says what that
	// server had accepted, which a server that was restored still has.
	BeforeStartOver StorePoint = "BeforeStartOver"
	// AfterStartOver: once the status has forgotten the former server, and before the creation is sent. Else what the former server had
	// accepted would be taken for the password of the new one.
	AfterStartOver StorePoint = "AfterStartOver"
)

// A Decision is what follows from an event.
type Decision struct {
	State State
	// Store says when State has to be stored. It is always before anything is sent, and before anything is published.
	Store StorePoint
	Step  Step
}

// decided returns a decision about a state that is stored at a time, if it has to be: if another was stored before.
func decided(s State, before Stored, store StorePoint, do Step) Decision {
	if s.Stored == before {
		store = Never
	}
	return Decision{State: s, Store: store, Step: do}
}

// Leftover is what a connection Secret says that was left with a server which is taken back.
type Leftover struct {
	// Password is empty if there is no such Secret, or if it is of another server.
	Password string
	// Undecided: there is a Secret, but the cloud does not say yet where the server is, so that the Secret may be of another one.
	Undecided bool
}

// An Observation is what was observed of a server that exists.
type Observation struct {
	// Ready: the server works, so what was accepted before is in force.
	Ready bool
	// Refused: the cloud reports that a password which it had accepted is not in force.
	Refused bool
	// UserMissing: the administrator does not exist yet, and is created with a password by a call of its own.
	UserMissing bool
	// CloudManaged: the cloud manages the password, so none that is stored is in force. TakenBack: it was to, and the spec has another source now. Else somebody
	// turned it on in the cloud.
	CloudManaged, TakenBack bool
	// Wanted is the password that the user's spec names; empty if it names none.
	Wanted string
	// Leftover counts only as long as no password is known or wanted.
	Leftover Leftover
	// Fresh is a random password, for the case that Mooring has to make one.
	Fresh string
	// Due: the period of a generated password has passed, and nothing keeps it from being changed.
	Due bool
	// Now is when that was observed.
	Now time.Time
}

// Observe decides what follows from an observation.
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

// StartedOver is the state of a server that takes the place of the former one: nothing was sent to it, and it accepted nothing.
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

// Restore decides about the password of a server that is about to be restored: it has the password of that time, until it gets the next one. wanted and
// fresh are as in Observation.
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

// TakeOver decides about the password of a server that is about to be taken over. What was meant for a server of our own, and was
// never confirmed, was not set by that server's creation. A password that was in force stays, because a server that was restored
// from a snapshot has it; without one only others know the server's. One that was to follow it may have reached the snapshot: that it was sent
// is not known for sure, because a status that began to start over has forgotten it. ours: the server was made for this object before.
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

// Follow decides about the password of a server that has the one of another server, its primary. While it is not known which one that has, nothing changes.
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

// Created is for a server that works: it has the password that its creation set, although nobody has looked since.
func (s State) Created() State {
	if s.Next != "" && s.Serial == FirstSerial && s.Accepted == 0 {
		s.Accepted = FirstSerial
	}
	return s
}

// Accept is for a cloud that accepted the password which was sent.
func (s State) Accept() State {
	s.Sent, s.Accepted = s.Serial, s.Serial
	return s
}

// ChangeFailed is for a change that the cloud had accepted and that came to nothing. It may have been the password: that counts as not
// accepted, and is sent again. What a creation set is in force since then.
func (s State) ChangeFailed() State {
	s.Sent = 0
	if s.Accepted != FirstSerial {
		s.Accepted = 0
	}
	return s
}

// Known is the password that the server was last known to have; empty if none ever was. Another may have reached it since, so Known may be
// wanted again, and only what is InForce may be published.
func (s State) Known() string { return s.confirmed().Current }

// InForce is the password that the server is known to have, and that may be published; empty if none is known.
func (s State) InForce() string {
	s = s.confirmed()
	if s.Superseded || s.Next != "" && s.taken() {
		return ""
	}
	return s.Current
}

// Pending is the password that the server is to get, or whose arrival is not confirmed; empty if there is none.
func (s State) Pending() string { return s.confirmed().Next }

// NextAccepted reports whether the cloud accepted the next password, which is not confirmed yet.
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
