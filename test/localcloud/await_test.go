package localcloud

import (
	"fmt"
	"testing"
	"time"
)

// waitLimit ends each wait of a test for a server. The slowest of them takes a second on a machine that is quiet.
const waitLimit = 5 * time.Minute

// await polls until something is so. The test fails if it is not so in time, with what was waited for and how things stood at last.
func await(t *testing.T, what string, so func() (done bool, last string)) {
	t.Helper()
	last := ""
	pause := 5 * time.Millisecond
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); time.Sleep(pause) {
		var done bool
		if done, last = so(); done {
			return
		}
		pause = min(2*pause, 100*time.Millisecond) // a look costs the server that is waited for
	}
	t.Fatalf("waited %v for %s; last: %s", waitLimit, what, last)
}

// receive waits for a channel, which somebody is to close or send on.
func receive[T any](t *testing.T, what string, from <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(waitLimit):
		t.Fatalf("waited %v for %s", waitLimit, what)
	}
	return got
}

// awaitWork waits until the database server has done its part of an operation of Cloud SQL.
func awaitWork(t *testing.T, cloud *Cloud, operation string) {
	t.Helper()
	s := cloud.gcp.sql
	cloud.gcp.mu.Lock()
	op := s.project("acme").operation(operation)
	cloud.gcp.mu.Unlock()
	receive(t, fmt.Sprintf("the server's part of %s of instance %s", op.kind, op.instance.name), op.worked)
}
