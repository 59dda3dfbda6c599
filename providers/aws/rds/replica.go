package rds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// replicaCreation is how parameters come into the call that makes a read replica. What it lacks differs when the replica is first observed, or once it is promoted.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html
var replicaCreation = table.Copier[instanceParams, rds.CreateDBInstanceReadReplicaInput]{
	Call: "CreateDBInstanceReadReplica",
	Converts: map[string]func(*instanceParams, *rds.CreateDBInstanceReadReplicaInput){
		"Tags": func(p *instanceParams, in *rds.CreateDBInstanceReadReplicaInput) { in.Tags = rdsTags(p.Tags.Set) },
	},
	ByHand: byHand,
	Lacks: map[string]string{
		"Engine":        "a replica has the engine of its source",
		"EngineVersion": "a replica has the version of its source",
		"DBName":        "a replica has the databases of its source",
		"PowerState":    "a new server runs",

		"AssociatedRoles": rolesAfterwards,

		"MasterUserPassword":       "a replica has the administrator and the password of its source",
		"ManageMasterUserPassword": "RDS manages no password of a replica",
		"BackupRetentionPeriod":    "a replica has no automated backups at first: " + afterCreation + ", or PromoteReadReplica",
		"PreferredBackupWindow":    afterCreation + ", or PromoteReadReplica",
		"EngineLifecycleSupport":   "a replica has that of its source: " + afterCreation,
		"DatabaseInsightsMode":     "the reference says that it isn't supported: " + afterCreation,
		"DBParameterGroupName":     "RDS takes it for MySQL in another region only: " + afterCreation,
	},
	Rest: afterCreation,
}

// afterCreation says when what the call lacks is set.
const afterCreation = "ModifyDBInstance sets it once the replica is there"

// awsKey is the alias of the key that RDS makes in each region for itself. A replica in another region has to name a key.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html
const awsKey = "alias/aws/rds"

// A replicator makes read replicas, and promotes them.
type replicator struct{ databases *instances }

func (r replicator) following() *table.Following[databaseSpec, instance] {
	return &table.Following[databaseSpec, instance]{Withheld: withheldOfReplica, Promote: r.promote, Lag: newLagMetric(r.databases.Session).of}
}

// create makes a read replica. Mark, network and protection come with the call. What nobody declared is as in the source or RDS's choice, but for what is safe: it is not to be
// reached from the Internet.
func (r replicator) create(ctx context.Context, req *request, params *instanceParams) (driver.Result, error) {
	d, source := r.databases, req.Restore.Source
	of, err := r.source(ctx, req)
	if err != nil {
		return driver.Result{}, err
	}
	if err := primaryRefusal(req, of); err != nil {
		return driver.Result{}, err
	}
	in := &rds.CreateDBInstanceReadReplicaInput{
		DBInstanceIdentifier: &req.Name, SourceDBInstanceIdentifier: of.DBInstanceIdentifier,
		PubliclyAccessible: aws.Bool(false), CopyTagsToSnapshot: aws.Bool(true),
	}
	replicaCreation.Copy(params, in)
	if req.Restore.SourceLocation != "" && req.Restore.SourceLocation != d.Region {
		in.SourceDBInstanceIdentifier, in.SourceRegion = of.DBInstanceArn, &req.Restore.SourceLocation // the SDK signs a URL for that region
		in.KmsKeyId = first(in.KmsKeyId, aws.String(awsKey))
	}
	in.AllocatedStorage = noLess(in.AllocatedStorage, aws.ToInt32(of.AllocatedStorage))
	if aws.ToInt32(in.MaxAllocatedStorage) <= max(aws.ToInt32(of.AllocatedStorage), aws.ToInt32(in.AllocatedStorage)) {
		in.MaxAllocatedStorage = nil
	}
	if aws.ToInt32(in.MonitoringInterval) == 0 {
		in.MonitoringRoleArn = nil
	}
	out, err := session.Call(ctx, d.Session, "CreateDBInstanceReadReplica", d.rds.CreateDBInstanceReadReplica, in, onceRDS)
	if err != nil {
		err = explainMonitoring(explainInsights(explainOptions(explainGroup(explainNetwork(explainGrowth(err))))), in.MonitoringRoleArn)
		return driver.Result{}, explainReplica(err, source.Name)
	}
	return created(out.DBInstance), nil
}

