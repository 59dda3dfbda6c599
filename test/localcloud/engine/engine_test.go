package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// testEngines are closed at the end of the test, and must leave nothing. t.TempDir would not
// do: it is below a folder that only its owner can pass, and a root's servers run as nobody.
func testEngines(t *testing.T, listenersOnly bool) *Engines {
	t.Helper()
	dir, err := Scratch("mooring-test-")
	if err != nil {
		t.Fatal(err)
	}
	e := New(dir, listenersOnly)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := os.Remove(dir); err != nil {
			t.Errorf("close left something: %v", err)
		}
		if left := processesBelow(dir); len(left) > 0 {
			t.Errorf("close left processes: %v", left)
		}
	})
	return e
}

// at says where a server listens.
func at(e *Engine) check.Server { return check.Server{Host: e.Host, Port: e.Port, CA: e.CA} }

// processesBelow returns the ids of the processes that work below a folder.
func processesBelow(dir string) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, dir+"/") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			pids = append(pids, pid)
		}
	}
	return pids
}

func mustStart(t *testing.T, e *Engines, spec Spec) *Engine {
	t.Helper()
	began := time.Now()
	got, err := e.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s ready after %v", spec.Engine, spec.ID, time.Since(began).Round(time.Millisecond))
	return got
}

const password = `it's a "secret" \ with $ and ; -- 100%`

var wantEngines = []struct {
	name  string
	admin string
	query func(t *testing.T, at check.Server, user, password, database, sql string) (string, error)
	// encrypted is a query for what cipher the connection has, empty for none.
	encrypted string
	create    string
}{
	{"postgres", "postgres", check.QueryPostgres, "SELECT cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()", "CREATE TABLE t (n int)"},
	{"mariadb", "admin", check.QueryMariaDB, "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'", "CREATE TABLE t (n int)"},
	{"mysql", "root", check.QueryMariaDB, "SELECT variable_value FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'", "CREATE TABLE t (n int)"},
}

func TestServer(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			got := mustStart(t, e, Spec{ID: "123456789012/eu-west-1/orders", Engine: w.name, Username: w.admin, Password: password, Database: "orders"})
			if !got.Real || got.CA == "" || got.Host != "127.0.0.1" {
				t.Fatalf("started %+v, want a real server on 127.0.0.1", got)
			}
			const id = "123456789012/eu-west-1/orders"
			query := func(user, password, database, sql string) (string, error) {
				return w.query(t, at(got), user, password, database, sql)
			}
			must := func(what string, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
			}
			refused := func(what, user, password, database string) {
				t.Helper()
				if _, err := query(user, password, database, "SELECT 1"); err == nil {
					t.Fatalf("%s: the connection was accepted", what)
				}
			}

			cipher, err := query(w.admin, password, "orders", w.encrypted)
			must("administrator", err)
			if cipher == "" {
				t.Error("the connection is not encrypted")
			}
			_, err = query(w.admin, password, "orders", w.create)
			must("administrator creates a table", err)
			_, err = query(w.admin, password, "orders", "CREATE DATABASE made_by_sql")
			must("administrator creates a database", err)
			refused("wrong password", w.admin, password+"!", "orders")
			refused("no password", w.admin, "", "orders")
			refused("our superuser", superuser, "", "orders")

			must("setPassword", e.SetPassword(id, w.admin, "second"))
			refused("old password", w.admin, password, "orders")
			_, err = query(w.admin, "second", "orders", "INSERT INTO t VALUES (1)")
			must("new password", err)
			must("setPassword to none", e.SetPassword(id, w.admin, ""))
			refused("no password", w.admin, "", "orders")
			refused("last password", w.admin, "second", "orders")
			must("setPassword", e.SetPassword(id, w.admin, password))

			must("setPassword of a new user", e.SetPassword(id, "app-user", "third"))
			_, err = query("app-user", "third", "orders", "CREATE TABLE mine (n int)")
			must("the new user creates a table", err)
			_, err = query("app-user", "third", "orders", "DROP TABLE mine")
			must("the new user drops a table", err)
			must("dropUser", e.DropUser(id, "app-user"))
			must("dropUser again", e.DropUser(id, "app-user"))
			refused("dropped user", "app-user", "third", "orders")

			must("createDatabase", e.CreateDatabase(id, "more-data"))
			must("createDatabase again", e.CreateDatabase(id, "more-data"))
			_, err = query(w.admin, password, "more-data", w.create)
			must("administrator in a new database", err)
			must("dropDatabase", e.DropDatabase(id, "more-data"))
			must("dropDatabase again", e.DropDatabase(id, "more-data"))
			refused("dropped database", w.admin, password, "more-data")

			must("suspend", e.Suspend(id))
			must("suspend again", e.Suspend(id))
			refused("suspended", w.admin, password, "orders")
			if err := e.SetPassword(id, w.admin, "x"); !errors.Is(err, errSuspended) {
				t.Errorf("setPassword while suspended: %v, want %v", err, errSuspended)
			}
			began := time.Now()
			must("resume", e.Resume(id))
			t.Logf("resumed after %v", time.Since(began).Round(time.Millisecond))
			must("resume again", e.Resume(id))
			rows, err := query(w.admin, password, "orders", "SELECT count(*) FROM t")
			must("same address, after resume", err)
			if rows != "1" {
				t.Errorf("table has %q rows after resume, want 1", rows)
			}

			must("stop", e.Stop(id))
			refused("stopped", w.admin, password, "orders")
			if err := e.SetPassword(id, w.admin, "x"); !errors.Is(err, errNoEngine) {
				t.Errorf("setPassword after stop: %v, want %v", err, errNoEngine)
			}
			again := mustStart(t, e, Spec{ID: id, Engine: w.name, Username: w.admin, Password: "fourth", StandardPort: true})
			if again.Port != dbmses[w.name].port || again.Host == "127.0.0.1" {
				t.Errorf("started on %s:%d, want the standard port on an address of its own", again.Host, again.Port)
			}
			if _, err := w.query(t, at(again), w.admin, "fourth", "", "SELECT 1"); err != nil {
				t.Errorf("on the standard port: %v", err)
			}
			if _, err := w.query(t, at(again), w.admin, "fourth", "orders", "SELECT 1"); err == nil {
				t.Error("the data of a stopped instance is still there")
			}
		})
	}
}

