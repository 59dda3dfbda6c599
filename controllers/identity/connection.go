package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Connection is an open session that all objects of one identity and region share.
type Connection struct {
	driver.Session
	// Cloud is the driver's description of the cloud, and Provider the cloud's name.
	Cloud    driver.Description
	Provider string
	Location string
	// Region is the region of the provider config, where objects are created that name no location. It may be empty.
	Region string
	// Settings is the account block of the provider config.
	Settings v1alpha1.Account
	// Slots limits how many objects of the connection's account are reconciled at once.
	Slots *account.Source

	// authorities are those of database servers, and databaseCA names what the config says of them; nil for none.
	authorities *authorities
	databaseCA  *caSource

	entry    *entry
	endpoint string
	expected driver.AccountID
	// credentials are the contents of the Secret, and secrets its values, which must never be shown.
	credentials map[string][]byte
	secrets     []string
	issued      *issued
	asking      singleflight.Group
	now         func() time.Time
	identity    sync.Mutex // of what follows
	known       driver.AccountID
	answered    time.Time
	// denied is the cloud's last answer if it was that it refuses the identity. It is not asked again before retryAt: who
	// mends the credentials makes another connection.
	denied  error
	retryAt time.Time
	// asked is when the cloud last refused the identity.
	asked time.Time
	// wait is how long it was not asked for that, and longest how long that may become.
	wait, longest time.Duration
}

// Account returns the account to which the credentials lead. The cloud is asked once. An error of type *ValidationError
// says that the provider config expects another account.
func (c *Connection) Account(ctx context.Context) (driver.AccountID, error) {
	if known, _ := c.lastAnswer(); known != "" {
		return c.expect(known)
	}
	return c.ask(ctx)
}

// verify is Account, but asks the cloud again if its answer is as old as age. It goes by the session that there is: the steps
// to the identity are taken again when that nears its end.
func (c *Connection) verify(ctx context.Context, age time.Duration) (driver.AccountID, error) {
	known, answered := c.lastAnswer()
	if known == "" || c.now().Sub(answered) >= age {
		return c.ask(ctx)
	}
	return c.expect(known)
}

// KnownAccount returns the account to which the credentials lead, without asking the cloud. It is empty if the cloud
// has not been asked yet.
func (c *Connection) KnownAccount() driver.AccountID {
	known, _ := c.lastAnswer()
	return known
}

// Resource returns the description of a kind in the connection's cloud; false if the cloud lacks the kind. The rule for
// names is the one for the connection's account, if that is known without asking the cloud.
func (c *Connection) Resource(kind string) (driver.Resource, bool) {
	r, has := c.Cloud.Resource(kind)
	r.Name = r.Name.In(cmp.Or(c.expected, c.KnownAccount()))
	return r, has
}

// DatabaseCA returns the CA certificates of database servers that the provider config names, in PEM. known is false if
// the object that the config names is missing or wrong. Then connection Secrets keep the certificates that they have.
func (c *Connection) DatabaseCA(ctx context.Context) (certificates string, known bool) {
	return c.authorities.of(ctx, c.databaseCA)
}

func (c *Connection) lastAnswer() (known driver.AccountID, answered time.Time) {
	c.identity.Lock()
	defer c.identity.Unlock()
	return c.known, c.answered
}

// ask asks the cloud for the account. All who ask at the same time share one call, so that a cloud
// which does not answer costs them one time-out together, and not one after the other.
func (c *Connection) ask(ctx context.Context) (driver.AccountID, error) {
	if err := c.recentDenial(); err != nil {
		return "", err
	}
	id, err := share(ctx, &c.asking, "", func(ctx context.Context) (driver.AccountID, error) {
		id, err := c.Identity(ctx)
		c.note(err)
		return id, err
	})
	if err != nil {
		return "", unanswered(err)
	}
	c.identity.Lock()
	c.known, c.answered = id, c.now()
	c.identity.Unlock()
	return c.expect(id)
}

// unanswered returns an error of the question for the account. A deadline that passed without the cloud's answer is an Unavailable account,
// whichever caller waited: otherwise it would count as an answer.
func unanswered(err error) error {
	if _, coded := errors.AsType[*driver.Error](err); coded || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &driver.Error{Code: driver.Unavailable, Message: "the cloud did not say in time which account the credentials lead to", Err: err}
}

// recentDenial returns the cloud's answer that it denies the identity, as long as the cloud is not asked again.
func (c *Connection) recentDenial() error {
	c.identity.Lock()
	defer c.identity.Unlock()
	if c.denied != nil && c.now().Before(c.retryAt) {
		return c.denied
	}
	return nil
}

// note takes in the cloud's answer. Each refusal in a row makes the wait until the next question longer.
func (c *Connection) note(err error) {
	c.identity.Lock()
	defer c.identity.Unlock()
	if driver.CodeOf(err) != driver.Denied {
		c.denied, c.wait = nil, 0
		return
	}
	c.wait = min(max(2*c.wait, recheckPause), c.longest)
	c.asked = c.now()
	c.denied, c.retryAt = err, c.asked.Add(c.wait)
}

// soonestRetry is how long a cloud that denies an identity is not asked about it again, although a person wants it to be: anyone who
// may edit an object may request that as often as they like.
const soonestRetry = 10 * time.Second

// RetrySoon shortens the wait before a denied identity is tried again. Call it when a user requests a reconciliation,
// because the user may have corrected the credentials or their permissions. The wait is at least 10 seconds after the
// last attempt.
func (c *Connection) RetrySoon() {
	c.identity.Lock()
	defer c.identity.Unlock()
	if soon := c.asked.Add(soonestRetry); c.denied != nil && soon.Before(c.retryAt) {
		c.retryAt = soon
	}
}

// expect says what an account means for the connection: whose slots its objects use, and whether it is the right one.
func (c *Connection) expect(id driver.AccountID) (driver.AccountID, error) {
	c.Slots.UseLimiter(account.Key{Provider: c.Provider, ID: string(id), Endpoint: c.endpoint})
	if c.expected != "" && id != c.expected {
		return "", &ValidationError{v1alpha1.ReasonAccountChanged,
			fmt.Sprintf("the credentials lead to account %s, but the provider config expects %s; correct the credentials, or the accountID of the provider config", id, c.expected)}
	}
	return id, nil
}

// Redact replaces secrets in a message: the values of the connection's Secret, the latest tokens that it was given, and
// the others of the caller. Drivers must not put secrets into messages; Redact protects against one that does.
func (c *Connection) Redact(message string, others ...string) string {
	return driver.Redact(message, slices.Concat(c.secrets, c.issued.values(), others)...)
}

// ReloadCredentials is called when the cloud denied the credentials. They are read again soon, before their refresh is
// due.
func (c *Connection) ReloadCredentials() {
	c.entry.mu.Lock()
	defer c.entry.mu.Unlock()
	c.entry.denied = true
}

// issued are the tokens that a connection was given of late. What speaks of one may be told after the next was issued.
type issued struct {
	mu   sync.Mutex
	last []string
}

// remembered is how many: one is good for half an hour at least, and no reconciliation takes that long.
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
