package identity

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Who says that the credentials were mended has the cloud asked before the pause is over, and not more often than every ten seconds, however
// often they say so.
func TestRetrySoon(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.DeniedPause = time.Hour
	h.restart()
	denied := &driver.Error{Code: driver.Denied, Op: "GetCallerIdentity", Message: "no"}
	h.cloud.identity = denied
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	identity := c.Identity
	c.Session = identified{ask: func(ctx context.Context) (driver.AccountID, error) { asked++; return identity(ctx) }}
	for range 12 { // until the pause is as long as it gets
		_, _ = c.Account(t.Context())
		h.now = h.now.Add(time.Hour)
	}
	_, _ = c.Account(t.Context())

	asked = 0
	for range 300 {
		c.RetrySoon()
		if _, err := c.Account(t.Context()); driver.CodeOf(err) != driver.Denied {
			t.Fatal(err)
		}
		h.now = h.now.Add(100 * time.Millisecond)
	}
	if asked < 2 || asked > 3 {
		t.Errorf("the cloud was asked %d times in 30 seconds", asked)
	}
	_, _ = c.Account(t.Context())
	h.cloud.identity = nil
	h.now = h.now.Add(soonestRetry)
	if _, err := c.Account(t.Context()); driver.CodeOf(err) != driver.Denied {
		t.Errorf("the pause was over without anybody's word: %v", err)
	}
	c.RetrySoon()
	if id, err := c.Account(t.Context()); id != "111" || err != nil {
		t.Errorf("account %q, %v", id, err)
	}
}

// What names a cloud takes may depend on the account: that which the config expects, or that to which the credentials led.
func TestNamesAreThoseOfTheAccount(t *testing.T) {
	long := driver.AccountID(strings.Repeat("p", 50))
	cloud := driver.Description{Resources: []driver.Resource{{Kind: "Bucket", Name: driver.NameRule{MaxLength: 63, WithAccount: 98, WithAccountRule: "98 together"}}}}
	for name, c := range map[string]*Connection{
		"expected": {Cloud: cloud, expected: long}, "known": {Cloud: cloud, known: long},
	} {
		if r, has := c.Resource("Bucket"); !has || r.Name.MaxLength != 47 {
			t.Errorf("%s: names of %d characters, described %t, want 47", name, r.Name.MaxLength, has)
		}
		if _, has := c.Resource("Queue"); has {
			t.Errorf("%s: there is a kind that the cloud lacks", name)
		}
	}
}