// TestManyServers starts servers side by side, one of which is stopped while it starts.
func TestManyServers(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			const n = 6
			began := time.Now()
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					id := fmt.Sprint("db-", i)
					if i == n-1 {
						all.Go(func() { _ = e.Stop(id) })
					}
					got, err := e.Start(Spec{ID: id, Engine: w.name, Username: w.admin, Password: password})
					if err != nil {
						if i != n-1 {
							t.Error(err)
						}
						return
					}
					if err := e.SetPassword(id, w.admin, "other"); err != nil && i != n-1 {
						t.Error(err)
					}
					if _, err := w.query(t, at(got), w.admin, "other", "", "SELECT 1"); err != nil && i != n-1 {
						t.Error(err)
					}
				})
			}
			all.Wait()
			t.Logf("%d servers in %v", n, time.Since(began).Round(time.Millisecond))
		})
	}
}

// TestCrashedServer kills a server: what it was asked to do fails, and a resume brings it back.
func TestCrashedServer(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			got := mustStart(t, e, Spec{ID: "db", Engine: w.name, Username: w.admin, Password: password})
			if w.name == "postgres" {
				keepBusy(t, got, w.admin)
			}
			p := e.known["db"].backing.(*server).process
			_ = p.cmd.Process.Kill()
			check.Receive(t, "the end of the server that was killed", p.done)
			if err := e.SetPassword("db", w.admin, "x"); err == nil {
				t.Error("setPassword on a dead server succeeded")
			}
			if err := e.Resume("db"); err != nil {
				t.Fatal(err)
			}
			if _, err := w.query(t, at(got), w.admin, password, "", "SELECT 1"); err != nil {
				t.Errorf("what was done before the crash is lost: %v", err)
			}
		})
	}
}

