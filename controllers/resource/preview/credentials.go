package preview

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// credentialLines says what an edit of where the administrator's password comes from means for a server that has one. Secrets are not read, so it
// does not say whether the password differs.
func (e *edit) credentialLines() (lines []string) {
	status := e.after.object.GetResourceStatus()
	if status.ExternalName == "" || e.after.policy.Management == v1alpha1.ManagementObserve {
		return nil
	}
	before, after := passwordSecret(e.before.want), passwordSecret(e.after.want)
	was, is := plan.CloudManages(e.Kind, e.before.want), plan.CloudManages(e.Kind, e.after.want)
	switch {
	case was || is:
		lines = append(lines, e.managementLines(was, is)...)
	case before == after:
	case after != "":
		lines = append(lines, fmt.Sprintf("credentials.passwordSecretRef: Mooring sets the password in Secret %s, and logins with the present one then fail", after))
	case e.after.want.GetConnection() != nil:
		lines = append(lines, fmt.Sprintf("credentials: Mooring no longer reads the password from Secret %s, and the server keeps the password that it has", before))
	}
	return append(lines, rotationLines(e.before.want, e.after.want)...)
}

// managementLines says what it means that the cloud is to manage the password from now on, or no longer.
func (e *edit) managementLines(was, is bool) []string {
	connection, secret := e.after.want.GetConnection(), passwordSecret(e.after.want)
	already := slices.ContainsFunc(e.after.object.GetResourceStatus().PendingChanges, func(w v1alpha1.PendingChange) bool {
		return plan.PasswordChange(driver.Change{Field: w.Field, To: w.To}) == driver.TakeBackPassword
	})
	switch {
	case was == is:
		return nil
	case is && already:
		return []string{"credentials.source CloudManaged: the cloud manages the password already, and goes on to do so"}
	case is:
		line := "credentials.source CloudManaged: the cloud sets a password of its own, and logins with the present one then fail"
		if connection != nil {
			line += fmt.Sprintf("; Secret %s then has %s, which says where the password is, in place of password and uri", connection.SecretName, kind.KeyPasswordSecret)
		}
		return []string{line}
	case connection == nil && secret == "":
		return []string{"credentials.source is no longer CloudManaged, but nobody would learn another password: the cloud goes on to manage it; set spec.connection.secretName"}
	}
	line := "credentials.source is no longer CloudManaged: Mooring generates a password and sets it"
	if secret != "" {
		line = fmt.Sprintf("credentials.source is no longer CloudManaged: Mooring sets the password in Secret %s", secret)
	}
	return []string{line + ", and the cloud deletes the one that it manages, so logins with that then fail"}
}

// rotationLines says what another period of a generated password means.
func rotationLines(before, after v1alpha1.ResourceObject) []string {
	from, to := rotationPeriod(before), rotationPeriod(after)
	switch {
	case from == to:
		return nil
	case to == "":
		return []string{fmt.Sprintf("credentials.rotationPeriod %s -> (none): Mooring no longer changes the password by itself", from)}
	default:
		return []string{fmt.Sprintf("credentials.rotationPeriod %s -> %s: Mooring changes the password before it gets older than that, and within a day if it is older already; "+
			"logins with the former password then fail until the application has read the connection Secret again", plan.OrNone(from), to)}
	}
}

func rotationPeriod(want v1alpha1.ResourceObject) string {
	if c := want.GetCredentials(); c != nil {
		return c.RotationPeriod
	}
	return ""
}

// passwordSecret returns the name of the Secret that a spec has the password from; empty if it has none.
func passwordSecret(want v1alpha1.ResourceObject) string {
	if c := want.GetCredentials(); c != nil && c.PasswordSecretRef != nil {
		return c.PasswordSecretRef.Name
	}
	return ""
}
