package sql

import (
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// networkLacks are what databases have in other clouds, or not everywhere in Cloud SQL.
var networkLacks = []driver.Lack{
	// https://cloud.google.com/sql/docs/postgres/configure-ip: the public address can go only if there is a private one.
	{
		Field: "network.publicAccess", Match: "^Blocked$", Values: "Blocked", Unless: map[string]string{"gcp.privateNetwork": ".", fieldPSC: "^true$"}, Invalid: true,
		Why: noWayIn, Instead: privateInstead + ", or, for a new server, spec." + fieldPSC + " to true",
	},
	{
		Field: "gcp.allocatedIPRange", Match: ".", Values: "a range", Unless: map[string]string{"gcp.privateNetwork": "."}, Invalid: true,
		Why: "the range is one of a private network, and the spec names none", Instead: "set spec.gcp.privateNetwork to the network of the range, or remove spec.gcp.allocatedIPRange",
	},
	{
		Field: "network.allowedCIDRs", Match: `^\[.+\]$`, Values: "a list with entries", Unless: map[string]string{"network.publicAccess": "^Allowed$"}, Invalid: true,
		Why: "the list lets networks in at the public address alone, and nothing says that the server is to have one", Instead: "set spec.network.publicAccess to Allowed, or spec.network.allowedCIDRs to [] (entries may come from the class)",
	},
	// https://cloud.google.com/sql/docs/postgres/configure-ip
	{
		Field: "network.allowedCIDRs", Match: ":", Values: "a network of IPv6 addresses",
		Why: "the public addresses of Cloud SQL are IPv4 addresses", Instead: "set spec.network.allowedCIDRs to networks of IPv4 addresses",
	},
	{
		Field: "network.allowedCIDRs", Match: `"(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.)`, Values: "a network of private addresses",
		Why: "Cloud SQL refuses it: nobody comes to a public address from a private one", Instead: "set spec.gcp.privateNetwork to the VPC network of the clients, and remove it from spec.network.allowedCIDRs",
	},
}

const (
	noWayIn        = "Cloud SQL accepts no server without an address, and without a private network the public address is the only one"
	privateInstead = "set spec.gcp.privateNetwork to the VPC network of the clients, or set spec.network.publicAccess to Allowed"
)

// networkRows are the fields that say who can reach an instance.
var networkRows = table.Table[databaseParameters, instance, instanceParams]{
	table.Field("network.publicAccess", wantAccess, haveAccess,
		func(p *instanceParams, v access) { p.Ipv4Enabled = new(v.value == v1alpha1.PublicAccessAllowed) }).
		Equal(sameAccess, "a public address, where nothing is said any more and the server has no other address").
		SafeFor(access{value: v1alpha1.PublicAccessBlocked}, func(p *databaseParameters) access {
			return access{value: v1alpha1.PublicAccessBlocked, private: privately(p), unsaid: true}
		}).
		EffectOf(accessEffect,
			driver.PossibleEffect{Effect: driver.Online, When: "it becomes Allowed"},
			driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes Blocked: connections at the public address break, and that address is lost", Cost: publicAddressCost},
			driver.PossibleEffect{Effect: driver.Restarts, When: "it becomes Allowed on a server whose certificates come from a CA pool (serverCaMode)", Cost: restartCost},
			driver.PossibleEffect{Effect: driver.Impossible, When: "it becomes Blocked on a server without a private network", Instead: privateInstead}),
	// Connections from a network that is removed stay open. https://cloud.google.com/sql/docs/postgres/configure-ip
	table.Set("network.allowedCIDRs",
		func(p *databaseParameters) []string { return networksOf(networkOf(p).AllowedCIDRs) },
		func(i *instance) []string { return networksOf(i.authorizedNetworks()) },
		func(p *instanceParams, v []string) { p.AuthorizedNetworks = &v }).
		Equal(slices.Equal[[]string], "another order, an address without its /32, or any address of a network in place of its first").
		Safe([]string{}),
	plain("gcp.privateNetwork", "PrivateNetwork", func(i *instance) *string {
		return resource.Present(resource.NetworkPath(i.ipConfiguration().PrivateNetwork))
	}).
		Equal(func(want, have string) bool { return resource.NetworkPath(want) == resource.NetworkPath(have) }, "the same network as a URL").
		EffectOf(privateNetworkEffect, table.AlwaysRestarts(networkCost)...).
		Refers(driver.ReferenceNetwork),
	rangeRow,
	authorityRow,
}

// access says whether an instance has a public address.
type access struct {
	value v1alpha1.PublicAccess
	// private: it has another address, or its spec asks for one.
	private bool
	// unsaid: a spec no longer says whether there is to be a public address.
	unsaid bool
}

// String returns the value as the spec has it.
func (a access) String() string { return string(a.value) }

// MarshalJSON returns the value as the spec has it: the mirror reads so.
func (a access) MarshalJSON() ([]byte, error) { return json.Marshal(a.value) }

func wantAccess(p *databaseParameters) *access {
	value := networkOf(p).PublicAccess
	if value == nil {
		return nil
	}
	return &access{value: *value, private: privately(p)}
}

// privately reports whether a spec asks for a way in beside the public address.
func privately(p *databaseParameters) bool {
	return gcpOf(p).PrivateNetwork != nil || pscIn(p).Enabled != nil && *pscIn(p).Enabled
}

func haveAccess(i *instance) *access {
	ip := i.ipConfiguration()
	a := &access{value: v1alpha1.PublicAccessBlocked, private: ip.PrivateNetwork != "" || i.attached()}
	if ip.Ipv4Enabled {
		a.value = v1alpha1.PublicAccessAllowed
	}
	return a
}

// sameAccess takes the public address for what is wanted where nothing is said any more and the instance would have no address without it:
// a new instance has one then, too.
func sameAccess(want, have access) bool {
	return want.value == have.value || want.unsaid && !want.private && !have.private
}

// accessEffect says what it does to give an instance a public address, or to take it away. No recording shows either.
// https://cloud.google.com/sql/docs/postgres/configure-ip
func accessEffect(_ *access, to access, have *instance) (driver.Effect, string) {
	switch {
	case to.value == v1alpha1.PublicAccessAllowed && slices.Contains(sharedAuthorities, have.ipConfiguration().ServerCaMode):
		return driver.Restarts, "Cloud SQL restarts a server whose certificates come from a CA pool to give it a public address"
	case to.value == v1alpha1.PublicAccessAllowed:
		return driver.Online, ""
	case !to.private && !haveAccess(have).private:
		return driver.Impossible, noWayIn + ": " + privateInstead
	}
	return driver.Interrupts, "connections at the public address break, and the server loses that address"
}

// sharedAuthorities are the modes in which the certificate of an instance names its addresses.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#CaMode
var sharedAuthorities = []string{"GOOGLE_MANAGED_CAS_CA", "CUSTOMER_MANAGED_CAS_CA"}

// privateNetworkEffect says what a private network does. Google's reference says that the network of an instance can change and can't be
// removed, and not what a change does: no recording shows one.
// https://cloud.google.com/sql/docs/postgres/configure-private-ip#existing-private-instance
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#IpConfiguration (privateNetwork)
func privateNetworkEffect(from *string, _ string, _ *instance) (driver.Effect, string) {
	if from == nil {
		return driver.Restarts, "Cloud SQL restarts the server to give it a private address, which becomes the host in the connection Secret: clients outside the network no longer find the server by it"
	}
	return driver.Restarts, "Cloud SQL moves the server to the other network, where it has another private address, which becomes the host in the connection Secret"
}

// networkOf returns what the spec says of the network in every cloud.
func networkOf(p *databaseParameters) *v1alpha1.DatabaseNetwork {
	if p.Network == nil {
		return &v1alpha1.DatabaseNetwork{}
	}
	return p.Network
}

func (i *instance) ipConfiguration() *sqladmin.IpConfiguration {
	if ip := i.settings().IpConfiguration; ip != nil {
		return ip
	}
	return &sqladmin.IpConfiguration{}
}

// withoutExpired drops the networks that Cloud SQL lets in no more, because their time has passed: one that the spec names is then missing, and
// is let in again for good.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#AclEntry (expirationTime)
func withoutExpired(have *sqladmin.DatabaseInstance, now time.Time) {
	if have.Settings == nil || have.Settings.IpConfiguration == nil {
		return
	}
	ip := have.Settings.IpConfiguration
	ip.AuthorizedNetworks = slices.DeleteFunc(ip.AuthorizedNetworks, func(e *sqladmin.AclEntry) bool {
		at, err := time.Parse(time.RFC3339, e.ExpirationTime)
		return err == nil && !at.After(now)
	})
}

func (i *instance) authorizedNetworks() (values []string) {
	for _, entry := range i.ipConfiguration().AuthorizedNetworks {
		values = append(values, entry.Value)
	}
	return values
}

// networksOf returns networks in one form: the first address and the length of the prefix. nil stays nil. What is none stays as it is: Cloud
// SQL says what is wrong with it.
func networksOf(texts []string) []string {
	if texts == nil {
		return nil
	}
	networks := make([]string, 0, len(texts))
	for _, text := range texts {
		networks = append(networks, networkText(text))
	}
	return networks
}

func networkText(text string) string {
	if network, err := netip.ParsePrefix(text); err == nil {
		return network.Masked().String()
	}
	if address, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(address, address.BitLen()).String()
	}
	return text
}

