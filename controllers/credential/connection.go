package credential

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// A Connection is an open connection that all objects of one config and region share.
type Connection struct {
	*driver.Conn
	Provider string
	Location string
	// Region is the config's own, for objects that name no location; it may be empty.
	Region string
	Gate   *Entrance
	// Secrets are the values that must never be shown.
	Secrets []string

	entry    *entry
	endpoint string
	expected driver.AccountID
	asking   singleflight.Group
	now      func() time.Time
	identity sync.Mutex // of account and answered
	account  driver.AccountID
	answered time.Time
}

// Account returns which account the connection leads to. The cloud is asked once. An error of type Refusal
// means that it leads to another account than the config expects.
func (c *Connection) Account(ctx context.Context) (driver.AccountID, error) {
	if known, _ := c.known(); known != "" {
		return c.expect(known)
	}
	return c.ask(ctx)
}

// verify is Account, but asks the cloud again if its answer is as old as age.
func (c *Connection) verify(ctx context.Context, age time.Duration) (driver.AccountID, error) {
	if known, answered := c.known(); known != "" && c.now().Sub(answered) < age {
		return c.expect(known)
	}
	return c.ask(ctx)
}

func (c *Connection) known() (account driver.AccountID, answered time.Time) {
	c.identity.Lock()
	defer c.identity.Unlock()
	return c.account, c.answered
}

// ask asks the cloud for the account. All who ask at the same time share one call, so that a cloud
// which does not answer costs them one time-out together, and not one after the other.
func (c *Connection) ask(ctx context.Context) (driver.AccountID, error) {
	answer, err, _ := c.asking.Do("", func() (any, error) { return c.Identity(ctx) })
	if err != nil {
		return "", err
	}
	account := answer.(driver.AccountID)
	c.identity.Lock()
	c.account, c.answered = account, c.now()
	c.identity.Unlock()
	return c.expect(account)
}

// expect says what an account means for the connection: where its objects have to enter, and whether it is the right one.
func (c *Connection) expect(account driver.AccountID) (driver.AccountID, error) {
	c.Gate.lead(gateKey{provider: c.Provider, account: account, endpoint: c.endpoint})
	if c.expected != "" && account != c.expected {
		return "", &Refusal{v1alpha1.ReasonAccountChanged,
			fmt.Sprintf("the credentials lead to account %s, but the provider config expects %s; correct one of them", account, c.expected)}
	}
	return account, nil
}

// redact cuts the connection's secrets out of a message. Drivers promise that there are none; this is the
// second lock.
func (c *Connection) redact(message string) string {
	for _, secret := range c.Secrets {
		if len(secret) >= 4 {
			message = strings.ReplaceAll(message, secret, field.Redacted)
		}
	}
	return message
}

// Suspect says that the cloud refused the credentials: their Secret is read again soon.
func (c *Connection) Suspect() {
	c.entry.mu.Lock()
	defer c.entry.mu.Unlock()
	c.entry.suspect = true
}
