package engine

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

var (
	errSwitchoverTimeout = errors.New("the switchover took too long")
	errNotCaughtUp       = errors.New("the server has not repeated all writes of the one that it follows")
)

// SwitchOver makes the server next listen where the server old did, and old at a new address, which is returned. If next follows old, it has all that old ever acknowledged, and takes writes
// from then on: old takes none from the moment on that it leaves its address, and is read-only until engines.restart or engines.resume. A switchover that fails, or takes
// longer than within, leaves both as they were. Followers of the two go on to follow them.
func (e *Engines) SwitchOver(old, next string, within time.Duration) (moved Engine, err error) {
	ca, err := e.Authority()
	if err != nil {
		return Engine{}, err
	}
	err = e.withBoth(old, next, "switch over", func(from, to *instance) error {
		ctx, cancel := context.WithTimeoutCause(to.ctx, within, errSwitchoverTimeout)
		defer cancel()
		fresh, err := reserve(true, from.engine.Port)
		if err != nil {
			return err
		}
		cert, err := ca.Sign(Identity{Common: fresh.host, Hosts: []string{"localhost"}, ips: []net.IP{net.ParseIP(fresh.host)}})
		if err == nil {
			err = e.exchange(ctx, from, to, place{fresh, cert})
		}
		if err != nil {
			return errors.Join(err, fresh.release())
		}
		moved = from.engine
		return nil
	})
	if err == nil { // whoever is not told goes on to try where the other was
		_, _ = e.redirect(old), e.redirect(next)
	}
	return moved, err
}

// withBoth calls f with two instances that are locked.
func (e *Engines) withBoth(a, b, op string, f func(a, b *instance) error) error {
	first, second := min(a, b), max(a, b) // whoever locks both locks them in one order
	return e.with(first, op, func(_ context.Context, x *instance) error {
		return e.with(second, op, func(_ context.Context, y *instance) error {
			if first == a {
				return f(x, y)
			}
			return f(y, x)
		})
	})
}

// A place is where a server listens, and what it shows there.
type place struct {
	at   *address
	cert *Signed // nil for a bare listener
}

func placeOf(in *instance) place {
	switch b := in.backing.(type) {
	case *server:
		return place{b.address, b.signed}
	case *bareListener:
		return place{at: b.address}
	}
	return place{}
}

// moveTo restarts a server at another place. The former one remains the caller's.
func (in *instance) moveTo(ctx context.Context, to place, readOnly bool) error {
	if err := in.backing.suspend(); err != nil {
		return err
	}
	switch b := in.backing.(type) {
	case *server:
		b.address, b.signed, b.readOnly = to.at, to.cert, readOnly
		if err := b.writeCertificate(); err != nil {
			return err
		}
	case *bareListener:
		b.address = to.at
	}
	in.engine.Host, in.engine.Port = to.at.host, to.at.port
	return in.backing.resume(ctx)
}

// exchange moves old to a new place, and next to where old was; it gives up where next was.
func (e *Engines) exchange(ctx context.Context, old, next *instance, fresh place) error {
	was, spare := placeOf(old), placeOf(next)
	follows := false
	if s, ok := next.backing.(*server); ok {
		if leader, ok := old.backing.(*server); ok {
			follows = s.follows != nil && s.follows.id == leader.id
		}
	}
	// The end of the server ends all connections: what it has acknowledged by then is in its log, and nobody else knows where it is afterwards.
	err := old.moveTo(ctx, fresh, follows)
	if err == nil && follows {
		err = succeed(ctx, old.backing.(*server), next.backing.(*server))
	}
	if err == nil {
		err = next.moveTo(ctx, was, false)
	}
	if err == nil {
		if b, bare := next.backing.(*bareListener); bare {
			b.logins.promote()
		}
		return spare.at.release()
	}
	undo, cancel := context.WithTimeoutCause(e.ctx, e.limit, errWorkTimeout)
	defer cancel()
	if placeOf(next) != spare {
		err = errors.Join(err, next.moveTo(undo, spare, false))
	}
	err = errors.Join(err, old.moveTo(undo, was, false))
	if s, ok := next.backing.(*server); ok && follows {
		leader := old.backing.(*server)
		err = errors.Join(err, s.redirect(undo, &upstream{id: leader.id, at: leader.system.connection(leader)}))
	}
	return err
}

// succeed makes next, which follows old, take writes once it has all of old's.
func succeed(ctx context.Context, old, next *server) error {
	if err := next.redirect(ctx, &upstream{id: old.id, at: old.system.connection(old)}); err != nil {
		return err
	}
	last, err := old.system.position(ctx, old)
	if err != nil {
		return err
	}
	err = next.asked(func() error { return next.system.reach(ctx, next, last) })
	if err != nil {
		return err
	}
	return next.promote(ctx)
}

// thaw makes a server that is about to start take writes again, unless it follows another.
func (in *instance) thaw() {
	if s, ok := in.backing.(*server); ok {
		s.readOnly = false
	}
}

// position commits something, so that all before it is in the files of the log, and returns where the log is then.
func (p postgres) position(ctx context.Context, s *server) (at string, err error) {
	if err := p.mark(ctx, s); err != nil {
		return "", err
	}
	err = p.sql(ctx, s, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_current_wal_flush_lsn()::text").Scan(&at)
	})
	return at, err
}

func (p postgres) reach(ctx context.Context, s *server, at string) error {
	return s.process.await(ctx, s.log(), func(ctx context.Context) error {
		return p.sql(ctx, s, func(conn *pgx.Conn) error {
			there := false
			err := conn.QueryRow(ctx, "SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)", at).Scan(&there)
			if err == nil && !there {
				err = errNotCaughtUp
			}
			return err
		})
	})
}

// position is up to where the binary log is, as global transaction ids.
func (m mariaDB) position(ctx context.Context, s *server) (string, error) {
	return m.ask(ctx, s, "SELECT @@GLOBAL.gtid_binlog_pos")
}

func (m mariaDB) reach(ctx context.Context, s *server, at string) error {
	got, err := m.ask(ctx, s, "SELECT MASTER_GTID_WAIT("+quoteMariaDB(at)+")")
	if err == nil && got != "0" {
		err = errNotCaughtUp
	}
	return err
}

// ask returns what the client writes for a query.
func (m mariaDB) ask(ctx context.Context, s *server, query string) (string, error) {
	client := m.connect(s, "--skip-column-names")
	client.Stdin = strings.NewReader(query + ";\n")
	said, err := s.nursery.output(ctx, client)
	return strings.TrimSpace(said), err
}
