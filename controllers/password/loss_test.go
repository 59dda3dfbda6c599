package password

import (
	"fmt"
	"math/rand/v2"
	"testing"
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

	// The cloud: exists says whether there is a server, and password which password it has. setting is the one that it is about to
	// have. refused: it could not set the last one. taken: there is a server that this object has not taken over yet.
	exists, taken    bool
	password         string
	setting, refused bool
	next             string
	// foreign: only others know the password.
	foreign bool

	// What people do: the password that the spec names, and an approval.
	wanted   string
	approved bool

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
	if !d.Store {
		return true
	}
	return e.write(func() {
		if n := d.State; n.Next != "" {
			if used, known := e.serials[n.Serial]; known && used != n.Next {
				e.failed("serial %d was of %q, and is of %q", n.Serial, used, n.Next)
			}
			e.serials[n.Serial] = n.Next
		}
		e.secret = d.State.Stored
	})
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
	d := e.state().Create(e.wanted, e.fresh())
	e.sent = d.State.Sent
	if !e.store(d) {
		return
	}
	e.write(func() { e.exists, e.taken, e.password = true, true, d.State.Latest() })
}

func (e *environment) takeOver() {
	d := e.state().TakeOver(false)
	if !e.store(d) {
		return
	}
	if e.sent = 0; e.write(func() { e.accepted = 0 }) {
		e.write(func() { e.taken = true })
	}
}

func (e *environment) update() {
	d := e.state().Observe(Observation{Ready: !e.setting, Refused: e.refused, Wanted: e.wanted, Fresh: e.fresh()})
	e.sent = d.State.Sent
	if !e.store(d) {
		e.write(func() { e.accepted = d.State.Accepted }) // the outcome is recorded all the same
		return
	}
	status := d.State.Accepted
	switch d.Do {
	case Nothing:
		if !e.setting && d.State.Current != "" && !e.write(func() { e.connection = d.State.Current }) {
			return
		}
	case Replace, Send:
		if d.Do == Replace && !e.approved {
			break
		}
		if e.foreign && !e.approved && e.wanted == "" {
			e.failed("a password that only others know is replaced without approval")
		}
		if e.secret.Next != d.State.Next {
			e.failed("%q is sent, and is not stored", d.State.Next)
		}
		if !e.write(func() { e.accepted = status }) || !e.write(func() { e.setting, e.refused, e.next = true, false, d.State.Next }) {
			return
		}
		accepted := d.State.Accept()
		e.sent, status = accepted.Sent, accepted.Accepted
	default:
		e.failed("it decides to %s", d.Do)
	}
	e.write(func() { e.accepted = status })
}

// finish ends what the cloud is at. It may fail.
func (e *environment) finish(fails bool) {
	if !e.setting {
		return
	}
	e.setting, e.refused = false, fails
	if !fails {
		e.password, e.foreign = e.next, false
	}
}

// check demands what always holds: the server's password is stored, or another is about to be sent.
func (e *environment) check() {
	if !e.exists || e.foreign || e.refused || e.secret.Next != "" || e.password == e.secret.Current {
		return
	}
	e.failed("the server has %q, and nothing is sent: %+v", e.password, e.secret)
}

// rest lets all work end without faults, and demands that everything agrees then.
func (e *environment) rest() {
	e.fault = func() fault { return none }
	for range 12 {
		e.reconcile()
		e.finish(false)
	}
	switch {
	case e.foreign && (e.approved || e.wanted != "" && e.wanted != "theirs"):
		e.failed("the password that only others know was not replaced")
	case e.secret.Foreign && e.wanted == "" && !e.approved: // it awaits approval, maybe again: an approved one may have been lost
		if e.connection != "" && e.connection != e.password {
			e.failed("the connection Secret has %q while approval is awaited, and the server has %q", e.connection, e.password)
		}
	case e.connection != e.password:
		e.failed("the connection Secret has %q, and the server has %q", e.connection, e.password)
	case e.wanted != "" && e.password != e.wanted:
		e.failed("the server has %q, and %q is wanted", e.password, e.wanted)
	}
}

// run plays what the bytes say: one byte an event, and one for each write that follows from it. faultless bytes end it.
func run(events []byte) error {
	e := &environment{serials: map[int]string{}}
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
			e.approved = b >= 128
		case 2, 3:
			e.finish(b >= 128)
		case 4:
			e.sent = 0 // a crash
		case 5: // the server is lost, and another is restored or made by others
			if !e.setting {
				e.restore(b >= 128)
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
// it comes from a snapshot; or else one of others. made: there was none before.
func (e *environment) restore(made bool) {
	if e.exists && (!made || !e.taken) {
		return
	}
	e.connection = "" // what was published before is of the former server
	e.exists, e.taken, e.refused, e.password, e.foreign = true, false, false, "theirs", true
	if known := e.state().InForce(); known != "" {
		e.password, e.foreign = known, false
	}
}

// Whatever is lost and in whatever order: once it is at rest, the connection Secret has the password of the server.
func TestLosses(t *testing.T) {
	for seed := range uint64(200_000) {
		random := rand.New(rand.NewPCG(seed, 0))
		events := make([]byte, 4+random.IntN(80))
		for i := range events {
			events[i] = byte(random.Uint32())
		}
		if err := run(events); err != nil {
			t.Fatalf("seed %d: %v, after %v", seed, err, events)
		}
	}
}

func FuzzLosses(f *testing.F) {
	f.Add([]byte{6, 100, 100, 6, 100, 100, 100})
	f.Fuzz(func(t *testing.T, events []byte) {
		if err := run(events); err != nil {
			t.Error(err)
		}
	})
}
