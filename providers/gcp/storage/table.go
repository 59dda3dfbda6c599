package storage

import (
	"slices"
	"strings"

	"cloud.google.com/go/storage"
	raw "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// A bucket is what one read tells of it, and what takes another: nil if it was not read.
type bucket struct {
	storage.BucketAttrs
	bindings      *bindings
	notifications *[]notified
	filter        *raw.BucketIpFilter // nil if it never had one
}

// parameters are the parameters of a call that makes or changes a bucket, named as the calls name them; nil is not sent.
type parameters struct {
	Location               string
	VersioningEnabled      *bool
	PublicAccessPrevention storage.PublicAccessPrevention
	DefaultKMSKeyName      *string
	RequesterPays          *bool
	CORS                   []v1alpha1.CORSRule
	MainPageSuffix         *string
	NotFoundPage           *string
	LogBucket              *string
	LogObjectPrefix        *string
	Lifecycle              []v1alpha1.LifecycleRule
	RetentionDays          *int32
	RetentionLocked        *bool
	StorageClass           *string
	SoftDeletePolicy       *storage.SoftDeletePolicy
	UniformAccess          *bool
	Autoclass              *bool
	TerminalStorageClass   *string
	RPO                    *string
	DataLocations          []string
	DefaultEventBasedHold  *bool
	HierarchicalNamespace  *bool
	IAMBindings            table.Delta
	Notifications          *table.Members[notified]
	IPFilter               *filterParams
	Labels                 table.Delta
}

// insertion and patch are how parameters come into the two calls. A patch merges: labels one by one.
var (
	insertion = table.Copier[parameters, storage.BucketAttrs]{
		Call:   "buckets.insert",
		Lacks:  map[string]string{"Notifications": "each has calls of its own", "IPFilter": filterApart},
		ByHand: map[string]string{"RetentionLocked": "a call of its own locks", "IAMBindings": bindingsApart},
		Converts: map[string]func(*parameters, *storage.BucketAttrs){
			"CORS": func(p *parameters, attrs *storage.BucketAttrs) { attrs.CORS = storageCORS(p.CORS) },

			"MainPageSuffix":  func(p *parameters, attrs *storage.BucketAttrs) { attrs.Website = newSite(p) },
			"NotFoundPage":    func(p *parameters, attrs *storage.BucketAttrs) { attrs.Website = newSite(p) },
			"RetentionDays":   newRetention,
			"LogBucket":       func(p *parameters, attrs *storage.BucketAttrs) { attrs.Logging = newLogs(p) },
			"LogObjectPrefix": func(p *parameters, attrs *storage.BucketAttrs) { attrs.Logging = newLogs(p) },
			"Lifecycle":       func(p *parameters, attrs *storage.BucketAttrs) { attrs.Lifecycle = *storageLifecycle(p.Lifecycle) },
			"DefaultKMSKeyName": func(p *parameters, attrs *storage.BucketAttrs) {
				if *p.DefaultKMSKeyName != "" {
					attrs.Encryption = &storage.BucketEncryption{DefaultKMSKeyName: *p.DefaultKMSKeyName}
				}
			},
			"Autoclass":             newAutoclass,
			"TerminalStorageClass":  newAutoclass,
			"RPO":                   newRPO,
			"DataLocations":         newPlacement,
			"HierarchicalNamespace": newHierarchy,
			"UniformAccess": func(p *parameters, attrs *storage.BucketAttrs) {
				attrs.UniformBucketLevelAccess.Enabled = *p.UniformAccess
			},
			"Labels": func(p *parameters, attrs *storage.BucketAttrs) { attrs.Labels = p.Labels.Set },
		},
	}
	patch = table.Copier[parameters, storage.BucketAttrsToUpdate]{
		Call:   "buckets.patch",
		Lacks:  map[string]string{"Location": "a bucket keeps its location", "DataLocations": "a bucket keeps its regions", "HierarchicalNamespace": "a bucket keeps its namespace", "Notifications": "each has calls of its own", "IPFilter": filterApart},
		ByHand: map[string]string{"Autoclass": "what stays of it comes along", "TerminalStorageClass": "likewise", "RetentionLocked": "a call of its own locks", "IAMBindings": bindingsApart},
		Converts: map[string]func(*parameters, *storage.BucketAttrsToUpdate){
			"CORS": func(p *parameters, update *storage.BucketAttrsToUpdate) { update.CORS = storageCORS(p.CORS) },

			"MainPageSuffix": func(p *parameters, update *storage.BucketAttrsToUpdate) { update.Website = changedSite(p) },
			"NotFoundPage":   func(p *parameters, update *storage.BucketAttrsToUpdate) { update.Website = changedSite(p) },
			"RetentionDays": func(p *parameters, update *storage.BucketAttrsToUpdate) {
				update.RetentionPolicy = changedRetention(p)
			},
			"LogBucket":       func(p *parameters, update *storage.BucketAttrsToUpdate) { update.Logging = changedLogs(p) },
			"LogObjectPrefix": func(p *parameters, update *storage.BucketAttrsToUpdate) { update.Logging = changedLogs(p) },
			"Lifecycle": func(p *parameters, update *storage.BucketAttrsToUpdate) {
				update.Lifecycle = storageLifecycle(p.Lifecycle)
			},
			"DefaultKMSKeyName": func(p *parameters, update *storage.BucketAttrsToUpdate) {
				update.Encryption = &storage.BucketEncryption{DefaultKMSKeyName: *p.DefaultKMSKeyName}
			},
			"RPO": func(p *parameters, update *storage.BucketAttrsToUpdate) { update.RPO = storageRPOs[*p.RPO] },
			"UniformAccess": func(p *parameters, update *storage.BucketAttrsToUpdate) {
				update.UniformBucketLevelAccess = &storage.UniformBucketLevelAccess{Enabled: *p.UniformAccess}
			},
			"Labels": func(p *parameters, update *storage.BucketAttrsToUpdate) {
				for k, v := range p.Labels.Set {
					update.SetLabel(k, v)
				}
				for _, k := range p.Labels.Remove {
					update.DeleteLabel(k)
				}
			},
		},
	}
)

// plain makes the row of a setting that the spec has at the path of its name, and a call in the parameter of that name.
func plain[V comparable](name, param string, have func(*bucket) *V) *table.Scalar[v1alpha1.BucketParameters, bucket, parameters, V] {
	return table.Plain[v1alpha1.BucketParameters, parameters](name, param, have)
}

// fields has the fields of a bucket. forceDestroy is no field of the cloud: it says how to delete.
var fields = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	plain("location", "Location", func(b *bucket) *string { return resource.Present(strings.ToLower(b.Location)) }).
		Equal(strings.EqualFold, "in any case: Cloud Storage writes EUROPE-WEST3").
		Immutable("create another Bucket in the new location and move the objects there"),
	table.Field("versioning",
		func(p *v1alpha1.BucketParameters) *v1alpha1.Versioning { return p.Versioning },
		haveVersioning,
		func(p *parameters, v v1alpha1.Versioning) {
			enabled := v == v1alpha1.VersioningEnabled
			p.VersioningEnabled = &enabled
		}),
	table.Field("publicAccess",
		func(p *v1alpha1.BucketParameters) *v1alpha1.PublicAccess { return p.PublicAccess },
		havePublicAccess,
		func(p *parameters, v v1alpha1.PublicAccess) { p.PublicAccessPrevention = prevention(v) }).
		Safe(v1alpha1.PublicAccessBlocked),
	table.Field("encryption.key", portable.WantedBucketKey, haveKey,
		func(p *parameters, v string) { p.DefaultKMSKeyName = &v }).
		Reported(func(b *bucket) *string { return resource.Present(*haveKey(b)) }).
		Equal(func(want, have string) bool { return want == have }, "`encryption: {}` is Cloud Storage's own key").
		Refers(driver.ReferenceKey),
	paymentRow,
	corsRow,
	websiteRows[0],
	websiteRows[1],
	loggingRows[0],
	loggingRows[1],
	retentionRows[0],
	retentionRows[1],
	lifecycleRow,
	storageClassRow,
	softDeleteRow,
	uniformRow,
	autoclassRows[0],
	autoclassRows[1],
	placementRows[0],
	placementRows[1],
	holdRow,
	hierarchyRow,
	bindingsRow,
	notificationRow,
	filterRows[0],
	filterRows[1],
	filterRows[2],
	filterRows[3],
	filterRows[4],
	table.Entries("tags",
		func(p *v1alpha1.BucketParameters) map[string]string { return resource.Labels(p.Tags) },
		func(b *bucket) map[string]string { return driver.WithoutMark(b.Labels) },
		func(p *parameters, d table.Delta) { p.Labels = d }),
}

