package rds

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// promoteReplica is PromoteReadReplica: the instance takes writes, and follows its source no more. It has backups from then on, unless the call says otherwise, which it can't of one
// that has replicas itself: those go on to follow it. "A read replica cannot be promoted when it is in the backing-up status." No recording shows the call, nor any refusal.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_PromoteReadReplica.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.Promote.html
func (c *call) promoteReplica(in *rds.PromoteReadReplicaInput) (any, error) {
	key, have, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	days := orElse(in.BackupRetentionPeriod, 1)
	backup, _, err := windows(in.PreferredBackupWindow, nil, *have.db.PreferredBackupWindow, *have.db.PreferredMaintenanceWindow)
	switch {
	case err != nil:
		return nil, err
	case validRetention(days) != nil:
		return nil, validRetention(days)
	case have.follows.id == "":
		return nil, invalidState("DB Instance %s is not a read replica.", key.name)
	case have.step != resting || have.status() != "available":
		return nil, invalidState("Instance %s is not in available state.", key.name)
	case *days == 0 && len(c.replicasOf(have)) > 0:
		return nil, errReplicasNeedBackups(key.name)
	}
	next := have.clone()
	next.follows.days, next.follows.window = days, &backup
	var job *engine.Job
	if !c.failLate {
		job = c.promotion(next)
	}
	next.enter(promoting, "modifying", c.now.Add(c.cloud.Options.Durations.Modify), job, c.failLate)
	c.store(key, next)
	answered := c.shown(next)
	return &rds.PromoteReadReplicaOutput{DBInstance: &answered}, nil
}

func (s *Service) promotion(of *Instance) *engine.Job {
	id := *of.db.DbiResourceId
	return s.begin(func() (*engine.Engine, error) { return nil, s.cloud.Engines.Promote(id) })
}

// errReplicasNeedBackups: no recording shows the refusal. The rule is that of
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (BackupRetentionPeriod)
func errReplicasNeedBackups(name string) error {
	return invalidState("The backup retention period of DB instance %s can't be set to 0, since the DB instance is a source to read replicas.", name)
}

// replicates is for a replica that is made.
func (in *Instance) replicates() {
	if in.follows.id != "" {
		in.db.StatusInfos = replication("replicating", true, nil)
	}
}

// replication is the status of a replica beside that of the instance, as in the recordings.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstanceStatusInfo.html
func replication(status string, normal bool, message *string) []rdstypes.DBInstanceStatusInfo {
	return []rdstypes.DBInstanceStatusInfo{{StatusType: aws.String("read replication"), Status: &status, Normal: &normal, Message: message}}
}

// promoted ends the step promoting. A replica that could not be promoted stays one, and nobody tries again by itself. The backups that it had go: those of an instance of its own begin anew.
func (in *Instance) promoted() {
	if in.fails || in.job.Failed() {
		in.follows.ended = in.follows.ended || in.job.Failed()
		in.work()
		return
	}
	in.db.BackupRetentionPeriod = orElse(in.follows.days, *in.db.BackupRetentionPeriod)
	in.db.PreferredBackupWindow = orElse(in.follows.window, *in.db.PreferredBackupWindow)
	in.db.ReadReplicaSourceDBInstanceIdentifier, in.db.StatusInfos = nil, nil
	in.follows, in.backups = rdsFollowing{}, rdsBackups{}
	in.work()
}

// settleReplicas is what the end of a source means for its replicas. "If you delete a source DB instance without deleting its read replicas in the same AWS Region, each read replica is promoted to a
// standalone DB instance." Those in other regions are promoted too, but for those of PostgreSQL, whose replication is terminated: somebody has to promote or delete them.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.XRgn.html (cross-Region replication considerations)
func (s *Service) settleReplicas(now time.Time) {
	for key, p := range s.instances {
		in := p.Now
		if in == nil || in.follows.id == "" || in.follows.ended || in.step != resting || in.db.Endpoint == nil || s.sourceOf(in) != nil {
			continue
		}
		next := in.clone()
		if key.region != in.follows.source.region && *in.db.Engine == "postgres" {
			next.follows.ended = true
			next.db.StatusInfos = replication("terminated", false, aws.String("The source DB instance was deleted."))
		} else {
			next.enter(promoting, "modifying", now.Add(s.cloud.Options.Durations.Modify), s.promotion(next), false)
		}
		p.Now = next
	}
}

