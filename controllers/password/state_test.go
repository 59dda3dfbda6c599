package password

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fresh stands for a password that Mooring makes.
const fresh = "fresh"

// A password is sent until it is known to be in force, and published only then.
func TestObserve(t *testing.T) {
	ready := Observation{Ready: true, Fresh: fresh}
	with := func(change func(*Observation)) Observation {
		o := ready
		change(&o)
		return o
	}
	refused := with(func(o *Observation) { o.Refused = true })
	userMissing := with(func(o *Observation) { o.UserMissing = true })
	wanted := func(value string) Observation { return with(func(o *Observation) { o.Wanted = value }) }
	left := with(func(o *Observation) { o.Leftover.Password = "left" })
	pending := Observation{Fresh: fresh}
	due := with(func(o *Observation) { o.Due = true })
	managed := with(func(o *Observation) { o.CloudManaged = true })
	takenBack := with(func(o *Observation) { o.CloudManaged, o.TakenBack = true, true })
	for _, tt := range []struct {
		name     string
		stored   Stored
		accepted int
		sent     int
		seen     Observation
		want     Stored
		store    bool // at once
		do       Step
		// wantAccepted is what the status says afterwards.
		wantAccepted int
	}{
		{name: "in force", stored: Stored{Current: "one", Serial: 1}, seen: ready, want: Stored{Current: "one", Serial: 1}, do: Nothing},
		{name: "set by the creation", stored: Stored{Next: "one", Serial: 1}, seen: ready, want: Stored{Current: "one", Serial: 1}, do: Nothing, wantAccepted: 1},
		{name: "set by the creation, as the status says", stored: Stored{Next: "one", Serial: 1}, accepted: 1, seen: ready,
			want: Stored{Current: "one", Serial: 1}, do: Nothing, wantAccepted: 1},
		{name: "in place of what the creation set", stored: Stored{Next: "one", Serial: 1}, accepted: 1, seen: wanted("two"),
			want: Stored{Current: "one", Next: "two", Serial: 2, Named: true}, store: true, do: Send, wantAccepted: 1},
		{name: "set by the creation, and refused later", stored: Stored{Next: "one", Serial: 1}, accepted: 1, seen: refused,
			want: Stored{Current: "one", Next: "one", Serial: 2, Superseded: true}, store: true, do: Send, wantAccepted: 1},
		{name: "being created", stored: Stored{Next: "one", Serial: 1}, seen: pending, want: Stored{Next: "one", Serial: 1}, do: Nothing},
		{name: "refused at the creation", stored: Stored{Next: "one", Serial: 1}, seen: refused, want: Stored{Next: "one", Serial: 1}, do: Send},
		{name: "to be sent", stored: Stored{Current: "one", Next: "two", Serial: 2}, seen: ready, want: Stored{Current: "one", Next: "two", Serial: 2}, do: Send},
		{name: "accepted, and being set", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2, seen: pending,
			want: Stored{Current: "one", Next: "two", Serial: 2}, do: Nothing, wantAccepted: 2},
		{name: "accepted, and set", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2, seen: ready,
			want: Stored{Current: "two", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "accepted, as this process alone knows", stored: Stored{Current: "one", Next: "two", Serial: 2}, sent: 2, seen: ready,
			want: Stored{Current: "two", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "accepted, and refused later", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2, sent: 2, seen: refused,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, store: true, do: Send},
		{name: "accepted for the first time, and refused later", stored: Stored{Next: "two", Serial: 2}, accepted: 2, seen: refused,
			want: Stored{Next: "two", Serial: 2}, do: Send},
		{name: "refused, and nothing says that it was accepted", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 1, seen: refused,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, store: true, do: Send, wantAccepted: 1},
		{name: "thought to be in force, and refused", stored: Stored{Current: "two", Serial: 2}, accepted: 2, seen: refused,
			want: Stored{Current: "two", Next: "two", Serial: 3, Superseded: true}, store: true, do: Send},
		{name: "created anew, and not Ready yet", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, seen: pending,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, do: Nothing},
		{name: "created anew", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, seen: ready,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, do: Send},
		{name: "created anew, and refused later", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, accepted: 2, seen: refused,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, do: Send},
		{name: "created anew, and the first is wanted again", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, seen: wanted("one"),
			want: Stored{Current: "one", Next: "one", Serial: 3, Named: true, Superseded: true}, store: true, do: Send},
		{name: "created anew, and set", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, accepted: 2, seen: ready,
			want: Stored{Current: "two", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "another one wanted while one was being set", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2, seen: wanted("mine"),
			want: Stored{Current: "one", Next: "mine", Serial: 3, Named: true, Superseded: true}, store: true, do: Send, wantAccepted: 2},
		{name: "in place of one that others know", stored: Stored{Next: "one", Serial: 2, Foreign: true}, seen: ready,
			want: Stored{Next: "one", Serial: 2, Foreign: true}, do: Replace},
		{name: "the one that others know", stored: Stored{Next: "one", Serial: 2, Foreign: true}, seen: wanted("theirs"),
			want: Stored{Next: "theirs", Serial: 3, Foreign: true, Named: true}, store: true, do: Send},
		{name: "in place of one that others know, and set", stored: Stored{Next: "one", Serial: 2, Foreign: true}, accepted: 2, seen: ready,
			want: Stored{Current: "one", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "the spec's, refused and withdrawn", stored: Stored{Next: "with/slash", Serial: 1, Named: true}, seen: refused,
			want: Stored{Next: fresh, Serial: 2}, store: true, do: Send},
		{name: "the spec's, accepted and withdrawn", stored: Stored{Current: "one", Next: "two", Serial: 2, Named: true}, accepted: 2, seen: ready,
			want: Stored{Current: "two", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "of a user who is about to be created", stored: Stored{Next: "one", Serial: 2, Foreign: true}, seen: userMissing,
			want: Stored{Next: "one", Serial: 2}, store: true, do: Include},
		{name: "of a user who is about to be created anew", stored: Stored{Current: "one", Next: "two", Serial: 2}, seen: userMissing,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, store: true, do: Include},
		{name: "of a user who is about to be created anew with what was in force", stored: Stored{Current: "one", Serial: 1}, seen: userMissing,
			want: Stored{Current: "one", Serial: 1}, do: Include},
		{name: "of a user who is about to be created, refused before", stored: Stored{Next: "one", Serial: 1}, seen: with(func(o *Observation) { o.UserMissing, o.Refused = true, true }),
			want: Stored{Next: "one", Serial: 1}, do: Include},
		{name: "no Secret", seen: ready, want: Stored{Next: fresh, Serial: 2}, store: true, do: Send},
		{name: "no Secret any more, and no status", sent: 2, seen: ready, want: Stored{Next: fresh, Serial: 2}, store: true, do: Send},
		{name: "no Secret any more", accepted: 2, seen: ready, want: Stored{Next: fresh, Serial: 3}, store: true, do: Send, wantAccepted: 2},
		{name: "of a server that was taken over", stored: Stored{Serial: 1, Foreign: true}, seen: ready,
			want: Stored{Next: fresh, Serial: 2, Foreign: true}, store: true, do: Replace},
		{name: "no Secret, and the connection Secret of this server", seen: left, want: Stored{Current: "left", Serial: 2}, store: true, do: Nothing},
		{name: "of a server that was taken back, and its connection Secret", stored: Stored{Serial: 1, Foreign: true}, seen: left,
			want: Stored{Current: "left", Serial: 2}, store: true, do: Nothing},
		{name: "no Secret, and a connection Secret that may be of another server", seen: with(func(o *Observation) { o.Leftover.Undecided = true }), do: Wait},
		{name: "another one wanted, and a connection Secret", seen: with(func(o *Observation) { o.Leftover.Password, o.Wanted = "left", "mine" }),
			want: Stored{Next: "mine", Serial: 2, Named: true}, store: true, do: Send},
		{name: "managed by the cloud, as somebody turned on there", stored: Stored{Current: "one", Serial: 1}, accepted: 1, seen: managed,
			want: Stored{Current: "one", Next: fresh, Serial: 2, Foreign: true, Superseded: true}, store: true, do: Replace, wantAccepted: 1},
		{name: "managed by the cloud soon after the creation", stored: Stored{Next: "one", Serial: 1}, seen: managed,
			want: Stored{Current: "one", Next: fresh, Serial: 2, Foreign: true, Superseded: true}, store: true, do: Replace, wantAccepted: 1},
		{name: "managed by the cloud, and the spec's", stored: Stored{Current: "mine", Serial: 1}, accepted: 1,
			seen: with(func(o *Observation) { o.CloudManaged, o.Wanted = true, "mine" }),
			want: Stored{Current: "mine", Next: "mine", Serial: 2, Named: true, Foreign: true, Superseded: true}, store: true, do: Send, wantAccepted: 1},
		{name: "somebody ended that the cloud manages it", stored: Stored{Current: "one", Next: "two", Serial: 2, Foreign: true, Superseded: true}, accepted: 1, seen: ready,
			want: Stored{Current: "one", Next: "two", Serial: 2, Foreign: true, Superseded: true}, do: Replace, wantAccepted: 1},
		{name: "managed by the cloud, and to be taken back", seen: takenBack, want: Stored{Next: fresh, Serial: 2}, store: true, do: Send},
		{name: "accepted, and still managed by the cloud", stored: Stored{Next: "two", Serial: 2}, accepted: 2, seen: takenBack,
			want: Stored{Next: "two", Serial: 2}, do: Send, wantAccepted: 2},
		{name: "accepted, and no longer managed by the cloud", stored: Stored{Next: "two", Serial: 2}, accepted: 2, seen: ready,
			want: Stored{Current: "two", Serial: 2}, store: true, do: Nothing, wantAccepted: 2},
		{name: "managed by the cloud, and its period has passed", stored: Stored{Current: "one", Serial: 1}, accepted: 1,
			seen: with(func(o *Observation) { o.CloudManaged, o.Due = true, true }),
			want: Stored{Current: "one", Next: fresh, Serial: 2, Foreign: true, Superseded: true}, store: true, do: Replace, wantAccepted: 1},
		{name: "its period has passed", stored: Stored{Current: "one", Serial: 1}, seen: due, want: Stored{Current: "one", Next: fresh, Serial: 2, Rotated: true}, store: true, do: Rotate},
		{name: "the period of what the creation set has passed", stored: Stored{Next: "one", Serial: 1}, accepted: 1, seen: due,
			want: Stored{Current: "one", Next: fresh, Serial: 2, Rotated: true}, store: true, do: Rotate, wantAccepted: 1},
		{name: "its period has passed, and the cloud is busy", stored: Stored{Current: "one", Serial: 1}, seen: with(func(o *Observation) { o.Due, o.Ready = true, false }),
			want: Stored{Current: "one", Serial: 1}, do: Nothing},
		{name: "its period has passed, and it is refused", stored: Stored{Current: "one", Serial: 1}, seen: with(func(o *Observation) { o.Due, o.Refused = true, true }),
			want: Stored{Current: "one", Next: "one", Serial: 2, Superseded: true}, store: true, do: Send},
		{name: "the period of the spec's has passed", stored: Stored{Current: "mine", Serial: 1}, seen: with(func(o *Observation) { o.Due, o.Wanted = true, "mine" }),
			want: Stored{Current: "mine", Serial: 1}, do: Nothing},
		{name: "its period has passed, and another is on its way", stored: Stored{Current: "one", Next: "two", Serial: 2}, seen: due,
			want: Stored{Current: "one", Next: "two", Serial: 2}, do: Send},
		{name: "the period of one that others know has passed", stored: Stored{Next: "one", Serial: 2, Foreign: true}, seen: due,
			want: Stored{Next: "one", Serial: 2, Foreign: true}, do: Replace},
		{name: "rotated, and to be sent again", stored: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true}, seen: ready,
			want: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true}, do: Rotate},
		{name: "rotated, and set", stored: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true, Confirmed: 3}, accepted: 2, seen: with(func(o *Observation) { o.Now = time.Unix(7, 0) }),
			want: Stored{Current: "two", Serial: 2, Confirmed: 7}, store: true, do: Nothing, wantAccepted: 2},
		{name: "rotated, and refused", stored: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true}, accepted: 2, seen: refused,
			want: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true, Superseded: true}, store: true, do: Send},
		{name: "rotated, and the spec names one", stored: Stored{Current: "one", Next: "two", Serial: 2, Rotated: true}, accepted: 2, seen: wanted("mine"),
			want: Stored{Current: "one", Next: "mine", Serial: 3, Named: true, Superseded: true}, store: true, do: Send, wantAccepted: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := State{tt.stored, tt.accepted, tt.sent}.Observe(tt.seen)
			if diff := cmp.Diff(tt.want, got.State.Stored); diff != "" {
				t.Errorf("the Secret (-want +got):\n%s", diff)
			}
			if got.Store != when(tt.store, AtOnce) || got.Step != tt.do || got.State.Accepted != tt.wantAccepted {
				t.Errorf("store %q, do %s, accepted %d, want %t, %s, %d", got.Store, got.Step, got.State.Accepted, tt.store, tt.do, tt.wantAccepted)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		stored   Stored
		accepted int
		wanted   string
		want     Stored
		store    bool
	}{
		{name: "the first", want: Stored{Next: fresh, Serial: 1}, store: true},
		{name: "the user's", wanted: "mine", want: Stored{Next: "mine", Serial: 1, Named: true}, store: true},
		{name: "tried before", stored: Stored{Next: "one", Serial: 1}, want: Stored{Next: "one", Serial: 1}},
		{name: "tried before, and another is wanted", stored: Stored{Next: "one", Serial: 1}, wanted: "mine", want: Stored{Next: "mine", Serial: 2, Named: true}, store: true},
		{name: "anew after a loss", stored: Stored{Current: "one", Serial: 3}, want: Stored{Current: "one", Serial: 3}},
		{name: "anew in place of somebody else's", stored: Stored{Next: "one", Serial: 2, Foreign: true}, want: Stored{Next: "one", Serial: 2}, store: true},
		{name: "anew after the Secret was lost", accepted: 4, want: Stored{Next: fresh, Serial: 1}, store: true},
		{name: "anew with what the former creation set", stored: Stored{Next: "one", Serial: 1}, accepted: 1, want: Stored{Next: "one", Serial: 1}},
		{name: "anew while a password was being set", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2,
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, store: true},
		{name: "anew while a password was being set, once more", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true},
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}},
		{name: "anew, and another is wanted", stored: Stored{Current: "one", Serial: 1}, accepted: 1, wanted: "mine",
			want: Stored{Current: "one", Next: "mine", Serial: 2, Named: true, Superseded: true}, store: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := State{Stored: tt.stored, Accepted: tt.accepted}.Create(tt.wanted, fresh)
			if diff := cmp.Diff(tt.want, got.State.Stored); diff != "" || got.Store != when(tt.store, AfterStartOver) || got.Step != Include {
				t.Errorf("store %q, do %s (-want +got):\n%s", got.Store, got.Step, diff)
			}
			if got.State.Accepted != 0 || got.State.Sent != 0 {
				t.Errorf("a server that does not exist accepted a password: %+v", got.State)
			}
		})
	}
}

