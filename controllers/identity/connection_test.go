package identity

import (
	"context"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Who says that the credentials were mended has the cloud asked before the pause is over, and not more often than every ten seconds, however
// often they say so.
func TestRetrySoon(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.DeniedPause = time.Hour
	denied := &driver.Error{Code: driver.Denied, Op: "GetCallerIdentity", Message: "no"}
	h.cloud.identity = denied
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	identity := c.Identity
	opened := *c.Conn
	opened.Identity = func(ctx context.Context) (driver.AccountID, error) { asked++; return identity(ctx) }
	c.Conn = &opened
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
