package password

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Reference is the password that a user's spec refers to, as read from its Secret.
type Reference struct {
	// Secret and Key say where the password is. Value is empty if it does not exist.
	Secret, Key, Value string
	// OwnConnection: the Secret is the object's own connection Secret, which changes with the password and so can't be
	// its source.
	OwnConnection bool
	// Problem says why the cloud would not accept the password; empty if it would.
	Problem string
}

// Refuse returns why a password can't be used, and what to do next. The reason is empty if the password can be used.
// Call it before the password is stored or sent. current is State.Known, the last known password of the server, which
// is always accepted.
func (r Reference) Refuse(current string) (reason v1alpha1.Reason, message string) {
	switch {
	case r.Value != "" && r.Value == current:
		return "", ""
	case r.OwnConnection:
		return v1alpha1.ReasonPasswordInvalid, fmt.Sprintf(
			"spec.credentials.passwordSecretRef names Secret %s, which Mooring writes for this object's own connection; store the password in another Secret", r.Secret)
	case r.Value == "":
		return v1alpha1.ReasonPasswordNotFound, fmt.Sprintf(
			"there is no key %q in a Secret %s of this namespace; create it, or change spec.credentials.passwordSecretRef", r.Key, r.Secret)
	case r.Problem != "":
		return v1alpha1.ReasonPasswordInvalid, fmt.Sprintf("the password in Secret %s can't be used: %s; change it there", r.Secret, r.Problem)
	default:
		return "", ""
	}
}