// A server that is taken over has a password that others know, unless it was ours before; what was meant for one of our own making
// was not set by its creation.
func TestTakeOver(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ours     bool
		accepted int
		stored   Stored
		want     Stored
		store    bool
	}{
		{name: "a stranger's", want: Stored{Serial: 1, Foreign: true}, store: true},
		{name: "a stranger's, in place of one that was to be created", stored: Stored{Next: "one", Serial: 1}, want: Stored{Next: "one", Serial: 2, Foreign: true}, store: true},
		{name: "ours of before", ours: true},
		{name: "ours of before, in place of one that was to be created", ours: true, stored: Stored{Next: "one", Serial: 1}, want: Stored{Next: "one", Serial: 2}, store: true},
		{name: "one that was restored", stored: Stored{Current: "one", Serial: 1}, want: Stored{Current: "one", Serial: 1}},
		{name: "one that was restored while a password was being set", stored: Stored{Current: "one", Next: "two", Serial: 2}, accepted: 2,
			want: Stored{Current: "one", Next: "two", Serial: 3, Superseded: true}, store: true},
		{name: "one that was restored while another was created anew", stored: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true},
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}},
		{name: "one that was restored with the password of its creation", stored: Stored{Next: "one", Serial: 1}, accepted: 1, want: Stored{Current: "one", Serial: 1}, store: true},
		{name: "one that was restored when a password may have been sent", stored: Stored{Current: "one", Next: "two", Serial: 2},
			want: Stored{Current: "one", Next: "two", Serial: 2, Superseded: true}, store: true},
		{name: "once more", stored: Stored{Next: "one", Serial: 2, Foreign: true}, want: Stored{Next: "one", Serial: 2, Foreign: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := State{Stored: tt.stored, Accepted: tt.accepted}.TakeOver(tt.ours)
			if diff := cmp.Diff(tt.want, got.State.Stored); diff != "" || got.Store != when(tt.store, BeforeStartOver) || got.Step != Nothing {
				t.Errorf("store %q, do %s (-want +got):\n%s", got.Store, got.Step, diff)
			}
		})
	}
}

