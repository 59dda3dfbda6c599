package kind

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Support describes where the status of a kind shows how long the cloud supports the engine version. All functions
// are pure.
type Support struct {
	// Set writes the support dates to the status; nil clears them.
	Set func(v1alpha1.ResourceObject, *driver.Support)
	// Of returns the support dates in the status; nil if there are none.
	Of func(v1alpha1.ResourceObject) *v1alpha1.DatabaseSupport
}

// setDatabaseSupport shows in the status until when the cloud supports what the server runs on. Dates of the engine that the cloud was asked for in vain
// stay as they were seen last, as long as they are about the same version.
func setDatabaseSupport(object v1alpha1.ResourceObject, is *driver.Support) {
	status := &object.(*v1alpha1.Database).Status
	last := status.Support
	status.Support = nil
	if is == nil {
		return
	}
	next := v1alpha1.DatabaseSupport{
		EngineEndOfStandardSupport: secondOf(is.StandardUntil),
		EngineEndOfExtendedSupport: secondOf(is.ExtendedUntil),
		CertificateExpires:         secondOf(is.CertificateExpires),
	}
	hasDates := next.EngineEndOfStandardSupport != nil || next.EngineEndOfExtendedSupport != nil
	switch {
	case hasDates:
		next.EngineVersion = is.Version
	case is.Unread && last != nil && last.EngineVersion == is.Version:
		next.EngineVersion = last.EngineVersion
		next.EngineEndOfStandardSupport, next.EngineEndOfExtendedSupport = last.EngineEndOfStandardSupport, last.EngineEndOfExtendedSupport
	}
	if next != (v1alpha1.DatabaseSupport{}) {
		status.Support = &next
	}
}

// secondOf returns a time as a status shows it; nil for none.
func secondOf(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}

func databaseSupport(object v1alpha1.ResourceObject) *v1alpha1.DatabaseSupport {
	return object.(*v1alpha1.Database).Status.Support
}
