package rds

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestWithoutSecret(t *testing.T) {
	for _, message := range []string{
		"The parameter MasterUserPassword is not a valid password: s3cr3t-value",
		"cannot use s3cr3t-value here",
	} {
		err := driver.RedactError(explainPassword(&driver.Error{Code: driver.Invalid, Op: "X", Message: message, Err: errors.New(message)}), "s3cr3t-value")
		if text := fmt.Sprintf("%v %v", err, errors.Unwrap(err)); strings.Contains(text, "s3cr3t-value") {
			t.Errorf("%q shows the secret", text)
		}
		if driver.CodeOf(err) != driver.Invalid {
			t.Errorf("code %v", driver.CodeOf(err))
		}
	}
}
