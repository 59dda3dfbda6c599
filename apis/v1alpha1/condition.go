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

// A Reason says in one word why a condition is as it is. The list is closed. What its comment says after "To do" is for
// whoever sees it: it is a column of docs/reference/reasons.md.
type Reason string

// Reasons of usual operation.
const (
	// ReasonReady: usable and as declared.
	// To do: nothing.
	ReasonReady Reason = "Ready"
	// ReasonObserved: management is Observe; the cloud object was seen and is left alone.
	// To do: nothing. To have it managed, take out spec.management and set spec.adoption: IfExists, which takes the verb adopt.
	ReasonObserved Reason = "Observed"
	// ReasonCreating: the cloud is creating it.
	// To do: wait: a bucket takes seconds, a database minutes. The message says for what.
	ReasonCreating Reason = "Creating"
	// ReasonUpdating: an edit of the spec is being applied.
	// To do: wait; `status.pendingChanges` says for what.
	ReasonUpdating Reason = "Updating"
	// ReasonDrifted: the cloud differs from the spec, and is being put right.
	// To do: nothing now. If it comes again, find out who else changes it in the cloud, or write what they want into the spec.
	ReasonDrifted Reason = "Drifted"
	// ReasonClassChanged: the class changed, and the change is being made, or waits until fewer of the class's objects are
	// changing.
	// To do: wait. What would restart waits for approval: see ApprovalRequired.
	ReasonClassChanged Reason = "ClassChanged"
	// ReasonAdopting: a cloud object that exists already is being marked as this object's.
	// To do: wait.
	ReasonAdopting Reason = "Adopting"
	// ReasonDeleting: the object is being deleted.
	// To do: wait; the message says for what. If Stalled is there too, do what that says.
	ReasonDeleting Reason = "Deleting"
	// ReasonPaused: the annotation mooring.dev/paused is set.
	// To do: take the annotation away once you are done.
	ReasonPaused Reason = "Paused"
	// ReasonCloudBusy: the cloud is at work on the object and takes no change until it is done.
	// To do: wait; if it lasts, the message has the cloud's words: look in the cloud for what is at work there, such as an export.
	ReasonCloudBusy Reason = "CloudBusy"
	// ReasonQueued: the object waits for a slot of its account: so many objects of an account are reconciled at once, and no more.
	// To do: wait. If it lasts, compare the account's slots and its queue: see the metric mooring_account_queue_depth.
	ReasonQueued Reason = "Queued"
	// ReasonStopped: stopped in the cloud, so it can't be used now.
	// To do: start it in the cloud, if it is to run.
	ReasonStopped Reason = "Stopped"
	// ReasonRetrying: calls to the cloud keep failing and are retried.
	// To do: wait; if it lasts, look at the message and at the cloud's own status page. It goes on by itself.
	ReasonRetrying Reason = "Retrying"
	// ReasonNotObserved: the cloud was not seen for two sync periods.
	// To do: see whether other objects of the account are the same. If so, it is the account, its credentials or the network:
	// look at the provider config; if not, read the message.
	ReasonNotObserved Reason = "NotObserved"
)

