package sql

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A recording shows the life of a replica of MySQL: the operation that makes it is one of the primary, which it names with its project, and a user of the replica can be
// deleted. None shows a replica of PostgreSQL, a promotion, or any refusal. The codes of the two refusals below are those of
// https://github.com/GoogleCloudPlatform/gcp-service-broker/issues/466 and https://github.com/hashicorp/terraform-provider-google/issues/7605; the former has the words, too. All other refusals
// have words of ours.
// https://cloud.google.com/sql/docs/postgres/replication
// https://cloud.google.com/sql/docs/mysql/replication
var (
	errSQLOfPrimary = google.Err(http.StatusBadRequest, "errorReplicationMasterInvalidOperation", "The requested operation is not valid for a replication master instance.")
	errSQLOfReplica = google.Err(http.StatusBadRequest, "errorReadReplicaInvalidOperation", "The requested operation is not valid for a read replica instance.")
)

const (
	// sqlReplicaQuota is how many replicas a primary may have.
	// https://cloud.google.com/sql/docs/postgres/replication/create-replica
	sqlReplicaQuota = 10
	// sqlReplicaDepth is how many levels of replicas there may be: "up to four levels, including the primary instance".
	// https://cloud.google.com/database-migration/docs/mysql/set-up-cascading-replica
	sqlReplicaDepth = 3
)

// A sqlReplication is whom an instance follows, and who follows it.
type sqlReplication struct {
	primary  *sqlInstance   // nil for an instance that is no replica
	replicas []*sqlInstance // in the order of their creation, those being made and deleted among them
}

// leave ends the following of an instance.
func (in *sqlInstance) leave() {
	if p := in.replication.primary; p != nil {
		p.replication.replicas = slices.DeleteFunc(slices.Clone(p.replication.replicas), func(x *sqlInstance) bool { return x == in })
	}
	in.replication.primary = nil
}

func (in *sqlInstance) replica() bool { return in.replication.primary != nil }

// insertReplica makes a read replica: an instance that repeats what is written to its primary, has the databases, users and passwords of that, and refuses writes. The primary takes no other
// operation meanwhile.
// https://cloud.google.com/sql/docs/postgres/replication/create-replica
func (s *Service) insertReplica(r *sqlRequest, asked google.Object, want *sqladmin.DatabaseInstance) (any, error) {
	primary, err := r.primary(want.MasterInstanceName)
	if err != nil {
		return nil, err
	}
	switch {
	case want.Project != "" && want.Project != r.project.id:
		return nil, sqlInvalid("project of the instance differs from the request's.")
	case want.Settings == nil:
		return nil, sqlInvalid("settings are required.")
	}
	if err := s.checkName(r, want.Name); err != nil {
		return nil, err
	}
	if err := checkPrimary(primary); err != nil {
		return nil, err
	}
	if err := checkSQLReplica(want, google.Typed[sqladmin.DatabaseInstance](primary.resource)); err != nil {
		return nil, err
	}
	resource := google.Object{"project": r.project.id}
	google.Merge(resource, asked)
	for _, k := range sqlOutputOnly {
		if k != "project" {
			delete(resource, k)
		}
	}
	resource["masterInstanceName"] = r.project.id + ":" + primary.Name
	inheritFromPrimary(resource, primary)
	if err := settleInstance(resource, nil); err != nil {
		return nil, err
	}
	in := s.newInstance(r, want.Name)
	in.replication.primary, in.passwords = primary, maps.Clone(primary.passwords)
	op, err := s.make(r, in, resource, engine.Spec{Follows: primary.engineID}, "CREATE_REPLICA", in.copyOfPrimary)
	if err == nil {
		primary.replication.replicas = append(slices.Clone(primary.replication.replicas), in)
	}
	return op, err
}

// primary returns the instance that a replica is to follow, which is named with or without its project. One that is not there is one that the client may not use, as
// https://github.com/hashicorp/terraform-provider-google/issues/1069 says.
func (r *sqlRequest) primary(name string) (*sqlInstance, error) {
	project, short, full := strings.Cut(name, ":")
	if !full {
		project, short = r.project.id, name
	}
	in := r.project.Instances[short]
	switch {
	case project != r.project.id || in == nil || in.gone:
		return nil, errSQLDenied
	case in.operation != nil:
		return nil, errSQLBusy
	case in.state != "RUNNABLE" || in.stopped():
		return nil, errSQLNotRunning
	}
	return in, nil
}