// when is a time, if there is something to store.
func when(store bool, at StorePoint) StorePoint {
	if store {
		return at
	}
	return Never
}

func TestAcceptAndRefuse(t *testing.T) {
	s := State{Stored: Stored{Current: "one", Next: "two", Serial: 2}, Accepted: 1}
	if got := s.Accept(); got.Accepted != 2 || got.Sent != 2 || got.Stored != s.Stored {
		t.Errorf("after an answer: %+v", got)
	}
	if got := s.Accept().ChangeFailed(); got.Accepted != 0 || got.Sent != 0 || got.Stored != s.Stored {
		t.Errorf("after a late failure: %+v", got)
	}
	if got := s.ChangeFailed(); got.Accepted != FirstSerial {
		t.Errorf("what the creation set no longer counts: %+v", got)
	}
}

// What the server was last known to have is published, and nothing while another password may have reached it. It stays known: a server that
// comes back has it.
func TestInForceAndKnown(t *testing.T) {
	rotating := Stored{Current: "one", Next: "two", Serial: 2}
	anew := rotating
	anew.Superseded = true
	for _, tt := range []struct {
		name           string
		state          State
		inForce, known string
	}{
		{"no password", State{}, "", ""},
		{"being created", State{Stored: Stored{Next: "one", Serial: 1}}, "", ""},
		{"set by the creation", State{Stored: Stored{Next: "one", Serial: 1}, Accepted: 1}, "one", "one"},
		{"in force", State{Stored: Stored{Current: "one", Serial: 1}}, "one", "one"},
		{"another is about to be sent", State{Stored: rotating, Accepted: 1}, "one", "one"},
		{"the cloud accepted another", State{Stored: rotating, Accepted: 2}, "", "one"},
		{"the cloud accepted another, as this process alone knows", State{Stored: rotating, Accepted: 1, Sent: 2}, "", "one"},
		{"the server was created anew with another", State{Stored: anew}, "", "one"},
		{"refused, and to be sent again", State{Stored: Stored{Current: "one", Next: "one", Serial: 3, Superseded: true}}, "", "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.state.InForce(); got != tt.inForce {
				t.Errorf("in force is %q, want %q", got, tt.inForce)
			}
			if got := tt.state.Known(); got != tt.known {
				t.Errorf("known is %q, want %q", got, tt.known)
			}
		})
	}
}

