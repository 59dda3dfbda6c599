package rds

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// publicAccessRow: RDS makes the change at once, and nothing is down. Connections inside the VPC use the private address before and after.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Public access)
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (PubliclyAccessible)
var publicAccessRow = table.Field("network.publicAccess",
	func(s *databaseSpec) *v1alpha1.PublicAccess {
		if s.Network == nil {
			return nil
		}
		return s.Network.PublicAccess
	},
	func(i *instance) *v1alpha1.PublicAccess {
		if aws.ToBool(i.PubliclyAccessible) {
			return new(v1alpha1.PublicAccessAllowed)
		}
		return new(v1alpha1.PublicAccessBlocked)
	},
	func(p *instanceParams, v v1alpha1.PublicAccess) {
		p.PubliclyAccessible = aws.Bool(v == v1alpha1.PublicAccessAllowed)
	},
).Safe(v1alpha1.PublicAccessBlocked).
	EffectOf(publicAccessEffect, table.Always(driver.Online)...)

// publicAccessEffect says who no longer reaches a server that becomes private. That is Online all the same: a server that somebody opened does
// not stay open until somebody approves that it is closed.
func publicAccessEffect(from *v1alpha1.PublicAccess, to v1alpha1.PublicAccess, _ *instance) (driver.Effect, string) {
	if to == v1alpha1.PublicAccessBlocked && from != nil {
		return driver.Online, "clients outside the VPC no longer reach the server"
	}
	return driver.Online, ""
}

// subnetGroup returns the name of the DB subnet group that an instance is in; nil if RDS does not say.
func subnetGroup(i *instance) *string {
	if i.DBSubnetGroup == nil {
		return nil
	}
	return i.DBSubnetGroup.DBSubnetGroupName
}

// securityGroups returns the VPC security groups of an instance, those that RDS is adding among them, and without those that it is removing.
func securityGroups(i *instance) []string {
	var ids []string
	for _, member := range i.VpcSecurityGroups {
		if id := aws.ToString(member.VpcSecurityGroupId); id != "" && aws.ToString(member.Status) != "removing" {
			ids = append(ids, id)
		}
	}
	return ids
}

var subnetGroupEffects = []driver.PossibleEffect{
	{Effect: driver.Online, When: "it takes back a move that has not begun"},
	{Effect: driver.Restarts, When: "the server moves to another VPC; RDS refuses a group in the same VPC", Cost: moveCost},
}

// subnetGroupEffect: only a group in another VPC is taken, and the server is down while it moves. In which VPC a group is, the instance does
// not tell before the move.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (DBSubnetGroupName)
// https://github.com/hashicorp/terraform-provider-aws/issues/512
func subnetGroupEffect(_ *string, to string, have *instance) (driver.Effect, string) {
	if now := subnetGroup(have); now != nil && strings.EqualFold(*now, to) {
		return driver.Online, ""
	}
	return driver.Restarts, "the server moves to another VPC"
}

// completeNetwork names the declared security groups with a move to another VPC, where the server would else come up behind the default group
// of that VPC. RDS refuses groups of the VPC that it leaves before anything moves. To take back a move names none: the server keeps its own.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_VPC.VPC2VPC.html
func completeNetwork(in *rds.ModifyDBInstanceInput, spec *databaseSpec, have *instance) {
	if in.DBSubnetGroupName == nil || in.VpcSecurityGroupIds != nil || strings.EqualFold(aws.ToString(subnetGroup(have)), *in.DBSubnetGroupName) {
		return
	}
	in.VpcSecurityGroupIds = slices.Compact(slices.Sorted(slices.Values(awsOf(spec).VPCSecurityGroupIDs)))
}

// groupsComeWithMove leaves security groups out of what is to be written while the declared move waits: completeNetwork named them with it,
// and RDS does not say which groups it will set.
func groupsComeWithMove(spec *databaseSpec, have *instance, changes []driver.Change) []driver.Change {
	to, now := pending(have).DBSubnetGroupName, subnetGroup(have)
	if declared := awsOf(spec).DBSubnetGroupName; declared == nil || to == nil || now == nil ||
		!strings.EqualFold(*to, *declared) || strings.EqualFold(*to, *now) {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return c.Field == "aws.vpcSecurityGroupIDs" })
}

var securityGroupEffects = []driver.PossibleEffect{
	{Effect: driver.Online, When: "groups are added only"},
	{Effect: driver.Interrupts, When: "a group is removed: clients that only this group let in can no longer connect", Cost: removedGroupCost},
}

// securityGroupEffect: the rules of security groups only allow, and those of several add up.
// https://docs.aws.amazon.com/vpc/latest/userguide/vpc-security-groups.html
func securityGroupEffect(from *[]string, to []string, _ *instance) (driver.Effect, string) {
	if from != nil && slices.ContainsFunc(*from, func(id string) bool { return !slices.Contains(to, id) }) {
		return driver.Interrupts, "clients that only a removed group let in can no longer connect"
	}
	return driver.Online, ""
}

// explainNetwork names the field of a security group or of a public address that RDS does not take: RDS names the group or the VPC only.
func explainNetwork(err error) error {
	var e *driver.Error
	if errors.As(err, &e) && session.ErrorCode(err) == "InvalidVPCNetworkState" && strings.Contains(session.ErrorMessage(err), "publicly accessible") {
		explained := *e
		explained.Message = "RDS can't give the server a public address in its VPC: attach an Internet gateway to the VPC and enable DNS resolution and DNS hostnames, " +
			"or set spec.network.publicAccess to Blocked: " + session.ErrorMessage(err)
		return &explained
	}
	if !errors.As(err, &e) || e.Code != driver.Invalid || !strings.Contains(strings.ToLower(e.Message), "security group") {
		return err
	}
	explained := *e
	explained.Message = "set spec.aws.vpcSecurityGroupIDs to security groups in the VPC of the server's DB subnet group: " + e.Message
	return &explained
}
