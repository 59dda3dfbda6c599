package credential

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// A Store hands out connections. It is safe for concurrent use.
type Store struct {
	// Client reads provider configs and namespaces from a cache, and writes.
	Client client.Client
	// Reader reads Secrets, one by one, and what must not be old, from the API server.
	Reader client.Reader
	// Drivers are the clouds, by the name in a provider config.
	Drivers map[string]driver.Driver
	// Namespace is Mooring's own: the credentials of cluster configs are there, and private copies.
	Namespace string
	// Refresh is how long credentials are used before their Secret is read again.
	Refresh time.Duration
	// Width is how many objects of one account and region are worked on at once.
	Width int
	Now   func() time.Time

	mu      sync.Mutex
	conns   map[connKey]*entry
	holds   map[Key]*held
	holding singleflight.Group
}

// suspectPause is how long a refused credential is used before its Secret is read again.
const suspectPause = 2 * time.Second

type connKey struct {
	config   Key
	location string
}

// entry is one cached connection; its mutex makes one caller open it while the others wait.
type entry struct {
	mu          sync.Mutex
	conn        *Connection
	fingerprint [sha256.Size]byte
	read        time.Time
	suspect     bool
	gate        *Gate
}

// Use says who asks for a connection, and for what.
type Use struct {
	Key       Key
	Namespace string
	// Location is the object's own; empty for the config's region.
	Location string
	// Bound: the object has a name in the cloud; Deleting: it is being deleted.
	Bound    bool
	Deleting bool
}

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

// Connect returns the connection for a use. An error of type *Refusal is for a person to mend.
func (s *Store) Connect(ctx context.Context, use Use) (*Connection, error) {
	cfg, err := s.load(ctx, s.Client, use.Key)
	if err != nil {
		return nil, err
	}
	if err := s.admit(ctx, cfg, use); err != nil {
		return nil, err
	}
	location := use.Location
	if location == "" {
		location = cfg.region()
	}
	if location == "" {
		return nil, &Refusal{v1alpha1.ReasonInvalid,
			fmt.Sprintf("there is no location: set spec.location, or a region in %s", cfg.key)}
	}
	return s.open(ctx, s.entry(connKey{cfg.key, location}), cfg, location, use.Deleting)
}

func (s *Store) entry(key connKey) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		s.conns = map[connKey]*entry{}
	}
	e := s.conns[key]
	if e == nil {
		e = &entry{gate: NewGate(s.Width, s.Now)}
		s.conns[key] = e
	}
	return e
}

// forget drops what is known of a config that is gone.
func (s *Store) forget(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, key)
	maps.DeleteFunc(s.conns, func(k connKey, _ *entry) bool { return k.config == key })
}

// open returns the entry's connection, opened anew if config or credentials changed.
func (s *Store) open(ctx context.Context, e *entry, cfg *config, location string, deleting bool) (*Connection, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	age := s.Now().Sub(e.read)
	fresh := e.conn != nil && age < s.Refresh && (!e.suspect || age < suspectPause)
	if fresh && e.fingerprint == fingerprint(cfg, e.conn.Secrets) {
		return e.conn, nil
	}
	data, err := s.credentials(ctx, cfg, deleting)
	if err != nil {
		return nil, err
	}
	var secrets []string
	if data != nil {
		secrets = secretValues(data)
	}
	// If the credentials are refused still, somebody will say so again.
	e.read, e.suspect = s.Now(), false
	current := fingerprint(cfg, secrets)
	if e.conn != nil && e.fingerprint == current {
		return e.conn, nil // looked at again, and the same
	}
	drv, ok := s.Drivers[cfg.provider()]
	if !ok {
		return nil, &Refusal{v1alpha1.ReasonNotSupported, fmt.Sprintf("%s: this build of Mooring has no driver for %s", cfg.key, cfg.provider())}
	}
	opened, err := drv.Open(ctx, cfg.settings(location, data))
	if driver.CodeOf(err) == driver.NotFound {
		return nil, &Refusal{v1alpha1.ReasonInvalid, err.Error()}
	}
	if err != nil {
		return nil, &Refusal{v1alpha1.ReasonCredentialsInvalid, fmt.Sprintf("%s: %v", cfg.key, err)}
	}
	e.conn = &Connection{Conn: opened, Provider: cfg.provider(), Location: location, Gate: e.gate, Secrets: secrets, entry: e}
	if cfg.account.AWS != nil {
		e.conn.expected = driver.AccountID(cfg.account.AWS.AccountID)
	}
	e.fingerprint = current
	return e.conn, nil
}

// fingerprint identifies an account, an endpoint and credentials. It never leaves memory.
func fingerprint(cfg *config, secrets []string) [sha256.Size]byte {
	text, err := json.Marshal([]any{cfg.account, cfg.endpoint, cfg.object.GetUID(), secrets})
	if err != nil {
		panic(err) // strings and structs of strings
	}
	return sha256.Sum256(text)
}
