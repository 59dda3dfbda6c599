package driver

import (
	"fmt"
	"slices"
)

// An Edit is what Update changes.
type Edit struct {
	// Changes are differences between spec and cloud, from an observation.
	Changes []Change
	// Password is the change of the administrator's password. It is part of the edit, because the cloud may accept no
	// separate call before the other changes are complete. Only kinds with Capabilities.Login have it.
	Password PasswordChange `json:",omitempty"`
}

// Len returns the number of changes, including that of the password.
func (e Edit) Len() int {
	if e.Password == PasswordStays {
		return len(e.Changes)
	}
	return len(e.Changes) + 1
}

// Validate returns an error with the code Invalid if the change of the password is unknown. The error is about the
// password alone, so a driver returns it in Result.PasswordFailed and makes the other changes.
func (e Edit) Validate() error {
	if e.Password != PasswordStays && !slices.Contains(PasswordChanges, e.Password) {
		return &Error{Code: Invalid, Message: fmt.Sprintf("there is no change of the password %q", string(e.Password))}
	}
	return nil
}

// A PasswordChange says how the administrator's password changes, and who manages it afterwards. The password can't be
// read from a cloud, so only the caller knows when it differs. The values are part of messages.
type PasswordChange string

// The changes of a password. A driver reports who manages it now by LoginState.CloudManaged.
const (
	// PasswordStays changes neither the password nor who manages it.
	PasswordStays PasswordChange = ""
	// SetPassword sets the password to Secrets.Own. If the cloud manages the password, Update returns Conflict:
	// somebody may have enabled that after the caller observed the object.
	SetPassword PasswordChange = "set"
	// HandOverPassword makes the cloud generate, store and manage the password.
	HandOverPassword PasswordChange = "hand-over"
	// TakeBackPassword ends the management by the cloud, which deletes its stored password, and sets the password to
	// Secrets.Own.
	TakeBackPassword PasswordChange = "take-back"
)

// PasswordChanges are all changes of a password.
var PasswordChanges = []PasswordChange{SetPassword, HandOverPassword, TakeBackPassword}

// Sets reports whether the password becomes Secrets.Own.
func (p PasswordChange) Sets() bool { return p == SetPassword || p == TakeBackPassword }
