package rds

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// instanceOf returns an instance that is as a spec says, as far as effects look at it.
func instanceOf(s *databaseSpec) *instance {
	have := &instance{DBInstance: types.DBInstance{DBInstanceStatus: statusOf(s), Engine: (*string)(s.Engine), EngineVersion: s.Version, IAMDatabaseAuthenticationEnabled: s.IAMAuthentication, MultiAZ: multiAZ(s), MonitoringInterval: monitoringOf(s).IntervalSeconds}}
	if s.AWS != nil {
		have.DBInstanceClass, have.CACertificateIdentifier, have.StorageType = s.AWS.InstanceClass, s.AWS.CACertificateIdentifier, s.AWS.StorageType
		have.DedicatedLogVolume = s.AWS.DedicatedLogVolume
	}
	if s.AWS != nil && s.AWS.DBSubnetGroupName != nil {
		have.DBSubnetGroup = &types.DBSubnetGroup{DBSubnetGroupName: s.AWS.DBSubnetGroupName}
	}
	if p := awsOf(s).Port; p != nil {
		have.Endpoint = &types.Endpoint{Port: p}
	}
	if s.Backup != nil {
		have.BackupRetentionPeriod = s.Backup.RetentionDays
	}
	return have
}

// multiAZ is whether an instance of a spec has a standby; nil if the spec does not say.
func multiAZ(s *databaseSpec) *bool {
	if s.Availability == nil {
		return nil
	}
	return aws.Bool(*s.Availability == v1alpha1.AvailabilityMultiZone)
}

// classEffect: taking back a change that still waits disturbs nobody.
func classEffect(_ *string, to string, have *instance) (driver.Effect, string) {
	if aws.ToString(have.DBInstanceClass) == to {
		return driver.Online, ""
	}
	return driver.Restarts, ""
}

// certificateEffect: which engine versions need no restart is in DescribeDBEngineVersions alone (SupportsCertificateRotationWithoutRestart), so
// a restart is announced for all.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL-certificate-rotation.html
func certificateEffect(_ *string, to string, have *instance) (driver.Effect, string) {
	if aws.ToString(have.CACertificateIdentifier) == to {
		return driver.Online, ""
	}
	return driver.Restarts, ""
}

// retentionEffect judges by the days that are kept now: what only waits deletes nothing when it is taken back.
//
// "An outage occurs if you change the backup retention period of a DB instance from 0 to a
// nonzero value or from a nonzero value to 0."
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.BackupRetention.html
func retentionEffect(_ *int32, to int32, have *instance) (driver.Effect, string) {
	effect, why := portable.BackupRetentionEffect(have.BackupRetentionPeriod, to)
	switch outage := (aws.ToInt32(have.BackupRetentionPeriod) == 0) != (to == 0); {
	case outage && effect == driver.LosesBackups:
		return effect, backupsCost.After(why, have.InTwoZones())
	case outage:
		return driver.Interrupts, ""
	}
	return effect, why
}

// iamEffect judges by what the server accepts now, as clients do that have no password.
func iamEffect(_ *bool, to bool, have *instance) (driver.Effect, string) {
	if to || !aws.ToBool(have.IAMDatabaseAuthenticationEnabled) {
		return driver.Online, ""
	}
	return driver.Interrupts, portable.WhyNoTokens
}

// insightsRetentionEffect says that fewer days lose what was recorded before. Records are no backups: nothing of the database is lost with
// them, but they can't be had again.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.Overview.cost.html
func insightsRetentionEffect(from *int32, to int32, _ *instance) (driver.Effect, string) {
	if from == nil || to >= *from {
		return driver.Online, ""
	}
	return driver.Irreversible, fmt.Sprintf("records of Performance Insights older than %d days are deleted", to)
}
