package engine

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A bare listener lets those in whom a real server would let in: its copies have the passwords of their moment, and its followers its own until they are promoted.
func TestLoginsOfBareListeners(t *testing.T) {
	t.Parallel()
	e := testEngines(t, true)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	in := map[string]*Engine{}
	start := func(spec Spec) {
		t.Helper()
		spec.Engine = "postgres"
		in[spec.ID] = mustStart(t, e, spec)
	}
	// logs checks who can log in at a server: the administrator with this password alone.
	logs := func(id, want string) {
		t.Helper()
		for _, password := range []string{"one", "two", "three", ""} {
			err := loginAt(in[id], "admin", password)
			var refused *pgconn.PgError
			if password == want && err != nil || password != want && (!errors.As(err, &refused) || refused.Code != "28P01") {
				t.Errorf("%s lets admin in with %q: %v, want that of %q alone", id, password, err, want)
			}
		}
	}
	start(Spec{ID: "source", Username: "admin", Password: "one", Log: "log"})
	logs("source", "one")
	must("snapshot", e.Snapshot("source", "copy"))
	past := time.Now()
	start(Spec{ID: "replica", Follows: "source"})
	start(Spec{ID: "cascade", Follows: "replica"})
	must("setPassword", e.SetPassword("source", "admin", "two"))
	if err := e.SetPassword("replica", "admin", "three"); err == nil {
		t.Error("a replica takes a password of its own")
	}
	for _, id := range []string{"source", "replica", "cascade"} {
		logs(id, "two")
	}
	must("promote", e.Promote("replica"))
	must("setPassword", e.SetPassword("source", "admin", "three"))
	logs("source", "three")
	logs("replica", "two")
	logs("cascade", "two")
	must("setPassword", e.SetPassword("replica", "admin", "one"))
	logs("cascade", "one")
	start(Spec{ID: "restored", From: "copy"})
	logs("restored", "one")
	start(Spec{ID: "clone", CopyOf: "source"})
	must("stop", e.Stop("source"))
	logs("clone", "three")
	start(Spec{ID: "then", From: "log", Until: past})
	logs("then", "one")
	start(Spec{ID: "latest", From: "log"})
	logs("latest", "three")
	must("restart", e.Restart("latest"))
	logs("latest", "three")
	must("dropUser", e.DropUser("latest", "admin"))
	logs("latest", "nobody")
}

// A switchover takes the place of a server with the passwords that it has by then.
func TestLoginsOfSwitchedServers(t *testing.T) {
	t.Parallel()
	e := testEngines(t, true)
	blue := mustStart(t, e, Spec{ID: "blue", Engine: "postgres", Username: "admin", Password: "one"})
	mustStart(t, e, Spec{ID: "green", Engine: "postgres", Follows: "blue"})
	if err := e.SetPassword("blue", "admin", "two"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.SwitchOver("blue", "green", time.Minute); err != nil {
		t.Fatal(err)
	}
	for id, password := range map[string]string{"green": "three", "blue": "four"} {
		if err := e.SetPassword(id, "admin", password); err != nil {
			t.Fatal(err)
		}
	}
	if err := loginAt(blue, "admin", "three"); err != nil {
		t.Errorf("where the former server was: %v", err)
	}
}

// loginAt logs in as a program does, and asks something.
func loginAt(e *Engine, user, password string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	at := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Path: "/postgres", Host: net.JoinHostPort(e.Host, strconv.Itoa(e.Port)), RawQuery: "sslmode=prefer"}
	conn, err := pgx.Connect(ctx, at.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx)
}
