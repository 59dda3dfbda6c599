package driver

// An Edit is what an Update changes.
type Edit struct {
	// Changes are differences between spec and cloud, as an observation reported them.
	Changes []Change
	// Password is what becomes of the administrator's password. It is here because a call of its own would wait until the
	// cloud has made the changes. Only for kinds with Capabilities.Login.
	Password PasswordChange `json:",omitempty"`
}

// Len returns how many things the edit changes.
func (e Edit) Len() int {
	if e.Password == PasswordStays {
		return len(e.Changes)
	}
	return len(e.Changes) + 1
}

// A PasswordChange says what becomes of the administrator's password, and who manages it from then on. No cloud tells a password, so
// only the caller knows when it differs. Its value crosses wires.
type PasswordChange string

// The changes of a password. A driver says by LoginState.CloudManaged who manages it now.
const (
	// PasswordStays leaves the password and who manages it as they are.
	PasswordStays PasswordChange = ""
	// SetPassword sets the password to Secrets.Own. It never replaces one that the cloud manages. That is a Conflict: somebody may have
	// turned that on since the caller observed the object.
	SetPassword PasswordChange = "set"
	// HandOverPassword has the cloud set a password that nobody else knows, and keep it.
	HandOverPassword PasswordChange = "hand-over"
	// TakeBackPassword has the cloud delete the password that it keeps, and sets Secrets.Own in its place.
	TakeBackPassword PasswordChange = "take-back"
)

// PasswordChanges are all changes of a password.
var PasswordChanges = []PasswordChange{SetPassword, HandOverPassword, TakeBackPassword}

// Sets reports whether the password becomes Secrets.Own.
func (p PasswordChange) Sets() bool { return p == SetPassword || p == TakeBackPassword }
