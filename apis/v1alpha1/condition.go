package v1alpha1

// Types of conditions. Ready, Reconciling and Stalled follow the kstatus conventions.
const (
	// ConditionReady is True when this generation of the spec was applied and the object is usable.
	ConditionReady = "Ready"
	// ConditionSynced is True when nothing differs between spec and cloud.
	ConditionSynced = "Synced"
	// ConditionAvailable is True when the cloud object can be used now, whatever its configuration.
	ConditionAvailable = "Available"
	// ConditionReconciling is present and True while Mooring or the cloud works towards the spec.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is present and True when a person has to act.
	ConditionStalled = "Stalled"
)

// A Reason says in one word why a condition has its status. The list is closed. The text after "To do" is for users: it is a
// column of docs/reference/reasons.md.
type Reason string

// Reasons of normal operation.
const (
	// ReasonReady: the object is usable and up to date.
	// To do: nothing.
	ReasonReady Reason = "Ready"
	// ReasonObserved: spec.management is Observe. Mooring observed the cloud object and does not change it.
	// To do: nothing. To let Mooring manage it, remove spec.management and set spec.adoption: IfExists, which needs the verb adopt.
	ReasonObserved Reason = "Observed"
	// ReasonCreating: the cloud is creating the object.
	// To do: wait: a bucket takes seconds, a database minutes. The message says for what.
	ReasonCreating Reason = "Creating"
	// ReasonUpdating: Mooring is applying an edit of the spec.
	// To do: wait; `status.pendingChanges` says for what.
	ReasonUpdating Reason = "Updating"
	// ReasonDrifted: the cloud differs from the spec, and Mooring is correcting the drift.
	// To do: nothing now. If it happens again, find out who else changes it in the cloud, or change the spec to their value.
	ReasonDrifted Reason = "Drifted"
	// ReasonClassChanged: the class changed. Mooring is making the change, or the change waits for a slot, because only a few objects
	// of a class change at the same time.
	// To do: wait. A change that would restart waits for approval: see ApprovalRequired.
	ReasonClassChanged Reason = "ClassChanged"
	// ReasonWaitingForWindow: a disruptive change waits for the maintenance window (spec.updates.timing). It needs no approval, or was
	// approved.
	// To do: wait; the message says when the window opens, and whether one was missed. To make the change at once, set
	// spec.updates.timing: Immediate. To revoke an approval before the window opens, remove the annotation mooring.dev/approve.
	ReasonWaitingForWindow Reason = "WaitingForWindow"
	// ReasonAdopting: Mooring is taking over an existing cloud object: it writes its mark.
	// To do: wait.
	ReasonAdopting Reason = "Adopting"
	// ReasonDeleting: the object is being deleted.
	// To do: wait; the message says for what. If there is a condition Stalled, do what its message says.
	ReasonDeleting Reason = "Deleting"
	// ReasonPaused: the annotation mooring.dev/paused is set.
	// To do: remove the annotation when you are done.
	ReasonPaused Reason = "Paused"
	// ReasonCloudBusy: an operation is in progress in the cloud, and the cloud accepts no change until it is done. Or the cloud refuses what may be right in a moment: a role, a grant
	// or a block of public access that was made or changed a short time ago, which clouds do not see everywhere at once.
	// To do: wait. If it lasts, the message quotes the cloud: look in the cloud for an operation in progress, for example an export. What is still refused after three minutes becomes Invalid or Denied.
	ReasonCloudBusy Reason = "CloudBusy"
	// ReasonQueued: the object waits for a slot of its account: Mooring reconciles only a limited number of objects of an account at once.
	// To do: wait. If it lasts, compare the account's slots and its queue: see the metric mooring_account_queue_depth.
	ReasonQueued Reason = "Queued"
	// ReasonStopped: the database is stopped in the cloud, so it can't be used now.
	// To do: set spec.powerState: Running if it should run, or start it in the cloud if the spec does not set it. The message lists what waits.
	ReasonStopped Reason = "Stopped"
	// ReasonParentNotReady: the object is within another one, its parent, and that can't take it yet: it is still being created, can't be
	// used, or is being deleted. Nothing is called in the cloud until then.
	// To do: look at the parent, which the message names. If the parent is being deleted, delete this object too.
	ReasonParentNotReady Reason = "ParentNotReady"
	// ReasonSnapshotNotReady: the object is to be made of a snapshot (spec.restoreFrom), or a snapshot is taken before it is upgraded, and that is still being taken.
	// To do: wait, or look at the DatabaseSnapshot that the message names.
	ReasonSnapshotNotReady Reason = "SnapshotNotReady"
	// ReasonPrimaryNotReady: the object is to be a read replica (spec.replica), and its primary can't be used yet. Nothing is called in the cloud until then.
	// To do: look at the Database that the message names. If it is being deleted, delete this object too.
	ReasonPrimaryNotReady Reason = "PrimaryNotReady"
	// ReasonDegraded: the credentials of a provider config are good, but its cloud has not answered any call for a minute or longer. The message says since when, and how many
	// objects wait. Nothing that runs in the cloud is touched by that.
	// To do: look at the status page of the cloud, and at the network, the firewall and the proxy between Mooring and the cloud.
	ReasonDegraded Reason = "Degraded"
	// ReasonRetrying: calls to the cloud keep failing and are retried.
	// To do: wait. If it lasts, read the message and the cloud's own status page. It continues by itself.
	ReasonRetrying Reason = "Retrying"
	// ReasonNotObserved: Mooring has not observed the cloud object for two sync periods, or for an hour where the object is only late: the cloud limits
	// the calls of its account, or others get their slots before it.
	// To do: check whether other objects of the account have the same reason. If so, the cause is the account, its credentials or the
	// network: look at the provider config. If not, read the message.
	ReasonNotObserved Reason = "NotObserved"
)

