package e2e

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A server that endpoints of Private Service Connect lead to has no address: its name is in the status and the connection Secret, its service attachment is in
// the status, and its settings change without another address.
func TestPrivateServiceConnect(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	p := system.MinimalDatabase(c)
	p.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}
	const networks, attachments = "projects/network-host/global/networks/", "projects/network-host/regions/europe-west3/networkAttachments/"
	p.GCP.PSCConfig = &v1alpha1.PSCConfig{Enabled: new(true), AllowedConsumerProjects: []string{"shop-cluster"}, AutoConnectionNetworks: []string{networks + "pay"},
		NetworkAttachmentURI: new(attachments + "pay")}
	d := w.database(c, "orders", p)
	system.Connect(d, "login")
	d = throughOpenClass(w, c, d)
	w.create(d)
	s := w.ready(d)
	name, host := s.Status.ExternalName, string(w.Secret("login")["host"])
	if !strings.HasSuffix(host, ".sql.goog") || w.Secret("login")["tls-server-name"] != nil || len(w.Secret("login")["certificates"]) == 0 {
		t.Errorf("the host is %q", host)
	}
	var now v1alpha1.Database
	if err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(d), &now); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(now.Status.Endpoint, host+":") || !strings.Contains(now.Status.ServiceAttachment, "/serviceAttachments/") {
		t.Errorf("the endpoint is %q, the service attachment %q", now.Status.Endpoint, now.Status.ServiceAttachment)
	}
	for _, step := range []struct {
		edit  func(psc *v1alpha1.PSCConfig)
		field string
		want  string
	}{
		{func(psc *v1alpha1.PSCConfig) { psc.AllowedConsumerProjects = []string{"pay-cluster", "shop-cluster"} }, "gcp.pscConfig.allowedConsumerProjects", `["pay-cluster","shop-cluster"]`},
		{func(psc *v1alpha1.PSCConfig) { psc.AutoConnectionNetworks = []string{networks + "shop"} }, "gcp.pscConfig.autoConnectionNetworks", `["` + networks + `shop"]`},
		{func(psc *v1alpha1.PSCConfig) { psc.NetworkAttachmentURI = new(attachments + "shop") }, "gcp.pscConfig.networkAttachmentURI", `"` + attachments + `shop"`},
	} {
		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { step.edit(d.Spec.GCP.PSCConfig) })
		w.ready(d)
		w.mirrors(d, step.field, step.want)
		w.expectWrites(c, name, mark, "instances.patch")
	}
	w.equal("host", string(w.Secret("login")["host"]), host)
}
