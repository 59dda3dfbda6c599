package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Versioning says whether a bucket keeps old versions of objects.
type Versioning string

// The values of Versioning. A bucket that was versioned can only be suspended, not unversioned.
const (
	VersioningEnabled   Versioning = "Enabled"
	VersioningSuspended Versioning = "Suspended"
)

// PublicAccess says whether anything in a bucket could be made public.
type PublicAccess string

// The values of PublicAccess.
const (
	PublicAccessBlocked PublicAccess = "Blocked"
	PublicAccessAllowed PublicAccess = "Allowed"
)

// BucketParameters describes an object-storage bucket. Every field is optional: unset means
// unmanaged. The same shape, without validation, mirrors the cloud in status.observed.
type BucketParameters struct {
	// location is the region (AWS: eu-central-1; Google Cloud: europe-west3) or multi-region (eu).
	// Unset, the provider config's region is taken. It can't change once the bucket exists.
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*[a-z0-9]$`
	Location *string `json:"location,omitempty"`

	// versioning keeps old versions of overwritten and deleted objects: Enabled or Suspended.
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Suspended
	Versioning *Versioning `json:"versioning,omitempty"`

	// publicAccess is Blocked (nothing in the bucket can be made public) or Allowed (policies may make it
	// public; Mooring itself never does). A field that was set and is taken out returns to Blocked.
	// +optional
	// +kubebuilder:validation:Enum=Blocked;Allowed
	PublicAccess *PublicAccess `json:"publicAccess,omitempty"`

	// encryption says which key encrypts new objects: the named one, or the cloud's own for {}, which is also the way back
	// from another. Unset, what the bucket has is left as it is; a new bucket has the cloud's own key. Objects keep the key
	// that they were written with.
	// +optional
	Encryption *BucketEncryption `json:"encryption,omitempty"`

	// tags become tags (AWS) or labels (Google Cloud). Tags that others set stay. Keys and values
	// keep to what both clouds take: lower-case letters, digits, - and _.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Tags map[string]TagValue `json:"tags,omitzero"`

	// forceDestroy lets deletion remove every object and version in the bucket. Without it a bucket
	// that holds anything is not deleted.
	// +optional
	ForceDestroy *bool `json:"forceDestroy,omitempty"`
}

// TagValue is the value of a tag or label.
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:Pattern=`^[a-z0-9_-]*$`
type TagValue string

// BucketEncryption says which key encrypts new objects.
type BucketEncryption struct {
	// key is a key of the bucket's own cloud. AWS KMS: the ARN of a key or of an alias, a key id, or alias/NAME.
	// Cloud KMS: projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.matches('^(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:)?alias/[a-zA-Z0-9/_-]{1,250}$') || self.matches('^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[a-zA-Z0-9-]{1,64}$') || self.matches('^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})$') || self.matches('^projects/[a-z0-9][a-z0-9.:-]*/locations/[a-z0-9-]+/keyRings/[a-zA-Z0-9_-]{1,63}/cryptoKeys/[a-zA-Z0-9_-]{1,63}$')",message="must name a key. AWS KMS: the ARN of a key or alias (arn:aws:kms:REGION:ACCOUNT:key/ID), a key id, or alias/NAME. Cloud KMS: projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version"
	Key *string `json:"key,omitempty"`
}

// BucketSpec is what a bucket is to be.
type BucketSpec struct {
	ResourceSpec     `json:",inline"`
	BucketParameters `json:",inline"`

	// connection asks for a Secret that says how to reach the bucket: type, provider, bucket, region,
	// endpoint, uri.
	// +optional
	Connection *Connection `json:"connection,omitempty"`

	// deletionPolicy is Delete (default; a bucket that is not empty is refused unless forceDestroy) or
	// Retain: the bucket stays in the cloud, marked as released.
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// BucketStatus is what was seen of a bucket.
type BucketStatus struct {
	ResourceStatus `json:",inline"`

	// observed mirrors the bucket in the cloud, in the words of the spec. Only declared fields are read.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Observed *BucketParameters `json:"observed,omitempty"`
}

// Bucket is an object-storage bucket: Amazon S3 or Google Cloud Storage.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=bkt,categories=mooring
// +kubebuilder:selectablefield:JSONPath=`.status.provider`
// +kubebuilder:selectablefield:JSONPath=`.status.className`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Synced",type=string,JSONPath=`.status.conditions[?(@.type=="Synced")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.provider`
// +kubebuilder:printcolumn:name="External name",type=string,JSONPath=`.status.externalName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Available",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Class",type=string,priority=1,JSONPath=`.status.className`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.location`
// +kubebuilder:printcolumn:name="Account",type=string,priority=1,JSONPath=`.status.accountID`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots: it becomes a label in the cloud"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.className) || !has(self.spec.providerConfigRef)",message="spec.className and spec.providerConfigRef exclude each other: the class names the account"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.location) || !has(oldSelf.status) || !has(oldSelf.status.location) || self.spec.location == oldSelf.status.location || (has(oldSelf.spec.location) && self.spec.location == oldSelf.spec.location) || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.location can't change once the bucket exists: create another Bucket with the new location and move the data",fieldPath=".spec.location"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || !has(oldSelf.spec.providerConfigRef) || has(self.spec.providerConfigRef) || has(self.spec.className)",message="spec.providerConfigRef can't be taken away once the bucket exists, unless spec.className takes its place: it says which account that is in, and with whose credentials it is deleted",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || !has(oldSelf.status) || !has(oldSelf.status.externalName) || self.spec.externalName == oldSelf.status.externalName || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.externalName can't change once the cloud object exists: create another object with the new name",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || self.spec.externalName.matches('^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$') || (((has(self.spec.adoption) && self.spec.adoption == 'IfExists') || (has(self.spec.management) && self.spec.management == 'Observe') || (has(self.status) && has(self.status.externalName) && self.spec.externalName == self.status.externalName)) && self.spec.externalName.matches('^[a-z0-9][a-z0-9._-]*[a-z0-9]$'))",message="spec.externalName must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit; to adopt (IfExists) or observe a bucket the name may also have underscores and more characters",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.tags) || self.spec.tags.all(k, k.matches('^[a-z][a-z0-9_-]{0,62}$') && !k.startsWith('mooring-'))",message="spec.tags keys must begin with a lower-case letter, hold only lower-case letters, digits, - and _ (63 at most), and not begin with mooring-, which Mooring's own mark uses",fieldPath=".spec.tags"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.management) || self.spec.management != 'Observe' || has(self.spec.externalName)",message="management: Observe needs spec.externalName, the name of the bucket to observe"
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the bucket is to be.
	// +required
	Spec BucketSpec `json:"spec"`

	// status is what was seen of the bucket.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status BucketStatus `json:"status,omitempty"`
}

// BucketList is a list of buckets.
//
// +kubebuilder:object:root=true
type BucketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bucket `json:"items"`
}