// ipConfigurationOf returns where a call says who can reach an instance.
func ipConfigurationOf(in *sqladmin.DatabaseInstance) *sqladmin.IpConfiguration {
	if in.Settings.IpConfiguration == nil {
		in.Settings.IpConfiguration = &sqladmin.IpConfiguration{}
	}
	return in.Settings.IpConfiguration
}

func setPublicAddress(p *instanceParams, into *sqladmin.DatabaseInstance) {
	ip := ipConfigurationOf(into)
	ip.Ipv4Enabled = *p.Ipv4Enabled
	ip.ForceSendFields = append(ip.ForceSendFields, "Ipv4Enabled")
}

func setPrivateNetwork(p *instanceParams, into *sqladmin.DatabaseInstance) {
	ipConfigurationOf(into).PrivateNetwork = *p.PrivateNetwork
}

// allow puts the networks that may connect into a call, all of them: Cloud SQL replaces the list. An entry that stays keeps its name and when
// it expires.
func (p *instanceParams) allow(into, have *sqladmin.DatabaseInstance) {
	if p.AuthorizedNetworks == nil {
		return
	}
	ip, present := ipConfigurationOf(into), (&instance{DatabaseInstance: have}).ipConfiguration()
	ip.AuthorizedNetworks = []*sqladmin.AclEntry{}
	ip.ForceSendFields = append(ip.ForceSendFields, "AuthorizedNetworks")
	for _, wanted := range *p.AuthorizedNetworks {
		at := slices.IndexFunc(present.AuthorizedNetworks, func(e *sqladmin.AclEntry) bool { return networkText(e.Value) == wanted })
		entry := &sqladmin.AclEntry{Value: wanted}
		if at >= 0 {
			entry = present.AuthorizedNetworks[at]
		}
		ip.AuthorizedNetworks = append(ip.AuthorizedNetworks, entry)
	}
}

// checkAccess refuses to take the only address away, as where the private network that is to come waits for approval.
func checkAccess(params *instanceParams, have *instance) error {
	if params.Ipv4Enabled == nil || *params.Ipv4Enabled || params.PrivateNetwork != nil || haveAccess(have).private {
		return nil
	}
	return session.Invalid("spec.network.publicAccess: %s: it becomes Blocked together with the change of spec.gcp.privateNetwork, or after it", noWayIn)
}
