package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// A server that is to be private is made so again where somebody opens it: at once in RDS, where nobody in the VPC notices, and after approval
// in Cloud SQL, where its users would lose the address for good. The connection Secret has the private address throughout.
func TestServerIsOpenedBySomebody(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.FullDatabase(c))
		d.Spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}
		system.Connect(d, "login")
		d = throughOpenClass(w, c, d)
		w.create(d)
		name := w.ready(d).Status.ExternalName
		host, mark := string(w.Secret("login")["host"]), len(c.Writes(name))

		w.Disturb()
		c.Databases().SetPublicAccess(w.T, name, true)
		if c.Name == "gcp" {
			s := w.state(d, "waiting for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
			w.equal("pendingChanges", s.Status.PendingChanges, []v1alpha1.PendingChange{{
				Field: "network.publicAccess", From: "Allowed", To: "Blocked", Effect: string(driver.Interrupts), Cause: v1alpha1.CauseDrift,
				WaitsFor: v1alpha1.WaitsForApproval,
			}})
			w.equal("host, of a server with two addresses", string(w.Secret("login")["host"]), host)
			w.approve(d, s.Status.Plan.Hash)
		}
		w.Eventually("the server is private again", func() bool { return len(c.Writes(name)) > mark+1 })
		w.observedAgain(c, name, 2)
		w.mirrors(d, "network.publicAccess", `"Blocked"`)
		w.expectWrites(c, name, mark, sizeWrite(c), sizeWrite(c))
		w.ready(d)
		w.equal("host", string(w.Secret("login")["host"]), host)
	})
}

// The connection Secret follows the address: the private one comes into it once the cloud has made it.
func TestSecretFollowsTheAddress(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	d := throughOpenClass(w, c, w.database(c, "orders", system.FullDatabase(c)))
	network := d.Spec.GCP.PrivateNetwork
	d.Spec.GCP.PrivateNetwork = nil
	system.Connect(d, "login")
	w.create(d)
	w.ready(d)
	before := string(w.Secret("login")["host"])
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.GCP.PrivateNetwork, d.Spec.Network = network, &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}
	})
	w.ready(d)
	if after := string(w.Secret("login")["host"]); after == before || after == "" {
		w.Errorf("the host is %q, and was %q", after, before)
	}
}
