package rds

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

// An rdsVPC is a network that every account has in every region, with DB subnet groups and security groups. The first of the latter is what a
// server gets that names none.
type rdsVPC struct {
	id                           string
	subnetGroups, SecurityGroups []string
	// closed: no Internet gateway is attached.
	closed bool
	// ipv4Only are the subnet groups with a subnet that has no IPv6 addresses.
	ipv4Only []string
}

// VPCs are the networks. In the first one, the default VPC, is a server that names no subnet group.
var VPCs = []rdsVPC{
	{"vpc-0a1b2c3d4e5f60718", []string{"default", "spare"}, []string{"sg-0a1b2c3d4e5f60718", "sg-0a1b2c3d4e5f60719", "sg-0a1b2c3d4e5f60720", "sg-0a1b2c3d4e5f60721"}, false, nil},
	{"vpc-0b1b2c3d4e5f60718", []string{"shop", "shop-public"}, []string{"sg-0b1b2c3d4e5f60718", "sg-0b1b2c3d4e5f60719", "sg-0b1b2c3d4e5f60720"}, false, nil},
	{"vpc-0c1b2c3d4e5f60718", []string{"pay", "pay-ipv4"}, []string{"sg-0c1b2c3d4e5f60718", "sg-0c1b2c3d4e5f60719"}, true, []string{"pay-ipv4"}},
}

// vpcOf returns the network of a DB subnet group. RDS stores the names of groups in lower case.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html (DBSubnetGroupName)
func vpcOf(subnetGroup string) (rdsVPC, error) {
	i := slices.IndexFunc(VPCs, func(v rdsVPC) bool { return slices.Contains(v.subnetGroups, strings.ToLower(subnetGroup)) })
	if i < 0 {
		return rdsVPC{}, subnetGroupResource.missing(subnetGroup)
	}
	return VPCs[i], nil
}

// validPublicAccess refuses a public address where no Internet gateway is. The words are those that people report.
// https://github.com/confluentinc/examples/pull/1028
func validPublicAccess(db *rdstypes.DBInstance) error {
	vpc, err := vpcOf(*db.DBSubnetGroup.DBSubnetGroupName)
	if err == nil && vpc.closed && aws.ToBool(db.PubliclyAccessible) {
		return amazon.Err(http.StatusBadRequest, "InvalidVPCNetworkStateFault", "Cannot create a publicly accessible DBInstance. The specified VPC has no internet gateway attached.Update the VPC and then try again")
	}
	return err
}

// placed puts an instance into the network of a DB subnet group, with security groups of that network: those that are asked for, or else the
// network's own. No recording shows what RDS says of groups that it does not take: the words are those that people report.
// https://github.com/terraform-aws-modules/terraform-aws-rds/issues/451 (different VPCs)
func placed(db *rdstypes.DBInstance, subnetGroup string, securityGroups []string) error {
	vpc, err := vpcOf(subnetGroup)
	if err != nil {
		return err
	}
	if len(securityGroups) == 0 {
		securityGroups = vpc.SecurityGroups[:1]
	}
	var members []rdstypes.VpcSecurityGroupMembership
	for _, id := range securityGroups {
		i := slices.IndexFunc(VPCs, func(v rdsVPC) bool { return slices.Contains(v.SecurityGroups, id) })
		switch {
		case i < 0:
			return invalidValue("Invalid security group , groupId= %s, groupName=.", id)
		case VPCs[i].id != vpc.id:
			return invalidCombination("The DB instance and EC2 security group are in different VPCs. The DB instance is in %s and the EC2 security group is in %s", vpc.id, VPCs[i].id)
		}
		members = append(members, rdstypes.VpcSecurityGroupMembership{VpcSecurityGroupId: &id, Status: aws.String("active")})
	}
	name := strings.ToLower(subnetGroup)
	db.DBSubnetGroup = &rdstypes.DBSubnetGroup{
		DBSubnetGroupName: &name, DBSubnetGroupDescription: &name, SubnetGroupStatus: aws.String("Complete"), VpcId: &vpc.id,
	}
	db.VpcSecurityGroups = members
	return nil
}

// askNetwork makes another DB subnet group pending, and sets security groups, which the server has taken later: those of another VPC once the server is there. A server moves to another VPC only, and only from one zone. It
// is down while it moves. No recording shows a move, nor the words for a server in two zones.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (DBSubnetGroupName, VpcSecurityGroupIds)
// https://github.com/hashicorp/terraform-provider-aws/issues/512 (the same VPC)
// https://repost.aws/knowledge-center/change-vpc-rds-db-instance (two zones)
func askNetwork(next *Instance, group *string, securityGroups []string, taken time.Time) error {
	db, moved := &next.db, next.db
	now := *db.DBSubnetGroup.DBSubnetGroupName
	to := strings.ToLower(*orElse(group, *orElse(db.PendingModifiedValues.DBSubnetGroupName, now)))
	if securityGroups == nil && group == nil {
		return nil
	}
	if err := placed(&moved, to, securityGroups); err != nil {
		return err
	}
	if to != now {
		switch {
		case *moved.DBSubnetGroup.VpcId == *db.DBSubnetGroup.VpcId:
			return amazon.Err(http.StatusBadRequest, "InvalidVPCNetworkStateFault", "You cannot move DB instance "+*db.DBInstanceIdentifier+" to subnet group "+to+
				". The specified DB subnet group and DB instance are in the same VPC. Choose a DB subnet group in different VPC than the specified DB instance and try again.")
		case aws.ToBool(db.MultiAZ):
			return amazon.Err(http.StatusBadRequest, "InvalidVPCNetworkStateFault", "You cannot move a Multi-AZ DB instance to another VPC.")
		}
	}
	if group != nil {
		ask(&db.PendingModifiedValues.DBSubnetGroupName, &now, &to)
	}
	switch {
	case to != now: // a move that is taken back leaves the server with the groups that it has
		next.arrival = moved.VpcSecurityGroups
	case securityGroups != nil:
		next.taking.exchange(db.VpcSecurityGroups, moved.VpcSecurityGroups, taken)
		db.VpcSecurityGroups = moved.VpcSecurityGroups
	}
	return nil
}
