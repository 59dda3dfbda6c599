package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// A replicator makes read replicas, and promotes them.
type replicator struct{ of *instances }

func (r replicator) following() *table.Following[databaseParameters, instance] {
	return &table.Following[databaseParameters, instance]{Withheld: withheldOfReplica, Promote: r.promote, Lag: newLagMetric(r.of.Session).of}
}

// create makes a read replica, by the call that makes instances. It has the version and the edition of its primary, and its users and passwords. Its disk is no smaller. It has the mark and all
// settings of the request but those that a replica can't have: these differ once it is promoted.
// https://cloud.google.com/sql/docs/postgres/replication/create-replica
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/insert
func (r replicator) create(ctx context.Context, req *request, params *instanceParams) (driver.Result, error) {
	d := r.of
	of, err := r.primary(ctx, req)
	if err != nil {
		return driver.Result{}, err
	}
	d.flags.spell(ctx, of.DatabaseVersion, &params.DatabaseFlags)
	body, err := replicaOf(of, req.Name, params)
	if err != nil {
		return driver.Result{}, err
	}
	body.MasterInstanceName = d.Project + ":" + of.Name
	started, err := session.Do(ctx, d.Caller, "instances.insert", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Insert(d.Project, body).Context(ctx).Do()
	})
	if err != nil {
		err = d.flags.explain(ctx, err, body.DatabaseVersion, params.DatabaseFlags)
		return driver.Result{}, explainKey(err, body)
	}
	return driver.Result{Operation: started.Name}, nil
}

// replicaOf makes the parameters of the creation of a replica. Backups, the maintenance window and the password policy are the primary's.
func replicaOf(of *instance, name string, p *instanceParams) (*sqladmin.DatabaseInstance, error) {
	body, err := p.forCreate(name, "")
	if err != nil {
		return nil, err
	}
	s, size := body.Settings, of.settings().DataDiskSizeGb
	body.InstanceType, body.DatabaseVersion = readReplica, of.DatabaseVersion
	s.Edition, s.DataDiskSizeGb = of.settings().Edition, max(s.DataDiskSizeGb, size)
	p.limitGrowth(s, size)
	s.BackupConfiguration, s.MaintenanceWindow, s.DenyMaintenancePeriods, s.PasswordValidationPolicy, s.RetainBackupsOnDelete = nil, nil, nil, nil, false
	s.ForceSendFields = slices.DeleteFunc(s.ForceSendFields, func(name string) bool { return name == "RetainBackupsOnDelete" })
	return body, nil
}

// readReplica is the type of an instance that follows another one.
const readReplica = "READ_REPLICA_INSTANCE"

// primary reads the instance that a replica is to follow, and refuses what Cloud SQL would refuse without the names of fields.
func (r replicator) primary(ctx context.Context, req *request) (*instance, error) {
	from := req.Restore.Source
	seen, err := r.of.read(ctx, from.Name)
	switch {
	case err != nil && driver.CodeOf(err) != driver.NotFound:
		return nil, err
	case err != nil, seen.CreateTime != from.ID, seen.State == "PENDING_DELETE":
		return nil, &driver.Error{Code: driver.NotFound, Op: "instances.get", Message: fmt.Sprintf("Cloud SQL has no instance %s that a read replica could follow; correct spec.replica.primaryRef", from.Name)}
	}
	of := &instance{DatabaseInstance: seen}
	if err := req.Restore.RefusesSource("instances.get", driver.MarkFrom(of.labels())); err != nil {
		return nil, err
	}
	return of, primaryRefusal(req, of)
}

// primaryRefusal says why an instance can't have a replica as a request asks for it; nil if it can. A primary needs automated backups, and point-in-time recovery or, with MySQL, binary logs, which is the
// same field here. A replica that has replicas needs binary logs with MySQL, and nothing with PostgreSQL.
// https://cloud.google.com/sql/docs/postgres/replication#requirements
// https://cloud.google.com/sql/docs/mysql/replication#requirements
// https://cloud.google.com/sql/docs/postgres/replication#rr-info (connector enforcement)
// https://cloud.google.com/sql/docs/postgres/cmek#restrictions
func primaryRefusal(req *request, of *instance) error {
	name, key, location := req.Restore.Source.Name, of.DiskEncryptionConfiguration, req.Location
	if req.Spec.Location != nil {
		location = *req.Spec.Location
	}
	wanted, replica, mysql := portable.WantedDiskKey(&req.Spec), following(of) != nil, of.engine() == v1alpha1.EngineMySQL
	switch {
	case req.Spec.Engine != nil && *req.Spec.Engine != of.engine():
		return session.Invalid("set spec.engine to %s: a read replica has the engine of %s", of.engine(), name)
	case of.stopped():
		return &driver.Error{Code: driver.Busy, Op: "instances.get", Message: name + " is stopped, and Cloud SQL makes read replicas of running servers: set spec.powerState of its Database to Running"}
	case !replica && !of.backupConfiguration().Enabled:
		return session.Invalid("%s has no automatic backups, without which it can't have read replicas: set spec.backup.retentionDays of its Database, and spec.backup.pointInTimeRecovery to true", name)
	case !replica && !of.recovers():
		return session.Invalid("%s keeps no transaction logs, without which it can't have read replicas: set spec.backup.pointInTimeRecovery of its Database to true", name)
	case replica && mysql && !of.recovers():
		return session.Invalid("%s is a read replica without binary logs, and can't have read replicas itself: name the server that it follows in spec.replica.primaryRef", name)
	case of.settings().ConnectorEnforcement == "REQUIRED":
		return session.Invalid("%s demands connectors of its clients, and can't have read replicas: set spec.gcp.connectorEnforcement of its Database to NOT_REQUIRED", name)
	case key == nil && wanted != nil:
		return session.Invalid("%s has no key of its own, so a read replica of it can't have one: remove spec.encryption", name)
	case key != nil && wanted == nil && location != "" && !strings.EqualFold(location, of.Region):
		return session.Invalid("%s has a key in %s, and a read replica in another region needs one there: set spec.encryption.key to a key in %s", name, strings.ToLower(of.Region), location)
	}
	return nil
}

