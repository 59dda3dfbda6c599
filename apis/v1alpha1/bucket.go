package v1alpha1

import (
	"encoding/json"

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
	// location is the region (AWS: eu-central-1; Google Cloud: europe-west3) or multi-region (eu). If unset, it is the region of the
	// provider config. It can't change once the bucket exists.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
	// Source: https://cloud.google.com/storage/docs/locations
	// +optional
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9-]*[a-z0-9]$`
	Location *string `json:"location,omitempty"`

	// versioning is Enabled (the bucket keeps old versions of overwritten and deleted objects) or Suspended.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html
	// Source: https://cloud.google.com/storage/docs/object-versioning
	// +optional
	// +kubebuilder:validation:Enum=Enabled;Suspended
	Versioning *Versioning `json:"versioning,omitempty"`

	// publicAccess is Blocked (nothing in the bucket can be made public) or Allowed (policies may make it public; Mooring itself
	// does so only by aws.policy and gcp.iamBindings). If you remove the field after it was set, it returns to Blocked.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
	// Source: https://cloud.google.com/storage/docs/public-access-prevention
	// +optional
	// +kubebuilder:validation:Enum=Blocked;Allowed
	PublicAccess *PublicAccess `json:"publicAccess,omitempty"`

	// encryption says which key encrypts new objects: the named key, or the cloud's own key for {}. To return to the cloud's own key, set
	// {}. If unset, Mooring does not change the bucket's key, and a new bucket has the cloud's own key. Objects keep the key that they
	// were written with.
	// +optional
	// +structType=atomic
	Encryption *Encryption `json:"encryption,omitempty"`

	// requesterPays is true if whoever requests objects pays for the request and for the transfer, in place of the owner of the bucket. The
	// owner pays for storage in any case. If unset, a new bucket has false, and an existing bucket keeps what it has. A change to true keeps
	// clients out until they agree to pay: with the header x-amz-request-payer (AWS), or by naming a project that pays (Google Cloud).
	// Anonymous clients can't agree. In Google Cloud, Mooring names the account's project, and its identity needs serviceusage.services.use
	// there. In AWS, Mooring belongs to the owner's account and agrees to nothing.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/RequesterPaysBuckets.html
	// Source: https://cloud.google.com/storage/docs/requester-pays
	// +optional
	RequesterPays *bool `json:"requesterPays,omitempty"`

	// cors lets pages of other origins use the bucket by a browser. The first rule that fits a request counts. Mooring manages the list as a
	// whole: it removes rules that others add, and [] removes all rules. If unset, a new bucket has none, and an existing bucket keeps what
	// it has. A change works within minutes, and browsers remember former answers for maxAgeSeconds.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html
	// Source: https://cloud.google.com/storage/docs/cross-origin
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	CORS []CORSRule `json:"cors,omitzero"`

	// lifecycle says when objects are deleted, and when they move to cheaper storage. The order of rules means nothing. Mooring manages the list as
	// a whole: it removes rules that others add, and [] removes all rules. If unset, a new bucket has none, and an existing bucket keeps what it
	// has. A new rule applies to objects that are there already, and the cloud acts on it within a day or two. S3 takes 1,000 rules for a bucket. Each
	// action of a rule counts in Google Cloud, which takes 100. No two rules have one name, nor say the same of the same objects: status.conditions says so, and
	// with the webhook kubectl apply does.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
	// Source: https://cloud.google.com/storage/docs/lifecycle
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Lifecycle []LifecycleRule `json:"lifecycle,omitzero"`

	// website says what the bucket serves as a web site; {} is no web site. If unset, a new bucket has none, and an existing bucket keeps
	// what it has. Pages are served to everybody who may read the objects, so a public site also needs publicAccess Allowed, and everybody let in by
	// aws.policy or gcp.iamBindings. AWS serves it by HTTP at the bucket's website endpoint; routing rules of others stay, until {} ends the site and them with it. Google Cloud serves it by a
	// load balancer, or at a domain whose name is the bucket's.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteHosting.html
	// Source: https://cloud.google.com/storage/docs/static-website
	// +optional
	// +structType=atomic
	Website *BucketWebsite `json:"website,omitempty"`

	// logging says where the logs of the access to the bucket go; {} is no logs. If unset, a new bucket has none, and an existing bucket keeps what
	// it has. Logs may come hours late, and the bucket that they go to pays for them. A change of where they go may take hours, too.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
	// Source: https://cloud.google.com/storage/docs/access-logs
	// +optional
	// +structType=atomic
	Logging *BucketLogging `json:"logging,omitempty"`

	// retention says how long objects can't be deleted, by forceDestroy neither; {} is no retention. If unset, a new bucket has none, and an
	// existing bucket keeps what it has. AWS needs versioning Enabled, which a new bucket gets by itself. Google Cloud has either retention or
	// versioning Enabled.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-configure.html
	// Source: https://cloud.google.com/storage/docs/object-versioning
	// +optional
	// +structType=atomic
	Retention *BucketRetention `json:"retention,omitempty"`

	// tags become tags (AWS) or labels (Google Cloud). Mooring keeps tags that others set. {} takes away those that the spec had. In server-side apply each entry has
	// managers of its own, and so {} is refused where the last entry would go: take that out by a patch. AWS takes letters, digits, spaces
	// and _.:/=+-@: keys of 1 to 128 characters that do not begin with aws:, and values of at most 256. Google Cloud takes lower-case
	// letters, digits, - and _: keys of 1 to 63 characters that begin with a letter, and values of at most 63. Other tags of an object in Google
	// Cloud are refused. There are at most 45 tags, because AWS takes 50, and Mooring's own mark needs 5.
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/CostAllocTagging.html
	// Source: https://cloud.google.com/storage/docs/tags-and-labels
	// +optional
	// +kubebuilder:validation:MaxProperties=45
	Tags map[string]TagValue `json:"tags,omitzero"`

	// forceDestroy lets a deletion remove every object and version in the bucket. Without it, Mooring does not delete a bucket that has
	// contents. In Google Cloud it also releases holds on objects. Objects under a retention policy are deleted once that has run out.
	// Source: https://cloud.google.com/storage/docs/object-holds
	// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html
	// Source: https://cloud.google.com/storage/docs/deleting-buckets
	// +optional
	ForceDestroy *bool `json:"forceDestroy,omitempty"`

	// aws contains the settings that only Amazon S3 has.
	// +optional
	AWS *BucketAWS `json:"aws,omitempty"`

	// gcp contains the settings that only Cloud Storage has.
	// +optional
	GCP *BucketGCP `json:"gcp,omitempty"`
}

// TagValue is the value of a tag or label: what AWS takes, without white space at the beginning or end. What the labels of Google Cloud can't hold
// of it is refused for objects that lead there.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_Tag.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/CostAllocTagging.html
// +kubebuilder:validation:MaxLength=256
// +kubebuilder:validation:Pattern=`^([\p{L}\p{N}_.:/=+@-]([\p{L}\p{Z}\p{N}_.:/=+@-]*[\p{L}\p{N}_.:/=+@-])?)?$`
type TagValue string

// BucketSpec is the desired state of a bucket.
// +kubebuilder:validation:XValidation:rule="!has(self.className) || !has(self.providerConfigRef)",message="spec.className and spec.providerConfigRef exclude each other, because the class names the account: remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.tags) || self.tags.all(k, k.size() <= 128 && k.matches(r'^[\\p{L}\\p{N}_.:/=+@-]([\\p{L}\\p{Z}\\p{N}_.:/=+@-]*[\\p{L}\\p{N}_.:/=+@-])?$') && !k.matches('^(?i)(aws:|mooring-)'))",message="spec.tags keys must have 1 to 128 letters, digits, spaces and the characters _.:/=+-@, without a space at the beginning or end. They must not begin with aws:, which is reserved for AWS, or with mooring-, which is reserved for Mooring's own mark",fieldPath=".tags"
// +kubebuilder:validation:XValidation:rule="[has(self.aws), has(self.gcp)].filter(set, set).size() <= 1",message="spec.aws and spec.gcp exclude each other, because a bucket is in one cloud: remove one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.externalName) || !self.externalName.contains('.') || !has(self.aws) || !has(self.aws.transferAcceleration) || self.aws.transferAcceleration != 'Enabled'",message="spec.aws.transferAcceleration can't be Enabled for a bucket with a dot in its name, because S3 accelerates none: set it to Suspended, or choose another spec.externalName",fieldPath=".aws.transferAcceleration"
// +kubebuilder:validation:XValidation:rule="!has(self.management) || self.management != 'Observe' || has(self.externalName)",message="spec.management: Observe needs spec.externalName: set it to the name of the bucket to observe"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.timing) || self.updates.timing != 'MaintenanceWindow'",message="spec.updates.timing MaintenanceWindow is for databases, because a bucket has no maintenance window: set it to Immediate, or remove it",fieldPath=".updates.timing"
// +kubebuilder:validation:XValidation:rule="!has(self.whenVanished) || self.whenVanished != 'Restore'",message="spec.whenVanished Restore is for databases, because no cloud keeps backups of a bucket: set it to Recreate for a new, empty one, or to Stop",fieldPath=".whenVanished"
// +kubebuilder:validation:XValidation:rule="!has(self.updates) || !has(self.updates.strategy)",message="spec.updates.strategy is for the version of a Database: remove it",fieldPath=".updates"
type BucketSpec struct {
	ResourceSpec     `json:",inline"`
	BucketParameters `json:",inline"`

	// connection requests a Secret with the connection details: type, provider, bucket, region, endpoint, uri.
	// +optional
	Connection *Connection `json:"connection,omitempty"`

	// deletionPolicy is Delete (default; refused while the bucket has contents, unless forceDestroy is true) or Retain (the bucket stays
	// in the cloud, marked as released).
	// +optional
	// +kubebuilder:validation:Enum=Delete;Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`
}

