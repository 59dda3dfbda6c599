package identity

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The account that the cloud names decides whose slots a connection uses; before it answers, the account in the config's status does.
func TestConnectionsUseTheSlotsOfTheirAccount(t *testing.T) {
	slotsOf := func(h *fixture, use Request) *account.Source {
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
		return c.Slots
	}
	other := teamConfig()
	other.Namespace, other.UID = "bakery", "uid-bakery"
	bakery := Request{Key: Key{KindProviderConfig, "bakery", "team"}, Namespace: "bakery"}
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
			h := newFixture(t, shop, keys("shop", "keys", "111"), theirs, keys("bakery", "keys", tt.bakery))
			if tt.hangs {
				h.cloud.identity = &driver.Error{Code: driver.Unavailable, Op: "GetCallerIdentity", Message: "no answer"}
			}
			mine := slotsOf(h, team)
			if got := shared(mine, slotsOf(h, bakery)); got != tt.wantOne {
				t.Errorf("two configs share a limiter: %t", got)
			}
			if got := shared(mine, slotsOf(h, abroad)); got != tt.wantAbroad {
				t.Errorf("two regions share a limiter: %t", got)
			}
			h.forget(team.Key)
			h.forget(bakery.Key)
			if n := len(h.Limiters.Usage()); n != 0 {
				t.Errorf("%d limiters to which no config leads", n)
			}
		})
	}
}

// shared reports whether two sources share a limiter: then an account that does not answer degrades both.
func shared(a, b *account.Source) bool {
	before := b.Degraded()
	a.Acquire(account.Request{Requester: "probe", Priority: account.Resync}).Release(false)
	degraded := b.Degraded()
	a.Acquire(account.Request{Requester: "probe", Priority: account.Resync}).Release(true)
	return !before && degraded
}
