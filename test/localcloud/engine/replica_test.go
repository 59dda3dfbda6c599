package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// awaitValue waits until a query answers with a value: a replica follows in its own time.
// TestEngineReplicas follows a server, and a follower of it, over restarts, another port and promotions.
func TestEngineReplicas(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("postgres"))
	e := testEngines(t, false)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	query := func(of *Engine, sql string) (string, error) {
		t.Helper()
		return check.QueryPostgres(t, at(of), "postgres", password, "orders", sql)
	}
	run := func(of *Engine, sql string) string {
		t.Helper()
		got, err := query(of, sql)
		must(sql, err)
		return got
	}
	follows := func(of *Engine, rows string) {
		t.Helper()
		check.AwaitValue(t, "rows of a follower", rows, func() (string, error) { return query(of, "SELECT count(*) FROM t") })
	}
	source := mustStart(t, e, Spec{ID: "source", Engine: "postgres", Username: "postgres", Password: password, Database: "orders", StandardPort: true})
	run(source, "CREATE TABLE t (n int)")
	run(source, "INSERT INTO t VALUES (1)")
	replica := mustStart(t, e, Spec{ID: "replica", Engine: "postgres", Follows: "source"})
	follows(replica, "1")
	run(source, "INSERT INTO t VALUES (2)")
	follows(replica, "2")
	_, err := query(replica, "INSERT INTO t VALUES (0)")
	check.ReadOnly(t, "a write on a replica", err)

	cascade := mustStart(t, e, Spec{ID: "cascade", Engine: "postgres", Follows: "replica"})
	run(source, "INSERT INTO t VALUES (3)")
	follows(cascade, "3")
	must("snapshot of a replica", e.Snapshot("replica", "copy"))
	alone := mustStart(t, e, Spec{ID: "alone", Engine: "postgres", From: "copy"})
	run(alone, "INSERT INTO t VALUES (4)")

	// What a replica missed while it was down, it finds; and it finds a source that has moved.
	must("suspend", e.Suspend("replica"))
	run(source, "INSERT INTO t VALUES (4)")
	run(source, "CREATE TABLE many AS SELECT generate_series(1, 200000) AS n") // some segments of the log
	must("restart of the source", e.Restart("source"))
	run(source, "INSERT INTO t VALUES (5)")
	must("resume", e.Resume("replica"))
	follows(replica, "5")
	source.Port++ // of an address of its own, where nobody has a port
	must("listenAt", e.ListenAt("source", source.Port))
	run(source, "INSERT INTO t VALUES (6)")
	follows(replica, "6")
	follows(cascade, "6")

	must("promote", e.Promote("replica"))
	must("promote again", e.Promote("replica"))
	run(replica, "INSERT INTO t VALUES (7)")
	run(source, "INSERT INTO t VALUES (8), (9)")
	follows(cascade, "7")
	must("restart of the promoted", e.Restart("replica"))
	run(replica, "INSERT INTO t VALUES (8)")
	follows(cascade, "8")
	must("keepLog", e.KeepLog("replica", "log"))
	run(replica, "INSERT INTO t VALUES (9)")
	nine := time.Now()
	run(replica, "INSERT INTO t VALUES (10)")
	must("flushLog", e.FlushLog("replica"))
	if got := run(mustStart(t, e, Spec{ID: "at nine", Engine: "postgres", From: "log", Until: nine}), "SELECT count(*) FROM t"); got != "9" {
		t.Errorf("restored %s rows of the promoted replica, want 9", got)
	}

	// A replica without a source stays, and can be promoted.
	follows(cascade, "10")
	must("stop", e.Stop("replica"))
	_, err = query(cascade, "INSERT INTO t VALUES (0)")
	check.ReadOnly(t, "a write on a replica without a source", err)
	must("restart of a replica without a source", e.Restart("cascade"))
	must("promote", e.Promote("cascade"))
	run(cascade, "INSERT INTO t VALUES (11)")
	if got := run(source, "SELECT count(*) FROM t"); got != "8" {
		t.Errorf("the source has %s rows, want 8", got)
	}
}

