package traffic

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"
)

// A FaultKind is a way for a call to go wrong.
type FaultKind string

// The kinds of faults. Each service answers those with a status in its own dialect.
const (
	Latency      FaultKind = "latency"       // answered after Delay
	Throttled    FaultKind = "throttled"     // 429, 503 SlowDown or Throttling; nothing is committed
	ServerError  FaultKind = "server-error"  // 500; nothing is committed
	Denied       FaultKind = "denied"        // 403; nothing is committed
	Hang         FaultKind = "hang"          // no answer until the caller gives up or the cloud closes; nothing is committed
	RequestLost  FaultKind = "request-lost"  // the connection is cut before anything is committed
	ResponseLost FaultKind = "response-lost" // committed, then the connection is cut
	Refused      FaultKind = "refused"       // with Status, Code and Message; nothing is committed
	Conflict     FaultKind = "conflict"      // 409 (or 412 where the service guards by version); nothing is committed
	Stale        FaultKind = "stale"         // a read answers from before the last write of the resource; lists miss the newest
	FailLate     FaultKind = "fail-late"     // accepted, but the long operation it starts ends in an error
	// Something else answers in the cloud's place with status 200, as a captive proxy does; nothing is committed.
	Page        FaultKind = "page"         // a page of HTML
	Blank       FaultKind = "blank"        // nothing
	ForeignXML  FaultKind = "foreign-xml"  // a document in XML
	ForeignJSON FaultKind = "foreign-json" // an object of JSON
	Cut         FaultKind = "cut"          // committed, but only half of the answer arrives, as if it were whole
)

// A Fault makes the calls that its Filter selects go wrong.
type Fault struct {
	Filter
	Body  string // a part of the bodies of the calls that it hits, such as a parameter's name; empty for all
	Kind  FaultKind
	Delay time.Duration // for Latency
	Times int           // how many calls it hits; 0 means until removed
	Skip  int           // how many matching calls it lets pass first
	// Status, Code and Message are those of a Refused call. Code and Message are also those of the error in which the operation of a FailLate ends in Cloud SQL; empty for an internal error. In RDS, Code is
	// the status in which a restore ends; empty for restore-error. The final snapshot of a deletion fails too if Code is failed.
	Status        int
	Code, Message string
	Hook          func(Call) // called (on the serving goroutine) when it hits, after the commit if there is one
}

// Faults is the set of faults in force. It is safe for concurrent use.
type Faults struct {
	mu      sync.Mutex
	active  []*Fault
	hanging atomic.Int64
}

// Hanging returns how many calls hang now. One that its caller gave up hangs until it is in the ledger.
func (f *Faults) Hanging() int { return int(f.hanging.Load()) }

// Hang counts a call that hangs until the returned function is called.
func (f *Faults) Hang() (end func()) {
	f.hanging.Add(1)
	return func() { f.hanging.Add(-1) }
}

// Add puts a fault in force and returns the function that lifts it.
func (f *Faults) Add(fault Fault) (lift func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &fault
	if p.Times == 0 {
		p.Times = -1
	}
	f.active = append(f.active, p)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		p.Times = 0
	}
}

// Reset lifts all faults.
func (f *Faults) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = nil
}

// Take returns the first fault that hits c, counting it down.
func (f *Faults) Take(c Call, body []byte) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.active {
		if p.Times == 0 || !p.matches(&c) || !bytes.Contains(body, []byte(p.Body)) {
			continue
		}
		if p.Skip > 0 {
			p.Skip--
			continue
		}
		if p.Times > 0 {
			p.Times--
		}
		return *p, true
	}
	return Fault{}, false
}
