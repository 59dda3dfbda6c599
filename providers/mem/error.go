package mem

import (
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// fail makes an error of the cloud.
func fail(call *Call, code driver.Code, format string, args ...any) *driver.Error {
	return &driver.Error{Code: code, Op: string(call.Op) + string(call.Kind), Message: fmt.Sprintf(format, args...)}
}

// lost makes the error of a call that got no answer.
func lost(call *Call, cause error) *driver.Error {
	err := fail(call, driver.Unavailable, "no answer")
	err.Err = cause
	return err
}

// noun is what messages call an object of a kind.
func noun(kind Kind) string { return strings.ToLower(string(kind)) }

// whole is table.Adapter.Whole: what the one call of an update refuses, it refuses as a whole.
func whole(error) bool { return true }

// orZero returns what is known where a call got no answer: nothing.
func orZero[T any](v T, err error) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}