// checkOrderOfUpgrades refuses to upgrade a source before its replicas: those of PostgreSQL get another major version with it, and all else they get first. The words are
// those of https://github.com/hashicorp/terraform-provider-aws/issues/24887, the rules those of the guide. No recording shows it.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html
func (c *call) checkOrderOfUpgrades(have *Instance, asked *string) error {
	engine, from := *have.db.Engine, *have.db.EngineVersion
	to, err := upgradeOf(&have.db, asked)
	if err != nil || to == from || engine == "postgres" && MajorVersion(engine, to) != MajorVersion(engine, from) {
		return nil //nolint:nilerr // what is wrong with the version is told later
	}
	for _, key := range c.replicasOf(have) {
		if olderVersion(engine, *c.instances[key].Now.db.EngineVersion, to) {
			return amazon.Err(http.StatusBadRequest, "DBUpgradeDependencyFailure", "One or more of the DB Instance's read replicas need to be upgraded: "+key.name)
		}
	}
	return nil
}

// checkReplication refuses changes that a replica or its source does not take. The words about the password are those of https://github.com/terraform-aws-modules/terraform-aws-rds/issues/526,
// those about backups those of https://github.com/cloud-custodian/cloud-custodian/issues/178, and those about the secret those of
// https://github.com/hashicorp/terraform-provider-aws/issues/40188. That a source can't begin to have a secret, and that a replica is not upgraded to another major version by itself, is strict:
// the guide says that RDS has no replicas of a source with a secret, and that a major upgrade of a source of PostgreSQL upgrades its replicas.
func (c *call) checkReplication(key Key, have *Instance, in *rds.ModifyDBInstanceInput) error {
	db, replica := &have.db, have.follows.id != ""
	leads := len(c.replicasOf(have)) > 0
	if err := c.checkVersionOfBlue(have, in.EngineVersion); err != nil {
		return err
	}
	if err := c.checkOrderOfUpgrades(have, in.EngineVersion); err != nil {
		return err
	}
	switch days := in.BackupRetentionPeriod; {
	case leads && days != nil && *days == 0:
		return errReplicasNeedBackups(key.name)
	case leads && aws.ToBool(in.ManageMasterUserPassword):
		return invalidCombination("ManageMasterUserPassword isn't supported for a DB instance that is a source to read replicas.")
	case !replica:
		return nil
	case days != nil && *days > 0 && !backsUpReplicas(db):
		return invalidState("DB Backups not supported on a read replica for engine %s", *db.Engine)
	case in.ManageMasterUserPassword != nil:
		return invalidValue("ManageMasterUserPassword isn't supported for read replica")
	case in.MasterUserPassword != nil && *db.Engine == "postgres":
		return invalidCombination("Cannot change master user password on an RDS postgres Read Replica because it uses physical replication and therefore cannot differ from its parent.")
	case in.EngineVersion != nil && MajorVersion(*db.Engine, *in.EngineVersion) != MajorVersion(*db.Engine, *db.EngineVersion) && (*db.Engine == "postgres" || c.deploymentOf(have) == nil):
		return invalidCombination("A read replica can't be upgraded to another major version than its source.")
	}
	return nil
}

// checkVersionOfBlue: "You can't change a blue DB instance to a higher engine version than its corresponding green DB instance." No recording shows the refusal.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-considerations.html
func (c *call) checkVersionOfBlue(blue *Instance, asked *string) error {
	d := c.deploymentOf(blue)
	if d == nil || asked == nil {
		return nil
	}
	for _, pair := range d.pairs {
		_, green := c.withID(pair.green)
		if to, err := resolveVersion(*blue.db.Engine, *asked); err == nil && pair.blue == *blue.db.DbiResourceId && green != nil && olderVersion(*blue.db.Engine, *green.db.EngineVersion, to) {
			return invalidCombination("A blue DB instance can't have a higher engine version than its green DB instance, %s.", *green.db.EngineVersion)
		}
	}
	return nil
}

// checkStop refuses to stop a replica and its source. The words are those of https://github.com/base2Services/cfn-start-stop-stack/pull/65.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html (limitations)
func (c *call) checkStop(name *string) error {
	_, have, err := c.instance(name)
	if err == nil && (have.follows.id != "" || len(c.replicasOf(have)) > 0) {
		err = invalidState("Cannot stop or start a Read-Replica instance")
	}
	return err
}