// BucketStatus is the observed state of a bucket.
type BucketStatus struct {
	ResourceStatus `json:",inline"`

	// observed mirrors the bucket in the cloud, with the field names of the spec. Mooring reads only declared fields. With management Observe,
	// it reads the others, too: at most once an hour, and when the annotation mooring.dev/reconcile asks for it. What it may not read is missing.
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
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",message="metadata.name must have at most 63 characters and no dots, because it becomes a label in the cloud"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.location) || !has(oldSelf.status) || !has(oldSelf.status.location) || self.spec.location == oldSelf.status.location || (has(oldSelf.spec.location) && self.spec.location == oldSelf.spec.location) || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.location can't change once the bucket exists: create another Bucket with the new location and move the data",fieldPath=".spec.location"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.externalName) || !has(oldSelf.spec.providerConfigRef) || has(self.spec.providerConfigRef) || has(self.spec.className)",message="spec.providerConfigRef can't be removed once the bucket exists, because Mooring needs its account and credentials to delete the bucket: put it back, or set spec.className in its place",fieldPath=".spec"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || !has(oldSelf.status) || !has(oldSelf.status.externalName) || self.spec.externalName == oldSelf.status.externalName || (!has(oldSelf.status.firstReadyTime) && !has(oldSelf.status.externalID) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Stalled' && c.reason in ['Invalid', 'Conflict', 'QuotaExceeded', 'NoCapacity', 'Denied', 'NotOwned']))",message="spec.externalName can't change once the cloud object exists: create another object with the new name",fieldPath=".spec.externalName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.externalName) || self.spec.externalName.matches('^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$') || (((has(self.spec.adoption) && self.spec.adoption == 'IfExists') || (has(self.spec.management) && self.spec.management == 'Observe') || (has(self.status) && has(self.status.externalName) && self.spec.externalName == self.status.externalName)) && self.spec.externalName.matches('^[a-z0-9][a-z0-9._-]*[a-z0-9]$'))",message="spec.externalName must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens; it must begin and end with a letter or digit. To adopt (IfExists) or observe a bucket, the name may also have underscores and more characters",fieldPath=".spec.externalName"
type Bucket struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the desired state of the bucket.
	// +required
	Spec BucketSpec `json:"spec"`

	// status is the observed state of the bucket.
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

