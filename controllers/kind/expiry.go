package kind

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// An Expiry says when Mooring deletes objects of a kind by itself. All functions are pure.
type Expiry struct {
	// At returns when an object is deleted; zero if it is not.
	At func(v1alpha1.ResourceObject) time.Time
	// Status points to where the status says so.
	Status func(v1alpha1.ResourceObject) **metav1.Time
}
