package driver_test

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A driver knows each change of the password, and refuses those of a later contract.
func TestEditValidate(t *testing.T) {
	for _, known := range append([]driver.PasswordChange{driver.PasswordStays}, driver.PasswordChanges...) {
		if err := (driver.Edit{Password: known}).Validate(); err != nil {
			t.Errorf("%q: %v", known, err)
		}
	}
	if err := (driver.Edit{Password: "forget"}).Validate(); err == nil || driver.CodeOf(err) != driver.Invalid {
		t.Errorf("an unknown change: got %v, want the code Invalid", err)
	}
}
