package v1alpha1

// BucketGCP contains the settings that only Cloud Storage has.
type BucketGCP struct {
	// storageClass is the class of new objects that are written without a class of their own: STANDARD, NEARLINE (for at least 30 days),
	// COLDLINE (90 days) or ARCHIVE (365 days). Colder classes cost less to keep and more to read, and objects that are deleted earlier
	// cost as much as if they had been kept that long. If unset, a new bucket has STANDARD, and an existing bucket keeps what it has. A
	// change does not touch existing objects.
	// Source: https://cloud.google.com/storage/docs/storage-classes
	// +optional
	// +kubebuilder:validation:Enum=STANDARD;NEARLINE;COLDLINE;ARCHIVE
	StorageClass *string `json:"storageClass,omitempty"`

	// softDeleteDays is for how many days deleted objects, and the bucket if it is deleted, can be restored: 7 to 90, or 0 for not at all. What is
	// kept costs as much as before its deletion. If unset, a new bucket has what Google or the organization has as a default, 7 days
	// unless somebody changed it, and an existing bucket keeps what it has. A change is for what is deleted later; what was deleted before
	// stays restorable for as long as it was when it was deleted. status.observed shows -1 for a time that a spec can't say, because it is no whole number of days.
	// Source: https://cloud.google.com/storage/docs/soft-delete
	// Source: https://cloud.google.com/storage/docs/use-soft-delete
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=90
	// +kubebuilder:validation:XValidation:rule="self == 0 || self >= 7",message="must be 7 to 90, or 0 for no soft delete: Cloud Storage keeps what is deleted for at least 7 days, or not at all; -1 is how status.observed shows a time that is no whole number of days"
	SoftDeleteDays *int32 `json:"softDeleteDays,omitempty"`

	// uniformAccess is true if IAM alone decides who may use the objects, and false if access control lists (ACLs) of the bucket and of single
	// objects count, too. If unset, a new bucket has true, and an existing bucket keeps what it has; so does a bucket from whose spec the field is
	// removed. A change to true keeps out those who have access by an ACL alone. Within 90 days a change back lets them in again; then it
	// can't be changed any more. hierarchicalNamespace and managed folders need true.
	// Source: https://cloud.google.com/storage/docs/uniform-bucket-level-access
	// +optional
	UniformAccess *bool `json:"uniformAccess,omitempty"`

	// autoclass lets Cloud Storage choose the class of each object by how it is used. If unset, a new bucket has no Autoclass, and an existing
	// bucket keeps what it has.
	// +optional
	Autoclass *BucketAutoclass `json:"autoclass,omitempty"`

	// rpo is how soon objects are in both regions of a dual-region: ASYNC_TURBO for within 15 minutes, which costs more, or DEFAULT for as
	// soon as Cloud Storage gets to it, usually within an hour. Only dual-regions have ASYNC_TURBO. If unset, a new bucket has DEFAULT, and an
	// existing bucket keeps what it has. A change is for objects that are written later.
	// Source: https://cloud.google.com/storage/docs/availability-durability
	// Source: https://cloud.google.com/storage/docs/managing-turbo-replication
	// +optional
	// +kubebuilder:validation:Enum=DEFAULT;ASYNC_TURBO
	RPO *string `json:"rpo,omitempty"`

	// customPlacementConfig names the two regions of a dual-region of one's own.
	// +optional
	CustomPlacementConfig *BucketCustomPlacement `json:"customPlacementConfig,omitempty"`

	// defaultEventBasedHold is true if each new object gets an event-based hold: nobody can delete or replace it until somebody releases the
	// hold. If unset, a new bucket has false, and an existing bucket keeps what it has. A change does not touch existing objects.
	// Source: https://cloud.google.com/storage/docs/object-holds
	// +optional
	DefaultEventBasedHold *bool `json:"defaultEventBasedHold,omitempty"`

	// hierarchicalNamespace is true if the bucket has folders as a file system has, which can be renamed at once. It needs uniformAccess, and Cloud
	// Storage refuses settings that such buckets lack. If unset, a new bucket has false. It can't change once the bucket exists.
	// Source: https://cloud.google.com/storage/docs/hns-overview
	// +optional
	HierarchicalNamespace *bool `json:"hierarchicalNamespace,omitempty"`

	// iamBindings are the roles on this bucket that are ours, by role, member and condition. Roles that come from the project need no binding. Mooring keeps the
	// bindings of others through every change, and takes out of the bucket only what it put there: [] takes all of ours out, and so does a spec from
	// which the field is removed. Through a ClusterProviderConfig, the class decides which members a binding may name, allUsers and
	// allAuthenticatedUsers among them. Cloud Storage refuses these two while public access is blocked: they need publicAccess Allowed. A binding lets its
	// members in, and one that goes keeps them out, within minutes. A correction never waits for approval, so that what somebody opened in the
	// cloud is closed at once. Mooring does not remove what others grant, but a grant that the spec has, too, is taken over, whoever made it, and goes with the
	// field.
	// Source: https://cloud.google.com/storage/docs/access-control/iam
	// Source: https://cloud.google.com/iam/docs/access-change-propagation
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1500
	// +kubebuilder:validation:XValidation:rule="self.map(b, b.members.size()).sum() <= 1500",message="a bucket of Cloud Storage can have 1,500 members in all bindings together, each counted in each binding: name groups, or remove members"
	IAMBindings []BucketIAMBinding `json:"iamBindings,omitzero"`

	// notifications are the topics of Pub/Sub that get events of the bucket. They have no names: what one says distinguishes it from the others, and one that says
	// the same as an entry of the spec is taken over with it. Mooring keeps those of others that say something else, and [] removes those that the
	// spec had. If unset, a new bucket has none, and an existing bucket keeps what it has. Cloud Storage changes no notification, so a change makes
	// a new one and then deletes the old one: for a moment both get events. Where the bucket has no room for the new one, the old one goes first. Through a
	// ClusterProviderConfig, the class decides which topics an
	// object may name. The service agent of Cloud Storage needs the role roles/pubsub.publisher on each topic. Pub/Sub gets at most 10 notifications
	// for an event.
	// Source: https://cloud.google.com/storage/docs/pubsub-notifications
	// Source: https://cloud.google.com/storage/docs/reporting-changes
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Notifications []BucketNotificationGCP `json:"notifications,omitzero"`

	// ipFilter says from which addresses the bucket and its objects can be reached, whoever asks: IAM then decides what those may do who come from
	// there. {} is no filter: mode Disabled, and no addresses. If unset, a new bucket has no filter, and an existing bucket keeps what it has;
	// so does a bucket from whose spec the field is removed. Mooring reads the filter along with the bucket, and needs storage.buckets.getIpFilter
	// and storage.buckets.setIpFilter for it. Before mode becomes Enabled, read what it says about Mooring itself.
	// Source: https://cloud.google.com/storage/docs/ip-filtering-overview
	// Source: https://cloud.google.com/storage/docs/update-ip-filter
	// +optional
	// +structType=atomic
	IPFilter *BucketIPFilter `json:"ipFilter,omitempty"`
}

