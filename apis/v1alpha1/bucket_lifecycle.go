package v1alpha1

// LifecycleStorageClass is a class of storage that objects move to: portable, or exact in one cloud.
// +kubebuilder:validation:Enum=Infrequent;Cold;Archive;STANDARD_IA;INTELLIGENT_TIERING;ONEZONE_IA;GLACIER_IR;GLACIER;DEEP_ARCHIVE;NEARLINE;COLDLINE;ARCHIVE
type LifecycleStorageClass string

// The portable values of LifecycleStorageClass.
const (
	StorageInfrequent LifecycleStorageClass = "Infrequent"
	StorageCold       LifecycleStorageClass = "Cold"
	StorageArchive    LifecycleStorageClass = "Archive"
)

// LifecycleRule deletes objects of a bucket, or moves them to cheaper storage, when they reach an age. A rule applies to all objects that have
// all that it names, those too that are in the bucket when it is set.
// +kubebuilder:validation:XValidation:rule="has(self.expireAfterDays) || has(self.noncurrentVersions) || has(self.abortUploadsAfterDays) || has(self.transitions) || self.?removeExpiredDeleteMarkers.orValue(false)",message="the rule does nothing: set expireAfterDays, noncurrentVersions, abortUploadsAfterDays or transitions, or remove the rule"
// +kubebuilder:validation:XValidation:rule="!has(self.expireAfterDays) || !has(self.transitions) || self.transitions.all(t, t.afterDays < self.expireAfterDays)",message="expireAfterDays must be more than afterDays of every transition, because a deleted object can't move: raise expireAfterDays, or remove the transition",fieldPath=".expireAfterDays"
// +kubebuilder:validation:XValidation:rule="!has(self.expireAfterDays) || !self.?removeExpiredDeleteMarkers.orValue(false)",message="removeExpiredDeleteMarkers and expireAfterDays exclude each other, because a rule with expireAfterDays removes such markers anyway: remove removeExpiredDeleteMarkers",fieldPath=".removeExpiredDeleteMarkers"
// +kubebuilder:validation:XValidation:rule="!(has(self.tags) || has(self.largerThanBytes) || has(self.smallerThanBytes)) || !(has(self.abortUploadsAfterDays) || self.?removeExpiredDeleteMarkers.orValue(false))",message="a rule for tags or sizes can't have abortUploadsAfterDays or removeExpiredDeleteMarkers, because uploads and delete markers have neither: move them to a rule of their own"
// +kubebuilder:validation:XValidation:rule="!has(self.largerThanBytes) || !has(self.smallerThanBytes) || self.largerThanBytes < self.smallerThanBytes - 1",message="no object is both larger than largerThanBytes and smaller than smallerThanBytes: lower largerThanBytes, or raise smallerThanBytes",fieldPath=".largerThanBytes"
// +kubebuilder:validation:XValidation:rule="!self.?allVersions.orValue(false) || has(self.expireAfterDays) || has(self.transitions)",message="allVersions says to which versions expireAfterDays and transitions apply: set one of them, or remove allVersions",fieldPath=".allVersions"
type LifecycleRule struct {
	// name distinguishes the rule from the others of the bucket. AWS keeps it as the rule's ID; Google Cloud has no names of rules. Another name alone
	// changes nothing in the cloud. status.observed shows a rule that a spec can't say with a name in parentheses, and such names are refused here.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^[^(]`
	Name string `json:"name"`

	// prefix is how the names of the objects begin that the rule applies to. If unset, the rule applies to all names.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html
	// Source: https://cloud.google.com/storage/docs/lifecycle#matchesprefix-suffix
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Prefix *string `json:"prefix,omitempty"`

	// suffix is how the names of the objects end that the rule applies to. Only Google Cloud has it.
	// Source: https://cloud.google.com/storage/docs/lifecycle#matchesprefix-suffix
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Suffix *string `json:"suffix,omitempty"`

	// tags are the tags of objects that the rule applies to: an object must have all of them. Only AWS has it.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html
	// +optional
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=10
	Tags map[string]TagValue `json:"tags,omitempty"`

	// largerThanBytes is a size in bytes: the rule applies to objects that are larger. Only AWS has it.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html
	// +optional
	// +kubebuilder:validation:Minimum=0
	LargerThanBytes *int64 `json:"largerThanBytes,omitempty"`

	// smallerThanBytes is a size in bytes: the rule applies to objects that are smaller. Only AWS has it.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html
	// +optional
	// +kubebuilder:validation:Minimum=1
	SmallerThanBytes *int64 `json:"smallerThanBytes,omitempty"`

	// expireAfterDays is the age in days at which objects are deleted. A bucket with versioning keeps the object as a noncurrent version.
	// Nobody can bring back other objects, unless soft delete of Google Cloud keeps them for a while.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-expire-general-considerations.html
	// Source: https://cloud.google.com/storage/docs/lifecycle
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	ExpireAfterDays *int32 `json:"expireAfterDays,omitempty"`

	// transitions move objects to cheaper storage, each time a colder one, in the order of the list.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:XValidation:rule="self.map(t, t.afterDays).isSorted() && self.all(t, self.exists_one(u, u.afterDays == t.afterDays)) && self.map(t, t.storageClass in ['Infrequent','STANDARD_IA','NEARLINE'] ? 1 : t.storageClass == 'INTELLIGENT_TIERING' ? 2 : t.storageClass == 'ONEZONE_IA' ? 3 : t.storageClass in ['Cold','GLACIER_IR','COLDLINE'] ? 4 : t.storageClass in ['Archive','GLACIER','ARCHIVE'] ? 5 : 6).isSorted() && self.all(t, self.exists_one(u, u.storageClass == t.storageClass))",message="objects move to colder storage only, from Infrequent to Cold to Archive: list transitions in that order, each storageClass once and each with more afterDays than the one before"
	Transitions []LifecycleTransition `json:"transitions,omitempty"`

	// noncurrentVersions is what becomes of old versions in a bucket that has or had versioning.
	// +optional
	NoncurrentVersions *NoncurrentVersions `json:"noncurrentVersions,omitempty"`

	// allVersions is true if expireAfterDays and transitions also apply to noncurrent versions, by the days since the version was written. Only
	// Google Cloud has it. If unset, they apply to live objects alone, in both clouds.
	// Source: https://cloud.google.com/storage/docs/lifecycle#islive
	// +optional
	AllVersions *bool `json:"allVersions,omitempty"`

	// abortUploadsAfterDays is how many days after its begin an incomplete multipart upload is aborted. Its parts are deleted.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpu-abort-incomplete-mpu-lifecycle-config.html
	// Source: https://cloud.google.com/storage/docs/lifecycle#abort-mpu
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=36500
	AbortUploadsAfterDays *int32 `json:"abortUploadsAfterDays,omitempty"`

	// removeExpiredDeleteMarkers is true if AWS removes delete markers without older versions. Google Cloud has no delete markers, so it
	// changes nothing there.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-configuration-examples.html
	// +optional
	RemoveExpiredDeleteMarkers *bool `json:"removeExpiredDeleteMarkers,omitempty"`
}

