package v1alpha1

// Types of conditions. Ready, Reconciling and Stalled follow the kstatus conventions.
const (
	// ConditionReady is True when this generation of the spec was applied and the thing is usable.
	ConditionReady = "Ready"
	// ConditionSynced is True when nothing differs between spec and cloud.
	ConditionSynced = "Synced"
	// ConditionAvailable is True when it can be used now, whatever its configuration.
	ConditionAvailable = "Available"
	// ConditionReconciling is present and True while Mooring or the cloud works towards the spec.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is present and True when a person has to act.
	ConditionStalled = "Stalled"
)

// A Reason says in one word why a condition is as it is. The list is closed.
type Reason string

// Reasons of usual operation.
const (
	// ReasonReady: usable and as declared.
	ReasonReady Reason = "Ready"
	// ReasonObserved: management is Observe; the cloud object was seen and is left alone.
	ReasonObserved Reason = "Observed"
	// ReasonCreating: the cloud is creating it.
	ReasonCreating Reason = "Creating"
	// ReasonUpdating: an edit of the spec is being applied.
	ReasonUpdating Reason = "Updating"
	// ReasonDrifted: the cloud differs from the spec, and is being put right.
	ReasonDrifted Reason = "Drifted"
	// ReasonClassChanged: the class changed, and the change is being made, or waits until fewer of the class's objects are
	// changing.
	ReasonClassChanged Reason = "ClassChanged"
	// ReasonAdopting: a cloud object that exists already is being marked as this object's.
	ReasonAdopting Reason = "Adopting"
	// ReasonDeleting: the object is being deleted.
	ReasonDeleting Reason = "Deleting"
	// ReasonPaused: the annotation mooring.dev/paused is set.
	ReasonPaused Reason = "Paused"
	// ReasonCloudBusy: the cloud is at work on the object and takes no change until it is done.
	ReasonCloudBusy Reason = "CloudBusy"
	// ReasonStopped: stopped in the cloud, so it can't be used now.
	ReasonStopped Reason = "Stopped"
	// ReasonRetrying: calls to the cloud keep failing and are retried.
	ReasonRetrying Reason = "Retrying"
	// ReasonNotObserved: the cloud was not seen for two sync periods.
	ReasonNotObserved Reason = "NotObserved"
)

// Reasons for which a person has to act (condition Stalled). What is referred to and not there is waited for
// (condition Reconciling) until the object was usable once.
const (
	// ReasonApprovalRequired: a disruptive change waits for the annotation mooring.dev/approve.
	ReasonApprovalRequired Reason = "ApprovalRequired"
	// ReasonInvalid: the cloud refuses a value of the spec.
	ReasonInvalid Reason = "Invalid"
	// ReasonDenied: the cloud refuses the credentials, or what they may do.
	ReasonDenied Reason = "Denied"
	// ReasonQuotaExceeded: the account is at a limit.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonConflict: the cloud refuses because of something else that exists there.
	ReasonConflict Reason = "Conflict"
	// ReasonNotOwned: a cloud object of that name exists and is not this object's.
	ReasonNotOwned Reason = "NotOwned"
	// ReasonNotFound: management is Observe and the cloud has no object of that name.
	ReasonNotFound Reason = "NotFound"
	// ReasonVanished: the cloud object was deleted behind Mooring's back.
	ReasonVanished Reason = "Vanished"
	// ReasonAccountChanged: the provider config now leads to another account or cloud.
	ReasonAccountChanged Reason = "AccountChanged"
	// ReasonFailed: the cloud object is in a failed state.
	ReasonFailed Reason = "Failed"
	// ReasonImmutable: the spec asks for a change that can't be made to what exists.
	ReasonImmutable Reason = "Immutable"
	// ReasonDeletionProtected: deletion protection is on.
	ReasonDeletionProtected Reason = "DeletionProtected"
	// ReasonNotEmpty: a bucket that holds objects is not deleted unless spec.forceDestroy is true.
	ReasonNotEmpty Reason = "NotEmpty"
	// ReasonClassNotFound: spec.className names no class, or none is named and none is the default. What exists is still looked at,
	// and can be deleted.
	ReasonClassNotFound Reason = "ClassNotFound"
	// ReasonClassInvalid: the class can't be used as it is; its own status says why.
	ReasonClassInvalid Reason = "ClassInvalid"
	// ReasonClassNotAllowed: the class is not for this namespace, or the namespace has as many objects of it as it may have.
	ReasonClassNotAllowed Reason = "ClassNotAllowed"
	// ReasonClassViolated: the spec asks for what the class does not allow.
	ReasonClassViolated Reason = "ClassViolated"
	// ReasonProviderConfigNotFound: spec.providerConfigRef names no provider config.
	ReasonProviderConfigNotFound Reason = "ProviderConfigNotFound"
	// ReasonProviderConfigDeleting: the provider config is being deleted and takes no new users.
	ReasonProviderConfigDeleting Reason = "ProviderConfigDeleting"
	// ReasonProviderConfigNotAllowed: the ClusterProviderConfig is not for this namespace.
	ReasonProviderConfigNotAllowed Reason = "ProviderConfigNotAllowed"
	// ReasonCredentialsNotFound: the Secret with the cloud credentials, or a key of it, is missing.
	ReasonCredentialsNotFound Reason = "CredentialsNotFound"
	// ReasonCredentialsInvalid: the Secret with the cloud credentials can't be used as it is.
	ReasonCredentialsInvalid Reason = "CredentialsInvalid"
	// ReasonPasswordNotFound: the Secret with the database password, or its key, is missing.
	ReasonPasswordNotFound Reason = "PasswordNotFound"
	// ReasonSecretNotOwned: a Secret of the connection's name exists and was not made for this object.
	ReasonSecretNotOwned Reason = "SecretNotOwned"
	// ReasonNotSupported: the cloud of the provider config has no such kind.
	ReasonNotSupported Reason = "NotSupported"
)

// Reasons of Events that are not reasons of conditions.
const (
	// EventCreated: the cloud accepted the creation.
	EventCreated = "Created"
	// EventUpdated: the cloud accepted a change; the message names the fields.
	EventUpdated = "Updated"
	// EventDriftCorrected: a difference that the spec did not cause was put right.
	EventDriftCorrected = "DriftCorrected"
	// EventAdopted: a cloud object that existed already was marked as this object's.
	EventAdopted = "Adopted"
	// EventDeleted: the cloud object is gone.
	EventDeleted = "Deleted"
	// EventDeletionRequested: the cloud accepted the deletion.
	EventDeletionRequested = "DeletionRequested"
	// EventRetained: the object was deleted here and its cloud object left in place.
	EventRetained = "Retained"
	// EventReleased: a field is no longer set in the spec, and no longer managed.
	EventReleased = "Released"
	// EventReady: it became usable and as declared, for the first time or again.
	EventReady = "Ready"
	// EventRecovered: calls to the cloud kept failing, and succeed again.
	EventRecovered = "Recovered"
	// EventPasswordChanged: the administrator's password was changed in the cloud.
	EventPasswordChanged = "PasswordChanged"
)
