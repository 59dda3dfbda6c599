package engine

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// TestEngineSwitchover: whoever writes to one address all the time finds there all that was acknowledged, whichever server that is.
func TestEngineSwitchover(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"postgres", "mariadb"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(kind))
			e := testEngines(t, false)
			query := func(of *Engine, sql string) (string, error) {
				if kind == "postgres" {
					return check.QueryPostgres(t, at(of), "administrator", password, "orders", sql)
				}
				return check.QueryMariaDB(t, at(of), "administrator", password, "orders", sql)
			}
			run := func(of *Engine, sql string) string {
				t.Helper()
				return check.Need(query(of, sql))(t)
			}
			blue := mustStart(t, e, Spec{ID: "blue", Engine: kind, Username: "administrator", Password: password, Database: "orders", StandardPort: true})
			run(blue, "CREATE TABLE t (n int)")
			green := mustStart(t, e, Spec{ID: "green", Engine: kind, Follows: "blue", StandardPort: true})
			cascade := mustStart(t, e, Spec{ID: "cascade", Engine: kind, Follows: "green", StandardPort: true})

			// A switchover without time, or to a server that is down, changes nothing.
			if _, err := e.SwitchOver("blue", "green", time.Nanosecond); !errors.Is(err, errSwitchoverTimeout) {
				t.Fatalf("without time: %v", err)
			}
			if err := e.Suspend("green"); err != nil {
				t.Fatal(err)
			}
			if _, err := e.SwitchOver("blue", "green", time.Minute); !errors.Is(err, errSuspended) {
				t.Fatalf("to a server that is down: %v", err)
			}
			run(blue, "INSERT INTO t VALUES (0)")
			if err := e.Resume("green"); err != nil {
				t.Fatal(err)
			}
			check.AwaitValue(t, "rows of green after a switchover that failed", "1", func() (string, error) { return query(green, "SELECT count(*) FROM t") })

			w := check.WriteSteadily(func(n int) error {
				_, err := query(blue, "INSERT INTO t VALUES ("+strconv.Itoa(n)+")")
				return err
			})
			w.AwaitMore(t, 20)
			old, err := e.SwitchOver("blue", "green", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			old.CA = blue.CA
			if old.Host == blue.Host || old.Host == green.Host || old.Port != blue.Port {
				t.Errorf("the old server is at %s:%d", old.Host, old.Port)
			}
			w.AwaitMore(t, 20)
			acknowledged := w.End()
			rows := check.Need(strconv.ParseInt(run(blue, "SELECT count(DISTINCT n) FROM t WHERE n > 0"), 10, 64))(t)
			if rows < acknowledged { // an answer can get lost, a row can't
				t.Errorf("%d rows were acknowledged, %d are there", acknowledged, rows)
			}
			if last := run(&old, "SELECT count(DISTINCT n) FROM t WHERE n > 0"); last == strconv.FormatInt(rows, 10) {
				t.Errorf("the old server has all %s rows", last)
			}
			if _, err := query(&old, "INSERT INTO t VALUES (-1)"); err == nil || !strings.Contains(err.Error(), "read-only") {
				t.Errorf("a write on the old server: %v", err)
			}
			if _, err := query(green, "SELECT 1"); err == nil {
				t.Error("the new server is still where it was before, too")
			}
			check.AwaitValue(t, "rows of a follower of the new server", strconv.FormatInt(rows, 10), func() (string, error) {
				return query(cascade, "SELECT count(DISTINCT n) FROM t WHERE n > 0")
			})
			if err := e.Restart("blue"); err != nil {
				t.Fatal(err)
			}
			run(&old, "INSERT INTO t VALUES (-1)")
		})
	}
}

// TestEngineSwitchoverOfLaggard: a server that lost the one it follows, and lacks much, has all before it takes its place.
func TestEngineSwitchoverOfLaggard(t *testing.T) {
	t.Parallel()
	for kind, nowhere := range map[string]string{"postgres": "host=127.0.0.1 port=1 user=nobody", "mariadb": "127.0.0.1:1"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(kind))
			e := testEngines(t, false)
			query := func(of *Engine, sql string) (string, error) {
				if kind == "postgres" {
					return check.QueryPostgres(t, at(of), "administrator", password, "orders", sql)
				}
				return check.QueryMariaDB(t, at(of), "administrator", password, "orders", sql)
			}
			blue := mustStart(t, e, Spec{ID: "blue", Engine: kind, Username: "administrator", Password: password, Database: "orders", StandardPort: true})
			check.Need(query(blue, "CREATE TABLE t (n int)"))(t)
			check.Need(query(blue, "INSERT INTO t VALUES (1)"))(t)
			green := mustStart(t, e, Spec{ID: "green", Engine: kind, Follows: "blue", StandardPort: true})
			check.AwaitValue(t, "rows of green", "1", func() (string, error) { return query(green, "SELECT count(*) FROM t") })
			if err := e.known["green"].backing.redirect(t.Context(), &upstream{id: "blue", at: nowhere}); err != nil {
				t.Fatal(err)
			}
			for range 17 { // a row becomes 131072
				check.Need(query(blue, "INSERT INTO t SELECT n FROM t"))(t)
			}
			if got := check.Need(query(green, "SELECT count(*) FROM t"))(t); got == "131072" {
				t.Fatal("green still follows")
			}
			if _, err := e.SwitchOver("blue", "green", time.Minute); err != nil {
				t.Fatal(err)
			}
			if got := check.Need(query(blue, "SELECT count(*) FROM t"))(t); got != "131072" {
				t.Errorf("%s rows are there", got)
			}
		})
	}
}
