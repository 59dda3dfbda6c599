package rds

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// rdsBackups are the automated backups of an instance: from when on it can be restored. Their daily snapshots are not shown.
type rdsBackups struct {
	log   string      // names the log of the server's writes; empty for none
	job   *engine.Job // begins the log of an instance that was there before; nil if it began with the instance
	since time.Time   // when the first backup was done; zero until then
	until time.Time   // when the deletion of the instance was asked for
}

// rdsRetained are the automated backups of an instance that is gone.
type rdsRetained struct {
	source  *Instance // as it was
	expires time.Time
}

// newLog names the log for the automated backups of an instance; empty for none. MariaDB, MySQL and replicas have none here.
func (s *Service) newLog(of *rdstypes.DBInstance) string {
	if aws.ToInt32(of.BackupRetentionPeriod) == 0 || of.ReadReplicaSourceDBInstanceIdentifier != nil || *of.Engine != "postgres" && !s.cloud.Options.ListenersOnly {
		return ""
	}
	if !s.cloud.Options.ListenersOnly {
		s.cloud.Clock.Watch(s.cloud.Closing)
	}
	s.writes++
	return fmt.Sprintf("rds-log-%d", s.writes)
}

// settleBackups begins the automated backups of an instance whose retention period is no longer 0, and deletes those of one whose retention period is 0. "If you set the backup
// retention period to 0, automated backups are immediately disabled, and all existing automated backups for the instance are deleted."
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.Disabling.html
func (s *Service) settleBackups(in *Instance, now time.Time) *Instance {
	keeps, id := aws.ToInt32(in.db.BackupRetentionPeriod) > 0, *in.db.DbiResourceId
	if in.step != resting || in.db.Endpoint == nil || keeps && !in.backups.since.IsZero() || !keeps && in.backups == (rdsBackups{}) {
		return in
	}
	next := in.clone()
	b := &next.backups
	if !keeps {
		s.begin(func() (*engine.Engine, error) {
			return nil, errors.Join(s.cloud.Engines.EndLog(id), s.cloud.Engines.Drop(in.backups.log))
		})
		*b, next.backupTags = rdsBackups{}, nil
		return next
	}
	if b.log == "" {
		if b.log = s.newLog(&next.db); b.log != "" {
			b.job = s.begin(func() (*engine.Engine, error) { return nil, s.cloud.Engines.KeepLog(id, b.log) })
		}
	}
	switch {
	case b.job == nil:
		b.since = cloud.WholeMillisecond(in.due)
	case b.job.Finished() && !b.job.Failed():
		b.since = cloud.WholeMillisecond(now)
	}
	return next
}

// retains reports whether a deletion leaves the automated backups of an instance: by default they go. The quota is that of instances, as the reference says of the code of
// the refusal. No recording shows it. https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DeleteDBInstance.html (DeleteAutomatedBackups, Errors).
func (c *call) retains(of *Instance, deletes *bool) (bool, error) {
	if *orElse(deletes, true) || of.backups.since.IsZero() {
		return false, nil
	}
	count := 0
	for key := range c.retained {
		if key.account == c.caller.Account && key.region == c.caller.Region {
			count++
		}
	}
	if quota := c.instanceQuota(); quota >= 0 && count >= quota {
		return false, amazon.Err(http.StatusBadRequest, "DBInstanceAutomatedBackupQuotaExceeded", "The quota for retained automated backups was exceeded.")
	}
	return true, nil
}

// leaveBackups keeps the automated backups of an instance that is gone, or drops them.
func (s *Service) leaveBackups(key Key, in *Instance) {
	if in.retains {
		days := time.Duration(*in.db.BackupRetentionPeriod) * 24 * time.Hour
		s.retained[Key{key.account, key.region, strings.ToLower(*in.db.DbiResourceId)}] = &rdsRetained{source: in, expires: in.backups.until.Add(days)}
		return
	}
	s.dropLog(in)
}

func (s *Service) dropLog(of *Instance) {
	if of.backups.log != "" {
		s.begin(func() (*engine.Engine, error) { return nil, s.cloud.Engines.Drop(of.backups.log) })
	}
}

// expireBackups deletes what is retained once the last of it is older than the retention period.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_WorkingWithAutomatedBackups.Retaining.html
func (s *Service) expireBackups(now time.Time) {
	for key, r := range s.retained {
		if !now.Before(r.expires) {
			delete(s.retained, key)
			s.dropLog(r.source)
		}
	}
}

// window is from when until when an instance can be restored; nil if it can't.
func (c *call) window(of *Instance) *rdstypes.RestoreWindow {
	latest := of.restorable(c.now, c.cloud.Options.LogInterval)
	if latest == nil {
		return nil
	}
	earliest := c.now.Add(-time.Duration(*of.db.BackupRetentionPeriod) * 24 * time.Hour)
	if earliest.Before(of.backups.since) {
		earliest = of.backups.since
	}
	return &rdstypes.RestoreWindow{EarliestTime: &earliest, LatestTime: latest}
}

func (c *call) backupsARN(of *Instance) string {
	sum := sha256.Sum256([]byte(c.caller.Account + c.caller.Region + *of.db.DbiResourceId))
	return c.arn("auto-backup", "ab-"+strings.ToLower(amazon.Base32ID(sum[:], 40)))
}

