package rds

import (
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

const networkType = "aws.networkType"

// networkTypeRow is which addresses the server has. RDS reports it of every server since it knows DUAL; before that, all had IPv4 addresses. No
// value of PendingModifiedValues says that another type waits.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-mode
var networkTypeRow = table.Field(networkType,
	func(s *databaseSpec) *string { return awsOf(s).NetworkType },
	func(i *instance) *string { return first(i.NetworkType, aws.String("IPV4")) },
	func(p *instanceParams, v string) { p.NetworkType = &v },
).Reported(func(i *instance) *string { return i.NetworkType }).
	Equal(strings.EqualFold, "in any case: AWS writes dual, too").
	EffectOf(networkTypeEffect,
		driver.PossibleEffect{Effect: driver.Interrupts, When: "the server is in one zone: connections can break", Cost: addressesCost},
		driver.PossibleEffect{Effect: driver.Restarts, When: "the server has a standby in a second zone, and fails over to it", Cost: failoverCost})

// networkTypeEffect: "Network type modifications for [...] Multi-AZ DB instances cause a brief downtime and trigger a failover". Of the others AWS says
// that downtime is possible.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-modifying-ipv4
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html (60 to 120 seconds)
func networkTypeEffect(_ *string, _ string, have *instance) (driver.Effect, string) {
	if aws.ToBool(have.MultiAZ) {
		return driver.Restarts, "the server fails over to its standby"
	}
	return driver.Interrupts, "connections can break while RDS changes the addresses of the server"
}

// leaveNetworkType takes the network type out of a call with other values, and reports whether it did: the others come first. RDS refuses it beside
// a change of the number of zones, and AWS advises against any other value beside it. A move to another DB subnet group is made together with it:
// either group may have no IPv6 addresses.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-modifying-ipv4
func leaveNetworkType(params *instanceParams) bool {
	others := *params
	others.NetworkType, others.DBSubnetGroupName, others.VpcSecurityGroupIds = nil, nil, nil
	if params.NetworkType == nil || reflect.ValueOf(others).IsZero() {
		return false
	}
	params.NetworkType = nil
	return true
}

// networkTypeLater is why the network type is not sent beside other changes.
func networkTypeLater() driver.FieldError {
	return driver.FieldError{Field: networkType, Err: &driver.Error{Code: driver.Busy, Op: "ModifyDBInstance",
		Message: "RDS makes the other changes first; the network type changes alone, after them"}}
}

// checkNetworkType refuses what RDS refuses while a change of the number of zones waits: "there can't be a pending change from a Single-AZ
// deployment to a Multi-AZ deployment, or from a Multi-AZ deployment to a Single-AZ deployment".
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-modifying-ipv4
func checkNetworkType(_ *databaseSpec, have *instance) error {
	if have.PendingModifiedValues == nil || have.PendingModifiedValues.MultiAZ == nil {
		return nil
	}
	return &driver.Error{Code: driver.Busy, Op: "ModifyDBInstance",
		Message: "spec.aws.networkType waits, because RDS does not change it while a change of spec.availability waits"}
}

// withStandby gives a change of the network type the effect that it has once the server has the standby that it gets before it.
func withStandby(changes []driver.Change) []driver.Change {
	standby := slices.ContainsFunc(changes, func(c driver.Change) bool {
		return c.Field == "availability" && c.To == string(v1alpha1.AvailabilityMultiZone)
	})
	at := slices.IndexFunc(changes, func(c driver.Change) bool { return c.Field == networkType })
	if !standby || at < 0 {
		return changes
	}
	changes = slices.Clone(changes)
	changes[at].Effect, changes[at].Why = networkTypeEffect(nil, "", &instance{DBInstance: types.DBInstance{MultiAZ: aws.Bool(true)}})
	return changes
}
