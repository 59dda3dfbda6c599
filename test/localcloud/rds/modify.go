package rds

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// ask makes a value pending. Asking for what is there already cancels a change that is pending.
func ask[T comparable](pending **T, current, asked *T) {
	switch {
	case asked == nil:
	case current != nil && *asked == *current:
		*pending = nil
	default:
		*pending = asked
	}
}

func (c *call) modifyInstance(in *rds.ModifyDBInstanceInput) (any, error) {
	key, have, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	if !have.takesModification(in.AllocatedStorage) {
		return nil, invalidState("Database instance is not in available state.")
	}
	if err := c.checkReplication(key, have, in); err != nil {
		return nil, err
	}
	next := have.clone()
	if err := c.checkModify(next, in); err != nil {
		return nil, err
	}
	setParameters(&next.db, in, false)
	if err := c.setInsights(&next.db, rdsInsights{
		in.EnablePerformanceInsights, in.PerformanceInsightsKMSKeyId, in.PerformanceInsightsRetentionPeriod, in.DatabaseInsightsMode,
	}); err != nil {
		return nil, err
	}
	monitors, err := c.setMonitoring(&next.db, in.MonitoringInterval, in.MonitoringRoleArn)
	if err != nil {
		return nil, err
	}
	if in.PubliclyAccessible != nil {
		if err := validPublicAccess(&next.db); err != nil {
			return nil, err
		}
	}
	if most := in.MaxAllocatedStorage; most != nil {
		next.db.MaxAllocatedStorage = most
		if *most == *orElse(in.AllocatedStorage, *next.db.AllocatedStorage) { // the disk no longer grows by itself
			next.db.MaxAllocatedStorage = nil
		}
	}

	pending := next.db.PendingModifiedValues
	ask(&pending.DBInstanceClass, next.db.DBInstanceClass, in.DBInstanceClass)
	ask(&pending.Port, next.db.Endpoint.Port, in.DBPortNumber)
	ask(&pending.BackupRetentionPeriod, next.db.BackupRetentionPeriod, in.BackupRetentionPeriod)
	// The server restarts for it, unless its engine version can do without, and these do not say so.
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (CertificateRotationRestart)
	ask(&pending.CACertificateIdentifier, next.db.CACertificateIdentifier, in.CACertificateIdentifier)
	if err := validIAM(*next.db.Engine, *next.db.EngineVersion, in.EnableIAMDatabaseAuthentication); err != nil {
		return nil, err
	}
	ask(&pending.IAMDatabaseAuthenticationEnabled, next.db.IAMDatabaseAuthenticationEnabled, in.EnableIAMDatabaseAuthentication)
	if moves := in.DedicatedLogVolume; moves != nil && *moves != aws.ToBool(next.db.DedicatedLogVolume) && c.now.Before(next.optimized) {
		return nil, stillOptimized() // strict: no document says whether RDS takes it
	}
	ask(&pending.DedicatedLogVolume, next.db.DedicatedLogVolume, in.DedicatedLogVolume)
	if err := validLogVolume(&next.db, pending); err != nil {
		return nil, err
	}
	ask(&pending.MultiAZ, next.db.MultiAZ, in.MultiAZ)
	if err := askNetworkType(next, in.NetworkType); err != nil {
		return nil, err
	}
	grows := max(0, *orElse(pending.AllocatedStorage, 0)-*next.db.AllocatedStorage)
	if err := cmp.Or(c.checkQuota(false, grows), c.checkCapacity(pending.DBInstanceClass)); err != nil {
		return nil, err
	}
	password, err := c.askManagement(next, in)
	if err != nil {
		return nil, err
	}
	if password != nil {
		pending.MasterUserPassword = aws.String("****")
	}
	next.deferred = c.now
	c.carryOut(next, aws.ToBool(in.ApplyImmediately), monitors, password)
	c.call.Disrupts = disrupts(have, next)
	c.store(key, next)
	answered := c.shown(next)
	return &rds.ModifyDBInstanceOutput{DBInstance: &answered}, nil
}

// checkModify checks what is asked for, and makes version, storage and windows pending or set.
func (c *call) checkModify(next *Instance, in *rds.ModifyDBInstanceInput) error {
	engine := *next.db.Engine
	checks := []error{
		validRetention(in.BackupRetentionPeriod), validCertificate(in.CACertificateIdentifier), validPort(in.DBPortNumber),
		validManagement(in.ManageMasterUserPassword, in.MasterUserPassword, in.MasterUserSecretKmsKeyId),
	}
	if in.DBInstanceClass != nil {
		checks = append(checks, validClass(*in.DBInstanceClass))
	}
	if in.MasterUserPassword != nil {
		checks = append(checks, validPassword(engine, *in.MasterUserPassword))
	}
	checks = append(checks, askVersion(next, in), askStorage(next, in, c.now), askNetwork(next, in.DBSubnetGroupName, in.VpcSecurityGroupIds, c.now.Add(c.cloud.Options.Durations.Modify)), askLogs(next, in), c.askGroup(next, in), askOptions(next, in), checkParameters(aws.ToString(next.db.Engine), in))
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	backup, maintenance, err := windows(in.PreferredBackupWindow, in.PreferredMaintenanceWindow,
		*next.db.PreferredBackupWindow, *next.db.PreferredMaintenanceWindow)
	next.db.PreferredBackupWindow, next.db.PreferredMaintenanceWindow = &backup, &maintenance
	return err
}

