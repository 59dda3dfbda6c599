package sql

import (
	"encoding/json"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// An ipRange is an allocated range of addresses, from which an instance gets its private address, and the network that this is in.
type ipRange struct{ name, network string }

// String returns the value as the spec has it.
func (r ipRange) String() string { return r.name }

// MarshalJSON returns the value as the spec has it: the mirror reads so.
func (r ipRange) MarshalJSON() ([]byte, error) { return json.Marshal(r.name) }

const rangeInstead = "change spec.gcp.privateNetwork with it"

// rangeRow: an instance gets its private address once in a network. The recordings show ranges that stay, and no change of one.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#IpConfiguration (allocatedIpRange)
// https://cloud.google.com/sql/docs/postgres/configure-private-ip
var rangeRow = table.Field("gcp.allocatedIPRange",
	func(p *databaseParameters) *ipRange {
		if gcpOf(p).AllocatedIPRange == nil {
			return nil
		}
		return &ipRange{*gcpOf(p).AllocatedIPRange, resource.NetworkPath(orNone(gcpOf(p).PrivateNetwork))}
	},
	func(i *instance) *ipRange {
		ip := i.ipConfiguration()
		if ip.AllocatedIpRange == "" {
			return nil
		}
		return &ipRange{ip.AllocatedIpRange, resource.NetworkPath(ip.PrivateNetwork)}
	},
	func(p *instanceParams, v ipRange) { p.AllocatedIpRange = &v.name }).
	Equal(func(want, have ipRange) bool { return want.name == have.name }, "").
	EffectOf(func(from *ipRange, to ipRange, have *instance) (driver.Effect, string) {
		if to.network == "" || to.network == resource.NetworkPath(have.ipConfiguration().PrivateNetwork) { // a spec without a network leaves the server where it is
			back := "put the earlier range back"
			if from == nil {
				back = "remove spec.gcp.allocatedIPRange"
			}
			return driver.Impossible, "the server has its address in this network already: " + back + ", or " + rangeInstead
		}
		return driver.Restarts, "Cloud SQL gives the server an address of the range together with the network"
	},
		driver.PossibleEffect{Effect: driver.Restarts, When: "the network changes with it", Cost: networkCost},
		driver.PossibleEffect{Effect: driver.Impossible, When: "the server stays in its network", Instead: rangeInstead}).
	Refers(driver.ReferenceAddressRange)

func setRange(p *instanceParams, into *sqladmin.DatabaseInstance) {
	ipConfigurationOf(into).AllocatedIpRange = *p.AllocatedIpRange
}

// completeNetwork adds to a network the range as the spec says it, and the other way round: the address is chosen once.
func (p *instanceParams) completeNetwork(spec *databaseParameters) {
	if p.PrivateNetwork != nil && p.AllocatedIpRange == nil {
		p.AllocatedIpRange = gcpOf(spec).AllocatedIPRange
	}
	if p.AllocatedIpRange != nil && p.PrivateNetwork == nil {
		p.PrivateNetwork = gcpOf(spec).PrivateNetwork
	}
}

// leaveRange takes the range away from an instance that moves to another network without a word on one: it is a range of the former network.
func (p *instanceParams) leaveRange(body *sqladmin.DatabaseInstance, have *instance) {
	if p.PrivateNetwork == nil || p.AllocatedIpRange != nil || have.ipConfiguration().AllocatedIpRange == "" {
		return
	}
	ip := ipConfigurationOf(body)
	ip.NullFields = append(ip.NullFields, "AllocatedIpRange")
}
