package sql

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlNetworks are the VPC networks that every project has, and whether private services access is set up there.
var sqlNetworks = map[string]bool{"default": false, "network": true, "shop": true, "pay": true}

// sqlHostProject is a project whose networks other projects share.
const sqlHostProject = "network-host"

// validNetwork holds the addresses of an instance, and who may connect there, to their rules. old is the instance as it was, nil for a new one.
func validNetwork(in, old *sqladmin.DatabaseInstance) error {
	ip := in.Settings.IpConfiguration
	for _, n := range ip.AuthorizedNetworks {
		if !routable(n.Value) {
			return sqlInvalid("Non-routable or malformed authorized network (" + n.Value + ").")
		}
	}
	if old != nil && old.Settings.IpConfiguration.PrivateNetwork != "" && ip.PrivateNetwork == "" {
		// https://github.com/hashicorp/terraform-provider-google/issues/2964
		return google.Err(400, "invalidOperation", "This operation is not valid for this instance.")
	}
	if !ip.Ipv4Enabled && ip.PrivateNetwork == "" && !pscOf(in).PscEnabled {
		return sqlInvalid("At least one of Public IP or Private IP or PSC connectivity must be enabled.")
	}
	if err := validRange(in, old); err != nil {
		return err
	}
	if err := validPSC(in, old); err != nil {
		return err
	}
	return validPrivateNetwork(in)
}

// sqlRanges are the ranges of addresses that are allocated in every network.
var sqlRanges = []string{"google-managed-services-default", "range", "shop-range", "pay-range"}

// validRange refuses a range that is not there, one without a network, and one for a server that has its address already. No recording shows the
// refusals, nor their words, nor what becomes of the range of a server that moves to another network without a word on it.
// https://cloud.google.com/sql/docs/postgres/configure-private-ip
func validRange(in, old *sqladmin.DatabaseInstance) error {
	ip := in.Settings.IpConfiguration
	switch {
	case ip.AllocatedIpRange != "" && !slices.Contains(sqlRanges, ip.AllocatedIpRange):
		return sqlInvalid("The allocated IP range " + ip.AllocatedIpRange + " does not exist.")
	case ip.AllocatedIpRange != "" && ip.PrivateNetwork == "":
		return sqlInvalid("An allocated IP range needs a private network.")
	case old == nil:
		return nil
	}
	before := old.Settings.IpConfiguration
	if stays := before.PrivateNetwork != "" && before.PrivateNetwork == ip.PrivateNetwork; stays && before.AllocatedIpRange != ip.AllocatedIpRange {
		return sqlInvalid("The allocated IP range can't be changed while the instance stays in its network.")
	}
	return nil
}

// sqlCAModes say who signs the certificate of an instance. A pool of one's own is not served here.
var sqlCAModes = []string{"", "CA_MODE_UNSPECIFIED", "GOOGLE_MANAGED_INTERNAL_CA", "GOOGLE_MANAGED_CAS_CA"}

// serverAuthority is who signs the certificate of an instance. No recording shows another than the one that nobody says.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#CaMode
func serverAuthority(in *sqladmin.DatabaseInstance) string {
	switch mode := in.Settings.IpConfiguration.ServerCaMode; mode {
	case "", "CA_MODE_UNSPECIFIED":
		return "GOOGLE_MANAGED_INTERNAL_CA"
	default:
		return mode
	}
}

// validPrivateNetwork refuses a network that is not there, or has no private services access. The words for the second are those that people
// report; no report shows the first. https://github.com/terraform-google-modules/terraform-google-sql-db/issues/281
func validPrivateNetwork(in *sqladmin.DatabaseInstance) error {
	name := in.Settings.IpConfiguration.PrivateNetwork
	if name == "" {
		return nil
	}
	if i := strings.Index(name, "projects/"); i > 0 && strings.HasPrefix(name, "https://") {
		name = name[i:]
	}
	parts := strings.Split(name, "/")
	if len(parts) != 5 || parts[0] != "projects" || parts[2] != "global" || parts[3] != "networks" {
		return sqlInvalid("Invalid value for private network: " + name)
	}
	peered, there := sqlNetworks[parts[4]]
	switch {
	case !there || parts[1] != in.Project && parts[1] != sqlHostProject:
		return sqlInvalid("The network " + name + " does not exist.")
	case !peered:
		return sqlInvalid(fmt.Sprintf("Incorrect Service Networking config for instance: %s:%s:NETWORK_NOT_PEERED.", in.Project, in.Name))
	}
	return nil
}

// routable reports whether networks on the Internet can be let in by a text. https://cloud.google.com/sql/docs/postgres/configure-ip
func routable(text string) bool {
	network, err := netip.ParsePrefix(text)
	if address, failed := netip.ParseAddr(text); failed == nil {
		network, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	return err == nil && network == network.Masked() && network.Addr().Is4() && !network.Addr().IsPrivate()
}

// settleNetworks completes the networks that may connect, as the recorded requests have them.
func settleNetworks(c *change) {
	ip := c.addressing
	entries, _ := ip["authorizedNetworks"].([]any)
	for _, e := range entries {
		if entry, ok := e.(google.Object); ok {
			google.Defaults(entry, google.Object{"kind": "sql#aclEntry"})
		}
	}
}

// addresses are those that an instance has with settings. The first one that it ever has is that of its server; others are made up. A public
// address that went does not come back.
func (s *Service) addresses(in *sqlInstance, resource google.Object) []any {
	ip := google.Typed[sqladmin.DatabaseInstance](resource).Settings.IpConfiguration
	if in.server == "" {
		return nil
	}
	made := func(first string) string {
		s.serial++
		if in.public == "" && in.private == "" && !in.addressed {
			in.addressed = true
			return in.server
		}
		return fmt.Sprintf("%s.%d.%d", first, s.serial/250%250, 1+s.serial%250)
	}
	var all []any
	if !ip.Ipv4Enabled {
		in.public = ""
	} else if in.public == "" {
		in.public = made("34.89")
	}
	if ip.PrivateNetwork != in.network {
		in.network, in.private = ip.PrivateNetwork, ""
	}
	if in.network != "" && in.private == "" {
		in.private = made("10.64")
	}
	for _, a := range []struct{ kind, address string }{{"PRIMARY", in.public}, {"PRIVATE", in.private}} {
		if a.address != "" {
			all = append(all, google.Object{"type": a.kind, "ipAddress": a.address})
		}
	}
	return slices.Clip(all)
}