func haveVersioning(b *bucket) *v1alpha1.Versioning {
	v := v1alpha1.VersioningSuspended
	if b.VersioningEnabled {
		v = v1alpha1.VersioningEnabled
	}
	return &v
}

func havePublicAccess(b *bucket) *v1alpha1.PublicAccess {
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

// haveKey returns an empty name for Cloud Storage's own key.
func haveKey(b *bucket) *string {
	if b.Encryption == nil {
		return new("")
	}
	return &b.Encryption.DefaultKMSKeyName
}

// forCreate makes the parameters of a creation.
func (p *parameters) forCreate() *storage.BucketAttrs {
	attrs := &storage.BucketAttrs{
		// Access by IAM alone, as Google recommends and S3 has it for new buckets: what single objects
		// permit is not seen in any policy. It can be switched off for 90 days.
		// https://cloud.google.com/storage/docs/uniform-bucket-level-access
		UniformBucketLevelAccess: storage.UniformBucketLevelAccess{Enabled: true},
		// Without it a bucket can be made public by one binding. New buckets in S3 have it too.
		PublicAccessPrevention: storage.PublicAccessPreventionEnforced,
	}
	insertion.Copy(p, attrs)
	return attrs
}

// forUpdate makes the parameters of a patch.
func (p *parameters) forUpdate(have *bucket) (update storage.BucketAttrsToUpdate) {
	patch.Copy(p, &update)
	update.Autoclass = changedAutoclass(p, have)
	return update
}

// lacks are what buckets have in other clouds and not in Cloud Storage.
var lacks = slices.Concat(resource.KeyLacks, resource.LabelLacks, []driver.Lack{originLack, autoclassLack, redirectLack, hierarchyLack}, lifecycleLacks)
