package sql

import (
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	fieldPSC         = "gcp.pscConfig.enabled"
	fieldPSCProjects = "gcp.pscConfig.allowedConsumerProjects"
	fieldPSCNetworks = "gcp.pscConfig.autoConnectionNetworks"
	fieldAttachment  = "gcp.pscConfig.networkAttachmentURI"
)

// pscRows are Private Service Connect. Google's page describes it for new servers. No page that we know says what it does to an existing one, so a server keeps
// what it was made with. No recording shows a service attachment, nor what becomes of connections from a project or a network that is taken off.
// https://cloud.google.com/sql/docs/postgres/about-private-service-connect
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#PscConfig
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/742
var pscRows = table.Table[databaseParameters, instance, instanceParams]{
	plain(fieldPSC, "PscEnabled", func(i *instance) *bool { return new(i.attached()) }).
		Immutable("create another Database with the setting and move the data there"),
	pscList(fieldPSCProjects, driver.ReferenceProject,
		func(c *v1alpha1.PSCConfig) []string { return c.AllowedConsumerProjects },
		func(c *sqladmin.PscConfig) []string { return c.AllowedConsumerProjects },
		func(p *instanceParams, v []string) { p.AllowedConsumerProjects = &v }, "another order"),
	pscList(fieldPSCNetworks, driver.ReferenceNetwork,
		func(c *v1alpha1.PSCConfig) []string { return c.AutoConnectionNetworks },
		autoNetworks,
		func(p *instanceParams, v []string) { p.PscAutoConnections = &v }, "another order, or the same network as a URL"),
	plain(fieldAttachment, "NetworkAttachmentUri", func(i *instance) *string { return resource.Present(resource.NetworkPath(i.psc().NetworkAttachmentUri)) }).
		EffectOf(func(*string, string, *instance) (driver.Effect, string) {
			return driver.Restarts, "the server's own connections through the former network attachment break"
		}, table.AlwaysRestarts(attachmentCost)...).
		Refers(driver.ReferenceNetworkAttachment),
}

// pscList makes the row of a list of those who can connect.
func pscList(name string, refers driver.Reference, want func(*v1alpha1.PSCConfig) []string, have func(*sqladmin.PscConfig) []string, set func(*instanceParams, []string), equal string,
) *table.Scalar[databaseParameters, instance, instanceParams, []string] {
	return table.Set(name,
		func(p *databaseParameters) []string { return want(pscIn(p)) },
		func(i *instance) []string { return have(i.psc()) }, set).
		Equal(slices.Equal[[]string], equal).
		EffectOf(func(from *[]string, to []string, _ *instance) (driver.Effect, string) {
			if from != nil && slices.ContainsFunc(*from, func(one string) bool { return !slices.Contains(to, one) }) {
				return driver.Interrupts, "connections from what is taken off the list break"
			}
			return driver.Online, ""
		},
			driver.PossibleEffect{Effect: driver.Online, When: "nothing is taken off the list"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "something is taken off the list", Cost: pscCost}).
		Refers(refers)
}

// pscLacks: without a service attachment nobody connects to it.
var pscLacks = func() (lacks []driver.Lack) {
	for field, match := range map[string]string{fieldPSCProjects: `^\[.+\]$`, fieldPSCNetworks: `^\[.+\]$`, fieldAttachment: "."} {
		lacks = append(lacks, driver.Lack{
			Field: field, Match: match, Values: "set", Unless: map[string]string{fieldPSC: "^true$"}, Invalid: true,
			Why: "it is a setting of Private Service Connect, which is not enabled", Instead: "set spec." + fieldPSC + " to true for a new server, or remove spec." + field,
		})
	}
	slices.SortFunc(lacks, func(a, b driver.Lack) int { return strings.Compare(a.Field, b.Field) })
	return lacks
}()

func pscIn(p *databaseParameters) *v1alpha1.PSCConfig {
	if c := gcpOf(p).PSCConfig; c != nil {
		return c
	}
	return &v1alpha1.PSCConfig{}
}

func (i *instance) psc() *sqladmin.PscConfig {
	if c := i.ipConfiguration().PscConfig; c != nil {
		return c
	}
	return &sqladmin.PscConfig{}
}

// attached reports whether an instance has a service attachment, which is a way in.
func (i *instance) attached() bool { return i.psc().PscEnabled }

// attachedName returns the name by which clients reach an instance through endpoints of Private Service Connect, which have another address in each network: Google
// recommends the name, and the certificate of a shared authority names it. Empty if there is none. No recording shows one.
// https://cloud.google.com/sql/docs/postgres/about-private-service-connect (DNS names and records)
func (i *instance) attachedName() string {
	if !i.attached() {
		return ""
	}
	name := i.DnsName
	for _, n := range i.DnsNames {
		if n.DnsScope == "INSTANCE" && n.ConnectionType == "PRIVATE_SERVICE_CONNECT" {
			name = n.Name
		}
	}
	return strings.TrimSuffix(name, ".")
}

// autoNetworks returns the networks in which Cloud SQL makes endpoints.
func autoNetworks(c *sqladmin.PscConfig) (networks []string) {
	for _, one := range c.PscAutoConnections {
		networks = append(networks, resource.NetworkPath(one.ConsumerNetwork))
	}
	return networks
}

// pscByHand says why the calls take these parameters in one value.
const pscByHand = "it is a part of pscConfig"

// pscConfig returns what is to become of Private Service Connect of an instance; nil if the parameters say nothing. What they leave open is sent as it is: right
// whether a patch merges the settings or replaces them.
func (p *instanceParams) pscConfig(have *instance) *sqladmin.PscConfig {
	if p.PscEnabled == nil && p.AllowedConsumerProjects == nil && p.PscAutoConnections == nil && p.NetworkAttachmentUri == nil {
		return nil
	}
	c := *have.psc()
	c.ForceSendFields = []string{"PscEnabled"}
	setPart(&c.PscEnabled, p.PscEnabled, &c.ForceSendFields, "PscEnabled")
	setPart(&c.AllowedConsumerProjects, p.AllowedConsumerProjects, &c.ForceSendFields, "AllowedConsumerProjects")
	setPart(&c.NetworkAttachmentUri, p.NetworkAttachmentUri, &c.ForceSendFields, "NetworkAttachmentUri")
	networks := autoNetworks(&c)
	if p.PscAutoConnections != nil {
		networks = *p.PscAutoConnections
		c.ForceSendFields = append(c.ForceSendFields, "PscAutoConnections")
	}
	c.PscAutoConnections = have.autoConnections(networks)
	return &c
}

// autoConnections returns the endpoints for networks as a call has them: one that is there stays in its project, and a new one is in the project of the network.
func (i *instance) autoConnections(networks []string) []*sqladmin.PscAutoConnectionConfig {
	all := []*sqladmin.PscAutoConnectionConfig{}
	for _, network := range networks {
		one := &sqladmin.PscAutoConnectionConfig{ConsumerNetwork: network}
		if parts := strings.Split(network, "/"); len(parts) > 1 {
			one.ConsumerProject = parts[1]
		}
		for _, there := range i.psc().PscAutoConnections {
			if resource.NetworkPath(there.ConsumerNetwork) == network {
				one.ConsumerProject = there.ConsumerProject
			}
		}
		all = append(all, one)
	}
	return all
}
