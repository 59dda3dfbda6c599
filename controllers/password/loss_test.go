package password

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// An environment is a server with a password, the Secrets and the status that are about it, and a process that may crash. It does
// what the reconciler does with decisions.
type environment struct {
	// What the API server has: the password Secret, what the status says was accepted, and the password in the connection Secret.
	secret     Stored
	accepted   int
	connection string
	// sent is what the process remembers.
	sent int

	// The cloud: exists says whether there is a server, and password which password it has. next is the one that it is about to have,
	// while setting. refused: it could not set the last one. taken: there is a server that this object has not taken over yet.
	exists, taken    bool
	password         string
	setting, refused bool
	next             string
	// busy: the cloud is at work on the server for other reasons, and takes no password. The server can be used all the same.
	// userless: its administrator was removed, so nobody can connect.
	busy, userless bool
	// unrecorded: a password was sent, and nothing says so: its answer was lost, or the status that tells of it.
	unrecorded bool
	// foreign: only others know the password. before: the server was made for this object before, so nobody else uses its password.
	// kept: it was restored with the password that was in force, so it has none that only others know.
	foreign, before, kept bool
	// recorded: finalizer and binding are stored, without which nothing is.
	recorded bool

	// What people do: the password that the spec names, an approval, and a class that can't be applied, so that nothing is sent.
	wanted   string
	approved bool
	stalled  bool

	// due: the period of the password has passed. dues counts how often it did, and rotations how often a password was made for that. now is the time.
	due             bool
	dues, rotations int
	now             int64
	// had are the passwords that servers of this object ever had.
	had     map[string]bool
	made    int
	serials map[int]string
	// fault returns whether a write is lost, its response is lost, or the process crashes after it.
	fault func() fault
	err   error
}

type fault int

const (
	none fault = iota
	requestLost
	responseLost
	crash
	faults
)

