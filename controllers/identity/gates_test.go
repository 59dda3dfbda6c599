package identity

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// to has visitors come by the entrance of a config whose account is not known.
func (v *visitors) to(config string) *Entrance {
	key := Key{Name: config}
	v.gate = v.gates.entrance(key, "aws", gateKey{config: key})
	return v.gate
}

// account is the key of an account's gate.
func account(id driver.AccountID) gateKey { return gateKey{provider: "aws", account: id} }

// Configs that lead to one account have its places together, and not each.
func TestConfigsOfOneAccountShareItsGate(t *testing.T) {
	v := newVisitors(t, 2)
	v.to("a").lead(account("111"))
	v.enters("a1", Routine)
	v.to("b").lead(account("111"))
	v.enters("b1", Routine)
	v.waits("b2", Routine)
	v.to("c").lead(account("222"))
	v.enters("c1", Routine)
	v.leave["a1"](true)
	v.areCalled("b2")
}

// Who waits when the account becomes known goes over in order; who is inside leaves by the gate they came in.
func TestWhoWaitsGoesOver(t *testing.T) {
	v := newVisitors(t, 1)
	v.to("a").lead(account("111"))
	v.enters("a1", Routine)
	v.waits("a2", Routine)
	b := v.to("b")
	v.enters("b1", Routine)
	v.waits("b2", Routine)
	v.waits("b3", Wanted)
	b.lead(account("111"))
	v.areCalled()
	v.leave["b1"](true) // nobody is there any more
	v.areCalled()
	for _, next := range []string{"b3", "a2", "b2"} {
		v.leave["a1"](true)
		v.areCalled(next)
		v.enters(next, Routine)
		v.leave["a1"] = v.leave[next]
	}
}

// Who goes over is called at once if there are places.
func TestWhoGoesOverIsCalled(t *testing.T) {
	v := newVisitors(t, 1)
	b := v.to("b")
	v.enters("b1", Routine)
	v.waits("b2", Routine)
	b.lead(account("111"))
	v.areCalled("b2")
	v.enters("b2", Routine)
}

// However many accounts do not answer, together they hold no more than one may, and a healthy one has its places.
func TestSilentAccountsShareOneWidth(t *testing.T) {
	v := newVisitors(t, 2)
	for _, config := range []string{"a", "b", "c"} { // all fall silent
		v.to(config)
		v.enters(config+"1", Routine)
		v.leave[config+"1"](false)
	}
	for _, config := range []string{"a", "b"} {
		v.to(config)
		v.enters(config+"1", Routine)
		v.waits(config+"2", Routine)
	}
	v.to("c")
	v.waits("c1", Routine)
	v.waits("c2", Routine)
	v.to("healthy")
	v.enters("h1", Routine)
	v.enters("h2", Routine)
	v.areCalled()

	v.leave["a1"](false) // its place goes to who has had none
	v.areCalled("c1")
	v.to("c")
	v.enters("c1", Routine)
	v.leave["b1"](false)
	v.areCalled("a2")
	v.leave["c1"](true) // it answers, and is no longer among the silent
	v.areCalled("c2", "b2")
}

// What leads nowhere is not remembered, silent or not.
func TestGatesAreDropped(t *testing.T) {
	v := newVisitors(t, 2)
	v.to("a")
	v.enters("a1", Routine)
	v.leave["a1"](false)
	v.enters("a1", Routine)
	v.gate.lead(account("111"))
	v.leave["a1"](false) // somebody was inside the old one still
	v.enters("a2", Routine)
	v.leave["a2"](false)
	if n := len(v.gates.silent); n != 2 {
		t.Fatalf("%d silent gates: this test shows nothing", n)
	}
	v.gate.lead(account("222"))
	if all, silent := len(v.gates.all), len(v.gates.silent); all != 2 || silent != 0 { // the visitors' first, and this
		t.Errorf("%d gates, %d silent", all, silent)
	}
}

