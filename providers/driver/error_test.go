package driver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Numbers cross wires. A new code gets the next one, and no number ever changes.
func TestNumbersAreFrozen(t *testing.T) {
	codes := map[driver.Code]string{
		0: "Internal", 1: "Invalid", 2: "Denied", 3: "NotFound", 4: "Conflict", 5: "NotEmpty", 6: "Protected", 7: "Busy",
		8: "Quota", 9: "Throttled", 10: "Unavailable", 11: "Capacity", 12: "PageExpired", 13: "Unsupported",
	}
	for number, name := range codes {
		if number.String() != name {
			t.Errorf("code %d is %v, want %s", int(number), number, name)
		}
	}
	for name, code := range map[string]driver.Code{
		"Internal": driver.Internal, "Invalid": driver.Invalid, "Denied": driver.Denied, "NotFound": driver.NotFound, "Conflict": driver.Conflict,
		"NotEmpty": driver.NotEmpty, "Protected": driver.Protected, "Busy": driver.Busy, "Quota": driver.Quota, "Throttled": driver.Throttled,
		"Unavailable": driver.Unavailable, "Capacity": driver.Capacity,
		"PageExpired": driver.PageExpired, "Unsupported": driver.Unsupported,
	} {
		if codes[code] != name {
			t.Errorf("driver.%s has the number %d, which is %s", name, int(code), codes[code])
		}
	}
	for number := range codes { // also of a number that another version of the contract has
		if want := strings.Contains(" Invalid Denied NotFound Quota Unsupported ", " "+number.String()+" "); number.SetsNothing() != want || (number + 100).SetsNothing() {
			t.Errorf("an error with the code %v says that nothing was set: %t, want %t", number, number.SetsNothing(), want)
		}
	}
	states := map[driver.State]string{0: "Unknown", 1: "Absent", 2: "Pending", 3: "Ready", 4: "Failed", 5: "Deleting"}
	for number, name := range states {
		if number.String() != name {
			t.Errorf("state %d is %v, want %s", int(number), number, name)
		}
	}
	for name, state := range map[string]driver.State{
		"Unknown": driver.Unknown, "Absent": driver.Absent, "Pending": driver.Pending, "Ready": driver.Ready, "Failed": driver.Failed, "Deleting": driver.Deleting,
	} {
		if states[state] != name {
			t.Errorf("driver.%s has the number %d, which is %s", name, int(state), states[state])
		}
	}
}

// A number of a later contract says nothing here: it is never taken for absence, nor for anything else that is acted upon.
func TestUnknownNumbers(t *testing.T) {
	for _, number := range []int{-1, 14, 1 << 20} {
		if code := driver.CodeOf(&driver.Error{Code: driver.Code(number)}); code != driver.Internal {
			t.Errorf("code %d counts as %v", number, code)
		}
		var decoded driver.Error
		if err := json.Unmarshal(fmt.Appendf(nil, `{"Code": %d, "Message": "odd"}`, number), &decoded); err != nil || decoded.Code != driver.Internal {
			t.Errorf("code %d is decoded as %v, error %v", number, decoded.Code, err)
		}
		var seen driver.Observation
		if err := json.Unmarshal(fmt.Appendf(nil, `{"State": %d}`, number), &seen); err != nil || seen.State != driver.Unknown {
			t.Errorf("state %d is decoded as %v, error %v", number, seen.State, err)
		}
	}
}

// An error as data says what the error said, and has its code. What has none is Internal.
func TestErrorOf(t *testing.T) {
	busy := &driver.Error{Code: driver.Busy, Op: "Patch", Message: "at work", RetryAfter: time.Second}
	for _, tt := range []struct {
		name string
		err  error
		want *driver.Error
	}{
		{"none", nil, nil},
		{"data already", busy, busy},
		{"wrapped", fmt.Errorf("tags: %w", busy), &driver.Error{Code: driver.Busy, Message: "tags: Patch: at work", RetryAfter: time.Second}},
		{"of nobody", errors.New("boom"), &driver.Error{Code: driver.Internal, Message: "boom"}},
	} {
		got := driver.ErrorOf(tt.err)
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(driver.Error{}, "Err")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if got != nil && (got.Error() != tt.err.Error() || driver.CodeOf(got) != driver.CodeOf(tt.err)) {
			t.Errorf("%s: %q of code %v became %q of code %v", tt.name, tt.err, driver.CodeOf(tt.err), got, driver.CodeOf(got))
		}
	}
	var missing *driver.Error
	if missing.Error() == "" || missing.Unwrap() != nil || driver.CodeOf(missing) != driver.Internal {
		t.Errorf("a reason that was left out: %q of code %v", missing, driver.CodeOf(missing))
	}
}