// TestStarterThreadEnds: a server must outlive the thread of whoever asked for it.
func TestStarterThreadEnds(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			done := make(chan error, 1)
			go func() {
				runtime.LockOSThread() // not unlocked: the thread ends with the goroutine
				_, err := e.Start(Spec{ID: "db", Engine: w.name})
				done <- err
			}()
			if err := check.Receive(t, "a server that starts", done); err != nil {
				t.Fatal(err)
			}
			select {
			case <-e.known["db"].backing.(*server).process.done:
				t.Error("the server ended with the thread")
			case <-time.After(200 * time.Millisecond):
			}
		})
	}
}

// TestServerThatCannotStart must say why, at once.
func TestServerThatCannotStart(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			got := mustStart(t, e, Spec{ID: "db", Engine: w.name, Username: w.admin, Password: password})
			if err := e.Suspend("db"); err != nil {
				t.Fatal(err)
			}
			thief, err := net.Listen("tcp4", net.JoinHostPort(got.Host, strconv.Itoa(got.Port)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = thief.Close() }()
			err = e.Resume("db")
			if !errors.Is(err, errServerEnded) || !strings.Contains(err.Error(), "in use") || strings.Contains(err.Error(), password) {
				t.Errorf("resume on a taken port: %v, want the server's own words", err)
			}
		})
	}
}

func TestListeners(t *testing.T) {
	const n = 500
	for _, standard := range []bool{false, true} {
		t.Run(fmt.Sprint("standard port ", standard), func(t *testing.T) {
			e := testEngines(t, true)
			began := time.Now()
			seen := map[string]bool{}
			for i := range n {
				got, err := e.Start(Spec{ID: fmt.Sprint("db-", i), Engine: "mysql", Username: "root", Password: "x", StandardPort: standard})
				if err != nil {
					t.Fatal(err)
				}
				if got.Real || got.CA != "" {
					t.Fatalf("started %+v, want a bare listener", got)
				}
				seen[net.JoinHostPort(got.Host, strconv.Itoa(got.Port))] = true
			}
			t.Logf("%d listeners in %v", n, time.Since(began).Round(time.Millisecond))
			if len(seen) != n {
				t.Errorf("%d listeners have %d addresses", n, len(seen))
			}
			for address := range seen {
				conn, err := net.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("read from a bare listener: %v, want a closed connection", err)
				}
				_ = conn.Close()
				break
			}
		})
	}
}

func TestSuspendedListener(t *testing.T) {
	e := testEngines(t, true)
	got := mustStart(t, e, Spec{ID: "db", Engine: "postgres"})
	address := net.JoinHostPort(got.Host, strconv.Itoa(got.Port))
	for range 2 {
		if err := e.Suspend("db"); err != nil {
			t.Fatal(err)
		}
		if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial a suspended listener: %v, want %v", err, syscall.ECONNREFUSED)
		}
		if err := e.Resume("db"); err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
}

func TestRefusals(t *testing.T) {
	e := testEngines(t, true)
	mustStart(t, e, Spec{ID: "db", Engine: "postgres"})
	if _, err := e.Start(Spec{ID: "db", Engine: "postgres"}); !errors.Is(err, errEngineExists) {
		t.Errorf("start twice: %v, want %v", err, errEngineExists)
	}
	if _, err := e.Start(Spec{ID: "other", Engine: "oracle"}); err == nil {
		t.Error("an unknown engine was started")
	}
	for op, err := range map[string]error{
		"setPassword": e.SetPassword("none", "u", "p"), "dropUser": e.DropUser("none", "u"),
		"createDatabase": e.CreateDatabase("none", "d"), "dropDatabase": e.DropDatabase("none", "d"),
		"suspend": e.Suspend("none"), "resume": e.Resume("none"),
	} {
		if !errors.Is(err, errNoEngine) {
			t.Errorf("%s of an unknown id: %v, want %v", op, err, errNoEngine)
		}
	}
	if err := e.Stop("none"); err != nil {
		t.Errorf("stop of an unknown id: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Start(Spec{ID: "late", Engine: "postgres"}); !errors.Is(err, errEnginesClosed) {
		t.Errorf("start after close: %v, want %v", err, errEnginesClosed)
	}
}

// TestUnreachableFolder: as root, a data folder that the servers' user can't get to is named.
func TestUnreachableFolder(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("postgres"))
	if os.Geteuid() != 0 {
		t.Skip("only a root's servers run as another user")
	}
	shut := t.TempDir()
	if err := os.Chmod(shut, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(shut, "open")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	e := New(dir, false)
	defer func() { _ = e.Close() }()
	_, err := e.Start(Spec{ID: "db", Engine: "postgres"})
	if err == nil || !strings.Contains(err.Error(), strconv.Quote(shut)) {
		t.Errorf("start below %q: %v, want an error that names it", shut, err)
	}
}

func TestEngineAvailable(t *testing.T) {
	empty := t.TempDir()
	tests := []struct{ engine, variable, want string }{
		{"postgres", "MOORING_POSTGRES_BIN", "MOORING_POSTGRES_BIN"},
		{"mysql", "MOORING_MARIADB_BIN", "mariadb-server-core"},
		{"mariadb", "MOORING_MARIADB_BIN", "mariadb-server-core"},
		{"oracle", "MOORING_MARIADB_BIN", "unknown"},
	}
	for _, tt := range tests {
		t.Run(tt.engine, func(t *testing.T) {
			t.Setenv(tt.variable, empty)
			err := Available(tt.engine)
			if err == nil || enginesSupported == nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("EngineAvailable(%q) = %v, want it to mention %q", tt.engine, err, tt.want)
			}
		})
	}
}

