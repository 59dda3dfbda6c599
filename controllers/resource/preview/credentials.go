package preview

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// credentialLines says what an edit of where the administrator's password comes from means for a server that has one. Secrets are not read, so it
// does not say whether the password differs.
func (e *edit) credentialLines() (lines []string) {
	status := e.after.object.GetResourceStatus()
	if status.ExternalName == "" || e.after.policy.Management == v1alpha1.ManagementObserve {
		return nil
	}
	before, after := passwordSecret(e.before.want), passwordSecret(e.after.want)
	switch {
	case before == after:
	case after != "":
		lines = append(lines, fmt.Sprintf("credentials.passwordSecretRef: Mooring sets the password in Secret %s, and logins with the present one then fail", after))
	case e.after.want.GetConnection() != nil:
		lines = append(lines, fmt.Sprintf("credentials: Mooring no longer reads the password from Secret %s, and the server keeps the password that it has", before))
	}
	return append(lines, rotationLines(e.before.want, e.after.want)...)
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
