package credential

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// A Connection is an open connection that all objects of one identity and region share.
type Connection struct {
	*driver.Conn
	Provider string
	Location string
	// Region is the config's own, for objects that name no location; it may be empty.
	Region string
	Gate   *Entrance

	entry    *entry
	endpoint string
	expected driver.AccountID
	secrets  []string // the values that must never be shown
	issued   *issued
	asking   singleflight.Group
	now      func() time.Time
	// anew opens another connection like this, with no session yet. It is nil where there are no sessions.
	anew     func(context.Context) (*driver.Conn, error)
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
	return c.ask(ctx, c.Conn)
}

// verify is Account, but asks the cloud again if its answer is as old as age. Then it takes all steps that lead to the
// identity: a session goes on for an hour where a role that is no longer to be had.
func (c *Connection) verify(ctx context.Context, age time.Duration) (driver.AccountID, error) {
	known, answered := c.known()
	switch {
	case known == "" || c.anew == nil && c.now().Sub(answered) >= age:
		return c.ask(ctx, c.Conn)
	case c.now().Sub(answered) < age:
		return c.expect(known)
	}
	again, err := c.anew(ctx)
	if err != nil {
		return "", err
	}
	return c.ask(ctx, again)
}

func (c *Connection) known() (account driver.AccountID, answered time.Time) {
	c.identity.Lock()
	defer c.identity.Unlock()
	return c.account, c.answered
}

// ask asks the cloud for the account. All who ask at the same time share one call, so that a cloud
// which does not answer costs them one time-out together, and not one after the other.
func (c *Connection) ask(ctx context.Context, by *driver.Conn) (driver.AccountID, error) {
	answer, err, _ := c.asking.Do("", func() (any, error) { return by.Identity(ctx) })
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
			fmt.Sprintf("the credentials lead to account %s, but the provider config expects %s; correct the credentials, or accountID if that is what is wrong", account, c.expected)}
	}
	return account, nil
}

// Redact cuts the connection's secrets out of a message: those of its Secret, and the tokens that it was given, as they are
// when it is called. Drivers promise that there are none; this is the second lock.
func (c *Connection) Redact(message string) string {
	for _, secret := range slices.Concat(c.secrets, c.issued.values()) {
		if len(secret) >= 4 { // shorter ones would mangle messages, and hide nothing
			message = strings.ReplaceAll(message, secret, field.Redacted)
		}
	}
	return message
}

// Suspect says that the cloud refused the credentials: they are looked at again soon.
func (c *Connection) Suspect() {
	c.entry.mu.Lock()
	defer c.entry.mu.Unlock()
	c.entry.suspect = true
}

// issued are the tokens that a connection was given of late. What speaks of one may be told after the next was issued.
type issued struct {
	mu   sync.Mutex
	last []string
}

// remembered is how many: one is good for half an hour at least, and no turn takes that long.
const remembered = 3

func (i *issued) add(token string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if slices.Contains(i.last, token) {
		return
	}
	i.last = append(i.last, token)
	i.last = slices.Clone(i.last[max(0, len(i.last)-remembered):])
}

func (i *issued) values() []string {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.last
}