// checkPrimary holds a primary to what it needs: automated backups, and point-in-time recovery or, with MySQL, binary logs. A replica that is to have replicas needs binary logs with MySQL, and
// nothing with PostgreSQL. Connections of connectors alone exclude replicas.
// https://cloud.google.com/sql/docs/postgres/replication#requirements
// https://cloud.google.com/sql/docs/mysql/replication#requirements
// https://cloud.google.com/sql/docs/postgres/replication#rr-info (connector enforcement)
func checkPrimary(in *sqlInstance) error {
	now := google.Typed[sqladmin.DatabaseInstance](in.resource)
	backup, logged := now.Settings.BackupConfiguration, now.Settings.BackupConfiguration.PointInTimeRecoveryEnabled
	if in.mysql() {
		logged = backup.BinaryLogEnabled
	}
	depth := 1
	for at := in.replication.primary; at != nil; at = at.replication.primary {
		depth++
	}
	switch {
	case !in.replica() && (!backup.Enabled || !logged):
		return sqlInvalid("The primary instance " + in.Name + " must have automated backups and " + recoveryMember(in.databaseVersion()) + ".")
	case in.replica() && in.mysql() && !logged:
		return sqlInvalid("The read replica " + in.Name + " must have binaryLogEnabled to have replicas.")
	case now.Settings.ConnectorEnforcement == "REQUIRED":
		return sqlInvalid("An instance with connector enforcement can't have read replicas.")
	case depth > sqlReplicaDepth:
		return sqlInvalid(fmt.Sprintf("There can't be more than %d levels of read replicas.", sqlReplicaDepth))
	case len(in.replication.replicas) >= sqlReplicaQuota:
		return sqlInvalid(fmt.Sprintf("The instance %s has %d read replicas already.", in.Name, sqlReplicaQuota))
	}
	return nil
}

// checkSQLReplica refuses what a replica can't be. That a failover target, which was a replica of the first generation, is refused so is what
// https://github.com/gruntwork-io/terraform-google-sql/issues/78 says. That version and edition are those of the primary, and that a key is there if and only if the primary has one, is strict.
// https://cloud.google.com/sql/docs/postgres/replication#rr-info
func checkSQLReplica(want, primary *sqladmin.DatabaseInstance) error {
	config, key := want.ReplicaConfiguration, primary.DiskEncryptionConfiguration
	elsewhere := want.Region != "" && want.Region != primary.Region
	switch {
	case want.InstanceType != "" && want.InstanceType != "READ_REPLICA_INSTANCE":
		return sqlInvalid("An instance with a masterInstanceName has the type READ_REPLICA_INSTANCE.")
	case config != nil && config.FailoverTarget:
		return google.Err(http.StatusBadRequest, "invalidRequest", "The incoming request contained invalid data.")
	case config != nil && (config.MysqlReplicaConfiguration != nil || config.CascadableReplica):
		return sqlInvalid("replicaConfiguration is for replicas of external servers and of SQL Server.")
	case want.RootPassword != "":
		return sqlInvalid("rootPassword can't be set: a read replica has the users of its primary.")
	case want.DatabaseVersion != "" && want.DatabaseVersion != primary.DatabaseVersion:
		return sqlInvalid("A read replica must have the database version of its primary: " + primary.DatabaseVersion + ".")
	case want.Settings.Edition != "" && want.Settings.Edition != primary.Settings.Edition:
		return sqlInvalid("A read replica must have the edition of its primary: " + primary.Settings.Edition + ".")
	case want.Settings.DataDiskSizeGb != 0 && want.Settings.DataDiskSizeGb < primary.Settings.DataDiskSizeGb:
		return sqlInvalid(fmt.Sprintf("The disk of a read replica can't be smaller than that of its primary: %d GB.", primary.Settings.DataDiskSizeGb))
	case want.DiskEncryptionConfiguration != nil && key == nil:
		return sqlInvalid("A read replica of an instance without a customer-managed key can't have one.")
	case want.DiskEncryptionConfiguration == nil && key != nil && elsewhere:
		return sqlInvalid("A read replica in another region needs a customer-managed key of that region.")
	}
	return nil
}

// inheritFromPrimary fills in what a replica has of its primary where nothing was asked for. The recording asks for all but the size of the disk. That other settings, flags and labels among them, are
// as at a creation is what it shows of backups: no document says so of the API.
func inheritFromPrimary(resource google.Object, primary *sqlInstance) {
	from := google.Cloned(primary.resource)
	google.Defaults(resource, google.Object{"databaseVersion": from["databaseVersion"], "region": from["region"]})
	if key := from["diskEncryptionConfiguration"]; key != nil {
		google.Defaults(resource, google.Object{"diskEncryptionConfiguration": key})
	}
	of := google.Member(from, "settings")
	settings := google.Member(resource, "settings")
	if settings["dataDiskSizeGb"] == "0" {
		delete(settings, "dataDiskSizeGb")
	}
	google.Defaults(settings, google.Object{"edition": of["edition"], "dataDiskSizeGb": of["dataDiskSizeGb"], "dataDiskType": of["dataDiskType"]})
}

// copyOfPrimary notes the databases and users of a new replica: those of its primary, and with MySQL root, as the recording shows of a primary whose root was deleted.
func (in *sqlInstance) copyOfPrimary() {
	from := in.replication.primary
	in.databases, in.users = in.ownDatabases(from.databases), in.ownUsers(from.users)
	if in.mysql() && in.userIndex("root", "%") < 0 {
		in.users = append(in.users, in.user("root", "%"))
	}
}

