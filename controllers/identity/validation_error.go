package identity

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// A ValidationError says why a provider config can't be used. A person has to correct it; the controller notices the
// correction without a further edit.
type ValidationError struct {
	Reason  v1alpha1.Reason
	Message string
}

// Error implements error.
func (r *ValidationError) Error() string { return r.Message }

// Missing reports whether the error is that an object which is referred to does not exist.
func (r *ValidationError) Missing() bool {
	switch r.Reason {
	case v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonPasswordNotFound, v1alpha1.ReasonClassNotFound,
		v1alpha1.ReasonParentNotFound, v1alpha1.ReasonSnapshotNotFound:
		return true
	default:
		return false
	}
}
