package v1alpha1

// Annotations that people set on buckets and databases.
const (
	// AnnotationPaused, when "true", stops all calls to the cloud for the object, deletion included.
	AnnotationPaused = "mooring.dev/paused"
	// AnnotationReconcile starts a reconciliation now, whenever its value changes. It also has read again what Mooring reads only once an hour
	// or once a day: whether the initial database and the administrator are still in a server of Cloud SQL, the
	// certificate authorities of that server, whether an engine has a parameter that it lacked, until when a version is supported, what was
	// refused for lack of a permission, and what an S3-compatible store lacks. It does not have the password Secret or quotas read again, nor a check before an
	// upgrade repeated that found nothing. A namespace may ask for 30 objects of an account at once, and for one more each second; the others
	// follow.
	AnnotationReconcile = "mooring.dev/reconcile"
	// AnnotationApprove approves the plan whose hash it holds (status.plan.hash), and no other.
	AnnotationApprove = "mooring.dev/approve"
)

// Annotations that ask for an action, once, by each new value. They need the verb operate on the object. A value that is there when Mooring
// first sees the object asks for nothing.
const (
	// AnnotationRestart restarts the server of a Database.
	AnnotationRestart = "mooring.dev/restart"
	// AnnotationFailover makes the standby of a Database with availability MultiZone its server.
	AnnotationFailover = "mooring.dev/failover"
	// AnnotationRotatePassword changes the administrator's password of a Database.
	AnnotationRotatePassword = "mooring.dev/rotate-password"
)

// Annotations that platform teams set.
const (
	// AnnotationAdoptFrom, with a value of the form NAMESPACE/NAME on a bucket or database, lets the object take over or observe what an
	// object of that namespace and name left in a shared account (deletionPolicy: Retain). Setting the annotation needs the verb adopt on
	// the class or the ClusterProviderConfig that the object refers to.
	AnnotationAdoptFrom = "mooring.dev/adopt-from"
	// AnnotationDefaultClass, when "true" on a class, makes it the class of objects that name neither class nor provider
	// config. If several have it, the newest class is the default.
	AnnotationDefaultClass = "mooring.dev/is-default-class"
	// AnnotationIssueTokens, when "true" on a ServiceAccount, lets Mooring request tokens of it, to sign in to a cloud.
	AnnotationIssueTokens = "mooring.dev/issue-tokens"
	// AnnotationAllowDeletion, when "true" on a provider config or a class, lets it be deleted while objects use it.
	AnnotationAllowDeletion = "mooring.dev/allow-deletion"
)

// Finalizers that Mooring sets.
const (
	// FinalizerResource is on a bucket or database from before its cloud object is created until Mooring confirmed that the cloud
	// object is deleted, or released it.
	FinalizerResource = "mooring.dev/cloud-resource"
	// FinalizerInUse is on a provider config while an object depends on it.
	FinalizerInUse = "mooring.dev/in-use"
)

// Labels on Secrets that Mooring creates. Mooring never changes a Secret without them.
const (
	// LabelKind is the kind of the object that a Secret belongs to.
	LabelKind = "mooring.dev/kind"
	// LabelName is the name of the object that a Secret belongs to.
	LabelName = "mooring.dev/name"
	// LabelUID is the uid of the object that a Secret belongs to.
	LabelUID = "mooring.dev/uid"
)

// Labels on DatabaseSnapshots that Mooring creates.
const (
	// LabelBeforeVersion is the version to which a Database is upgraded that the cloud does not back up: the snapshot is taken before that.
	LabelBeforeVersion = "mooring.dev/before-version"
)