// TestMissingProgram: without a server program an instance is a listener.
func TestMissingProgram(t *testing.T) {
	t.Setenv("MOORING_POSTGRES_BIN", t.TempDir())
	if got := mustStart(t, testEngines(t, false), Spec{ID: "db", Engine: "postgres"}); got.Real || got.CA != "" {
		t.Errorf("started %+v, want a bare listener", got)
	}
}

// TestParentKilled kills a process that has servers, in the way that gives it no time to end
// them: nothing may stay, not even a backend that is busy or a shared memory segment.
func TestParentKilled(t *testing.T) {
	const variable = "MOORING_TEST_ENGINES_DIR"
	if dir := os.Getenv(variable); dir != "" {
		parentToBeKilled(t, dir)
		return
	}
	t.Parallel()
	check.Available(t, Available("postgres"))
	check.Available(t, Available("mysql"))
	dir, err := Scratch("mooring-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	parent := exec.Command(os.Args[0], "-test.run=^TestParentKilled$", "-test.v")
	parent.Env = append(os.Environ(), variable+"="+dir)
	if _, err := parent.StdinPipe(); err != nil { // the parent ends with it, at the latest with this process
		t.Fatal(err)
	}
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(check.Limit, func() { _ = parent.Process.Kill() }) // which ends what it says
	said, ready := bufio.NewScanner(out), false
	for !ready && said.Scan() {
		ready = said.Text() == "ready"
		t.Log(said.Text())
	}
	if overdue.Stop(); !ready {
		_ = parent.Wait()
		t.Fatalf("the servers were not ready within %v: %v", check.Limit, parent.ProcessState)
	}
	before := processesBelow(dir)
	if len(before) < 4 {
		t.Errorf("servers are %v, want two and their children", before)
	}
	if len(sharedMemoryOf(t, before)) == 0 {
		t.Error("they have no shared memory segment that could be left")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	check.Await(t, "the end of the servers whose parent was killed", func() (bool, string) {
		left := processesBelow(dir)
		return len(left) == 0, fmt.Sprint("processes ", left)
	})
	if left := sharedMemoryOf(t, before); len(left) > 0 {
		t.Errorf("shared memory segments that they made are left: %q", left)
	}
}

func parentToBeKilled(t *testing.T, dir string) {
	e := New(dir, false)
	for _, w := range wantEngines {
		got := mustStart(t, e, Spec{ID: w.name, Engine: w.name, Username: w.admin, Password: password})
		if w.name == "postgres" {
			keepBusy(t, got, w.admin)
		}
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = e.Close()
}

// keepBusy returns once a backend works on a statement that takes hours.
func keepBusy(t *testing.T, e *Engine, user string) {
	go func() {
		_, _ = check.QueryPostgres(t, at(e), user, password, "", "SELECT count(*) FROM generate_series(1, 1e12)")
	}()
	check.AwaitValue(t, "backends that are busy", "1", func() (string, error) {
		return check.QueryPostgres(t, at(e), user, password, "", "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%1e12%' AND pid <> pg_backend_pid()")
	})
}

// sharedMemoryOf returns the segments that processes made. Others of the machine may have some, too.
func sharedMemoryOf(t *testing.T, pids []int) (found []string) {
	segments, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(segments)) {
		if columns := strings.Fields(line); len(columns) > 4 { // key, id, mode, size, the process that made it
			if maker, err := strconv.Atoi(columns[4]); err == nil && slices.Contains(pids, maker) {
				found = append(found, line)
			}
		}
	}
	return found
}

// A server moves to another port of its address with its data, also while it is stopped.
func TestServerListensAtAnotherPort(t *testing.T) {
	t.Parallel()
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			e := testEngines(t, false)
			got := mustStart(t, e, Spec{ID: "db", Engine: w.name, Username: w.admin, Password: password, Database: "orders", StandardPort: true, Port: 15432})
			if got.Port != 15432 || got.Host == "127.0.0.1" {
				t.Fatalf("started on %s:%d, want the port on an address of its own", got.Host, got.Port)
			}
			if _, err := w.query(t, at(got), w.admin, password, "orders", "CREATE TABLE t (n int)"); err != nil {
				t.Fatal(err)
			}
			for _, stopped := range []bool{false, true} {
				if stopped {
					if err := e.Suspend("db"); err != nil {
						t.Fatal(err)
					}
				}
				before := *got
				if got.Port++; e.ListenAt("db", got.Port) != nil {
					t.Fatal(e.ListenAt("db", got.Port))
				}
				if err := e.Resume("db"); err != nil {
					t.Fatal(err)
				}
				if rows, err := w.query(t, at(got), w.admin, password, "orders", "SELECT count(*) FROM t"); err != nil || rows != "0" {
					t.Errorf("at the other port: %q rows, %v", rows, err)
				}
				if _, err := net.Dial("tcp", net.JoinHostPort(before.Host, strconv.Itoa(before.Port))); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("at the former port: %v, want %v", err, syscall.ECONNREFUSED)
				}
			}
		})
	}
}

