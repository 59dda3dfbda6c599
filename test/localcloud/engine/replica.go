package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Replicas of PostgreSQL are standbys by its own streaming replication: they begin as a base backup of their source and receive its log over the source's socket.
// https://www.postgresql.org/docs/current/warm-standby.html#STREAMING-REPLICATION

var errNotPromoted = errors.New("the server did not end its recovery in time")

// An upstream is whose writes a server repeats.
type upstream struct {
	id    string
	at    string  // how the server is reached, in words of the engine
	begun bool    // where it is in the writes of the other is in its data
	users *logins // of a bare listener
}

// follow prepares a server for a follower, which is to begin with its data.
func (e *Engines) follow(spec Spec) (Spec, error) {
	spec.CopyOf, spec.upstream = spec.Follows, &upstream{id: spec.Follows}
	err := e.with(spec.Follows, "lead a replica", func(ctx context.Context, in *instance) (err error) {
		if b, bare := in.backing.(*bareListener); bare {
			spec.upstream.users = b.logins
		}
		spec.upstream.at, err = in.backing.lead(ctx)
		return err
	})
	return spec, err
}

// redirect tells the followers of a server where it is now.
func (e *Engines) redirect(id string) error {
	e.mu.Lock()
	var others []string
	for other := range e.known {
		if other != id {
			others = append(others, other)
		}
	}
	e.mu.Unlock()
	to := &upstream{id: id}
	err := e.with(id, "lead replicas from another port", func(_ context.Context, in *instance) error {
		if s, ok := in.backing.(*server); ok && s.leads {
			to.at = s.system.connection(s)
		}
		return nil
	})
	if err != nil || to.at == "" {
		return err
	}
	for _, other := range others {
		err := e.with(other, "follow to another port", func(ctx context.Context, in *instance) error { return in.backing.redirect(ctx, to) })
		if err != nil && !errors.Is(err, errNoEngine) {
			return err
		}
	}
	return nil
}

// Promote makes a server that follows another one take writes, with all that it has repeated by then. Servers that follow it go on to do so.
func (e *Engines) Promote(id string) error {
	return e.with(id, "promote", func(ctx context.Context, in *instance) error {
		return in.backing.promote(ctx)
	})
}

func (s *server) lead(ctx context.Context) (at string, err error) {
	s.leads = true
	err = s.asked(func() error {
		if err := s.reconfigure(ctx); err != nil {
			return err
		}
		return s.system.lead(ctx, s)
	})
	return s.system.connection(s), err
}

func (s *server) redirect(ctx context.Context, to *upstream) error {
	if s.follows == nil || s.follows.id != to.id {
		return nil
	}
	s.follows = &upstream{id: to.id, at: to.at, begun: s.follows.begun}
	if err := s.reconfigure(ctx); err != nil || s.process == nil {
		return err
	}
	return s.system.follow(ctx, s)
}

func (s *server) promote(ctx context.Context) error {
	if s.follows == nil {
		return nil
	}
	if err := s.asked(func() error { return s.system.promote(ctx, s) }); err != nil {
		return err
	}
	s.follows = nil
	return s.reconfigure(ctx)
}

// postgresLeading keeps so much of the log that a follower finds what it lacks after a restart, however long the source wrote meanwhile in a test. Full pages in the log
// (configure) are what a base backup of a follower needs.
const postgresLeading = "wal_keep_size = '1GB'\n"

// connection is how a follower reaches a server: by its socket.
func (postgres) connection(s *server) string {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s.folder)
	return fmt.Sprintf("host='%s' port=%d user=%s sslmode=disable", quoted, s.address.port, superuser)
}

// follow has nothing to do: a standby goes to its source by itself.
func (postgres) follow(context.Context, *server) error { return nil }

// configureStandby makes a server that follows another one a standby when it starts, and any other none: a copy of a standby's data has the file that says so.
func (postgres) configureStandby(s *server, settings *string) error {
	signal := filepath.Join(s.data(), "standby.signal")
	if s.follows == nil {
		if err := os.Remove(signal); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	*settings += "primary_conninfo = '" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s.follows.at) + "'\n"
	return s.home.write(signal, "")
}

// lead returns once full pages are in the log, unless the server is a follower itself: its source has put them there.
func (p postgres) lead(ctx context.Context, s *server) error {
	return s.process.await(ctx, s.log(), func(ctx context.Context) error {
		return p.sql(ctx, s, func(conn *pgx.Conn) error {
			var follows, full bool
			if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&follows); err != nil || follows {
				return err
			}
			if _, err := conn.Exec(ctx, "CHECKPOINT"); err != nil {
				return err
			}
			err := conn.QueryRow(ctx, "SELECT full_page_writes FROM pg_control_checkpoint()").Scan(&full)
			if err == nil && !full {
				err = errors.New("the last checkpoint was without full pages")
			}
			return err
		})
	})
}

// promote is what "pg_ctl promote" does.
func (p postgres) promote(ctx context.Context, s *server) error {
	return p.sql(ctx, s, func(conn *pgx.Conn) error {
		done := false
		err := conn.QueryRow(ctx, "SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(true, $1::int) ELSE true END", int(workTimeout.Seconds())).Scan(&done)
		if err == nil && !done {
			err = errNotPromoted
		}
		return err
	})
}
