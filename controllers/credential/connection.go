package credential

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// A Connection is an open connection that all objects of one account and region share.
type Connection struct {
	*driver.Conn
	Provider string
	Location string
	Gate     *Gate
	// Secrets are the values that must never be shown.
	Secrets []string

	entry    *entry
	expected driver.AccountID
	asking   singleflight.Group
	identity sync.Mutex // of account
	account  driver.AccountID
}

// Account returns which account the connection leads to. The cloud is asked once. An error of type Refusal
// means that it leads to another account than the config expects.
func (c *Connection) Account(ctx context.Context) (driver.AccountID, error) {
	c.identity.Lock()
	known := c.account
	c.identity.Unlock()
	if known != "" {
		return c.expect(known)
	}
	return c.Verify(ctx)
}

// Verify is Account, but asks the cloud again. All who ask at the same time share one call, so that a cloud
// which does not answer costs them one time-out together, and not one after the other.
func (c *Connection) Verify(ctx context.Context) (driver.AccountID, error) {
	answer, err, _ := c.asking.Do("", func() (any, error) { return c.Identity(ctx) })
	if err != nil {
		return "", err
	}
	account := answer.(driver.AccountID)
	c.identity.Lock()
	c.account = account
	c.identity.Unlock()
	return c.expect(account)
}

func (c *Connection) expect(account driver.AccountID) (driver.AccountID, error) {
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