// TestEngineReplicasOfMariaDB does the same with MariaDB, which is told where its source is.
func TestEngineReplicasOfMariaDB(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("mariadb"))
	e := testEngines(t, false)
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	query := func(of *Engine, sql string) (string, error) {
		return check.QueryMariaDB(t, at(of), "admin", password, "orders", sql)
	}
	run := func(of *Engine, sql string) {
		t.Helper()
		_, err := query(of, sql)
		must(sql, err)
	}
	follows := func(of *Engine, rows string) {
		t.Helper()
		check.AwaitValue(t, "rows of a follower", rows, func() (string, error) { return query(of, "SELECT count(*) FROM t") })
	}
	refuses := func(of *Engine) {
		t.Helper()
		if _, err := query(of, "INSERT INTO t VALUES (0)"); err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("a write on a replica: %v, want the refusal of a read-only server", err)
		}
	}
	source := mustStart(t, e, Spec{ID: "source", Engine: "mariadb", Username: "admin", Password: password, Database: "orders", TLSOnly: true, StandardPort: true})
	run(source, "CREATE TABLE t (n int)")
	run(source, "INSERT INTO t VALUES (1)")
	replica := mustStart(t, e, Spec{ID: "replica", Engine: "mariadb", Follows: "source"})
	follows(replica, "1")
	run(source, "INSERT INTO t VALUES (2)")
	follows(replica, "2")
	refuses(replica)
	second := mustStart(t, e, Spec{ID: "second", Engine: "mariadb", Follows: "source"})
	cascade := mustStart(t, e, Spec{ID: "cascade", Engine: "mariadb", Follows: "replica"})
	must("createDatabase", e.CreateDatabase("source", "shop"))
	must("setPassword", e.SetPassword("source", "app", "second"))
	must("setPassword of a replica", e.SetPassword("replica", "own", password)) // which its log does not have
	run(source, "INSERT INTO t VALUES (3)")
	for _, of := range []*Engine{replica, second, cascade} {
		follows(of, "3")
		check.AwaitValue(t, "the user and the database of the source", "1", func() (string, error) { return check.QueryMariaDB(t, at(of), "app", "second", "shop", "SELECT 1") })
	}
	must("snapshot of a replica", e.Snapshot("replica", "copy"))
	alone := mustStart(t, e, Spec{ID: "alone", Engine: "mariadb", From: "copy"})
	run(alone, "INSERT INTO t VALUES (4)")

	must("suspend", e.Suspend("replica"))
	run(source, "INSERT INTO t VALUES (4)")
	must("restart of the source", e.Restart("source"))
	run(source, "INSERT INTO t VALUES (5)")
	must("resume", e.Resume("replica"))
	follows(replica, "5")
	source.Port++ // of an address of its own, where nobody has a port
	must("listenAt", e.ListenAt("source", source.Port))
	run(source, "INSERT INTO t VALUES (6)")
	for _, of := range []*Engine{replica, second, cascade} {
		follows(of, "6")
	}

	must("promote", e.Promote("replica"))
	run(replica, "INSERT INTO t VALUES (7)")
	run(source, "INSERT INTO t VALUES (8), (9)")
	follows(cascade, "7")
	follows(second, "8")
	must("restart of the promoted", e.Restart("replica"))
	run(replica, "INSERT INTO t VALUES (8)")
	follows(cascade, "8")
	must("stop", e.Stop("replica"))
	refuses(cascade)
	must("restart of a replica without a source", e.Restart("cascade"))
	refuses(cascade)
	must("promote", e.Promote("cascade"))
	run(cascade, "INSERT INTO t VALUES (9)")
}

// TestEngineReplicaOfNone: a bare listener has bare replicas, and what is not there has none.
func TestEngineReplicaOfNone(t *testing.T) {
	e := testEngines(t, true)
	mustStart(t, e, Spec{ID: "source", Engine: "postgres"})
	if got := mustStart(t, e, Spec{ID: "replica", Engine: "postgres", Follows: "source"}); got.Real {
		t.Errorf("the replica is %+v, want a bare listener", got)
	}
	if err := e.Promote("replica"); err != nil {
		t.Error(err)
	}
	if _, err := e.Start(Spec{ID: "none", Engine: "postgres", Follows: "gone"}); err == nil {
		t.Error("a replica of a server that is gone started")
	}
}