// BucketAutoclass says whether Cloud Storage chooses the class of each object.
type BucketAutoclass struct {
	// enabled is true if Cloud Storage moves each object to the class that suits how it is used: new ones begin in STANDARD, and those that
	// nobody reads become colder. Then gcp.storageClass can only be STANDARD, and reading costs nothing extra; Google charges for each object
	// instead. A change to true moves the objects that are there to STANDARD once, which Google charges for. If unset, a new bucket has
	// false, and an existing bucket keeps what it has.
	// Source: https://cloud.google.com/storage/docs/autoclass
	// +optional
	Enabled *bool `json:"enabled,omitempty"`

	// terminalStorageClass is the coldest class that objects can get: NEARLINE or ARCHIVE. If unset, a bucket with Autoclass has NEARLINE unless
	// somebody changed it. With enabled: false it says nothing.
	// Source: https://cloud.google.com/storage/docs/autoclass
	// +optional
	// +kubebuilder:validation:Enum=NEARLINE;ARCHIVE
	TerminalStorageClass *string `json:"terminalStorageClass,omitempty"`
}

// BucketCustomPlacement says in which regions a bucket is.
type BucketCustomPlacement struct {
	// dataLocations are the two regions of the bucket, for example europe-west1 and europe-west4, or [] for none. location is then the
	// multi-region that both are in, for example eu. They can't change once the bucket exists.
	// Source: https://cloud.google.com/storage/docs/locations
	// Source: https://cloud.google.com/storage/docs/json_api/v1/buckets
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2
	// +kubebuilder:validation:XValidation:rule="self.all(e, self.exists_one(o, o == e))",message="an entry is there twice: remove one of the two"
	// +kubebuilder:validation:XValidation:rule="self.size() != 1",message="must name two regions, because a dual-region has two: name the other one too, or set [] for none"
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z]+-[a-z]+[0-9]+$`
	DataLocations []string `json:"dataLocations,omitzero"`
}