// LifecycleTransition moves objects to cheaper storage.
// +kubebuilder:validation:XValidation:rule="!(self.storageClass in ['Infrequent', 'STANDARD_IA', 'ONEZONE_IA']) || self.afterDays >= 30",message="afterDays must be at least 30 for Infrequent, STANDARD_IA and ONEZONE_IA, because Amazon S3 keeps objects in its standard storage for so long: raise it, or name NEARLINE of Google Cloud, which has no such rule",fieldPath=".afterDays"
type LifecycleTransition struct {
	// afterDays is the age in days at which objects move; of noncurrent versions, the days since they became noncurrent. 0 moves them at
	// the next run. It is at least 30 for Infrequent.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=36500
	AfterDays *int32 `json:"afterDays"`

	// storageClass is where objects move. Infrequent is STANDARD_IA (AWS) or NEARLINE (Google Cloud), and Cold is GLACIER_IR or
	// COLDLINE: both are read at once, and reading costs more. Archive is GLACIER, whose objects can't be read until somebody restores them, which takes
	// hours; or ARCHIVE, which is read at once. The exact names are for one cloud alone: STANDARD_IA, INTELLIGENT_TIERING, ONEZONE_IA, GLACIER_IR,
	// GLACIER and DEEP_ARCHIVE of AWS; NEARLINE, COLDLINE and ARCHIVE of Google Cloud.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-class-intro.html
	// Source: https://cloud.google.com/storage/docs/storage-classes
	// +required
	StorageClass LifecycleStorageClass `json:"storageClass"`
}

// NoncurrentVersions is what becomes of versions of objects that were overwritten or deleted.
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:XValidation:rule="!has(self.keep) || has(self.expireAfterDays)",message="keep says which versions expireAfterDays spares: set expireAfterDays too",fieldPath=".keep"
// +kubebuilder:validation:XValidation:rule="!has(self.expireAfterDays) || !has(self.transitions) || self.transitions.all(t, t.afterDays < self.expireAfterDays)",message="expireAfterDays must be more than afterDays of every transition, because a deleted version can't move: raise expireAfterDays, or remove the transition",fieldPath=".expireAfterDays"
type NoncurrentVersions struct {
	// expireAfterDays is how many days after it became noncurrent a version is deleted. Nobody can bring it back, unless soft delete of Google
	// Cloud keeps it for a while. 0, at once, is for Google Cloud only.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html
	// Source: https://cloud.google.com/storage/docs/lifecycle#dayssincenoncurrenttime
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=36500
	ExpireAfterDays *int32 `json:"expireAfterDays,omitempty"`

	// keep is how many of the latest noncurrent versions of each object stay in any case. Google Cloud counts the live object as well, so that it
	// keeps one more version of an object that was deleted.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_NoncurrentVersionExpiration.html
	// Source: https://cloud.google.com/storage/docs/lifecycle#numnewerversions
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Keep *int32 `json:"keep,omitempty"`

	// transitions move noncurrent versions to cheaper storage, each time a colder one, in the order of the list.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=6
	// +kubebuilder:validation:XValidation:rule="self.map(t, t.afterDays).isSorted() && self.all(t, self.exists_one(u, u.afterDays == t.afterDays)) && self.map(t, t.storageClass in ['Infrequent','STANDARD_IA','NEARLINE'] ? 1 : t.storageClass == 'INTELLIGENT_TIERING' ? 2 : t.storageClass == 'ONEZONE_IA' ? 3 : t.storageClass in ['Cold','GLACIER_IR','COLDLINE'] ? 4 : t.storageClass in ['Archive','GLACIER','ARCHIVE'] ? 5 : 6).isSorted() && self.all(t, self.exists_one(u, u.storageClass == t.storageClass))",message="versions move to colder storage only, from Infrequent to Cold to Archive: list transitions in that order, each storageClass once and each with more afterDays than the one before"
	Transitions []LifecycleTransition `json:"transitions,omitempty"`
}
