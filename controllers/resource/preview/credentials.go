package preview

import (
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
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
	case to == 0:
		return []string{fmt.Sprintf("credentials.rotationPeriod %s -> (none): Mooring no longer changes the password by itself", hours(from))}
	default:
		return []string{fmt.Sprintf("credentials.rotationPeriod %s -> %s: Mooring changes the password before it gets older than that, and within a day if it is older already; "+
			"logins with the former password then fail until the application has read the connection Secret again", hours(from), hours(to))}
	}
}

func rotationPeriod(want v1alpha1.ResourceObject) time.Duration {
	if c := want.GetCredentials(); c != nil && c.RotationPeriod != nil {
		return c.RotationPeriod.Duration
	}
	return 0
}

// hours returns a period as people write it: 720h, and not 720h0m0s.
func hours(period time.Duration) string {
	switch {
	case period == 0:
		return "(none)"
	case period%time.Hour == 0:
		return fmt.Sprintf("%dh", period/time.Hour)
	default:
		return period.String()
	}
}

// passwordSecret returns the name of the Secret that a spec has the password from; empty if it has none.
func passwordSecret(want v1alpha1.ResourceObject) string {
	if c := want.GetCredentials(); c != nil && c.PasswordSecretRef != nil {
		return c.PasswordSecretRef.Name
	}
	return ""
}