func TestListenerMoves(t *testing.T) {
	e := testEngines(t, true)
	got := mustStart(t, e, Spec{ID: "db", Engine: "postgres", StandardPort: true})
	if err := e.ListenAt("db", 6543); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(got.Host, "6543"))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	if _, err := net.Dial("tcp", net.JoinHostPort(got.Host, strconv.Itoa(got.Port))); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("at the former port: %v, want %v", err, syscall.ECONNREFUSED)
	}
}

// A stuckBacking never does what it is asked.
type stuckBacking struct{ bareListener }

func (stuckBacking) setPassword(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return errors.New("the server said nothing")
}

// Work on a server that does not answer ends, and the error says which work it was and what was waited for.
func TestWorkOnAServerHasALimit(t *testing.T) {
	t.Parallel()
	e := testEngines(t, true)
	mustStart(t, e, Spec{ID: "db", Engine: "postgres"})
	in := e.known["db"]
	in.backing = &stuckBacking{*in.backing.(*bareListener)}
	e.limit = time.Millisecond
	err := e.SetPassword("db", "u", "p")
	if !errors.Is(err, errWorkTimeout) || !strings.Contains(err.Error(), `"db": set a password`) || !strings.Contains(err.Error(), "the server said nothing") {
		t.Errorf("got %v, want an error that says what took too long", err)
	}
}

// A program that does not end is killed in the end, and the error names it and what it said last.
func TestAProgramHasALimit(t *testing.T) {
	t.Parallel()
	n := &nursery{}
	defer n.close()
	reason := errors.New("took too long")
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, reason)
	defer cancel()
	cmd := exec.Command("/bin/sh", "-c", "sleep 3600")
	cmd.SysProcAttr = childAttributes(syscall.SIGKILL, nil)
	if err := n.run(ctx, cmd); !errors.Is(err, reason) || !strings.Contains(err.Error(), "sh had not ended") {
		t.Errorf("got %v, want an error that names the program", err)
	}
}
