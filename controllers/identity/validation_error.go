package identity

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// A ValidationError is why there is no connection: something that a person has to correct. Mooring notices by itself once that is
// done.
type ValidationError struct {
	Reason  v1alpha1.Reason
	Message string
}

// Error implements error.
func (r *ValidationError) Error() string { return r.Message }

// Missing reports whether something is not there that is referred to.
func (r *ValidationError) Missing() bool {
	switch r.Reason {
	case v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonPasswordNotFound, v1alpha1.ReasonClassNotFound,
		v1alpha1.ReasonParentNotFound, v1alpha1.ReasonSnapshotNotFound:
		return true
	default:
		return false
	}
}
