package storage

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
)

// gcpOf returns the settings that only Cloud Storage has.
func gcpOf(s *v1alpha1.BucketParameters) v1alpha1.BucketGCP {
	if s.GCP == nil {
		return v1alpha1.BucketGCP{}
	}
	return *s.GCP
}

// storageClassRow is the class of new objects. https://cloud.google.com/storage/docs/changing-default-storage-class
var storageClassRow = plain("gcp.storageClass", "StorageClass", func(b *bucket) *string { return resource.Present(b.StorageClass) }).
	Reported(func(b *bucket) *string {
		if slices.Contains(legacyClasses, b.StorageClass) {
			return new("(" + b.StorageClass + ": a legacy class, which no spec has; STANDARD is its successor)")
		}
		return resource.Present(b.StorageClass)
	})

// legacyClasses are those that a bucket may have from before 2019, and that a spec does not have. https://cloud.google.com/storage/docs/storage-classes#legacy
var legacyClasses = []string{"REGIONAL", "MULTI_REGIONAL", "DURABLE_REDUCED_AVAILABILITY"}
