package credential

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// suspectPause is how long a refused credential is used, or a missing one missed, before its Secret is read again.
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
	// missing is why the Secret was of no use when it was last read, at missed: conn is of the private copy, which is for
	// deletions only. It is nil if conn is of the Secret.
	missing error
	missed  time.Time
}

func (s *Store) entry(key connKey) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		s.conns = map[connKey]*entry{}
	}
	e := s.conns[key]
	if e == nil {
		e = &entry{}
		s.conns[key] = e
	}
	return e
}

// open returns the entry's connection, opened anew if config or credentials changed.
func (s *Store) open(ctx context.Context, e *entry, cfg *config, location string, deleting bool) (*Connection, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conn != nil && e.fingerprint == fingerprint(cfg, e.conn.Secrets) {
		age := s.Now().Sub(e.read)
		fresh := age < s.Refresh && (!e.suspect || age < suspectPause)
		switch {
		case e.missing != nil && !deleting && s.Now().Sub(e.missed) < suspectPause:
			return nil, e.missing
		case fresh && (e.missing == nil || deleting):
			return e.conn, nil
		}
	}
	data, missing, err := s.credentials(ctx, cfg, deleting)
	if err != nil {
		e.missed = s.Now()
		return nil, err
	}
	var secrets []string
	if data != nil {
		secrets = secretValues(data)
	}
	// If the credentials are refused still, somebody will say so again.
	e.read, e.suspect = s.Now(), false
	e.missing, e.missed = missing, e.read
	current := fingerprint(cfg, secrets)
	if e.conn != nil && e.fingerprint == current {
		return e.conn, nil // looked at again, and the same
	}
	e.conn = nil // it is of no use any more, even if what is there now can't be opened
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
	e.conn = &Connection{
		Conn: opened, Provider: cfg.provider(), Location: location, Region: cfg.region(), Secrets: secrets,
		Gate: s.entrance(cfg), endpoint: cfg.endpoint, entry: e, now: s.Now,
	}
	if cfg.account.AWS != nil {
		e.conn.expected = driver.AccountID(cfg.account.AWS.AccountID)
	}
	e.fingerprint = current
	return e.conn, nil
}

// fingerprint identifies an account, an endpoint, a Secret and what it holds. It never leaves memory.
func fingerprint(cfg *config, secrets []string) [sha256.Size]byte {
	text, err := json.Marshal([]any{cfg.account, cfg.endpoint, cfg.object.GetUID(), cfg.secret, secrets})
	if err != nil {
		panic(err) // strings and structs of strings
	}
	return sha256.Sum256(text)
}
