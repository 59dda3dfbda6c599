package gcp

import (
	"strings"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// bucketParams are the parameters of a call that makes or changes a bucket; nil is not sent.
type bucketParams struct {
	location   string
	versioning *bool
	public     storage.PublicAccessPrevention
	key        *string
	labels     field.Delta
}

// bucketTable has the fields of a bucket. forceDestroy is no field of the cloud: it says how to delete.
var bucketTable = field.Table[v1alpha1.BucketParameters, storage.BucketAttrs, bucketParams]{
	field.Of("location",
		func(p *v1alpha1.BucketParameters) *string { return p.Location },
		func(b *storage.BucketAttrs) *string { return present(strings.ToLower(b.Location)) },
		func(p *bucketParams, v string) { p.location = v }).
		Equal(strings.EqualFold, "in any case: Cloud Storage writes EUROPE-WEST3").
		Immutable("create another Bucket in the new location and move the objects there"),
	field.Of("versioning",
		func(p *v1alpha1.BucketParameters) *v1alpha1.Versioning { return p.Versioning },
		haveVersioning,
		func(p *bucketParams, v v1alpha1.Versioning) {
			enabled := v == v1alpha1.VersioningEnabled
			p.versioning = &enabled
		}),
	field.Of("publicAccess",
		func(p *v1alpha1.BucketParameters) *v1alpha1.PublicAccess { return p.PublicAccess },
		havePublicAccess,
		func(p *bucketParams, v v1alpha1.PublicAccess) { p.public = prevention(v) }).
		Safe(v1alpha1.PublicAccessBlocked),
	field.Of("encryption.key", driver.WantedKey, haveBucketKey,
		func(p *bucketParams, v string) { p.key = &v }).
		Reported(func(b *storage.BucketAttrs) *string { return present(*haveBucketKey(b)) }).
		Equal(func(want, have string) bool { return want == have }, "`encryption: {}` is Cloud Storage's own key"),
	field.Entries("tags",
		func(p *v1alpha1.BucketParameters) map[string]string { return tagLabels(p.Tags) },
		func(b *storage.BucketAttrs) map[string]string { return driver.WithoutMark(b.Labels) },
		func(p *bucketParams, d field.Delta) { p.labels = d }),
}

func haveVersioning(b *storage.BucketAttrs) *v1alpha1.Versioning {
	v := v1alpha1.VersioningSuspended
	if b.VersioningEnabled {
		v = v1alpha1.VersioningEnabled
	}
	return &v
}

func havePublicAccess(b *storage.BucketAttrs) *v1alpha1.PublicAccess {
	v := v1alpha1.PublicAccessAllowed
	if b.PublicAccessPrevention == storage.PublicAccessPreventionEnforced {
		v = v1alpha1.PublicAccessBlocked
	}
	return &v
}

// prevention is how Cloud Storage says it. An organisation's policy may block what a bucket allows.
// https://cloud.google.com/storage/docs/public-access-prevention
func prevention(v v1alpha1.PublicAccess) storage.PublicAccessPrevention {
	if v == v1alpha1.PublicAccessAllowed {
		return storage.PublicAccessPreventionInherited
	}
	return storage.PublicAccessPreventionEnforced
}

// haveBucketKey returns an empty name for Cloud Storage's own key.
func haveBucketKey(b *storage.BucketAttrs) *string {
	if b.Encryption == nil {
		return new("")
	}
	return &b.Encryption.DefaultKMSKeyName
}

// forCreate copies the parameters into those of a creation.
func (p bucketParams) forCreate() *storage.BucketAttrs {
	attrs := &storage.BucketAttrs{
		Location: p.location,
		Labels:   p.labels.Set,
		// Access by IAM alone, as Google recommends and S3 has it for new buckets: what single objects
		// permit is not seen in any policy. It can be switched off for 90 days.
		// https://cloud.google.com/storage/docs/uniform-bucket-level-access
		UniformBucketLevelAccess: storage.UniformBucketLevelAccess{Enabled: true},
		// Without it a bucket can be made public by one binding. New buckets in S3 have it too.
		PublicAccessPrevention: storage.PublicAccessPreventionEnforced,
	}
	if p.versioning != nil {
		attrs.VersioningEnabled = *p.versioning
	}
	if p.public != storage.PublicAccessPreventionUnknown {
		attrs.PublicAccessPrevention = p.public
	}
	if p.key != nil && *p.key != "" {
		attrs.Encryption = &storage.BucketEncryption{DefaultKMSKeyName: *p.key}
	}
	return attrs
}

// forUpdate copies the parameters into those of a patch, which merges: labels one by one.
func (p bucketParams) forUpdate() storage.BucketAttrsToUpdate {
	update := storage.BucketAttrsToUpdate{PublicAccessPrevention: p.public}
	if p.versioning != nil {
		update.VersioningEnabled = *p.versioning
	}
	if p.key != nil {
		update.Encryption = &storage.BucketEncryption{DefaultKMSKeyName: *p.key}
	}
	for k, v := range p.labels.Set {
		update.SetLabel(k, v)
	}
	for _, k := range p.labels.Remove {
		update.DeleteLabel(k)
	}
	return update
}

// present returns nil for what the cloud leaves empty.
func present[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}