// every calls back with every state and every observation: the whole cross product of what matters.
func every(visit func(State, Observation)) {
	flags := []bool{false, true}
	for _, s := range everyState() {
		for _, wanted := range []string{"", "one", "two", "mine"} {
			for _, left := range []Leftover{{}, {Password: "left"}, {Undecided: true}} {
				for _, ready := range flags {
					for _, refused := range flags {
						for _, missing := range flags {
							visit(s, Observation{Ready: ready, Refused: refused, UserMissing: missing, Wanted: wanted, Leftover: left, Fresh: fresh})
						}
					}
				}
			}
		}
	}
}

func everyState() (states []State) {
	for _, current := range []string{"", "one"} {
		for _, next := range []string{"", "one", "two"} {
			for serial := range 4 {
				for accepted := range 4 {
					for sent := range 4 {
						for flags := range 8 {
							s := Stored{
								Current: current, Next: next, Serial: serial, Named: next != "" && flags&1 != 0, Foreign: flags&2 != 0,
								Superseded: current != "" && next != "" && flags&4 != 0,
							}
							if serial == 0 && s.Latest() != "" {
								continue // no release stored that
							}
							states = append(states, State{s, accepted, sent})
						}
					}
				}
			}
		}
	}
	return states
}

// What holds of every decision, whatever the state and whatever is observed.
func TestEveryDecision(t *testing.T) {
	n := 0
	every(func(s State, o Observation) {
		n++
		d := s.Observe(o)
		for _, broken := range brokenRules(s, o, d) {
			t.Fatalf("%+v\nobserves %+v\ndecides %+v: %s", s, o, d, broken)
		}
	})
	if n < 10_000 {
		t.Errorf("%d decisions were tested: the cross product lacks something", n)
	}
}

