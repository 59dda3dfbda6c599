package kind

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// An Expiry describes when Mooring deletes objects of a kind by itself. All functions are pure.
type Expiry struct {
	// At returns when an object expires; zero if it does not.
	At func(v1alpha1.ResourceObject) time.Time
	// Status points to the field of the status that shows the expiry.
	Status func(v1alpha1.ResourceObject) **metav1.Time
}