// Reasons for which a person has to act (condition Stalled). A new object waits a minute for what it refers to and is not there
// (condition Reconciling).
const (
	// ReasonApprovalRequired: a disruptive change waits for the annotation mooring.dev/approve.
	// To do: look at `status.pendingChanges`; to have it done, set the annotation to `status.plan.hash`; to not have it done,
	// make the spec say what the cloud has.
	ReasonApprovalRequired Reason = "ApprovalRequired"
	// ReasonInvalid: the cloud refuses a value of the spec.
	// To do: correct the field that the message names.
	ReasonInvalid Reason = "Invalid"
	// ReasonDenied: the cloud refuses the credentials, or what they may do.
	// To do: look at the provider config with `kubectl get -o wide`; give its identity the permission that the message names.
	ReasonDenied Reason = "Denied"
	// ReasonQuotaExceeded: the account is at a limit.
	// To do: ask the cloud for a higher quota, or delete what is not needed.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonNoCapacity: the cloud itself has no room for it at this place now, whatever the account's quota.
	// To do: choose another size or location, or wait: it is tried again.
	ReasonNoCapacity Reason = "NoCapacity"
	// ReasonConflict: the cloud refuses because of something else that exists there.
	// To do: the message names what is in the way: remove that, or choose another spec.externalName.
	ReasonConflict Reason = "Conflict"
	// ReasonNotOwned: a cloud object of that name exists and is not this object's.
	// To do: choose another spec.externalName; or, if it is yours, set spec.adoption as the message says, which takes the verb
	// adopt.
	ReasonNotOwned Reason = "NotOwned"
	// ReasonNotFound: management is Observe and the cloud has no object of that name.
	// To do: correct spec.externalName or spec.location.
	ReasonNotFound Reason = "NotFound"
	// ReasonVanished: the cloud object was deleted behind Mooring's back.
	// To do: restore it in the cloud under the same name and set spec.adoption: IfExists; or set spec.whenVanished: Recreate for
	// a new, empty one; or delete the object.
	ReasonVanished Reason = "Vanished"
	// ReasonAccountChanged: the provider config now leads to another account or cloud.
	// To do: have the provider config lead back to where the object is (`status.accountID`), or refer to one that does. An object for which
	// nothing was created goes on by itself.
	ReasonAccountChanged Reason = "AccountChanged"
	// ReasonFailed: the cloud object is in a failed state.
	// To do: read the message, and mend it in the cloud: only there can it be mended.
	ReasonFailed Reason = "Failed"
	// ReasonImmutable: the spec asks for a change that can't be made to what exists.
	// To do: take the edit back; or make another object and move the data. Where a cloud object that exists already is not taken over
	// for this, make the spec say what exists, or choose another spec.externalName.
	ReasonImmutable Reason = "Immutable"
	// ReasonDeletionProtected: deletion protection is on.
	// To do: set spec.deletionProtection: false, if it really is to be deleted.
	ReasonDeletionProtected Reason = "DeletionProtected"
	// ReasonNotEmpty: a bucket that holds objects is not deleted unless spec.forceDestroy is true.
	// To do: empty the bucket, or set spec.forceDestroy: true to have everything in it deleted.
	ReasonNotEmpty Reason = "NotEmpty"
	// ReasonClassNotFound: spec.className names no class, or none is named and none is the default. What exists is still looked at,
	// and can be deleted.
	// To do: correct spec.className, or ask the platform team for the class.
	ReasonClassNotFound Reason = "ClassNotFound"
	// ReasonClassInvalid: the class can't be used as it is; its own status says why.
	// To do: tell the platform team: `kubectl get databaseclasses,bucketclasses` shows which is not Ready.
	ReasonClassInvalid Reason = "ClassInvalid"
	// ReasonClassNotAllowed: the class is not for this namespace, or the namespace has as many objects of it as it may have.
	// To do: choose another class, or delete an object of this one.
	ReasonClassNotAllowed Reason = "ClassNotAllowed"
	// ReasonClassViolated: the spec asks for what the class does not allow.
	// To do: correct the field that the message names.
	ReasonClassViolated Reason = "ClassViolated"
	// ReasonProviderConfigNotFound: spec.providerConfigRef names no provider config.
	// To do: make it, or correct spec.providerConfigRef.
	ReasonProviderConfigNotFound Reason = "ProviderConfigNotFound"
	// ReasonProviderConfigDeleting: the provider config is being deleted and takes no new users.
	// To do: refer to another.
	ReasonProviderConfigDeleting Reason = "ProviderConfigDeleting"
	// ReasonProviderConfigNotAllowed: the ClusterProviderConfig is not for this namespace.
	// To do: refer to another, use a class, or ask the platform team to open it to the namespace.
	ReasonProviderConfigNotAllowed Reason = "ProviderConfigNotAllowed"
	// ReasonCredentialsNotFound: the Secret with the cloud credentials, or a key of it, is missing.
	// To do: make the Secret or the key that the message names; it is seen within a minute.
	ReasonCredentialsNotFound Reason = "CredentialsNotFound"
	// ReasonCredentialsInvalid: the Secret with the cloud credentials can't be used as it is.
	// To do: correct the Secret: the message says what is wrong with it.
	ReasonCredentialsInvalid Reason = "CredentialsInvalid"
	// ReasonPasswordNotFound: the Secret with the database password, or its key, is missing.
	// To do: make the Secret or the key that the message names.
	ReasonPasswordNotFound Reason = "PasswordNotFound"
	// ReasonPasswordInvalid: the Secret with the database password holds one that the cloud's engine does not take, or is the object's
	// own connection Secret. It was neither stored nor sent.
	// To do: change the password in the Secret, or name another Secret: the message says what is wrong.
	ReasonPasswordInvalid Reason = "PasswordInvalid"
	// ReasonSecretNotOwned: a Secret of the connection's name exists and was not made for this object.
	// To do: choose another spec.connection.secretName, or delete the Secret if nobody needs it.
	ReasonSecretNotOwned Reason = "SecretNotOwned"
	// ReasonSecretNotWritten: the API server refuses to store the connection Secret: it is immutable or too large, or a policy or quota forbids it.
	// To do: the message has the API server's own words. Delete an immutable Secret, have the policy or quota changed, or choose
	// another spec.connection.secretName.
	ReasonSecretNotWritten Reason = "SecretNotWritten"
	// ReasonNotSupported: the cloud of the provider config has no such kind.
	// To do: refer to a provider config of another cloud.
	ReasonNotSupported Reason = "NotSupported"
)

// Reasons of Events that are not reasons of conditions.
const (
	// EventCreated: the cloud accepted the creation of a cloud object that takes the place of a lost one, or whose object has other
	// Events. The creation of a new object is a line of the log alone, because its conditions say the same.
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
	// EventDataLost: what the cloud object held is lost: the cloud object was deleted outside Mooring and is created again, empty; or it was
	// gone before its final snapshot was taken. A Warning.
	EventDataLost = "DataLost"
	// EventReleased: a field is no longer set in the spec, and no longer managed.
	EventReleased = "Released"
	// EventReady: it became usable and as declared again, or after another Event. The first time of a new object is a line of the log
	// alone, because its conditions say the same.
	EventReady = "Ready"
	// EventRecovered: calls to the cloud kept failing, and succeed again.
	EventRecovered = "Recovered"
	// EventPasswordChanged: the administrator's password was changed in the cloud.
	EventPasswordChanged = "PasswordChanged"
	// EventConnectionMoved: the connection Secret was written under a new name. The former one is kept up to date for 24 hours.
	EventConnectionMoved = "ConnectionMoved"
	// EventConnectionRemoved: a connection Secret that the spec no longer names was deleted.
	EventConnectionRemoved = "ConnectionRemoved"
)
