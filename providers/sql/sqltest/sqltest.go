// Package sqltest holds what tests of both engines share: how a caller brings a server to what is declared, and how it
// stops in the middle of it. The servers are those of the tests.
package sqltest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/mooring-dev/mooring/providers/sql"
)

// Sequences returns how many random sequences a property test of one engine runs: half of MOORING_SEQUENCES, and a few
// without it.
func Sequences() int {
	if n, err := strconv.Atoi(os.Getenv("MOORING_SEQUENCES")); err == nil {
		return n / 2
	}
	return 30
}

// Seed returns the number of the first random sequence: MOORING_SEED, or 1.
func Seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("MOORING_SEED"), 10, 64); err == nil {
		return n
	}
	return 1
}

// Read reads what a server has.
func Read(t *testing.T, server sql.Server, wanted sql.Wanted) sql.Snapshot {
	t.Helper()
	shot, err := server.Read(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	return shot
}

// Reconcile brings a server to what is wanted, as a caller does: logical databases first. It returns what was sent.
func Reconcile(t *testing.T, server sql.Server, wanted sql.Wanted) []sql.Statement {
	t.Helper()
	sent, err := Try(t, server, wanted, func(statements []sql.Statement) error { return server.Apply(t.Context(), statements) })
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// Try is Reconcile with another way to send statements.
func Try(t *testing.T, server sql.Server, wanted sql.Wanted, apply func([]sql.Statement) error) (sent []sql.Statement, err error) {
	t.Helper()
	shot := Read(t, server, wanted)
	send := func(plan sql.Plan, err error) error {
		if err == nil {
			err = apply(plan.Statements)
		}
		sent = append(sent, plan.Statements...)
		return err
	}
	for _, d := range wanted.Databases {
		if err := send(shot.Database(d)); err != nil {
			return sent, fmt.Errorf("database %s: %w", d.Name, err)
		}
	}
	if len(sent) > 0 {
		shot = Read(t, server, wanted)
	}
	for _, u := range wanted.Users {
		if err := send(shot.User(u)); err != nil {
			return sent, fmt.Errorf("user %s: %w", u.Name, err)
		}
	}
	return sent, nil
}

// Converged fails if another reconciliation has something to do.
func Converged(t *testing.T, server sql.Server, wanted sql.Wanted) {
	t.Helper()
	shot := Read(t, server, wanted)
	for _, d := range wanted.Databases {
		Quiet(t)(shot.Database(d))
	}
	for _, u := range wanted.Users {
		Quiet(t)(shot.User(u))
	}
}

// Quiet returns a check that a plan has nothing to do.
func Quiet(t *testing.T) func(sql.Plan, error) {
	return func(plan sql.Plan, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		for _, d := range plan.Differences {
			t.Errorf("still differs: %s", d)
		}
		for _, s := range plan.Statements {
			t.Errorf("still sent: %s: %q", s, s.Texts)
		}
	}
}

// errCrash is the end of a process.
var errCrash = errors.New("the process stops here")

// Crashes reconciles with a process that stops after its n-th statement, for each n, and begins anew. Every statement
// is sent twice, as is one whose answer was lost. Reset returns a server to where it began, and check fails if the end
// is not as declared.
func Crashes(t *testing.T, open func() sql.Server, wanted sql.Wanted, reset func(sql.Server), check func()) {
	t.Helper()
	for n := 0; ; n++ {
		server := open()
		_, err := Try(t, server, wanted, stopsAfter(t, server, n))
		_ = server.Close(t.Context())
		if err != nil && !errors.Is(err, errCrash) {
			t.Fatalf("with a crash after %d statements: %v", n, err)
		}
		server = open()
		Reconcile(t, server, wanted)
		Converged(t, server, wanted)
		check()
		if t.Failed() {
			t.Fatalf("after a crash behind %d statements", n)
		}
		reset(server)
		_ = server.Close(t.Context())
		if err == nil {
			t.Logf("stopped after each of %d statements", n)
			return
		}
	}
}

// stopsAfter sends a number of statements, each of them twice, and no more.
func stopsAfter(t *testing.T, server sql.Server, left int) func([]sql.Statement) error {
	return func(statements []sql.Statement) error {
		for i := range statements {
			if left == 0 {
				return errCrash
			}
			left--
			for range 2 {
				if err := server.Apply(t.Context(), statements[i:i+1]); err != nil {
					return fmt.Errorf("%s: %w", statements[i], err)
				}
			}
		}
		return nil
	}
}

// DropCrashes makes what is wanted, and drops it by a process that stops after its n-th statement, for each n; the next one finishes that. Every
// statement is sent twice.
func DropCrashes(t *testing.T, open func() sql.Server, wanted sql.Wanted) {
	t.Helper()
	for n := 0; ; n++ {
		server := open()
		Reconcile(t, server, wanted)
		err := tryDrop(t, server, wanted, stopsAfter(t, server, n))
		_ = server.Close(t.Context())
		if err != nil && !errors.Is(err, errCrash) {
			t.Fatalf("with a crash after %d statements: %v", n, err)
		}
		server = open()
		Drop(t, server, wanted)
		shot := Read(t, server, wanted)
		for _, u := range wanted.Users {
			if plan, err := shot.DropUser(u); err != nil || plan.Found || len(plan.Statements) > 0 {
				t.Errorf("user %s is still there: %v, %v", u.Name, plan.Statements, err)
			}
		}
		for _, d := range wanted.Databases {
			if plan, err := shot.DropDatabase(d, true); err != nil || plan.Found || len(plan.Statements) > 0 {
				t.Errorf("database %s is still there: %v, %v", d.Name, plan.Statements, err)
			}
		}
		_ = server.Close(t.Context())
		if t.Failed() {
			t.Fatalf("after a crash behind %d statements", n)
		}
		if err == nil {
			t.Logf("stopped after each of %d statements", n)
			return
		}
	}
}

func tryDrop(t *testing.T, server sql.Server, wanted sql.Wanted, apply func([]sql.Statement) error) error {
	t.Helper()
	for _, u := range wanted.Users {
		plan, err := Read(t, server, wanted).DropUser(u)
		if err == nil && len(plan.Blocked) > 0 {
			err = fmt.Errorf("the drop of %s is blocked: %q", u.Name, plan.Blocked)
		}
		if err == nil {
			err = apply(plan.Statements)
		}
		if err != nil {
			return err
		}
	}
	for _, d := range wanted.Databases {
		plan, err := Read(t, server, wanted).DropDatabase(d, true)
		if err == nil {
			err = apply(plan.Statements)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Drop drops all that is wanted: users first.
func Drop(t *testing.T, server sql.Server, wanted sql.Wanted) {
	t.Helper()
	if err := tryDrop(t, server, wanted, func(statements []sql.Statement) error { return server.Apply(t.Context(), statements) }); err != nil {
		t.Error(err)
	}
}

// Sent applies a plan that nothing may block.
func Sent(t *testing.T, server sql.Server, what string, plan sql.Plan, err error) {
	t.Helper()
	if err == nil {
		err = server.Apply(t.Context(), plan.Statements)
	}
	if err != nil || len(plan.Blocked) > 0 {
		t.Errorf("%s: %v, blocked %q", what, err, plan.Blocked)
	}
}