func (e *environment) failed(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// write does a write unless it is lost, and reports whether the process knows that it was done.
func (e *environment) write(do func()) bool {
	switch e.fault() {
	case requestLost:
		return false
	case responseLost:
		do()
		return false
	case crash:
		do()
		e.sent = 0
		return false
	default:
		do()
		return true
	}
}

func (e *environment) fresh() string {
	e.made++
	return fmt.Sprintf("made-%d", e.made)
}

func (e *environment) state() State { return State{e.secret, e.accepted, e.sent} }

// store stores a decision, if it says so, and reports whether the reconciliation goes on.
func (e *environment) store(d Decision) bool {
	return d.Store == Never || e.write(func() { e.put(d.State) })
}

// put stores a state.
func (e *environment) put(s State) {
	if s.Rotated && s.Next != e.secret.Next {
		if e.rotations++; e.rotations > e.dues {
			e.failed("the password is changed %d times, and its period passed %d times", e.rotations, e.dues)
		}
		if e.foreign && !e.kept || e.wanted != "" {
			e.failed("a password that Mooring did not make is changed by itself: %+v", s)
		}
	}
	if s.Confirmed != e.secret.Confirmed || s.Current != e.secret.Current {
		e.due = false // as the schedule says, which begins with each password
	}
	if s.Next != "" {
		if used, known := e.serials[s.Serial]; known && used != s.Next {
			e.failed("serial %d was of %q, and is of %q", s.Serial, used, s.Next)
		}
		e.serials[s.Serial] = s.Next
	}
	e.secret = s.Stored
	e.unrecorded = e.unrecorded && s.Next != ""
}

// reconcile does one reconciliation.
func (e *environment) reconcile() {
	switch {
	case !e.exists:
		e.create()
	case !e.taken:
		e.takeOver()
	default:
		e.update()
	}
}

func (e *environment) create() {
	if !e.carryOut(e.state().Create(e.wanted, e.fresh())) {
		return
	}
	password := e.secret.Latest()
	e.write(func() { e.exists, e.taken, e.busy = true, true, true; e.has(password) })
}

// has gives the server a password that Mooring knows.
func (e *environment) has(password string) {
	e.password, e.foreign, e.had[password] = password, false, true
}

func (e *environment) takeOver() {
	if e.carryOut(e.state().TakeOver(e.before)) {
		e.write(func() { e.taken, e.busy = true, true })
	}
}

// carryOut does what comes before a server is created or taken over, in the order that a decision says, and reports whether the
// reconciliation goes on. Any of the writes may be the last.
func (e *environment) carryOut(d Decision) bool {
	store := func(at StorePoint) bool {
		if d.Store != at {
			return true
		}
		return e.write(func() {
			if !e.recorded {
				e.failed("the password Secret is stored before the finalizer, and may be left behind")
			}
			e.put(d.State)
		})
	}
	if !store(AtOnce) || !e.recorded && !e.write(func() { e.recorded = true }) || !store(BeforeStartOver) {
		return false
	}
	e.sent = 0
	if !e.write(func() { e.accepted = 0 }) || !store(AfterStartOver) {
		return false
	}
	if d.Step == Include && (d.State.Latest() == "" || e.secret.Latest() != d.State.Latest()) {
		e.failed("a server is created with %q, and %+v is stored", d.State.Latest(), e.secret)
	}
	return true
}

func (e *environment) update() {
	e.now++
	d := e.state().Observe(Observation{
		Ready: !e.setting && !e.busy, Refused: e.refused, UserMissing: e.userless, Wanted: e.wanted, Fresh: e.fresh(),
		Due: e.due && !e.stalled, Now: time.Unix(e.now, 0),
	})
	e.sent = d.State.Sent
	if !e.store(d) {
		e.write(func() { e.accepted = max(e.accepted, d.State.Accepted) }) // the outcome is recorded all the same
		return
	}
	status := d.State.Accepted
	switch d.Step {
	case Nothing:
		if !e.publish(d.State.InForce()) {
			return
		}
	case Include:
		if !e.stalled && !e.write(func() { e.userless, e.refused, e.busy = false, false, true; e.has(d.State.Latest()) }) {
			return
		}
	case Replace, Send, Rotate:
		if e.stalled || d.Step == Replace && !e.approved {
			if !e.publish(d.State.InForce()) {
				return
			}
			break
		}
		if e.foreign && !e.approved && e.wanted == "" {
			e.failed("a password that only others know is replaced without approval")
		}
		if e.secret.Next != d.State.Next {
			e.failed("%q is sent, and is not stored", d.State.Next)
		}
		if !e.write(func() { e.accepted = status }) || !e.write(func() { e.setting, e.refused, e.next = true, false, d.State.Next }) {
			e.unrecorded = true
			return
		}
		accepted := d.State.Accept()
		e.sent, status = accepted.Sent, accepted.Accepted
		e.unrecorded = !e.write(func() { e.accepted = status }) || e.unrecorded
		return
	default:
		e.failed("it decides to %s", d.Step)
	}
	e.write(func() { e.accepted = status })
}

// publish writes a password into the connection Secret, if one is known, and reports whether the reconciliation goes on. The server has this
// password, unless another was sent and nothing says so.
func (e *environment) publish(password string) bool {
	if password == "" {
		return true
	}
	if password != e.password && !e.unrecorded {
		e.failed("%q is published, and the server has %q: %+v", password, e.password, e.state())
	}
	return e.write(func() { e.connection = password })
}

// finish ends what the cloud is at. It may fail, and the password may have arrived all the same.
func (e *environment) finish(fails, arrives bool) {
	e.busy = false
	if !e.setting {
		return
	}
	e.setting, e.refused = false, fails
	if !fails || arrives {
		e.has(e.next)
	}
}

// check demands what always holds: the server's password is stored, or another is about to be sent.
func (e *environment) check() {
	if !e.exists || e.foreign || e.refused || e.userless || e.secret.Next != "" || e.password == e.secret.Current || e.secret.Latest() == "" {
		return // without any password another is made
	}
	e.failed("the server has %q, and nothing is sent: %+v", e.password, e.secret)
}

// rest lets all work end without faults, and demands that everything agrees then.
func (e *environment) rest() {
	e.fault = func() fault { return none }
	e.stalled = false
	if e.exists && e.taken && e.wanted == "" && e.state().Rotatable() && !e.due {
		e.due = true
		e.dues++
	}
	for range 12 {
		e.reconcile()
		e.finish(false, true)
	}
	switch {
	case e.kept && e.secret.Foreign:
		e.failed("%q was in force when the server was restored, and is thought to be known to others only", e.password)
	case e.foreign && (e.approved || e.wanted != "" && e.wanted != "theirs"):
		e.failed("the password that only others know was not replaced")
	case e.secret.Foreign && e.wanted == "" && !e.approved: // it awaits approval, maybe again: an approved one may have been lost
		if e.connection != "" && e.connection != e.password {
			e.failed("the connection Secret has %q while approval is awaited, and the server has %q", e.connection, e.password)
		}
	case e.connection != e.password:
		e.failed("the connection Secret has %q, and the server has %q", e.connection, e.password)
	case e.due && e.wanted == "" && e.state().Rotatable():
		e.failed("the period of %q has passed, and it is not changed: %+v", e.password, e.secret)
	case e.wanted != "" && e.password != e.wanted:
		e.failed("the server has %q, and %q is wanted", e.password, e.wanted)
	}
}

// run plays what the bytes say: one byte an event, and one for each write that follows from it. faultless bytes end it.
func run(events []byte) error {
	e := &environment{serials: map[int]string{}, had: map[string]bool{}}
	next := func() (b byte) {
		if len(events) > 0 {
			b, events = events[0], events[1:]
		}
		return b
	}
	e.fault = func() fault {
		if b := next(); b < 100 { // most writes arrive
			return fault(b) % faults
		}
		return none
	}
	for len(events) > 0 && e.err == nil {
		switch b := next(); b % 16 {
		case 0:
			e.wanted = []string{"", "mine", "yours", "theirs"}[b/16%4]
		case 1:
			e.approved, e.stalled = b >= 128, b/16%4 == 0
		case 2, 3:
			e.finish(b >= 128, b/16%2 == 0)
		case 4:
			e.sent = 0 // a crash
		case 5: // the server is lost, and another is restored or made by others
			if !e.setting {
				e.restore(b >= 128, b/16%4 == 0, b/16%4 == 1)
			}
		case 6: // the server is lost, and is created anew
			if b >= 128 {
				e.exists, e.taken, e.setting, e.refused, e.kept, e.userless, e.busy = false, false, false, false, false, false, false
			}
		case 7: // the password Secret is lost, and with it all that is known of the server's password
			if b >= 192 {
				e.secret, e.serials, e.foreign, e.kept, e.due = Stored{}, map[int]string{}, false, false, false
			}
		case 8: // somebody removes the administrator
			if b >= 192 && e.exists && e.taken && !e.setting {
				e.userless, e.password = true, ""
			}
		case 9: // the cloud begins something else, such as a backup
			e.busy = e.exists && !e.setting && b >= 128
		case 10: // the period of the password passes
			if !e.due {
				e.due = true
				e.dues++
			}
		default:
			e.reconcile()
		}
		e.check()
	}
	if e.err == nil {
		e.rest()
	}
	return e.err
}

// restore puts a server in place that this object has to take over: one with the password that was in force, if there was one, as
// it comes from a snapshot; or else one of others. made: there was none before. before: it was made for this object. late: the snapshot is so
// late that it has the last password of the former server.
func (e *environment) restore(made, before, late bool) {
	if e.exists && (!made || !e.taken) {
		return
	}
	e.connection = "" // what was published before is of the former server
	former, known := e.password, e.state().confirmed().Current
	late = late && known != "" && former != "" && !e.foreign
	e.exists, e.taken, e.refused, e.password, e.foreign, e.before = true, false, false, "theirs", !before, before
	e.busy, e.userless = false, false
	switch {
	case known != "" && !e.had[known]:
		e.failed("%q counts as in force, and no server ever had it: the one that is restored has %q", known, former)
	case late:
		e.password, e.foreign = former, false
	case known != "":
		e.password, e.foreign = known, false
	}
	e.kept = e.password != "theirs"
}

// eventsOf are the events of a seed.
func eventsOf(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	events := make([]byte, 4+random.IntN(80))
	for i := range events {
		events[i] = byte(random.Uint32())
	}
	return events
}

// Whatever is lost and in whatever order: once it is at rest, the connection Secret has the password of the server.
func TestLosses(t *testing.T) {
	for seed := range uint64(200_000) {
		if events := eventsOf(seed); run(events) != nil {
			t.Fatalf("seed %d: %v, after %v", seed, run(events), events)
		}
	}
}

// The server is lost during a rotation, the status has forgotten what was accepted when a crash ends the creation of another, and a snapshot that has
// the new password is restored: the former one is not published. Few seeds come to that.
func TestLossOfWhatWasAccepted(t *testing.T) {
	for _, seed := range []uint64{267_527, 461_798, 508_203} {
		if events := eventsOf(seed); run(events) != nil {
			t.Errorf("seed %d: %v, after %v", seed, run(events), events)
		}
	}
}

func FuzzLosses(f *testing.F) {
	f.Add([]byte{8, 100, 100, 8, 100, 100, 100})
	f.Fuzz(func(t *testing.T, events []byte) {
		if err := run(events); err != nil {
			t.Error(err)
		}
	})
}