func askVersion(next *Instance, in *rds.ModifyDBInstanceInput) error {
	if in.EngineVersion == nil {
		return nil
	}
	engine, from := *next.db.Engine, *next.db.EngineVersion
	to, err := upgradeOf(&next.db, in.EngineVersion)
	switch {
	case err != nil:
		return err
	case MajorVersion(engine, from) != MajorVersion(engine, to) && !aws.ToBool(in.AllowMajorVersionUpgrade):
		return invalidCombination("The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.")
	}
	ask(&next.db.PendingModifiedValues.EngineVersion, &from, &to)
	return nil
}

// upgradeOf returns the version that is asked for, which is the instance's own or one that it can be upgraded to.
func upgradeOf(db *rdstypes.DBInstance, asked *string) (string, error) {
	from := *db.EngineVersion
	if asked == nil {
		return from, nil
	}
	to, err := resolveVersion(*db.Engine, *asked)
	if err == nil && to != from && !slices.ContainsFunc(UpgradeTargets(*db.Engine, from), func(t rdstypes.UpgradeTarget) bool { return *t.EngineVersion == to }) {
		err = invalidCombination("Cannot upgrade %s from %s to %s", *db.Engine, from, to)
	}
	return to, err
}

// askStorage makes storage pending. It only grows, by a tenth at least, and not again while the last change is optimised.
func askStorage(next *Instance, in *rds.ModifyDBInstanceInput, now time.Time) error {
	db, pending := &next.db, next.db.PendingModifiedValues
	size := *orElse(in.AllocatedStorage, *db.AllocatedStorage)
	// The size of the disk ends its growth, and no limit shows any more. No recording shows that; Terraform's provider relies on it.
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.Autoscaling.html
	// https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/rds/instance.go (max_allocated_storage)
	if most := in.MaxAllocatedStorage; most == nil || *most != size {
		if err := validMaxStorage(most, size); err != nil {
			return err
		}
	}
	kind := orElse(in.StorageType, *db.StorageType)
	same := size == *db.AllocatedStorage && *kind == *db.StorageType &&
		(in.Iops == nil || aws.ToInt32(db.Iops) == *in.Iops) &&
		(in.StorageThroughput == nil || aws.ToInt32(db.StorageThroughput) == *in.StorageThroughput)
	asked := in.AllocatedStorage != nil || in.StorageType != nil || in.Iops != nil || in.StorageThroughput != nil
	switch {
	case !asked:
		return nil
	case same:
		pending.AllocatedStorage, pending.StorageType, pending.Iops, pending.StorageThroughput = nil, nil, nil, nil
		return nil
	case size < *db.AllocatedStorage:
		return invalidCombination("Requested storage size (%d) cannot be less than the current storage size (%d)", size, *db.AllocatedStorage)
	case now.Before(next.optimized):
		return stillOptimized()
	case size != *db.AllocatedStorage && int(size)*10 < int(*db.AllocatedStorage)*11:
		return invalidCombination("The allocated storage must be increased by at least 10 percent.")
	}
	if *kind == *db.StorageType && provisioned(*kind, *db.AllocatedStorage) && (in.AllocatedStorage == nil || in.Iops == nil) {
		return invalidCombination("You must specify both the storage size and iops when modifying the storage size or iops on a DB instance that has iops.")
	}
	// A disk with IOPS takes no other type without its size: https://github.com/hashicorp/terraform-provider-aws/issues/36648. No
	// recording shows what it takes on the way from io1 below 400 GiB to gp3.
	if *kind != *db.StorageType && provisioned(*db.StorageType, *db.AllocatedStorage) && in.AllocatedStorage == nil {
		return invalidCombination("You must specify both the storage size and iops when modifying the storage size or iops on a DB instance that has iops.")
	}
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (StorageType)
	if *kind != *db.StorageType && provisioned(*kind, size) && in.Iops == nil {
		return invalidCombination("You must specify iops when modifying the storage type to %s of a DB instance of %d GiB.", *kind, size)
	}
	changed, err := diskOf(*db.Engine, *kind, size, in.Iops, in.StorageThroughput)
	if err != nil {
		return err
	}
	ask(&pending.AllocatedStorage, db.AllocatedStorage, &size)
	ask(&pending.StorageType, db.StorageType, kind)
	ask(&pending.Iops, db.Iops, changed.iops)
	ask(&pending.StorageThroughput, db.StorageThroughput, changed.throughput)
	return nil
}

