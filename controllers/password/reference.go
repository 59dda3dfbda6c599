package password

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Reference is the password that a user's spec names, as it was read.
type Reference struct {
	// Secret and Key say where it is; Value is empty if it is not there.
	Secret, Key, Value string
	// OwnConnection: the Secret is the object's own connection Secret, whose values change whenever the password does.
	OwnConnection bool
	// Problem is why the cloud would not take the password; empty if it would.
	Problem string
}

// Refuse says why a password can't be used, before it is stored or sent, and what to do next; it returns an empty reason if the
// password can be used. current is the password that the server was last known to have, as State.Known says: that one can always be used.
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