// replicate makes a change of databases or users that an instance has, and all that follow it.
func (in *sqlInstance) replicate(change func(*sqlInstance)) {
	change(in)
	for _, replica := range in.replication.replicas {
		replica.replicate(change)
	}
}

// ownUsers returns users of another instance as those of this one.
func (in *sqlInstance) ownUsers(all []*sqladmin.User) (own []*sqladmin.User) {
	for _, u := range all {
		own = append(own, in.user(u.Name, u.Host))
	}
	return own
}

// ownDatabases returns databases of another instance as those of this one.
func (in *sqlInstance) ownDatabases(all []*sqladmin.Database) (own []*sqladmin.Database) {
	for _, d := range all {
		own = append(own, in.database(d.Name, d.Charset, d.Collation))
	}
	return own
}

// promoteReplica makes a replica an instance of its own, which takes writes. It has no backups until somebody switches them on, and keeps its replicas. A switchover is not served here.
// https://cloud.google.com/sql/docs/postgres/replication/manage-replicas#promote-replica
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/promoteReplica
func (s *Service) promoteReplica(r *sqlRequest) (any, error) {
	in, err := r.free()
	switch {
	case err != nil:
		return nil, err
	case r.URL.Query().Get("failover") == "true":
		return nil, sqlInvalid("a switchover to a replica is not served here.")
	case !in.replica():
		return nil, sqlInvalid("The instance " + in.Name + " is not a read replica.")
	}
	head := in
	for head.replica() {
		head = head.replication.primary
	}
	passwords := maps.Clone(head.passwords)
	return s.begin(r, in, sqlWork{
		kind: "PROMOTE_REPLICA", takes: s.cloud.Options.Durations.Modify, state: "MAINTENANCE",
		server: func() error { return s.cloud.Engines.Promote(in.engineID) },
		succeed: func() {
			next := google.Cloned(in.resource)
			next["instanceType"] = "CLOUD_SQL_INSTANCE"
			delete(next, "masterInstanceName")
			delete(next, "replicaConfiguration")
			in.leave()
			in.resource, in.state = next, "RUNNABLE"
			in.passwords = passwords
			in.version++
		},
		abandon: func(*sqladmin.OperationError) { in.state = "RUNNABLE" },
	}), nil
}

// writable returns the instance if it is free and takes writes: what all demand that a replica has of its primary.
func (r *sqlRequest) writable() (*sqlInstance, error) {
	in, err := r.free()
	if err == nil && in.replica() {
		return nil, errSQLOfReplica
	}
	return in, err
}

// validReplication refuses changes that a replica or its primary does not take. "You can't stop" either; a primary keeps what its replicas need (checkPrimary). That neither is upgraded to another
// major version is strict: Cloud SQL has an order for it.
// https://cloud.google.com/sql/docs/postgres/start-stop-restart-instance
// https://cloud.google.com/sql/docs/postgres/upgrade-major-db-version-inplace
func validReplication(in *sqlInstance, next google.Object) error {
	primary := len(in.replication.replicas) > 0
	if !primary && !in.replica() {
		return nil
	}
	refusal := errSQLOfReplica
	if primary {
		refusal = errSQLOfPrimary
	}
	settings := google.Member(google.Cloned(next), "settings")
	recovery := recoveryMember(in.databaseVersion())
	was, is := google.Member(google.Cloned(in.resource), "settings", "backupConfiguration"), google.Member(settings, "backupConfiguration")
	lost := was["enabled"] == true && is["enabled"] != true || was[recovery] == true && is[recovery] != true
	if settings["activationPolicy"] == "NEVER" || next["databaseVersion"] != in.resource["databaseVersion"] || primary && (lost || settings["connectorEnforcement"] == "REQUIRED") {
		return refusal
	}
	return nil
}

// SetReplicaLag has the metric of a replica show these seconds. It reports whether there is such a replica.
func (s *Service) SetReplicaLag(project, name string, seconds ...float64) bool {
	s.g.Mu.Lock()
	defer s.g.Mu.Unlock()
	in := s.Project(project).Instances[name]
	if in == nil || in.gone || !in.replica() {
		return false
	}
	in.lag = seconds
	return true
}

// A ReplicaMetric is what Cloud Monitoring measures of a read replica.
type ReplicaMetric struct {
	Since  time.Time
	Region string
	Lag    cloud.ReplicaLag
}

// ReplicaMetric returns what Cloud Monitoring measures of an instance, if that is a read replica that runs. The caller
// holds the lock of the endpoint, as every route does.
func (s *Service) ReplicaMetric(project, name string, now time.Time) (m ReplicaMetric, ok bool) {
	p := s.Project(project)
	p.settle(now)
	in := p.Instances[name]
	if in == nil || in.gone || !in.replica() || in.state != "RUNNABLE" {
		return m, false
	}
	created, _ := in.resource["createTime"].(string)
	m.Region, _ = in.resource["region"].(string)
	since, err := time.Parse(time.RFC3339, created)
	m.Since, m.Lag = since, in.lag
	return m, err == nil
}
