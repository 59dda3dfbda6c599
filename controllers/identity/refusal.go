package identity

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// A Refusal is why there is no connection: something that a person has to mend. It heals by itself
// once that is done.
type Refusal struct {
	Reason  v1alpha1.Reason
	Message string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

// Missing reports whether something is not there that is referred to.
func (r *Refusal) Missing() bool {
	switch r.Reason {
	case v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonPasswordNotFound, v1alpha1.ReasonClassNotFound:
		return true
	default:
		return false
	}
}