// A place that is kept for somebody who never comes is given to another account's.
func TestSilentAccountsDoNotWaitForTheDead(t *testing.T) {
	v := newVisitors(t, 1)
	for _, config := range []string{"a", "b"} {
		v.to(config)
		v.enters(config+"1", Routine)
		v.leave[config+"1"](false)
	}
	v.to("a")
	v.enters("a1", Routine)
	v.waits("deleted", Routine)
	v.to("b")
	v.waits("b1", Routine)
	v.leave["a1"](true) // answers
	v.areCalled("deleted", "b1")
	v.enters("b1", Routine)
	v.leave["b1"](false)
	v.to("a")
	v.now = v.now.Add(patience)
	v.enters("a2", Routine)
	v.leave["a2"](false)
	v.enters("a2", Routine)
	v.waits("deleted", Routine)
	v.to("b")
	v.waits("b1", Routine)
	v.leave["a2"](false)
	v.areCalled("b1") // who had a place last is last
	v.now = v.now.Add(patience)
	v.waits("b2", Routine)
	v.areCalled("deleted")
}

// Many hanging accounts, with many objects each: places are never too many, and everybody has a turn.
func TestSilentAccountsTakeTurns(t *testing.T) {
	const width, accounts, objects = 3, 7, 4
	now := time.Unix(0, 0)
	all := newGates(width, func() time.Time { return now })
	type object struct{ account, n int }
	var queue []object
	doors := map[int]*Entrance{}
	for a := range accounts {
		key := Key{Name: fmt.Sprint(a)}
		doors[a] = all.entrance(key, "aws", gateKey{config: key})
		doors[a].Enter("first", Routine, func() {})(false)
		for n := range objects {
			queue = append(queue, object{a, n})
		}
	}
	turns := map[object]int{}
	var inside []func(bool)
	for range 1000 {
		if len(queue) > 0 {
			o := queue[0]
			queue = queue[1:]
			if leave := doors[o.account].Enter(o, Routine, func() { queue = append(queue, o) }); leave != nil {
				turns[o]++
				inside = append(inside, func(answered bool) { leave(answered); queue = append(queue, o) })
			}
			if len(inside) > width {
				t.Fatalf("%d are inside", len(inside))
			}
			continue
		}
		if len(inside) == 0 {
			t.Fatal("nobody is inside, and nobody is called")
		}
		leave := inside[0]
		inside = inside[1:]
		leave(false)
	}
	least, most := 1000, 0
	for a := range accounts {
		for n := range objects {
			least, most = min(least, turns[object{a, n}]), max(most, turns[object{a, n}])
		}
	}
	if least < 5 || most > 2*least {
		t.Errorf("somebody had %d turns, and somebody else %d", least, most)
	}
}

