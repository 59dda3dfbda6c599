package identity

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// gates are the gates of all accounts. One lock is enough for them: what is done under it is short.
type gates struct {
	mu sync.Mutex
	// width is how many one gate lets in at most, and how many all silent gates hold together.
	width int
	now   func() time.Time
	// waited is told how long somebody waited who got in; nil for nobody.
	waited    func(provider string, wait time.Duration)
	all       map[gateKey]*gate
	entrances map[Key]*Entrance
	// waiting says at which gate somebody waits, or is expected after a call.
	waiting map[any]*gate
	// silent are those whose last call went unanswered. Who took a place last is last.
	silent []*gate
}

// A gateKey says whose a gate is: an account's, or a config's while its account is not known.
type gateKey struct {
	config   Key
	provider string
	account  driver.AccountID
	endpoint string
}

func newGates(width int, now func() time.Time) *gates {
	return &gates{width: width, now: now, all: map[gateKey]*gate{}, entrances: map[Key]*Entrance{}, waiting: map[any]*gate{}}
}

// An Entrance is where the objects of one config come to the gate of their account. Configs that lead to the same
// account have an entrance each, and one gate.
type Entrance struct {
	gates *gates
	gate  *gate
	// provider is the cloud that the config leads to.
	provider string
}

// entrance returns the entrance for a config, which leads to a cloud. A new one leads to the gate of first.
func (all *gates) entrance(config Key, provider string, first gateKey) *Entrance {
	all.mu.Lock()
	defer all.mu.Unlock()
	e := all.entrances[config]
	if e == nil {
		e = &Entrance{gates: all, gate: all.of(first)}
		all.entrances[config] = e
	}
	e.provider = provider
	return e
}

// Enter takes a place for whoever who identifies, and returns the function that gives it back;
// answered says whether the cloud answered at all. If there is no place it returns nil, and call is called
// once there is one, for who to enter again; it must not call back here. Enter never blocks.
func (e *Entrance) Enter(who any, rank Rank, call func()) (leave func(answered bool)) {
	e.gates.mu.Lock()
	defer e.gates.mu.Unlock()
	return e.gate.enter(waiter{who: who, rank: rank, call: call, via: e})
}

// Degraded reports whether the account's last call got no answer, so that its objects have one slot at most, and share that
// with other such accounts.
func (e *Entrance) Degraded() bool {
	e.gates.mu.Lock()
	defer e.gates.mu.Unlock()
	return e.gate.silent
}

// dequeue drops somebody who waits or was called, wherever that is: the slot is the next one's.
func (all *gates) dequeue(who any) {
	g := all.waiting[who]
	if g == nil {
		return
	}
	g.forget(who)
	g.admit()
	if g.silent {
		all.admit()
	}
}

// entered tells how long somebody waited.
func (all *gates) entered(w waiter) {
	if all.waited != nil {
		all.waited(w.via.provider, all.now().Sub(w.since))
	}
}

// accounts returns the use of all gates.
func (all *gates) accounts() (accounts []telemetry.Account) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for key, g := range all.all {
		provider := key.provider
		if e := all.entrances[key.config]; e != nil && provider == "" {
			provider = e.provider
		}
		accounts = append(accounts, telemetry.Account{
			Provider: provider, ID: string(key.account), Limit: g.width, InFlight: g.inside, Queued: len(g.places),
		})
	}
	return accounts
}

// lead makes an entrance lead to the gate of key. Who waits goes over to it; who is inside leaves by the gate they
// came in.
func (e *Entrance) lead(key gateKey) {
	e.gates.mu.Lock()
	defer e.gates.mu.Unlock()
	from, to := e.gate, e.gates.of(key)
	if from == to {
		return
	}
	e.gate = to
	for _, w := range from.takeOut(e) {
		to.line(w, false)
	}
	to.admit()
	e.gates.prune()
}

// forget closes the entrance of a config that is gone.
func (all *gates) forget(config Key) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.entrances, config)
	all.prune()
}

func (all *gates) of(key gateKey) *gate {
	g := all.all[key]
	if g == nil {
		g = newGate(all)
		all.all[key] = g
	}
	return g
}

// prune drops the gates to which no entrance leads and in which nobody is.
func (all *gates) prune() {
	used := map[*gate]bool{}
	for _, e := range all.entrances {
		used[e.gate] = true
	}
	idle := func(g *gate) bool { return !used[g] && g.inside == 0 }
	maps.DeleteFunc(all.waiting, func(_ any, g *gate) bool { return idle(g) })
	maps.DeleteFunc(all.all, func(_ gateKey, g *gate) bool { return idle(g) })
	all.silent = slices.DeleteFunc(all.silent, idle)
}

// missed notes that a call of a gate went unanswered.
func (all *gates) missed(g *gate) {
	if !g.silent {
		g.silent = true
		all.silent = append(all.silent, g)
	}
}

// heard notes that a call of a gate was answered.
func (all *gates) heard(g *gate) {
	if g.silent {
		g.silent = false
		all.silent = slices.DeleteFunc(all.silent, func(other *gate) bool { return other == g })
	}
}

// took notes that somebody took a place, or was given one: if there are few, it is the others' turn now.
func (all *gates) took(g *gate) {
	if g.silent {
		all.heard(g)
		all.missed(g)
	}
}

// room is how many more the silent gates may let in, all together.
func (all *gates) room() int {
	room := all.width
	for _, g := range all.silent {
		room -= g.inside + g.coming()
	}
	return room
}

// admit lets silent gates call, one after the other.
func (all *gates) admit() {
	for _, g := range slices.Clone(all.silent) {
		g.admit()
	}
}
