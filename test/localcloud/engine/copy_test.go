package engine

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// TestEngineCopies restores data: what was written before a snapshot is there, what was written after it is not.
func TestEngineCopies(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			source := mustStart(t, e, Spec{ID: "source", Engine: w.name, Username: w.admin, Password: password, Database: "orders"})
			must := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			run := func(of *Engine, sql string) string {
				t.Helper()
				got, err := w.query(t, at(of), w.admin, password, "orders", sql)
				must(sql, err)
				return got
			}
			run(source, w.create)
			run(source, "INSERT INTO t VALUES (1)")
			stays := func() {}
			if w.name == "postgres" {
				stays = staysConnected(t, source, w.admin)
			}
			began := time.Now()
			must("snapshot", e.Snapshot("source", "one"))
			t.Logf("snapshot after %v", time.Since(began).Round(time.Millisecond))
			stays()
			if err := e.Snapshot("source", "one"); !errors.Is(err, errCopyExists) {
				t.Errorf("a second snapshot of the name: %v, want %v", err, errCopyExists)
			}
			run(source, "INSERT INTO t VALUES (2)")
			must("suspend", e.Suspend("source"))
			must("snapshot of a suspended server", e.Snapshot("source", "two"))
			must("stop", e.Stop("source"))

			release, err := e.Hold("one")
			must("hold", err)
			must("drop what is held", e.Drop("one"))
			if _, err := e.Hold("one"); !errors.Is(err, errNoCopy) {
				t.Errorf("hold of what was dropped: %v, want %v", err, errNoCopy)
			}
			one := mustStart(t, e, Spec{ID: "one", Engine: w.name, From: "one", Held: release})
			two := mustStart(t, e, Spec{ID: "two", Engine: w.name, From: "two"})
			for rows, of := range map[string]*Engine{"1": one, "2": two} {
				if got := run(of, "SELECT count(*) FROM t"); got != rows {
					t.Errorf("restored %s rows, want %s", got, rows)
				}
			}
			must("setPassword", e.SetPassword("two", w.admin, "second"))
			if _, err := w.query(t, at(two), w.admin, password, "orders", "SELECT 1"); err == nil {
				t.Error("the password of the source works still")
			}
			if got := check.Copies(t, e.dir); got != 1 {
				t.Errorf("there are %d copies, want that of two alone", got)
			}
			must("drop", e.Drop("two"))
			must("drop again", e.Drop("two"))
			if _, err := e.Start(Spec{ID: "three", Engine: w.name, From: "two"}); !errors.Is(err, errNoCopy) {
				t.Errorf("start from what was dropped: %v, want %v", err, errNoCopy)
			}
			if got := check.Copies(t, e.dir); got != 0 {
				t.Errorf("there are %d copies, want none", got)
			}
		})
	}
}

// staysConnected connects, and returns what fails the test unless that connection still works.
func staysConnected(t *testing.T, e *Engine, user string) func() {
	t.Helper()
	ctx := context.Background()
	uri := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: net.JoinHostPort(e.Host, strconv.Itoa(e.Port)), Path: "/postgres"}
	conn, err := pgx.Connect(ctx, uri.String())
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := errors.Join(conn.Ping(ctx), conn.Close(ctx)); err != nil {
			t.Errorf("the snapshot broke a connection: %v", err)
		}
	}
}

// TestEngineCopyRefusals are of bare listeners, which have no data to copy.
func TestEngineCopyRefusals(t *testing.T) {
	e := testEngines(t, true)
	if err := e.Snapshot("none", "one"); !errors.Is(err, errNoEngine) {
		t.Errorf("snapshot of no server: %v", err)
	}
	mustStart(t, e, Spec{ID: "bare", Engine: "postgres"})
	if err := e.Snapshot("bare", "one"); err != nil {
		t.Fatal(err)
	}
	if got := mustStart(t, e, Spec{ID: "again", Engine: "postgres", From: "one"}); got.Real {
		t.Errorf("restored %+v, want a bare listener", got)
	}
	if _, err := e.Start(Spec{ID: "other", Engine: "mysql", From: "one"}); !errors.Is(err, errCopyOf) {
		t.Errorf("start of another engine: %v", err)
	}
	if _, err := e.Start(Spec{ID: "other", Engine: "postgres", From: "two"}); !errors.Is(err, errNoCopy) {
		t.Errorf("start from no copy: %v", err)
	}
}

// TestEngineCopyStopped: the server is stopped, or the copy dropped, or the cloud closed, while the copy is made. Nothing may stay.
func TestEngineCopyStopped(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			mustStart(t, e, Spec{ID: "stopped", Engine: w.name, Username: w.admin, Password: password})
			mustStart(t, e, Spec{ID: "dropped", Engine: w.name, Username: w.admin, Password: password})
			var all sync.WaitGroup
			for id, meanwhile := range map[string]func(string) error{"stopped": e.Stop, "dropped": e.Drop} {
				all.Go(func() {
					var during sync.WaitGroup
					during.Go(func() { _ = e.Snapshot(id, id) })
					awaitCopy(t, e, id)
					if err := meanwhile(id); err != nil {
						t.Errorf("%s: %v", id, err)
					}
					during.Wait()
				})
			}
			all.Wait()
			for _, id := range []string{"stopped", "dropped"} {
				if _, err := e.Hold(id); id == "dropped" && !errors.Is(err, errNoCopy) {
					t.Errorf("the copy %s: %v, want none", id, err)
				}
				_ = e.Drop(id)
			}
			if got := check.Copies(t, e.dir); got != 0 {
				t.Errorf("there are %d copies, want none", got)
			}
			go func() { _ = e.Snapshot("dropped", "last") }() // which close finds under way, or refuses
		})
	}
}

// awaitCopy waits until the name of a copy is taken.
func awaitCopy(t *testing.T, e *Engines, as string) {
	t.Helper()
	check.Await(t, "a copy "+as+" that is being made", func() (bool, string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.copies[as] != nil, "none"
	})
}

// TestPostgresPrograms: a folder without pg_basebackup does not hold all that is needed.
func TestPostgresPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range postgresPrograms[:2] {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("MOORING_POSTGRES_BIN", dir)
	if _, err := findPostgres(); err == nil || !strings.Contains(err.Error(), "pg_basebackup") {
		t.Errorf("got %v, want a word on pg_basebackup", err)
	}
}
