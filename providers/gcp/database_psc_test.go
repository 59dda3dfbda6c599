package gcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func attached(projects ...string) *v1alpha1.PSCConfig {
	return &v1alpha1.PSCConfig{Enabled: new(true), AllowedConsumerProjects: projects}
}

// A new server with a service attachment has no public address, whether the spec says so or nothing, and is reached by its DNS name.
func TestAServiceAttachmentIsAWayIn(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, access := range map[string]*v1alpha1.PublicAccess{"unset": nil, "blocked": new(v1alpha1.PublicAccessBlocked)} {
		req := newDatabase("psc-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP.PSCConfig = attached("shop-cluster")
		if access != nil {
			req.Spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: access}
		}
		x := c.made(t, &req)
		obs, in := c.look(t, x, &req), c.instance(t, req.Name)
		if len(obs.Changes) > 0 || len(in.IpAddresses) > 0 || in.Settings.IpConfiguration.Ipv4Enabled {
			t.Errorf("%s: addresses %v, changes %v", name, in.IpAddresses, obs.Changes)
		}
		if at := obs.Endpoint; at.Host == "" || at.Host != strings.TrimSuffix(in.DnsName, ".") || at.Port != 5432 || at.ServerName != "" || at.Certificates == "" ||
			at.ServiceAttachment != in.PscServiceAttachmentLink || at.ServiceAttachment == "" {
			t.Errorf("%s: the endpoint is %+v of %s, %s", name, at, in.DnsName, in.PscServiceAttachmentLink)
		}
	}
}

// A server with an address keeps that as its endpoint, and has a service attachment besides.
func TestAnAddressComesBeforeTheNameOfAServiceAttachment(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("both", v1alpha1.EngineMySQL)
	req.Spec.GCP.PSCConfig, req.Spec.GCP.PrivateNetwork = attached(), new("projects/network-host/global/networks/shop")
	x := c.made(t, &req)
	in, at := c.instance(t, req.Name), c.look(t, x, &req).Endpoint
	if len(in.IpAddresses) != 1 || in.IpAddresses[0].Type != "PRIVATE" || at.Host != in.IpAddresses[0].IpAddress || at.ServiceAttachment == "" {
		t.Errorf("the endpoint is %+v of %v", at, in.IpAddresses)
	}
}

// Without a service attachment, its settings and a blocked public address are refused by name, and an existing server gets none.
func TestServiceAttachmentsAreForNewServers(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("plain", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	version := c.instance(t, req.Name).Settings.SettingsVersion
	req.Spec.GCP.PSCConfig = attached()
	changes := slices.DeleteFunc(c.look(t, x, &req).Changes, func(c driver.Change) bool { return c.Field != "gcp.pscConfig.enabled" })
	if len(changes) != 1 || changes[0].Effect != driver.Impossible {
		t.Fatalf("changes: %v", changes)
	}
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	if now := c.instance(t, req.Name).Settings.SettingsVersion; now != version {
		t.Error("refused, and written all the same")
	}
	for field, spec := range map[string]func(*v1alpha1.DatabaseParameters){
		"gcp.pscConfig.allowedConsumerProjects": func(p *v1alpha1.DatabaseParameters) {
			p.GCP.PSCConfig = &v1alpha1.PSCConfig{AllowedConsumerProjects: []string{"shop-cluster"}}
		},
		"gcp.pscConfig.autoConnectionNetworks": func(p *v1alpha1.DatabaseParameters) {
			p.GCP.PSCConfig = &v1alpha1.PSCConfig{Enabled: new(false), AutoConnectionNetworks: []string{"projects/network-host/global/networks/shop"}}
		},
		"gcp.pscConfig.networkAttachmentURI": func(p *v1alpha1.DatabaseParameters) {
			p.GCP.PSCConfig = &v1alpha1.PSCConfig{NetworkAttachmentURI: new("projects/p/regions/europe-west3/networkAttachments/a")}
		},
		"network.publicAccess": func(p *v1alpha1.DatabaseParameters) {
			p.Network, p.GCP.PSCConfig = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessBlocked)}, &v1alpha1.PSCConfig{Enabled: new(false)}
		},
	} {
		another := newDatabase("another", v1alpha1.EnginePostgres)
		spec(&another.Spec)
		if _, err := x.Create(t.Context(), another); driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec."+field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// What an edit says nothing of stays: endpoints in projects of others, and what Cloud SQL chose.
func TestServiceAttachmentsKeepWhatOthersSet(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("others", v1alpha1.EnginePostgres)
	req.Spec.GCP.PSCConfig = attached("shop-cluster")
	x := c.made(t, &req)
	const network = "projects/network-host/global/networks/shop"
	c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{PscConfig: &sqladmin.PscConfig{
		PscAutoDnsEnabled: true, PscAutoConnections: []*sqladmin.PscAutoConnectionConfig{{ConsumerNetwork: network, ConsumerProject: "service-project"}},
	}}}})
	req.Spec.GCP.PSCConfig.AutoConnectionNetworks = []string{network, "projects/network-host/global/networks/pay"}
	req.Spec.GCP.PSCConfig.AllowedConsumerProjects = []string{}
	c.comesToRest(t, x, &req, "edited")
	psc := c.instance(t, req.Name).Settings.IpConfiguration.PscConfig
	projects := map[string]string{}
	for _, one := range psc.PscAutoConnections {
		projects[one.ConsumerNetwork] = one.ConsumerProject
	}
	if !psc.PscEnabled || !psc.PscAutoDnsEnabled || len(psc.AllowedConsumerProjects) > 0 || projects[network] != "service-project" || projects["projects/network-host/global/networks/pay"] != "network-host" {
		t.Errorf("got %+v, endpoints in %v", psc, projects)
	}
}

// The preview of a creation warns of a public address only where there will be one.
func TestNoWarningOfAnAddressBesideAServiceAttachment(t *testing.T) {
	d := gcp.New(gcp.Options{}).Describe()
	r, _ := d.Resource("Database")
	for _, unset := range r.Consequences.Unset {
		if unset.Field == "gcp.privateNetwork" && unset.Unless["gcp.pscConfig.enabled"] != "^true$" {
			t.Errorf("got %+v", unset.Unless)
		}
	}
	var says map[string]any
	if err := json.Unmarshal([]byte(`{"network":{"publicAccess":"Blocked"},"gcp":{"pscConfig":{"enabled":true}}}`), &says); err != nil {
		t.Fatal(err)
	}
	if lacking := driver.Lacking(r.Lacks, says); len(lacking) > 0 {
		t.Errorf("refused: %v", lacking)
	}
}
