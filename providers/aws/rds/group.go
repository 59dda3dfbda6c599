package rds

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// allLacks are what databases have in other clouds and not in RDS.
var allLacks = slices.Concat(instanceLacks, engineLacks, optionLacks, roleLacks, session.KeyLacks, tagLacks)

var instanceLacks = []driver.Lack{
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.RDSSecurityGroups.html
	{
		Field: "network.allowedCIDRs", Match: `^\[.+\]$`, Values: "a list with entries", Why: "RDS has no list of networks: the rules of security groups say who can connect",
		Instead: "set spec.aws.vpcSecurityGroupIDs to security groups that let these networks in, and remove it",
	},
	// "Requesting a specific availability zone is not valid for Multi-AZ instances."
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (AvailabilityZone)
	{
		Field: "aws.availabilityZone", Match: ".", Values: "a zone", With: map[string]string{"availability": "^MultiZone$"}, Invalid: true,
		Why: "RDS chooses both zones of a server that has two", Instead: "set spec.availability to SingleZone, or remove spec.aws.availabilityZone",
	},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.BackupRetention.html
	{
		Field: "backup.retentionDays", Match: `^(3[6-9]|[4-9][0-9]|[1-9][0-9]{2})$`, Values: "more than 35", Invalid: true,
		Why: "RDS keeps automatic backups for 35 days at most", Instead: "set spec.backup.retentionDays to 35 or less, and take DatabaseSnapshots of what is to be kept longer",
	},
	// RDS has no switch: it saves the transaction logs of an instance exactly while it keeps automatic backups of it. So retentionDays says it all.
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
	{
		Field: "backup.pointInTimeRecovery", Match: "^true$", Unless: map[string]string{"backup.retentionDays": "^[1-9]"}, Values: "true without days of backups", Invalid: true,
		Why: "RDS recovers a server to any point in time only as long as it keeps automatic backups", Instead: "set spec.backup.retentionDays to 1 or more",
	},
	{
		Field: "backup.pointInTimeRecovery", Match: "^false$", Unless: map[string]string{"backup.retentionDays": "^0$"}, Values: "false",
		Why: "RDS recovers a server to any point in time as long as it keeps automatic backups", Instead: "remove spec.backup.pointInTimeRecovery, or set spec.backup.retentionDays to 0",
	},
}
