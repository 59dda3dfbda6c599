package rds

import (
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Errors say what the error codes of RDS mean, by the pages of each of its actions.
var Errors = session.Errors{
	"DBInstanceNotFound":                 {Code: driver.NotFound},
	"DBSnapshotNotFound":                 {Code: driver.NotFound},
	"DBSubnetGroupNotFound":              {Code: driver.Invalid, Message: "RDS has no DB subnet group of that name in this account and region: create it, or correct spec.aws.dbSubnetGroupName"},
	"DBSubnetGroupDoesNotCoverEnoughAZs": {Code: driver.Invalid, Message: "the DB subnet group has subnets in too few zones for a standby: add a subnet in another zone to it, or set spec.availability to SingleZone"},
	"DBSubnetGroupNotAllowed":            {Code: driver.Invalid},
	"InvalidDBSubnetGroup":               {Code: driver.Invalid, Message: "all read replicas that a server has in a region are in one VPC: set spec.aws.dbSubnetGroupName to a DB subnet group in the VPC of the others"},
	"InvalidVPCNetworkState": {Code: driver.Invalid, Message: "RDS can't move the server to that DB subnet group: it moves a server with availability SingleZone to a group in another VPC, and no other; " +
		"set spec.aws.dbSubnetGroupName back, or create another Database in that group and move the data"},
	"NetworkTypeNotSupported": {Code: driver.Invalid, Message: "RDS can't give the server addresses of the network type: DUAL needs an IPv6 CIDR block in every subnet of its DB subnet group, and an engine version " +
		"that has it; add the blocks, name another group in spec.aws.dbSubnetGroupName, or set spec.aws.networkType to IPV4"},
	"DBParameterGroupNotFound":      {Code: driver.Invalid},
	"DBParameterGroupAlreadyExists": {Code: driver.Conflict},
	"DBParameterGroupQuotaExceeded": {Code: driver.Quota, Message: "the account has as many DB parameter groups in this region as AWS allows (50 unless raised): delete groups that no server uses, ask AWS for a higher quota, or have the class name one group for many servers (spec.enforced.aws.dbParameterGroupName); " +
		"servers with spec.parameters, and some with spec.tls, need a group each"},
	"InvalidDBParameterGroupState": {Code: driver.Busy},
	"DBSecurityGroupNotFound":      {Code: driver.Invalid},
	"OptionGroupNotFound":          {Code: driver.Invalid},
	"CertificateNotFound": {Code: driver.Invalid, Message: "RDS has no certificate authority of that name in this region: set spec.aws.caCertificateIdentifier to rds-ca-rsa2048-g1, " +
		"rds-ca-rsa4096-g1 or rds-ca-ecc384-g1"},
	"DBInstanceAlreadyExists":                {Code: driver.Conflict, Message: "an instance of that name exists in this account and region already"},
	"DBInstanceNotReady":                     {Code: driver.Busy},
	"DBInstanceRoleAlreadyExists":            {Code: driver.Conflict},
	"DBInstanceRoleNotFound":                 {Code: driver.Invalid},
	"DBInstanceRoleQuotaExceeded":            {Code: driver.Quota},
	"DBUpgradeDependencyFailure":             {Code: driver.Busy},
	"ProvisionedIopsNotAvailableInAZ":        {Code: driver.Capacity},
	"DBSnapshotAlreadyExists":                {Code: driver.Conflict},
	"InvalidDBInstanceState":                 {Code: driver.Busy},
	"InvalidDBSnapshotState":                 {Code: driver.Busy},
	"InvalidRestore":                         {Code: driver.Invalid},
	"PointInTimeRestoreNotEnabled":           {Code: driver.Invalid},
	"DBInstanceAutomatedBackupNotFound":      {Code: driver.NotFound},
	"DBInstanceAutomatedBackupQuotaExceeded": {Code: driver.Quota},
	"InstanceQuotaExceeded":                  {Code: driver.Quota},
	"InsufficientDBInstanceCapacity":         {Code: driver.Capacity, Message: "AWS has no capacity for this instance class here now: choose another class, or wait: Mooring retries"},
	"SnapshotQuotaExceeded":                  {Code: driver.Quota},
	"StorageQuotaExceeded":                   {Code: driver.Quota},
	"BlueGreenDeploymentAlreadyExists":       {Code: driver.Conflict},
	"BlueGreenDeploymentNotFound":            {Code: driver.NotFound},
	"InvalidBlueGreenDeploymentState":        {Code: driver.Busy},
	"SourceDatabaseNotSupported":             {Code: driver.Invalid},
}
