package table

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// What waits for a change that was refused may pass by itself exactly if that may.
func TestWhatWaitsMayPassToo(t *testing.T) {
	for _, settling := range []bool{true, false} {
		failed := driver.FieldError{Field: "aws.policy", Err: &driver.Error{Code: driver.Invalid, Message: "no such role", Settling: settling}}
		if err := waitsFor(failed); driver.Settles(err) != settling || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("it settles: %t, want %t; %v", driver.Settles(err), settling, err)
		}
	}
}