// Reasons for which a person has to act (condition Stalled). A new object waits a minute for missing references
// (condition Reconciling).
const (
	// ReasonApprovalRequired: a disruptive change waits for the annotation mooring.dev/approve.
	// To do: look at `status.pendingChanges`. To approve the changes, set the annotation to `status.plan.hash`. To reject them, set the
	// spec to the values that the cloud has.
	ReasonApprovalRequired Reason = "ApprovalRequired"
	// ReasonInvalid: the cloud refuses a value of the spec.
	// To do: correct the field that the message names.
	ReasonInvalid Reason = "Invalid"
	// ReasonDenied: the cloud refuses the credentials, or the identity lacks a permission.
	// To do: look at the provider config with `kubectl get -o wide`; give its identity the permission that the message names.
	ReasonDenied Reason = "Denied"
	// ReasonQuotaExceeded: the account is at a limit.
	// To do: request a higher quota from the cloud, or delete what is not needed.
	ReasonQuotaExceeded Reason = "QuotaExceeded"
	// ReasonNoCapacity: the cloud itself has no capacity at this location now, whatever the account's quota.
	// To do: choose another size or location, or wait: Mooring retries.
	ReasonNoCapacity Reason = "NoCapacity"
	// ReasonConflict: another object exists in the cloud, or in a list of the object an entry that somebody else set, and is in the way.
	// To do: remove the object or the entry that the message names, or choose another spec.externalName or another name for the entry.
	ReasonConflict Reason = "Conflict"
	// ReasonNotOwned: a cloud object of that name exists and does not belong to this object.
	// To do: choose another spec.externalName. If it is yours, set spec.adoption as the message says, which needs the verb adopt.
	ReasonNotOwned Reason = "NotOwned"
	// ReasonNotFound: spec.management is Observe and the cloud has no object of that name.
	// To do: correct spec.externalName or spec.location.
	ReasonNotFound Reason = "NotFound"
	// ReasonVanished: the cloud object was deleted outside Mooring.
	// To do: restore it in the cloud under the same name and set spec.adoption: IfExists; or set spec.whenVanished: Restore to have a Database
	// restored from the newest state that the cloud still has; or set spec.whenVanished: Recreate to get a new, empty one; or delete the object.
	ReasonVanished Reason = "Vanished"
	// ReasonAccountChanged: the provider config now leads to another account or cloud.
	// To do: change the provider config back to the account of the object (`status.accountID`), or refer to one of that account. An
	// object for which nothing was created continues by itself.
	ReasonAccountChanged Reason = "AccountChanged"
	// ReasonFailed: the cloud object is in a failed state, or something that it needs is broken, as its message says.
	// To do: read the message, and repair the object in the cloud. Mooring can't repair it.
	ReasonFailed Reason = "Failed"
	// ReasonImmutable: the spec requests a change that is impossible for the existing cloud object.
	// To do: undo the edit; or create another object and move the data. If an existing cloud object is not taken over for this reason, set
	// the spec to its values, or choose another spec.externalName.
	ReasonImmutable Reason = "Immutable"
	// ReasonDeletionProtected: deletion protection is on.
	// To do: if you really want to delete it, set spec.deletionProtection: false.
	ReasonDeletionProtected Reason = "DeletionProtected"
	// ReasonNotEmpty: the bucket has contents, and spec.forceDestroy is not true, so Mooring does not delete it.
	// To do: empty the bucket, or set spec.forceDestroy: true to delete everything in it.
	ReasonNotEmpty Reason = "NotEmpty"
	// ReasonClassNotFound: spec.className names no existing class, or the spec names no class and no class is the default. Mooring still
	// observes the cloud object and can delete it.
	// To do: correct spec.className, or ask the platform team for the class.
	ReasonClassNotFound Reason = "ClassNotFound"
	// ReasonClassInvalid: the class can't be used; its own status says why.
	// To do: inform the platform team: `kubectl get databaseclasses,bucketclasses` shows which is not Ready.
	ReasonClassInvalid Reason = "ClassInvalid"
	// ReasonClassNotAllowed: the namespace may not use the class, the class has no account for the namespace, or the namespace has the maximum
	// number of objects of the class.
	// To do: choose another class, delete an object of this one, or ask the platform team for an account.
	ReasonClassNotAllowed Reason = "ClassNotAllowed"
	// ReasonClassViolated: the spec violates the class.
	// To do: correct the field that the message names.
	ReasonClassViolated Reason = "ClassViolated"
	// ReasonProviderConfigNotFound: spec.providerConfigRef names no existing provider config.
	// To do: create it, or correct spec.providerConfigRef.
	ReasonProviderConfigNotFound Reason = "ProviderConfigNotFound"
	// ReasonProviderConfigDeleting: the provider config is being deleted and accepts no new users.
	// To do: refer to another provider config.
	ReasonProviderConfigDeleting Reason = "ProviderConfigDeleting"
	// ReasonProviderConfigNotAllowed: this namespace may not use the ClusterProviderConfig, or the spec names another cloud object, such as an
	// encryption key, which only a class could allow.
	// To do: refer to another provider config, use a class, or ask the platform team to allow the namespace.
	ReasonProviderConfigNotAllowed Reason = "ProviderConfigNotAllowed"
	// ReasonParentNotFound: the object within which this one is, its parent, does not exist in the namespace.
	// To do: create the parent that the message names, or delete this object: that finds out in the cloud what is left of it.
	ReasonParentNotFound Reason = "ParentNotFound"
	// ReasonSnapshotNotFound: spec.restoreFrom names a DatabaseSnapshot that does not exist in the namespace, or a snapshot that does not exist in
	// the account and the location of the object, or a Database that does not exist and of whose deleted server nothing is left that the object may restore.
	// Nothing was created.
	// To do: correct spec.restoreFrom, or create the object that the message names.
	ReasonSnapshotNotFound Reason = "SnapshotNotFound"
	// ReasonPrimaryNotFound: spec.replica names a Database that does not exist in the namespace. Nothing was created.
	// To do: create the Database that the message names, or delete this object.
	ReasonPrimaryNotFound Reason = "PrimaryNotFound"
	// ReasonInUse: the object is being deleted, and other objects are within it, or follow it as read replicas, that are not.
	// To do: delete what the message names, or promote read replicas; the deletion then continues.
	ReasonInUse Reason = "InUse"
	// ReasonCredentialsNotFound: the Secret with the cloud credentials, or a key in it, is missing.
	// To do: create the Secret or the key that the message names. Mooring notices it within a minute.
	ReasonCredentialsNotFound Reason = "CredentialsNotFound"
	// ReasonCredentialsInvalid: the Secret with the cloud credentials can't be used.
	// To do: correct the Secret: the message says what is wrong with it.
	ReasonCredentialsInvalid Reason = "CredentialsInvalid"
	// ReasonPasswordNotFound: the Secret with the database password, or its key, is missing.
	// To do: create the Secret or the key that the message names.
	ReasonPasswordNotFound Reason = "PasswordNotFound"
	// ReasonPasswordInvalid: the cloud's engine does not accept the password in the Secret, or the Secret is the object's own connection
	// Secret. Mooring neither stored nor sent the password.
	// To do: change the password in the Secret, or name another Secret: the message says what is wrong.
	ReasonPasswordInvalid Reason = "PasswordInvalid"
	// ReasonPasswordImpaired: the cloud manages the administrator's password (credentials.source CloudManaged) and can't change it any more, for
	// example because it may no longer use the key of the secret. The database and the password can be used.
	// To do: give the cloud back what it misses, or set credentials.source to Generated and back: the message says how.
	ReasonPasswordImpaired Reason = "PasswordImpaired"
	// ReasonReplicationImpaired: the read replica does not repeat what is written to its primary, so what clients read there is out of date.
	// To do: the message quotes the cloud. Mend the cause, or promote the replica (spec.replica.role: Primary), or delete this object and create another one.
	ReasonReplicationImpaired Reason = "ReplicationImpaired"
	// ReasonSecretNotOwned: a Secret with the connection's name exists and does not belong to this object.
	// To do: choose another spec.connection.secretName, or delete the Secret if nobody needs it.
	ReasonSecretNotOwned Reason = "SecretNotOwned"
	// ReasonSecretNotWritten: the API server refuses to store the connection Secret: it is immutable or too large, or a policy or quota forbids it.
	// To do: the message quotes the API server. Delete an immutable Secret, ask for a change of the policy or quota, or choose
	// another spec.connection.secretName.
	ReasonSecretNotWritten Reason = "SecretNotWritten"
	// ReasonNotSupported: the cloud of the provider config does not have this kind, or a field or value that the spec asks for.
	// To do: remove the field, or set what the message names in its place; or refer to a provider config of another cloud.
	ReasonNotSupported Reason = "NotSupported"
)

