package login

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// managedSource is the source of a password that the cloud manages.
const managedSource = string(v1alpha1.CredentialsCloudManaged)

// noteManaged notes in a status what KnownManaged reports. No password is known any more that the cloud accepted.
func noteManaged(status *v1alpha1.ResourceStatus) {
	if status.Applied == nil {
		status.Applied = map[string][]string{}
	}
	status.Applied[plan.FieldSource] = []string{managedSource}
	plan.NotePassword(status, 0)
}

// dropManaged removes from a status what noteManaged noted.
func dropManaged(status *v1alpha1.ResourceStatus) { delete(status.Applied, plan.FieldSource) }

// handOver returns the change by which the cloud begins to manage the password of a server. An edit of the spec asks for it, as it does for another
// password. But somebody set the present password of a server that the cloud is known to have managed, and others know that of one that was taken over.
func handOver(status *v1alpha1.ResourceStatus) driver.Change {
	c := driver.Change{Field: plan.FieldSource, To: managedSource, Effect: driver.Online}
	if plan.KnownManaged(status) || status.Origin == v1alpha1.OriginAdopted && status.AppliedGeneration == 0 {
		c.Effect, c.Why = driver.Irreversible, plan.WhyHandedOver
	}
	return c
}

// takeBack returns the change by which a password takes the place of one that the cloud manages. known: the cloud was known to manage it, so an edit asks for that.
func takeBack(named, known bool) driver.Change {
	c := driver.Change{Field: plan.FieldSource, From: managedSource, To: string(v1alpha1.CredentialsGenerated), Effect: driver.Online}
	if named {
		c.To = string(v1alpha1.CredentialsSecretRef)
	}
	if !known {
		c.Effect, c.Why = driver.Irreversible, plan.WhyTakenBack
	}
	return c
}
