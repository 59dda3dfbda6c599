package rds

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
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
	if quota := c.instanceQuota(); quota >= 0 && count(own(c, c.retained)) >= quota {
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

// logInterval is how often RDS saves the changes of a server that keeps backups.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
const logInterval = 5 * time.Minute

// restorable returns up to when an instance can be restored; nil if it can't.
func (in *Instance) restorable(now time.Time, interval time.Duration) *time.Time {
	if in.backups.since.IsZero() || aws.ToInt32(in.db.BackupRetentionPeriod) == 0 {
		return nil
	}
	latest := now.Truncate(cmp.Or(interval, logInterval))
	if until := in.backups.until; !until.IsZero() { // what was left is saved, too
		latest = until
	}
	if latest.Before(in.backups.since) {
		latest = in.backups.since
	}
	return &latest
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
	return c.arn(backupResource, "ab-"+strings.ToLower(amazon.Base32ID(sum[:], 40)))
}

// shownBackups are those of instances, and those that are retained of instances that are gone. No recording shows any.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstanceAutomatedBackups.html
func (c *call) shownBackups(*rds.DescribeDBInstanceAutomatedBackupsInput) (all []rdstypes.DBInstanceAutomatedBackup, _ error) {
	for status, instances := range c.allBackups() {
		for _, of := range instances {
			var shown rdstypes.DBInstanceAutomatedBackup
			copySameNames(&shown, &of.db)
			shown.DBInstanceAutomatedBackupsArn, shown.Status, shown.Region = aws.String(c.backupsARN(of)), &status, aws.String(c.caller.Region)
			shown.Encrypted, shown.OptionGroupName, shown.VpcId = of.db.StorageEncrypted, aws.String(of.optionGroup()), of.db.DBSubnetGroup.VpcId
			shown.RestoreWindow, shown.TagList = c.window(of), of.backupTags
			if of.db.Endpoint != nil {
				shown.Port = of.db.Endpoint.Port
			}
			all = append(all, shown)
		}
	}
	return all, nil
}

// allBackups returns the instances, those that are gone among them, that the caller has automated backups of, by the status of these.
func (c *call) allBackups() map[string][]*Instance {
	all := map[string][]*Instance{}
	for _, p := range own(c, c.instances) {
		in := p.Read(c.stale)
		if in == nil || aws.ToInt32(in.db.BackupRetentionPeriod) == 0 {
			continue
		}
		status := "active"
		if in.backups.since.IsZero() {
			status = "creating"
		}
		all[status] = append(all[status], in)
	}
	for _, r := range own(c, c.retained) {
		all["retained"] = append(all["retained"], r.source)
	}
	return all
}

// taggedBackups has the tags of automated backups, which are not those of the instance: somebody sets them by TagSpecifications of a call
// about the instance, which are not served here, or by the ARN of the backups. They stay while these are retained. No recording shows
// it, nor the refusal of an ARN that nothing has. https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_TagSpecification.html (auto-backup)
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstanceAutomatedBackup.html (TagList)
func (c *call) taggedBackups(id string, _ bool) (tagging, error) {
	for _, of := range c.allBackups() {
		for _, one := range of {
			if c.backupsARN(one) != c.arn(backupResource, id) {
				continue
			}
			return tagging{one.backupTags, func(tags []rdstypes.Tag) {
				next := one.clone()
				next.backupTags = tags
				if r := c.retained[c.key(*one.db.DbiResourceId)]; r != nil {
					r.source = next
					return
				}
				c.store(c.key(*one.db.DBInstanceIdentifier), next)
			}}, nil
		}
	}
	return tagging{}, backupResource.missing(id)
}
