package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// TestEngineLogs restores a server to points in time by the log of another's writes.
func TestEngineLogs(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("postgres"))
	e := testEngines(t, false)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	run := func(of *Engine, sql string) string {
		t.Helper()
		got, err := check.QueryPostgres(t, at(of), "postgres", password, "orders", sql)
		must(sql, err)
		return got
	}
	restored := func(id string, spec Spec, rows string) *Engine {
		t.Helper()
		spec.ID, spec.Engine = id, "postgres"
		of := mustStart(t, e, spec)
		if got := run(of, "SELECT count(*) FROM t"); got != rows {
			t.Errorf("%s has %s rows, want %s", id, got, rows)
		}
		return of
	}
	source := mustStart(t, e, Spec{ID: "source", Engine: "postgres", Username: "postgres", Password: password, Database: "orders", Log: "log"})
	run(source, "CREATE TABLE t (n int)")
	run(source, "INSERT INTO t VALUES (1)")
	one := time.Now()
	run(source, "INSERT INTO t VALUES (2)")
	must("flush", e.FlushLog("source"))
	restored("at one", Spec{From: "log", Until: one}, "1")
	restored("at the end", Spec{From: "log"}, "2")

	run(source, "INSERT INTO t VALUES (3)")
	three := time.Now()
	must("suspend", e.Suspend("source"))
	must("flush what is suspended", e.FlushLog("source"))
	restored("at the last write", Spec{From: "log", Until: three}, "3")
	again := restored("after the last write", Spec{From: "log", Until: time.Now(), Log: "again"}, "3")

	// A server that came by a log keeps one itself.
	run(again, "INSERT INTO t VALUES (4)")
	four := time.Now()
	run(again, "INSERT INTO t VALUES (5)")
	must("flush", e.FlushLog("after the last write"))
	restored("of the restored one", Spec{From: "again", Until: four}, "4")

	// One that keeps a log from some time on has it from then on, also over a restart.
	plain := mustStart(t, e, Spec{ID: "plain", Engine: "postgres", Username: "postgres", Password: password, Database: "orders"})
	if err := e.FlushLog("plain"); !errors.Is(err, errNoCopy) {
		t.Errorf("flush of no log: %v, want %v", err, errNoCopy)
	}
	run(plain, "CREATE TABLE t (n int)")
	must("keepLog", e.KeepLog("plain", "late"))
	run(plain, "INSERT INTO t VALUES (1)")
	must("restart", e.Restart("plain"))
	one = time.Now()
	run(plain, "INSERT INTO t VALUES (2)")
	must("flush", e.FlushLog("plain"))
	must("endLog", e.EndLog("plain"))
	must("stop", e.Stop("plain"))
	restored("late", Spec{From: "late", Until: one}, "1")
	before := check.Copies(t, e.dir)
	must("drop", e.Drop("late"))
	if got := check.Copies(t, e.dir); got != before-1 {
		t.Errorf("there are %d copies, want %d", got, before-1)
	}
}

// TestEngineLogRefusals: only PostgreSQL keeps a log, and a bare listener has nothing in it.
func TestEngineLogRefusals(t *testing.T) {
	t.Parallel()
	bare := testEngines(t, true)
	mustStart(t, bare, Spec{ID: "bare", Engine: "postgres", Log: "log"})
	if got := mustStart(t, bare, Spec{ID: "again", Engine: "postgres", From: "log", Until: time.Now()}); got.Real {
		t.Errorf("restored %+v, want a bare listener", got)
	}
	check.Available(t, Available("mariadb"))
	e := testEngines(t, false)
	if _, err := e.Start(Spec{ID: "db", Engine: "mariadb", Log: "log"}); !errors.Is(err, ErrNoLog) {
		t.Errorf("start with a log: %v, want %v", err, ErrNoLog)
	}
	mustStart(t, e, Spec{ID: "db", Engine: "mariadb", Username: "admin", Password: password})
	if err := e.KeepLog("db", "log"); !errors.Is(err, ErrNoLog) {
		t.Errorf("keepLog: %v, want %v", err, ErrNoLog)
	}
	if got := check.Copies(t, e.dir); got != 0 {
		t.Errorf("there are %d copies, want none", got)
	}
}