// Reasons of Events that are not reasons of conditions.
const (
	// EventCreated: the cloud accepted the creation of a cloud object that replaces a lost one, or whose Kubernetes object has other
	// Events. The creation of a new object is only in the log, because its conditions say the same.
	EventCreated = "Created"
	// EventUpdated: the cloud accepted a change; the message names the fields.
	EventUpdated = "Updated"
	// EventDriftCorrected: Mooring corrected drift: a difference that the spec did not cause.
	EventDriftCorrected = "DriftCorrected"
	// EventAdopted: Mooring took over an existing cloud object and wrote its mark.
	EventAdopted = "Adopted"
	// EventDeleted: the cloud object is deleted.
	EventDeleted = "Deleted"
	// EventDeletionRequested: the cloud accepted the deletion.
	EventDeletionRequested = "DeletionRequested"
	// EventRetained: the Kubernetes object was deleted, and its cloud object stays, or a part of it.
	EventRetained = "Retained"
	// EventSnapshotRequested: Mooring has a snapshot taken before an upgrade that can't be taken back, because the cloud takes none.
	EventSnapshotRequested = "SnapshotRequested"
	// EventExpired: spec.expiresAfter of the object passed, and Mooring deletes the object. spec.deletionPolicy says what becomes of its cloud object.
	EventExpired = "Expired"
	// EventDataLost: the data of the cloud object is lost: the cloud object was deleted outside Mooring and is created again, empty, or is restored
	// as of an earlier time; or it was deleted before the cloud took its final snapshot. A Warning.
	EventDataLost = "DataLost"
	// EventReleased: a field was removed from the spec, and Mooring no longer manages it.
	EventReleased = "Released"
	// EventReady: the object became usable and up to date again, or after another Event. The first time of a new object is only in the
	// log, because its conditions say the same.
	EventReady = "Ready"
	// EventRecovered: calls to the cloud failed repeatedly, and succeed again.
	EventRecovered = "Recovered"
	// EventSwitchedOver: a server with another version took the name and the address of the former one (spec.updates.strategy BlueGreen).
	EventSwitchedOver = "SwitchedOver"
	// EventPromoted: Mooring promoted a read replica, because spec.replica.role is Primary and a person approved it.
	EventPromoted = "Promoted"
	// EventPasswordChanged: Mooring changed the administrator's password in the cloud.
	EventPasswordChanged = "PasswordChanged"
	// EventQuotaNearlyUsed: the account of a provider config has used 80% of a quota of its cloud. The condition Ready of the provider config names it.
	EventQuotaNearlyUsed = "QuotaNearlyUsed"
	// EventDatabaseCAUnusable: the ConfigMap with the certificate authorities of database servers is missing or wrong, so connection Secrets keep
	// the certificates that they have.
	EventDatabaseCAUnusable = "DatabaseCAUnusable"
	// EventConnectionMoved: Mooring wrote the connection Secret under a new name. It keeps the former one up to date for 24 hours.
	EventConnectionMoved = "ConnectionMoved"
	// EventConnectionRemoved: Mooring deleted a connection Secret that the spec no longer names.
	EventConnectionRemoved = "ConnectionRemoved"
	// EventActionStarted: the cloud accepted an action that somebody asked for with an annotation: a restart, a failover or a change of the password.
	EventActionStarted = "ActionStarted"
	// EventActionSucceeded: such an action is done.
	EventActionSucceeded = "ActionSucceeded"
	// EventActionRefused: such an action is not possible; the message says why, and what to do. A Warning.
	EventActionRefused = "ActionRefused"
	// EventActionFailed: the cloud refused such an action, or it failed there. A Warning.
	EventActionFailed = "ActionFailed"
	// EventActionUnknown: the answer of the cloud to such an action was lost, and Mooring does not repeat the action. A Warning.
	EventActionUnknown = "ActionUnknown"
)
