package rds

import (
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// An rdsUnnamed is what waits as values of PendingModifiedValues do, which has no names for it.
type rdsUnnamed struct{ networkType, optionGroup *string }

// validNetworkType refuses a network type that there is not, and IPv6 addresses in a DB subnet group without them. No recording shows the refusal:
// its code is that of https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (Errors).
func validNetworkType(kind, subnetGroup string) error {
	if kind != "IPV4" && kind != "DUAL" {
		return invalidValue("Invalid network type: %s", kind)
	}
	vpc, err := vpcOf(subnetGroup)
	if err == nil && kind == "DUAL" && slices.Contains(vpc.ipv4Only, strings.ToLower(subnetGroup)) {
		return amazon.Err(http.StatusBadRequest, "NetworkTypeNotSupported", "The DB subnet group "+subnetGroup+" doesn't support the network type DUAL.")
	}
	return err
}

// askNetworkType makes another network type wait. It must suit the DB subnet group that the server is going to be in, as must the present type when
// only the group changes. Beside a change between one and two zones RDS refuses it. No recording shows a change, nor the words of the refusals.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.WorkingWithRDSInstanceinaVPC.html#USER_VPC.IP_addressing.dual-stack-modifying-ipv4
func askNetworkType(next *Instance, kind *string) error {
	pending := next.db.PendingModifiedValues
	if kind != nil {
		ask(&next.waits.networkType, next.db.NetworkType, kind)
	}
	to := *orElse(next.waits.networkType, *next.db.NetworkType)
	if err := validNetworkType(to, *orElse(pending.DBSubnetGroupName, *next.db.DBSubnetGroup.DBSubnetGroupName)); err != nil {
		return err
	}
	if next.waits.networkType != nil && pending.MultiAZ != nil {
		return invalidCombination("You can't modify the network type while a change between Single-AZ and Multi-AZ is pending.")
	}
	return nil
}

// takeNetworkType changes the addresses of an instance. One in two zones fails over.
func takeNetworkType(db *rdstypes.DBInstance, kind *string) {
	if kind == nil {
		return
	}
	if standby := standbyOf(db); standby != nil {
		db.AvailabilityZone = standby
	}
	db.NetworkType = kind
}

// standbyOf returns the zone of an instance's standby; nil if it has none.
func standbyOf(db *rdstypes.DBInstance) *string {
	zone := aws.ToString(db.AvailabilityZone)
	if !aws.ToBool(db.MultiAZ) || zone == "" {
		return nil
	}
	other := "a"
	if strings.HasSuffix(zone, other) {
		other = "b"
	}
	return aws.String(zone[:len(zone)-1] + other)
}

// without returns what waits still once something is done. What was asked for meanwhile stays.
func (u rdsUnnamed) without(done rdsUnnamed) rdsUnnamed {
	if u.networkType == done.networkType {
		u.networkType = nil
	}
	if u.optionGroup == done.optionGroup {
		u.optionGroup = nil
	}
	return u
}