// source reads the instance that a replica is to follow, in its region; nil if there is none.
func (r replicator) source(ctx context.Context, req *request) (*instance, error) {
	return r.databases.describe(ctx, req.Restore.Source.Name, func(o *rds.Options) { o.Region = cmp.Or(req.Restore.SourceLocation, o.Region) })
}

// primaryRefusal says why an instance, nil if there is none, can't have a replica as a request asks for it; nil if it can. A replica that has replicas needs backups, too.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html (SourceDBInstanceIdentifier, KmsKeyId)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.Replication.ReadReplicas.html (cascading read replicas)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html (limitations)
func primaryRefusal(req *request, of *instance) error {
	source, key := req.Restore.Source, ""
	if of != nil && req.Restore.SourceLocation == "" { // in its region a replica always has the key of its source
		key = otherKey(portable.WantedDiskKey(&req.Spec), source.Name, aws.ToString(of.KmsKeyId), "")
	}
	switch {
	case of == nil || aws.ToString(of.DbiResourceId) != source.ID:
		return &driver.Error{Code: driver.NotFound, Op: "DescribeDBInstances", Message: noPrimary(source.Name)}
	}
	if err := req.Restore.RefusesSource("DescribeDBInstances", driver.MarkFrom(instanceTags(of))); err != nil {
		return err
	}
	switch {
	case req.Spec.Engine != nil && string(*req.Spec.Engine) != aws.ToString(of.Engine):
		return session.Invalid("set spec.engine to %s: a read replica has the engine of %s", aws.ToString(of.Engine), source.Name)
	case of.MasterUserSecret != nil:
		return session.Invalid("%s has credentials.source CloudManaged, and RDS has no read replicas of a server whose password AWS Secrets Manager keeps: "+
			"set spec.credentials.source of its Database to Generated or SecretRef", source.Name)
	case aws.ToInt32(of.BackupRetentionPeriod) == 0:
		return session.Invalid("%s has no automated backups, without which it can't have read replicas: set spec.backup.retentionDays of its Database", source.Name)
	case !aws.ToBool(of.StorageEncrypted):
		return session.Invalid("%s is not encrypted, and a read replica of it would not be: copy a snapshot of it with a key in RDS, and restore a Database from the copy "+
			"with spec.restoreFrom.externalSnapshotName", source.Name)
	case key != "":
		return session.Invalid("%s", key)
	case aws.ToString(of.DBInstanceStatus) == "stopped":
		return &driver.Error{Code: driver.Busy, Op: "DescribeDBInstances", Message: source.Name + " is stopped, and RDS makes read replicas of running servers: set spec.powerState of its Database to Running"}
	}
	return nil
}

func noPrimary(name string) string {
	return fmt.Sprintf("RDS has no instance %s that a read replica could follow; correct spec.replica.primaryRef", name)
}

// explainReplica says of a refusal what there is to do about the source and the keys.
func explainReplica(err error, source string) error {
	explained := session.AsError(err)
	if explained == nil {
		return err
	}
	e := *explained
	switch session.ErrorCode(err) {
	case "DBInstanceNotFound":
		e.Message = noPrimary(source)
	case "InvalidDBInstanceState":
		e.Message = fmt.Sprintf("RDS can't make a read replica of %s now: %s; Mooring tries again", source, e.Message)
	case "KMSKeyNotAccessible":
		e.Message = fmt.Sprintf("enable the key of %s and those that spec.encryption.key and %s name, and allow kms:CreateGrant and kms:DescribeKey on them to this identity: %s", source, insightsKey, e.Message)
	default:
		return err
	}
	return &e
}

// following says what an instance follows; nil if it follows none. It names one in another region, or a cluster in any, by an ARN.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DBInstance.html (ReadReplicaSourceDBInstanceIdentifier, StatusInfos)
func following(have *instance) *driver.Following {
	source := cmp.Or(aws.ToString(have.ReadReplicaSourceDBInstanceIdentifier), aws.ToString(have.ReadReplicaSourceDBClusterIdentifier))
	if source == "" {
		return nil
	}
	f := &driver.Following{Primary: source[strings.LastIndex(source, ":")+1:]}
	if region := aws.ToString(arnRegion(&source)); strings.HasPrefix(source, "arn:") && region != aws.ToString(arnRegion(have.DBInstanceArn)) {
		f.Location = region
	}
	for _, info := range have.StatusInfos {
		if info.Normal != nil && !*info.Normal {
			f.Problem = strings.TrimSuffix(aws.ToString(info.Status)+": "+aws.ToString(info.Message), ": ")
		}
	}
	return f
}

