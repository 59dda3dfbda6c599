package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// recheckPause is how long a denied credential is used, or a missing one is taken as missing, before it is read again.
const recheckPause = 2 * time.Second

// entry is one cached connection; its mutex makes one caller open it while the others wait.
type entry struct {
	key  connKey
	used time.Time // guarded by the store's mutex

	mu          sync.Mutex
	conn        *Connection
	fingerprint [sha256.Size]byte
	read        time.Time
	denied      bool
	// missing is why the Secret, or the ServiceAccount, was of no use when it was last read, at missed: conn stands on the
	// private copy, which is for deletions only. It is nil if all is there.
	missing error
	missed  time.Time
}

func (s *Store) entry(key connKey) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns.entry(key, s.Now())
}

// open returns a tenant's connection, opened anew if config, tenant or credentials changed.
func (s *Store) open(ctx context.Context, cfg *config, t tenant, location string, deleting bool) (*Connection, error) {
	e := s.entry(connKey{cfg.key, t.namespace, location})
	e.mu.Lock()
	defer e.mu.Unlock()
	same := e.conn != nil && e.fingerprint == fingerprint(cfg, t, e.conn.credentials)
	if same {
		age := s.Now().Sub(e.read)
		fresh := age < s.Refresh && (!e.denied || age < recheckPause)
		switch {
		case e.missing != nil && !deleting && s.Now().Sub(e.missed) < recheckPause:
			return nil, e.missing
		case fresh && (e.missing == nil || deleting):
			return e.conn, nil
		}
	}
	data, missing, err := s.credentials(ctx, cfg, t, deleting)
	if refusal, refused := errors.AsType[*ValidationError](err); refused && same && deleting && cfg.chain.WebIdentity != nil {
		missing, err = refusal, nil // its session may outlast the token that it began with
	}
	if err != nil {
		e.missed = s.Now()
		return nil, err
	}
	if e.denied {
		s.tokens.dropBefore(t, s.Now().Add(-s.Refresh))
	}
	// If the credentials are refused still, somebody will say so again.
	e.read, e.denied = s.Now(), false
	e.missing, e.missed = missing, e.read
	current := fingerprint(cfg, t, data)
	if e.conn != nil && e.fingerprint == current {
		return e.conn, nil // looked at again, and the same
	}
	e.conn = nil // it is of no use any more, even if what is there now can't be opened
	conn := &Connection{Location: location, entry: e, credentials: data, secrets: secretValues(cfg, data)}
	if err := s.connect(ctx, conn, cfg, t, data); err != nil {
		return nil, err
	}
	e.conn, e.fingerprint = conn, current
	return conn, nil
}

// connect fills a new connection.
func (s *Store) connect(ctx context.Context, conn *Connection, cfg *config, t tenant, data map[string][]byte) (err error) {
	conn.issued = &issued{}
	settings := cfg.settings(t, conn.Location, data, s.tokenFunc(cfg, t, conn.issued))
	if conn.Session, err = s.dial(ctx, cfg, settings); err != nil {
		return err
	}
	conn.Cloud, conn.Provider, conn.Region, conn.endpoint = cfg.cloud, cfg.provider(), cfg.region(), cfg.endpoint
	conn.Slots, conn.now, conn.longest = s.slots(cfg), s.Now, s.DeniedPause
	conn.expected = driver.AccountID(cfg.account.Field(cfg.cloud.Account.ID))
	return nil
}

// dial asks the config's driver for a connection.
func (s *Store) dial(ctx context.Context, cfg *config, settings driver.Opening) (driver.Session, error) {
	if err := s.supported(cfg); err != nil {
		return nil, err
	}
	if s.Calls != nil {
		host, _ := settings.Host.(driver.HostFuncs) // none, where no tokens are needed
		host.Calls = s.Calls(cfg.provider())
		settings.Host = host
	}
	opened, err := cfg.driver.Open(ctx, settings)
	if err == nil {
		return opened, nil
	}
	message := driver.Redact(err.Error(), secretValues(cfg, settings.Credentials)...)
	if driver.CodeOf(err) == driver.NotFound {
		return nil, &ValidationError{v1alpha1.ReasonInvalid, message}
	}
	return nil, &ValidationError{v1alpha1.ReasonCredentialsInvalid, fmt.Sprintf("%s: %s", cfg.key, message)}
}

// fingerprint identifies an account, an endpoint, an identity in it with all steps that lead there, and what its Secret
// holds; not its tokens, which change while it stays the same. It never leaves memory.
func fingerprint(cfg *config, t tenant, credentials map[string][]byte) [sha256.Size]byte {
	text, err := json.Marshal([]any{
		cfg.account, cfg.endpoint, cfg.object.GetUID(), cfg.secret, cfg.ambient, cfg.chain, t.namespace, t.uid, credentials,
	})
	if err != nil {
		panic(err) // strings, bytes and structs of strings
	}
	return sha256.Sum256(text)
}