func init() { register(&Bucket{}, &BucketList{}) }

// GetSpec implements ResourceObject.
func (b *Bucket) GetSpec() any { return &b.Spec }

// GetResourceSpec implements ResourceObject.
func (b *Bucket) GetResourceSpec() *ResourceSpec { return &b.Spec.ResourceSpec }

// GetResourceStatus implements ResourceObject.
func (b *Bucket) GetResourceStatus() *ResourceStatus { return &b.Status.ResourceStatus }

// GetConditions implements ResourceObject.
func (b *Bucket) GetConditions() []metav1.Condition { return b.Status.Conditions }

// GetParameters implements ResourceObject.
func (b *Bucket) GetParameters() any { return b.Spec.BucketParameters.DeepCopy() }

// GetLocation implements ResourceObject.
func (b *Bucket) GetLocation() string { return value(b.Spec.Location) }

// GetConnection implements ResourceObject.
func (b *Bucket) GetConnection() *Connection { return b.Spec.Connection }

// GetCredentials implements ResourceObject: a bucket has no login.
func (b *Bucket) GetCredentials() *DatabaseCredentials { return nil }

// GetDeletionPolicy implements ResourceObject.
func (b *Bucket) GetDeletionPolicy() DeletionPolicy { return b.Spec.DeletionPolicy }

// GetForceDestroy implements ResourceObject.
func (b *Bucket) GetForceDestroy() bool { return value(b.Spec.ForceDestroy) }

// GetObserved implements ResourceObject.
func (b *Bucket) GetObserved() any {
	if b.Status.Observed == nil {
		return nil
	}
	return b.Status.Observed
}

// SetObserved implements ResourceObject.
func (b *Bucket) SetObserved(mirror json.RawMessage) error {
	return setObserved(&b.Status.Observed, mirror)
}