// followers returns the read replicas of an instance: names, or ARNs of those in other regions.
func followers(have *instance) (all []string) {
	all = append(all, have.ReadReplicaDBInstanceIdentifiers...)
	slices.Sort(all)
	return all
}

// withheldOfReplica reports whether RDS does not let a read replica have a field as the spec says. It has the databases and logins of its source, and can't be stopped. Automated backups of replicas
// are there for MySQL, MariaDB and PostgreSQL 14.1 and later. A replica of PostgreSQL is upgraded to another major version with its source; those of MySQL and MariaDB are upgraded before it.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html (limitations)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.Replication.ReadReplicas.html (limitations)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.PostgreSQL.html (read replica upgrades)
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_UpgradeDBInstance.MySQL.html (major version upgrades)
func withheldOfReplica(_ *request, have *instance, c driver.Change) bool {
	postgres := have.engine() == v1alpha1.EnginePostgres
	switch c.Field {
	case "databaseName", driver.FieldUsername, driver.FieldPowerState:
		return true
	case "backup.retentionDays":
		return postgres && portable.CompareVersions(aws.ToString(have.EngineVersion), "14") < 0
	case "version":
		return postgres && have.isMajor(c.To)
	}
	return false
}

// withheld is that for an instance of which nobody knows whether it follows another one.
func withheld(req *request, have *instance, c driver.Change) bool {
	return following(have) != nil && withheldOfReplica(req, have, c)
}

// promoting are the states of a replica that is being promoted. RDS says nothing more of that, and takes no other promotion in them.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.Promote.html
var promoting = []string{"modifying", "rebooting"}

// promote is table.Following.Promote. The call sets the days and the window of automated backups, too: those of the spec, or else the days that the replica keeps backups for. Without days RDS
// would keep them for one.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_PromoteReadReplica.html
func (r replicator) promote(ctx context.Context, req *request, have *instance) (operation string, err error) {
	d := r.databases
	if slices.Contains(promoting, aws.ToString(have.DBInstanceStatus)) {
		return "", nil
	}
	in := &rds.PromoteReadReplicaInput{DBInstanceIdentifier: have.DBInstanceIdentifier}
	if days := aws.ToInt32(have.BackupRetentionPeriod); days > 0 {
		in.BackupRetentionPeriod = &days
	}
	if backup := req.Spec.Backup; backup != nil {
		in.BackupRetentionPeriod = first(backup.RetentionDays, in.BackupRetentionPeriod)
		if backup.StartTime != nil {
			in.PreferredBackupWindow = aws.String(backupWindow(*backup.StartTime))
		}
	}
	_, err = session.Call(ctx, d.Session, "PromoteReadReplica", d.rds.PromoteReadReplica, in, onceRDS)
	if session.ErrorCode(err) != "InvalidDBInstanceState" {
		return "", explainBackup(err, have)
	}
	now, unread := d.describe(ctx, req.Name)
	if unread == nil && now != nil && (following(now) == nil || slices.Contains(promoting, aws.ToString(now.DBInstanceStatus))) {
		return "", nil // somebody else asked for it since
	}
	e := *session.AsError(err)
	e.Message = "RDS can't promote the read replica now: " + e.Message + "; Mooring tries again"
	return "", &e
}

// isReplica reports whether RDS refused the final snapshot of an instance because that is a read replica, which takes none.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DeleteDBInstance.html (FinalDBSnapshotIdentifier, SkipFinalSnapshot)
func (r replicator) isReplica(ctx context.Context, req *request, in *rds.DeleteDBInstanceInput, refused error) bool {
	if in.FinalDBSnapshotIdentifier == nil || driver.CodeOf(refused) != driver.Invalid || driver.CodeOf(r.databases.explainDeletion(ctx, req, refused)) == driver.Protected {
		return false
	}
	have, err := r.databases.describe(ctx, req.Name)
	return err == nil && have != nil && following(have) != nil && (req.ID == "" || aws.ToString(have.DbiResourceId) == req.ID)
}