// describeBackups is DescribeDBInstanceAutomatedBackups: those of instances, and those that are retained of instances that are gone. No recording shows it.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstanceAutomatedBackups.html
func (c *call) describeBackups(in *rds.DescribeDBInstanceAutomatedBackupsInput) (any, error) {
	var all []rdstypes.DBInstanceAutomatedBackup
	for status, of := range c.allBackups() {
		for _, one := range of {
			shown := c.shownBackup(one, status)
			fits, err := matchesBackup(&shown, in.Filters)
			switch {
			case err != nil:
				return nil, err
			case !fits, in.DBInstanceIdentifier != nil && *shown.DBInstanceIdentifier != strings.ToLower(*in.DBInstanceIdentifier),
				in.DbiResourceId != nil && !strings.EqualFold(*shown.DbiResourceId, *in.DbiResourceId),
				in.DBInstanceAutomatedBackupsArn != nil && *shown.DBInstanceAutomatedBackupsArn != *in.DBInstanceAutomatedBackupsArn:
			default:
				all = append(all, shown)
			}
		}
	}
	if len(all) == 0 && (in.DBInstanceIdentifier != nil || in.DbiResourceId != nil || in.DBInstanceAutomatedBackupsArn != nil) {
		return nil, errNoBackups
	}
	slices.SortFunc(all, func(a, b rdstypes.DBInstanceAutomatedBackup) int {
		return strings.Compare(*a.DbiResourceId, *b.DbiResourceId)
	})
	page, marker, err := paginate(all, in.Marker, in.MaxRecords, c.cloud.PageOfAtMost)
	return &rds.DescribeDBInstanceAutomatedBackupsOutput{DBInstanceAutomatedBackups: page, Marker: marker}, err
}

var errNoBackups = amazon.Err(http.StatusNotFound, "DBInstanceAutomatedBackupNotFound", "No automated backup for this DB instance was found.")

// allBackups returns the instances, those that are gone among them, that the caller has automated backups of, by the status of these.
func (c *call) allBackups() map[string][]*Instance {
	all := map[string][]*Instance{}
	for key, p := range c.instances {
		in := p.Read(c.stale)
		if in == nil || key.account != c.caller.Account || key.region != c.caller.Region || aws.ToInt32(in.db.BackupRetentionPeriod) == 0 {
			continue
		}
		status := "active"
		if in.backups.since.IsZero() {
			status = "creating"
		}
		all[status] = append(all[status], in)
	}
	for key, r := range c.retained {
		if key.account == c.caller.Account && key.region == c.caller.Region {
			all["retained"] = append(all["retained"], r.source)
		}
	}
	return all
}

// taggedBackups reads the tags of automated backups, and returns how to store others. They have tags of their own, which are not those of the instance: somebody sets them
// by TagSpecifications of a call about the instance, which are not served here, or by the ARN of the backups. They stay while these are retained. No recording shows
// it, nor the refusal of an ARN that there is not. https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_TagSpecification.html (auto-backup)
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstanceAutomatedBackup.html (TagList)
func (c *call) taggedBackups(arn string) (tags []rdstypes.Tag, store func([]rdstypes.Tag), err error) {
	for _, of := range c.allBackups() {
		for _, one := range of {
			if c.backupsARN(one) != arn {
				continue
			}
			return one.backupTags, func(tags []rdstypes.Tag) {
				next := one.clone()
				next.backupTags = tags
				if r := c.retained[c.key(*one.db.DbiResourceId)]; r != nil {
					r.source = next
					return
				}
				c.store(c.key(*one.db.DBInstanceIdentifier), next)
			}, nil
		}
	}
	return nil, nil, errNoBackups
}

func (c *call) shownBackup(of *Instance, status string) rdstypes.DBInstanceAutomatedBackup {
	db := of.db
	out := rdstypes.DBInstanceAutomatedBackup{
		AllocatedStorage: db.AllocatedStorage, AvailabilityZone: db.AvailabilityZone, BackupRetentionPeriod: db.BackupRetentionPeriod, BackupTarget: db.BackupTarget,
		DBInstanceArn: db.DBInstanceArn, DBInstanceAutomatedBackupsArn: aws.String(c.backupsARN(of)), DBInstanceIdentifier: db.DBInstanceIdentifier, DbiResourceId: db.DbiResourceId,
		DedicatedLogVolume: db.DedicatedLogVolume, Encrypted: db.StorageEncrypted, Engine: db.Engine, EngineVersion: db.EngineVersion,
		IAMDatabaseAuthenticationEnabled: db.IAMDatabaseAuthenticationEnabled, InstanceCreateTime: db.InstanceCreateTime, Iops: db.Iops, KmsKeyId: db.KmsKeyId,
		LicenseModel: db.LicenseModel, MasterUsername: db.MasterUsername, OptionGroupName: aws.String(of.optionGroup()), Region: aws.String(c.caller.Region),
		RestoreWindow: c.window(of), Status: &status, StorageThroughput: db.StorageThroughput, StorageType: db.StorageType, VpcId: db.DBSubnetGroup.VpcId,
		TagList: of.backupTags,
	}
	if db.Endpoint != nil {
		out.Port = db.Endpoint.Port
	}
	return out
}

// matchesBackup reports whether automated backups pass every filter; they pass a filter with any of its values.
func matchesBackup(b *rdstypes.DBInstanceAutomatedBackup, filters []rdstypes.Filter) (bool, error) {
	for _, filter := range filters {
		have, known := map[string][]string{
			"status": {*b.Status}, "db-instance-id": {*b.DBInstanceIdentifier, *b.DBInstanceArn}, "dbi-resource-id": {*b.DbiResourceId, *b.DBInstanceAutomatedBackupsArn},
		}[aws.ToString(filter.Name)]
		if !known {
			return false, invalidValue("Unrecognized filter name: %s", aws.ToString(filter.Name))
		}
		if !slices.ContainsFunc(filter.Values, func(v string) bool { return slices.Contains(have, v) }) {
			return false, nil
		}
	}
	return true, nil
}
