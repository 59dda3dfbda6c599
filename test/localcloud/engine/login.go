package engine

import (
	"errors"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

var errFollowerReadOnly = errors.New("the server follows another one and takes no writes")

// logins are the users of a bare listener and their passwords, as the data of a real server would have them: a copy has those of its moment, a follower has those of the server that it follows
// until it is promoted, and a log has those of each time. It is safe for concurrent use.
type logins struct {
	mu      sync.Mutex
	follows *logins
	past    []loginsAt // oldest first; the last one is in force
}

// loginsAt are passwords by user, from one of the machine's times on. They are not changed.
type loginsAt struct {
	at        time.Time
	passwords map[string]string
}

// newLogins returns the users of a new server: those of an earlier one, or only the administrator of its specification.
func newLogins(spec Spec, from *dataCopy) *logins {
	l := &logins{past: []loginsAt{{time.Now(), map[string]string{}}}}
	switch {
	case spec.upstream != nil:
		l.follows = spec.upstream.users
	case from != nil && from.source != nil:
		l.past = []loginsAt{{time.Now(), from.source.at(spec.Until)}}
	case spec.Username != "":
		l.past[0].passwords[spec.Username] = spec.Password
	}
	return l
}

// at returns the passwords that were in force at a time; those of now if it is zero.
func (l *logins) at(when time.Time) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.follows != nil {
		return l.follows.at(when)
	}
	passwords := l.past[0].passwords
	for _, p := range l.past {
		if when.IsZero() || !p.at.After(when) {
			passwords = p.passwords
		}
	}
	return passwords
}

// frozen returns what a copy of the data has.
func (l *logins) frozen() *logins { return &logins{past: []loginsAt{{passwords: l.at(time.Time{})}}} }

// change sets the password of a user, or removes the user if it is nil.
func (l *logins) change(user string, password *string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.follows != nil {
		return errFollowerReadOnly
	}
	next := maps.Clone(l.past[len(l.past)-1].passwords)
	delete(next, user)
	if password != nil {
		next[user] = *password
	}
	l.past = append(l.past, loginsAt{time.Now(), next})
	return nil
}

// promote ends the following.
func (l *logins) promote() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.follows != nil {
		l.past, l.follows = []loginsAt{{time.Now(), l.follows.at(time.Time{})}}, nil
	}
}

// accepts reports whether a user has a password.
func (l *logins) accepts(user, password string) bool {
	is, known := l.at(time.Time{})[user]
	return known && is != "" && is == password
}

// greet answers who connects as PostgreSQL does: it takes a login with the right password, and then nothing but the simplest queries, which return nothing. It has no TLS.
// https://www.postgresql.org/docs/current/protocol-flow.html
func (l *logins) greet(conn net.Conn) {
	b := pgproto3.NewBackend(conn, conn)
	user, err := startup(conn, b)
	if err != nil {
		return
	}
	b.Send(&pgproto3.AuthenticationCleartextPassword{})
	if b.Flush() != nil || b.SetAuthType(pgproto3.AuthTypeCleartextPassword) != nil {
		return
	}
	message, err := b.Receive()
	if err != nil {
		return
	}
	if said, ok := message.(*pgproto3.PasswordMessage); !ok || !l.accepts(user, said.Password) {
		b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "` + user + `"`})
		_ = b.Flush()
		return
	}
	b.Send(&pgproto3.AuthenticationOk{})
	b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for b.Flush() == nil {
		message, err := b.Receive()
		if _, asks := message.(*pgproto3.Query); err != nil || !asks {
			return
		}
		b.Send(&pgproto3.EmptyQueryResponse{})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	}
}

// startup returns who wants to log in. Requests for encryption are declined.
func startup(conn net.Conn, b *pgproto3.Backend) (user string, err error) {
	for {
		message, err := b.ReceiveStartupMessage()
		if err != nil {
			return "", err
		}
		switch asks := message.(type) {
		case *pgproto3.StartupMessage:
			return asks.Parameters["user"], nil
		case *pgproto3.SSLRequest, *pgproto3.GSSEncRequest:
			if _, err := conn.Write([]byte("N")); err != nil {
				return "", err
			}
		default: // a request to cancel
			return "", net.ErrClosed
		}
	}
}

// connections are those that a bare listener has, so that they end with it.
type connections struct {
	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

// serve calls f with a connection, unless all are to end, and closes it.
func (c *connections) serve(conn net.Conn, f func(net.Conn)) {
	defer func() { _ = conn.Close() }()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[conn] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.open, conn)
		c.mu.Unlock()
	}()
	f(conn)
}

// end closes all.
func (c *connections) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for conn := range c.open {
		_ = conn.Close()
	}
}

// AlterPassword sets a user's password at the server that listens at an address.
func (e *Engines) AlterPassword(host string, port int, user, password string) error {
	e.mu.Lock()
	all := maps.Clone(e.known)
	e.mu.Unlock()
	for id, in := range all {
		in.mu.Lock()
		here := !in.gone && in.engine.Host == host && in.engine.Port == port
		in.mu.Unlock()
		if here {
			return e.SetPassword(id, user, password)
		}
	}
	return errNoEngine
}