func brokenRules(s State, o Observation, d Decision) (broken []string) {
	demand := func(holds bool, rule string) {
		if !holds {
			broken = append(broken, rule)
		}
	}
	before, after := s.confirmed(), d.State
	sends := d.Step == Send || d.Step == Replace
	demand(!sends || o.Ready && after.Next != "" && !o.UserMissing, "only a server that works is sent its next password")
	demand(d.Step != Include || after.Latest() != "", "a creation includes a password")
	demand(d.Store == AtOnce || after.Next == "" || after.Next == s.Next && after.Serial == s.Serial, "what may be sent is stored before")
	demand(after.Serial >= s.Serial && (after.Latest() == before.Latest() || after.Serial > s.Serial && after.Serial > s.Accepted),
		"another password has a serial that was not used before")
	demand(after.Current == before.Current || after.Current == before.Next && o.Ready || after.Current == o.Leftover.Password,
		"the current password changes only to one that the server has")
	demand(after.Current == before.Current || !o.Refused || after.Current == o.Leftover.Password, "nothing that was refused becomes current")
	demand(d.Step != Send || !after.Foreign || o.Wanted != "", "a password that only others know is replaced by a wanted one, or with approval")
	demand(!after.Superseded || after.Current != "" && after.Next != "", "a password is superseded by another")
	demand(!before.Superseded || after.Superseded || after.Next == "", "which password the server has is known again once another is confirmed")
	demand(after.InForce() == "" || d.Step != Include || after.Next == "", "nothing is published after a password was included that was never confirmed")
	demand(d.Step != Wait || after.Stored == before.Stored && d.Store == Never, "waiting changes nothing")
	demand(o.Wanted == "" || after.Latest() == o.Wanted, "the wanted password is the latest")
	if d.Step != Wait && !o.Refused {
		demand(after.Latest() != "", "there is a password from then on")
	}
	next := o.after(d, s)
	again := next.Observe(o)
	if o.Refused { // it may have been withdrawn since: the refusal is taken in first
		d, again = again, o.after(again, next).Observe(o)
	}
	demand(again.Store == Never && again.Step == d.Step && again.State == d.State, "the same observation decides the same, and stores nothing again")
	return broken
}