// following says what an instance follows; nil if it follows none. Cloud SQL says neither where that is, which its name does not need, nor whether it repeats what is written there: the recordings show no
// databaseReplicationEnabled on a replica that does.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DatabaseInstance (masterInstanceName)
func following(have *instance) *driver.Following {
	if have.MasterInstanceName == "" {
		return nil
	}
	return &driver.Following{Primary: have.MasterInstanceName[strings.LastIndex(have.MasterInstanceName, ":")+1:]}
}

// followers returns the read replicas of an instance.
func followers(have *instance) (all []string) {
	all = append(all, have.ReplicaNames...)
	slices.Sort(all)
	return all
}

// withheldOfReplica is table.Following.Withheld. A replica has the databases and users of its primary, its version and edition, its maintenance and its password policy; it has no backups, and can't be
// stopped. The words about the policy are in an issue: "Password Validation policies cannot be set on a read replica."
// https://cloud.google.com/sql/docs/postgres/replication#rr-info
// https://cloud.google.com/sql/docs/mysql/instance-settings (maintenance window)
// https://cloud.google.com/sql/docs/postgres/start-stop-restart-instance
// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/430
func withheldOfReplica(_ *request, _ *instance, c driver.Change) bool {
	block, _, _ := strings.Cut(strings.TrimPrefix(c.Field, "gcp."), ".")
	switch block {
	case "backup", "maintenance", "maintenanceTrack", "denyMaintenancePeriod", "passwordValidationPolicy", "retainBackupsOnDelete", "edition", "version", fieldDatabase:
		return true
	}
	return c.Field == driver.FieldUsername || c.Field == driver.FieldPowerState
}

// promote is table.Following.Promote. It makes no call if the operation that the request names is a promotion under way. Where the answer to the call that began one was lost, Cloud SQL refuses
// another, as it does while any operation is under way: the state of the instance says then that it is at it. What operations an instance has, only those may ask who may list all instances.
// https://cloud.google.com/sql/docs/postgres/replication/manage-replicas#promote-replica
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/promoteReplica
// https://cloud.google.com/sql/docs/postgres/iam-permissions (List the operations of an instance)
func (r replicator) promote(ctx context.Context, req *request, have *instance) (operation string, err error) {
	d := r.of
	if have.op.kind() == "PROMOTE_REPLICA" && have.op.underWay() != "" {
		return have.op.underWay(), nil
	}
	started, err := session.Do(ctx, d.Caller, "instances.promoteReplica", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.PromoteReplica(d.Project, req.Name).Context(ctx).Do()
	})
	if err == nil {
		return started.Name, nil
	}
	if code := driver.CodeOf(err); code != driver.Busy && code != driver.Invalid {
		return "", err
	}
	now, unread := d.read(ctx, req.Name)
	if unread == nil && (following(&instance{DatabaseInstance: now}) == nil || driver.CodeOf(err) == driver.Busy && now.State == "MAINTENANCE") {
		return "", nil // somebody else asked for it since, or the answer was lost
	}
	return "", err
}

// isReplica reports whether the instance of a request is a read replica, and nothing but that keeps it from being deleted with a final backup.
func (r replicator) isReplica(ctx context.Context, req *request) bool {
	seen, err := r.of.read(ctx, req.Name)
	if err != nil || req.ID != "" && seen.CreateTime != req.ID {
		return false
	}
	have := &instance{DatabaseInstance: seen}
	return following(have) != nil && !have.settings().DeletionProtectionEnabled && len(followers(have)) == 0
}

// leads explains why a primary is not deleted: Cloud SQL deletes none that has replicas, and says no more than that it is one.
// https://cloud.google.com/sql/docs/postgres/delete-instance
func leads(have *instance, refusal error) error {
	all := followers(have)
	if len(all) == 0 {
		return nil
	}
	return &driver.Error{Code: driver.Conflict, Op: "instances.delete", Err: errors.Unwrap(refusal),
		Message: fmt.Sprintf("Cloud SQL deletes no instance that has read replicas: delete %s first, or promote what is to stay", strings.Join(all, ", "))}
}
