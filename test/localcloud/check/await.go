package check

import (
	"fmt"
	"testing"
	"time"
)

// Limit ends each wait of a test for a server. The slowest of them takes a second on a machine that is quiet.
const Limit = 5 * time.Minute

// Await polls until something is so. The test fails if it is not so in time, with what was waited for and how things stood at last.
func Await(t *testing.T, what string, so func() (done bool, last string)) {
	t.Helper()
	last := ""
	pause := 5 * time.Millisecond
	for deadline := time.Now().Add(Limit); time.Now().Before(deadline); time.Sleep(pause) {
		var done bool
		if done, last = so(); done {
			return
		}
		pause = min(2*pause, 100*time.Millisecond) // a look costs the server that is waited for
	}
	t.Fatalf("waited %v for %s; last: %s", Limit, what, last)
}

// Receive waits for a channel, which somebody is to close or send on.
func Receive[T any](t *testing.T, what string, from <-chan T) (got T) {
	t.Helper()
	select {
	case got = <-from:
	case <-time.After(Limit):
		t.Fatalf("waited %v for %s", Limit, what)
	}
	return got
}

// AwaitValue polls until a query returns a value.
func AwaitValue(t *testing.T, what, want string, query func() (string, error)) {
	t.Helper()
	Await(t, fmt.Sprintf("%s: %q", what, want), func() (bool, string) {
		got, err := query()
		return err == nil && got == want, fmt.Sprintf("%q, %v", got, err)
	})
}
