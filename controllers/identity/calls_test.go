package identity

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What limits the calls of an account is said in words that stay while the numbers change little.
func TestCallLimits(t *testing.T) {
	for _, test := range []struct {
		name   string
		budget account.Budget
		want   string
		alike  map[string]account.Budget
		others map[string]account.Budget
	}{{
		name:   "with a period",
		budget: account.Budget{Name: "Cloud SQL calls", Limit: 180, Resyncs: 160, Period: 23 * time.Minute},
		want:   "Cloud SQL calls: resyncs take 160 of 180 calls a minute; each object is observed every 23 minutes",
		alike: map[string]account.Budget{
			"the same": {Name: "Cloud SQL calls", Limit: 180, Resyncs: 160, Period: 23 * time.Minute},
			"a little": {Name: "Cloud SQL calls", Limit: 170, Resyncs: 140, Period: 25 * time.Minute},
		},
		others: map[string]account.Budget{
			"another class": {Name: "RDS reads", Limit: 180, Resyncs: 160, Period: 23 * time.Minute},
			"fewer calls":   {Name: "Cloud SQL calls", Limit: 100, Resyncs: 160, Period: 23 * time.Minute},
			"edits":         {Name: "Cloud SQL calls", Limit: 180, Resyncs: 20, Period: 23 * time.Minute},
			"later":         {Name: "Cloud SQL calls", Limit: 180, Resyncs: 160, Period: 40 * time.Minute},
		},
	}, {
		name:   "nothing was observed twice",
		budget: account.Budget{Name: "RDS reads in eu-central-1", Limit: 60},
		want:   "RDS reads in eu-central-1: resyncs take 0 of 60 calls a minute",
	}, {
		name:   "each minute",
		budget: account.Budget{Name: "RDS reads", Limit: 60, Resyncs: 60, Period: time.Minute},
		want:   "RDS reads: resyncs take 60 of 60 calls a minute; each object is observed every minute",
	}} {
		if got := describeBudget(test.budget); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		for name, b := range test.alike {
			if !alike(test.budget, b) {
				t.Errorf("%s, %s: it would be written again", test.name, name)
			}
		}
		for name, b := range test.others {
			if alike(test.budget, b) {
				t.Errorf("%s, %s: it would not be written", test.name, name)
			}
		}
	}
}

// The status of a provider config says what limits the calls of its account, once a call of it was refused for that.
func TestStatusSaysWhatLimitsCalls(t *testing.T) {
	now := time.Unix(10000, 0)
	limiters := account.New(1, func() time.Time { return now }, nil)
	limits, key := &callLimits{limiters: limiters}, Key{Kind: KindProviderConfig, Namespace: "shop", Name: "team"}
	if got := limits.of(key); got != "" {
		t.Errorf("%q of a config that nobody uses", got)
	}
	calls := limiters.Source(key.source(), "third", account.Key{Source: key.source()}).Calls(nil, []driver.Budget{{Name: "all calls", Service: "third"}}, "")
	call := func(refused bool) {
		_, end := calls(context.Background(), "third", "get")
		end(driver.Call{Failed: refused, Code: driver.Throttled})
	}
	for range 60 {
		call(false)
	}
	if got := limits.of(key); got != "" {
		t.Errorf("%q although no call was refused", got)
	}
	call(true)
	said := limits.of(key)
	if !strings.HasPrefix(said, "all calls: resyncs take 0 of 58 calls a minute") {
		t.Errorf("it says %q", said)
	}
	now = now.Add(2 * time.Second)
	call(false)
	if got := limits.of(key); got != said {
		t.Errorf("%q became %q", said, got)
	}
}
