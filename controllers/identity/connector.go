package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// recheckPause is how long a denied credential is used, or a missing one is taken as missing, before it is read again.
const recheckPause = 2 * time.Second

// entry is one cached connection; its mutex makes one caller open it while the others wait.
type entry struct {
	key  connKey
	used time.Time // guarded by the pool's mutex

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

// A connector hands out the connections of a pool: it opens one anew when its config, tenant or credentials have changed.
type connector struct {
	pool        *pool
	credentials *credentials
	tokens      *tokenSource
	dialer      *dialer
	authorities *authorities
	// refresh is how long credentials are used before their Secret, or ServiceAccount, is read again.
	refresh time.Duration
	now     func() time.Time
}

// open returns a tenant's connection, opened anew if config, tenant or credentials changed.
func (c *connector) open(ctx context.Context, cfg *config, t tenant, location string, deleting bool) (*Connection, error) {
	e := c.pool.entry(connKey{cfg.key, t.namespace, location}, c.now())
	e.mu.Lock()
	defer e.mu.Unlock()
	same := e.conn != nil && e.fingerprint == fingerprint(cfg, t, e.conn.credentials)
	if same {
		age := c.now().Sub(e.read)
		fresh := age < c.refresh && (!e.denied || age < recheckPause)
		switch {
		case e.missing != nil && !deleting && c.now().Sub(e.missed) < recheckPause:
			return nil, e.missing
		case fresh && (e.missing == nil || deleting):
			return e.conn, nil
		}
	}
	data, missing, err := c.credentials.read(ctx, cfg, t, deleting)
	if refusal, refused := errors.AsType[*ValidationError](err); refused && same && deleting && cfg.chain.WebIdentity != nil {
		missing, err = refusal, nil // its session may outlast the token that it began with
	}
	if err != nil {
		e.missed = c.now()
		return nil, err
	}
	if e.denied {
		c.tokens.dropBefore(t, c.now().Add(-c.refresh))
	}
	// If the credentials are refused still, somebody will say so again.
	e.read, e.denied = c.now(), false
	e.missing, e.missed = missing, e.read
	current := fingerprint(cfg, t, data)
	if e.conn != nil && e.fingerprint == current {
		return e.conn, nil // looked at again, and the same
	}
	e.conn = nil // it is of no use any more, even if what is there now can't be opened
	conn := &Connection{Location: location, entry: e, credentials: data, secrets: secretValues(cfg, data), authorities: c.authorities, databaseCA: cfg.databaseCA}
	if err := c.dialer.connect(ctx, conn, cfg, t, data); err != nil {
		return nil, err
	}
	e.conn, e.fingerprint = conn, current
	return conn, nil
}

// fingerprint identifies an account, an endpoint, an identity in it with all steps that lead there, what its Secret
// holds, and where the authorities of databases are; not its tokens, which change while it stays the same. It never leaves memory.
func fingerprint(cfg *config, t tenant, credentials map[string][]byte) [sha256.Size]byte {
	text, err := json.Marshal([]any{
		cfg.account, cfg.endpoint, cfg.object.GetUID(), cfg.secret, cfg.ambient, cfg.chain, t.namespace, t.uid, credentials, cfg.databaseCA,
	})
	if err != nil {
		panic(err) // strings, bytes and structs of strings
	}
	return sha256.Sum256(text)
}