// after returns the state with which the next observation begins after a decision: what was not stored is not in the Secret.
func (o Observation) after(d Decision, before State) State {
	next := d.State
	if d.Store == Never {
		next.Stored = before.Stored
	}
	return next
}

// A server that is made of a snapshot has the password of that, so whatever was known before is sent, and nothing is published until it is in force.
func TestRestore(t *testing.T) {
	for _, tt := range []struct {
		name     string
		stored   Stored
		accepted int
		wanted   string
		want     Stored
	}{
		{name: "a new one", want: Stored{Next: fresh, Serial: 2}},
		{name: "one that the spec names", wanted: "mine", want: Stored{Next: "mine", Serial: 2, Named: true}},
		{name: "tried before", stored: Stored{Next: "one", Serial: 2}, want: Stored{Next: "one", Serial: 2}},
		{name: "tried before as an empty one", stored: Stored{Next: "one", Serial: 1}, want: Stored{Next: "one", Serial: 2}},
		{name: "in place of one that vanished", stored: Stored{Current: "one", Serial: 1}, accepted: 1, want: Stored{Current: "one", Next: "one", Serial: 2, Superseded: true}},
		{name: "in place of one that got another", stored: Stored{Current: "one", Next: "two", Serial: 3}, accepted: 3, want: Stored{Current: "one", Next: "two", Serial: 3, Superseded: true}},
		{name: "in place of one whose password others knew", stored: Stored{Next: "one", Serial: 2, Foreign: true}, want: Stored{Next: "one", Serial: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := State{Stored: tt.stored, Accepted: tt.accepted, Sent: tt.accepted}.Restore(tt.wanted, fresh)
			if diff := cmp.Diff(tt.want, d.State.Stored); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			if want := tt.stored != tt.want; (d.Store == AfterStartOver) != want {
				t.Errorf("it is stored %q, want that: %t", d.Store, want)
			}
			if password := d.State.InForce(); password != "" {
				t.Errorf("%q counts as in force", password)
			}
			later := State{Stored: d.State.Stored}.Observe(Observation{Ready: true, Fresh: "another", Wanted: tt.wanted})
			if later.Step != Send || later.State.Next != tt.want.Next {
				t.Errorf("once the server works: %s of %q, want %q to be sent", later.Step, later.State.Next, tt.want.Next)
			}
		})
	}
}
