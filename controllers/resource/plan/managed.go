package plan

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// managed is the source of a password that the cloud manages.
const managedSource = string(v1alpha1.CredentialsCloudManaged)

// CloudManages reports whether the cloud is to manage the administrator's password.
func CloudManages(k *kind.Kind, want v1alpha1.ResourceObject) bool {
	c := want.GetCredentials()
	return k.Login && c != nil && c.Source == v1alpha1.CredentialsCloudManaged
}

// KnownManaged reports whether the status says that the cloud manages the password, as the spec wants it, and that no password of ours is stored.
func KnownManaged(status *v1alpha1.ResourceStatus) bool {
	applied := status.Applied[driver.FieldSource]
	return len(applied) == 1 && applied[0] == managedSource
}

// NoteManaged notes in a status what KnownManaged reports. No password is known any more that the cloud accepted.
func NoteManaged(status *v1alpha1.ResourceStatus) {
	if status.Applied == nil {
		status.Applied = map[string][]string{}
	}
	status.Applied[driver.FieldSource] = []string{managedSource}
	NotePassword(status, 0)
}

// DropManaged removes from a status what NoteManaged noted.
func DropManaged(status *v1alpha1.ResourceStatus) { delete(status.Applied, driver.FieldSource) }

// HandOver returns the change by which the cloud begins to manage the password of a server. An edit of the spec asks for it, as it does for another
// password. But somebody set the present password of a server that the cloud is known to have managed, and others know that of one that was taken over.
func HandOver(status *v1alpha1.ResourceStatus) driver.Change {
	c := driver.Change{Field: driver.FieldSource, To: managedSource, Effect: driver.Online}
	if KnownManaged(status) || status.Origin == v1alpha1.OriginAdopted && status.AppliedGeneration == 0 {
		c.Effect, c.Why = driver.Irreversible, WhyHandedOver
	}
	return c
}

// takeBack returns the change by which a password takes the place of one that the cloud manages. known: the cloud was known to manage it, so an edit asks for that.
func takeBack(named, known bool) driver.Change {
	c := driver.Change{Field: driver.FieldSource, From: managedSource, To: string(v1alpha1.CredentialsGenerated), Effect: driver.Online}
	if named {
		c.To = string(v1alpha1.CredentialsSecretRef)
	}
	if !known {
		c.Effect, c.Why = driver.Irreversible, WhyTakenBack
	}
	return c
}

// ofPassword reports whether a change is of the administrator's password: of the password itself, or of who manages it.
func ofPassword(c driver.Change) bool {
	return c.Field == driver.FieldPassword || c.Field == driver.FieldSource
}

// appliedBefore reports whether something is known to be applied of what a change is about. In the place of a password that the cloud manages it was another one.
func appliedBefore(v View, c driver.Change) bool {
	field := c.Field
	if c.TakesBack() {
		field = driver.FieldPassword
	}
	_, known := v.Applied[field]
	return known
}

// What comes of it for a password that only others know.
const (
	WhyHandedOver = "the cloud sets a password of its own, and every login with the current one then fails"
	WhyTakenBack  = "the cloud deletes the password that it manages, and every login with that then fails; to let the cloud manage the password, " +
		"set spec.credentials.source to CloudManaged"
)
