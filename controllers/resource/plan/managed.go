package plan

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// managedSource is the source of a password that the cloud manages.
const managedSource = string(v1alpha1.CredentialsCloudManaged)

// CloudManages reports whether the cloud is to manage the administrator's password.
func CloudManages(k *kind.Kind, want v1alpha1.ResourceObject) bool {
	c := want.GetCredentials()
	return k.Login && c != nil && c.Source == v1alpha1.CredentialsCloudManaged
}

// KnownManaged reports whether the status says that the cloud manages the password, as the spec wants it, and that no password of ours is stored.
func KnownManaged(status *v1alpha1.ResourceStatus) bool {
	applied := status.Applied[FieldSource]
	return len(applied) == 1 && applied[0] == managedSource
}

// Names under which people see what becomes of the administrator's password among the changes of an object, such as in
// status.pendingChanges, and under which its status notes what was applied of that. They are no fields that a driver changes.
const (
	// FieldPassword is the password itself.
	FieldPassword = "credentials.password"
	// FieldSource is who manages it.
	FieldSource = "credentials.source"
)

// PasswordChange returns what an Update is to do to the administrator's password for a change; PasswordStays if the change is none of that.
func PasswordChange(c driver.Change) driver.PasswordChange {
	switch {
	case c.Field == FieldPassword:
		return driver.SetPassword
	case c.Field == FieldSource && c.To == managedSource:
		return driver.HandOverPassword
	case c.Field == FieldSource:
		return driver.TakeBackPassword
	}
	return driver.PasswordStays
}

// EditOf returns changes as an Update takes them.
func EditOf(changes []driver.Change) (edit driver.Edit) {
	for _, c := range changes {
		if p := PasswordChange(c); p != driver.PasswordStays {
			edit.Password = p
		} else {
			edit.Changes = append(edit.Changes, c)
		}
	}
	return edit
}

// FailedOf returns those of the changes that an Update did not make, and why, as people see them.
func FailedOf(changes []driver.Change, done driver.Result) []driver.FieldError {
	failed := slices.Clone(done.Failed)
	for _, c := range changes {
		if PasswordChange(c) != driver.PasswordStays && done.PasswordFailed != nil {
			failed = append(failed, driver.FieldError{Field: c.Field, Err: done.PasswordFailed})
		}
	}
	return failed
}

// ofPassword reports whether a change is of the administrator's password: of the password itself, or of who manages it.
func ofPassword(c driver.Change) bool { return PasswordChange(c) != driver.PasswordStays }

// appliedBefore reports whether something is known to be applied of what a change is about. In the place of a password that the cloud manages it was another one.
func appliedBefore(v View, c driver.Change) bool {
	field := c.Field
	if PasswordChange(c) == driver.TakeBackPassword {
		field = FieldPassword
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
