package aws

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Every state in which RDS takes no changes and that ends by itself is put into words; what rests is not called work.
func TestWorkOf(t *testing.T) {
	for status := range works {
		state, problem := stateOf(status)
		for _, observed := range []driver.State{driver.Pending, driver.Deleting} {
			if got := workOf(status, observed); got.What == "" || problem != "" {
				t.Errorf("%s (%v): %+v, %q", status, state, got, problem)
			}
		}
		if got := workOf(status, driver.Ready); got != (driver.Work{}) {
			t.Errorf("%s, at rest: %+v", status, got)
		}
	}
	for status := range serving {
		if state, _ := stateOf(status); state == driver.Pending && works[status].What == "" {
			t.Errorf("nothing says what RDS does in %s", status)
		}
	}
	for status := range housekeeping {
		if works[status].What == "" {
			t.Errorf("nothing says what RDS does in %s", status)
		}
	}
	if got, want := workOf("rebooting", driver.Pending).String(), "restarting it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