// The account that the cloud names decides about the gate; before it answers, what is remembered in the config does.
func TestConnectionsEnterByAccount(t *testing.T) {
	gateOf := func(h *house, use Use) *gate {
		t.Helper()
		c, err := h.Connect(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		if h.cloud.identity == nil {
			if _, err := c.Account(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return c.Gate.gate
	}
	other := teamConfig()
	other.Namespace, other.UID = "bakery", "uid-bakery"
	bakery := Use{Key: Key{KindProviderConfig, "bakery", "team"}, Namespace: "bakery"}
	abroad := team
	abroad.Location = "us-east-1"
	for _, tt := range []struct {
		name                string
		bakery              string // whose keys the bakery has
		hangs               bool
		remembered          driver.AccountID
		wantOne, wantAbroad bool
	}{
		{name: "one account", bakery: "111", wantOne: true, wantAbroad: true},
		{name: "two accounts", bakery: "222", wantAbroad: true},
		{name: "not known", bakery: "111", hangs: true, wantAbroad: true},
		{name: "not known any more", bakery: "111", hangs: true, remembered: "111", wantOne: true, wantAbroad: true},
		{name: "remembered wrongly", bakery: "222", remembered: "111", wantAbroad: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shop, theirs := teamConfig(), other.DeepCopy()
			for _, c := range []*v1alpha1.ProviderConfig{shop, theirs} {
				c.Status.Provider, c.Status.AccountID = "aws", string(tt.remembered)
			}
			h := newHouse(t, shop, keys("shop", "keys", "111"), theirs, keys("bakery", "keys", tt.bakery))
			if tt.hangs {
				h.cloud.identity = &driver.Error{Code: driver.Unavailable, Op: "GetCallerIdentity", Message: "no answer"}
			}
			mine := gateOf(h, team)
			if got := gateOf(h, bakery) == mine; got != tt.wantOne {
				t.Errorf("two configs have one gate: %t", got)
			}
			if got := gateOf(h, abroad) == mine; got != tt.wantAbroad {
				t.Errorf("two regions have one gate: %t", got)
			}
			h.forget(team.Key)
			h.forget(bakery.Key)
			if n := len(h.gates.all); n != 0 {
				t.Errorf("%d gates that lead nowhere", n)
			}
		})
	}
}

// What is shown of the places is by account, and of configs whose account nobody has said, by cloud alone.
func TestPlacesAreShown(t *testing.T) {
	v := newVisitors(t, 1)
	v.gates.forget(Key{}) // where visitors come at first
	v.to("a").lead(account("111"))
	v.enters("a1", Routine)
	v.waits("a2", Routine)
	v.waits("a3", Wanted)
	v.to("b")
	got := v.gates.accounts()
	slices.SortFunc(got, func(a, b telemetry.Account) int { return strings.Compare(a.ID, b.ID) })
	want := []telemetry.Account{{Provider: "aws", Limit: 1}, {Provider: "aws", ID: "111", Limit: 1, InFlight: 1, Queued: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Who waits and comes again by itself keeps the place in line.
func TestWhoComesAgainKeepsTheirPlace(t *testing.T) {
	v := newVisitors(t, 1)
	v.enters("a", Routine)
	for _, who := range []string{"b", "c", "d", "b", "d", "c"} {
		v.waits(who, Routine)
	}
	for _, next := range []string{"b", "c", "d"} {
		v.leave["a"](true)
		v.areCalled(next)
		v.enters(next, Routine)
		v.leave["a"] = v.leave[next]
	}
}

// A deleted object leaves the queue, and its slot is the next one's: at once, since the clock stands still here.
func TestDequeue(t *testing.T) {
	for _, c := range []struct {
		name string
		// do has "deleted" in the queue in front of "b", and dequeues it.
		do func(v *visitors)
	}{
		{"while it waits", func(v *visitors) {
			v.dequeue("deleted")
			v.leave["a"](true)
		}},
		{"when a slot is reserved for it", func(v *visitors) {
			v.leave["a"](true)
			v.areCalled("deleted")
			v.dequeue("deleted")
		}},
		{"when a slot of a degraded account is reserved for it", func(v *visitors) {
			v.leave["a"](false)
			v.areCalled("deleted")
			v.dequeue("deleted")
		}},
		{"that waits where its config no longer leads", func(v *visitors) {
			v.to("elsewhere").lead(account("222"))
			v.enters("deleted", Routine)
			v.to("a")
			v.leave["a"](true)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newVisitors(t, 1)
			v.to("a").lead(account("111"))
			v.enters("a", Routine)
			v.waits("deleted", Routine)
			v.waits("b", Routine)
			c.do(v)
			v.areCalled("b")
			v.enters("b", Routine)
			if n := len(v.gates.waiting); n != 0 {
				t.Errorf("%d are remembered, and nobody waits", n)
			}
		})
	}
}

// However many are deleted on an account that does not answer, who is left does not wait for them.
func TestDeletedObjectsHoldUpNobody(t *testing.T) {
	v := newVisitors(t, 8)
	v.enters("probe", Routine)
	v.leave["probe"](false)
	v.enters("probe", Routine)
	for n := range 2000 {
		v.waits(fmt.Sprint(n), Wanted)
	}
	for n := range 1999 {
		v.dequeue(fmt.Sprint(n))
	}
	v.leave["probe"](false)
	v.areCalled("1999")
	v.enters("1999", Wanted)
}

func (v *visitors) dequeue(who string) {
	v.gates.mu.Lock()
	defer v.gates.mu.Unlock()
	v.gates.dequeue(who)
}