func stillOptimized() error {
	return invalidCombination("You can't currently modify the storage of this DB instance because the previous storage change is being optimized.")
}

// provisioned reports whether storage has IOPS that were asked for.
func provisioned(kind string, size int32) bool {
	return kind == "io1" || kind == "io2" || (kind == "gp3" && size >= gp3Threshold)
}

// carryOut begins what does not wait for the maintenance window. A password never waits; neither does a
// retention period that stays above zero. What interrupts nothing is done at once.
func (c *call) carryOut(next *Instance, immediately, monitors bool, password *string) {
	pending := next.db.PendingModifiedValues
	var online rdstypes.PendingModifiedValues
	if days := pending.BackupRetentionPeriod; days != nil && *days > 0 && *next.db.BackupRetentionPeriod > 0 {
		online.BackupRetentionPeriod = days
	}
	if immediately {
		online.IAMDatabaseAuthenticationEnabled = pending.IAMDatabaseAuthenticationEnabled
	}
	next.apply(online)
	subtract(pending, online)

	next.applying = underWay(*pending, next.applying, immediately)
	if immediately {
		next.takes = next.waits
	}
	switch nothing := reflect.ValueOf(next.applying).IsZero() && next.takes == (rdsUnnamed{}); {
	case nothing && monitors:
		next.enter(modifying, "configuring-enhanced-monitoring", c.now.Add(c.cloud.Options.Durations.Modify), nil, false)
		return
	case nothing:
		next.rest(next.status()) // what was asked for a moment ago may have been taken back
		return
	}
	before := next.job // sets a password that was sent a moment ago
	job := before
	if password != nil && !c.failLate {
		id, user, secret := *next.db.DbiResourceId, *next.db.MasterUsername, *password
		job = c.begin(func() (*engine.Engine, error) {
			before.Wait()
			return nil, c.cloud.Engines.SetPassword(id, user, secret)
		})
	}
	if port := next.applying.Port; port != nil && !c.failLate {
		id, earlier := *next.db.DbiResourceId, job
		job = c.begin(func() (*engine.Engine, error) {
			earlier.Wait()
			return nil, errors.Join(earlier.Failure(), c.cloud.Engines.ListenAt(id, int(*port)))
		})
	}
	if next.applying.EngineVersion != nil && !c.failLate && !next.refusesUpgrade(next.applying.EngineVersion) {
		earlier := job
		job = next.retake(next, func(id string) error {
			earlier.Wait()
			return errors.Join(earlier.Failure(), next.restart(id))
		})
	}
	d := c.cloud.Options.Durations
	if d.ModifyOnset > 0 && next.takes.networkType == nil { // which the status alone shows
		next.enter(asked, next.status(), c.now.Add(d.ModifyOnset), job, c.failLate)
		return
	}
	next.enter(modifying, modifyStatus(next.applying, next.takes), c.now.Add(d.Modify), job, c.failLate)
}

// underWay returns what of the values that are pending does not wait for the maintenance window: all that was asked for
// at once, what was under way before, and a password, a port and exports of logs always.
func underWay(pending, before rdstypes.PendingModifiedValues, immediately bool) rdstypes.PendingModifiedValues {
	if immediately {
		return pending
	}
	before.MasterUserPassword, before.Port, before.PendingCloudwatchLogsExports = pending.MasterUserPassword, pending.Port, pending.PendingCloudwatchLogsExports
	to, was := reflect.ValueOf(&pending).Elem(), reflect.ValueOf(before)
	for i := range was.NumField() {
		if was.Field(i).IsZero() && to.Field(i).CanSet() {
			to.Field(i).SetZero()
		}
	}
	return pending
}

func modifyStatus(applying rdstypes.PendingModifiedValues, unnamed rdsUnnamed) string {
	switch {
	case applying.EngineVersion != nil:
		return "upgrading"
	case applying.DBSubnetGroupName != nil:
		return "moving-to-vpc"
	case unnamed != (rdsUnnamed{}):
		return "modifying"
	}
	password := applying.MasterUserPassword
	applying.MasterUserPassword = nil
	if password != nil && reflect.ValueOf(applying).IsZero() {
		return "resetting-master-credentials"
	}
	applying.PendingCloudwatchLogsExports = nil
	if password == nil && reflect.ValueOf(applying).IsZero() {
		return "configuring-log-exports"
	}
	iam := applying.IAMDatabaseAuthenticationEnabled
	applying.IAMDatabaseAuthenticationEnabled = nil
	if password == nil && iam != nil && reflect.ValueOf(applying).IsZero() { // https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/accessing-monitoring.html
		return "configuring-iam-database-auth"
	}
	return "modifying"
}
