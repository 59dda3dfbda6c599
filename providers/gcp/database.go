package gcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/table"
)

// databases manages instances of Cloud SQL.
type databases struct{ *session }

type databaseRequest = table.Request[v1alpha1.DatabaseParameters]

// instanceNames is what Cloud SQL asks of the name of a new instance. https://cloud.google.com/sql/docs/postgres/create-instance
var instanceNames = driver.NameRule{
	MaxLength: 63,
	Patterns: []driver.NamePattern{
		{Match: `^[a-z]([a-z0-9-]*[a-z0-9])?$`,
			Rule: "Cloud SQL accepts names of lower-case letters, digits and hyphens that begin with a letter and do not end with a hyphen"},
	},
	WithAccount:     98,
	WithAccountRule: "Cloud SQL accepts names of at most 98 characters including project and colon",
}

// passwords is what Cloud SQL asks of an administrator's password. It documents no limit beside what an instance's own password policy demands,
// which is told by its refusal. 256 bytes are what MySQL's caching_sha2_password takes; PostgreSQL takes more.
// https://dev.mysql.com/doc/refman/8.4/en/caching-sha2-pluggable-authentication.html
var passwords = []driver.PasswordRule{{MinLength: 1, MaxLength: 256}}

// Preview is what driver.Driver says of a preview. Effects look at the engine of an instance, and at nothing else.
func (*databases) Preview(from, to v1alpha1.DatabaseParameters, applied field.Applied) []field.Change {
	have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{}}
	if from.Engine != nil && from.Version != nil {
		have.DatabaseVersion, _ = versionName(*from.Engine, *from.Version)
	}
	return databaseTable.Preview(&from, &to, applied, have)
}

// databaseConsequences says what people should know before they create or delete a database.
// https://cloud.google.com/sql/docs/postgres/delete-instance
func databaseConsequences() driver.Consequences {
	return driver.Consequences{
		Noun: "Cloud SQL instance", SnapshotKept: fmt.Sprintf("for %d days", finalBackupDays),
		WithSnapshot:    "its other backups are deleted with it, unless the instance is set to retain them",
		WithoutSnapshot: "its backups are deleted with it, unless the instance is set to retain them",
		Unset: []driver.UnsetField{
			{Field: "gcp.tier", Required: true, Means: "Cloud SQL creates no instance without a tier: set spec.size to a size of the class, or set spec.gcp.tier"},
			{Field: "backup.retentionDays", Means: "Cloud SQL takes automatic backups in the edition Enterprise Plus only: set spec.backup.retentionDays"},
		},
	}
}

// Docs returns what the reference says of each row.
func (*databases) Docs() []field.Doc {
	return append(databaseTable.Docs(), field.Doc{Field: driver.FieldUsername, Effects: field.OnceSet(usernameInstead)})
}

// Observe implements table.External. It reads the instance; while an operation is known to be under way that
// too; and the initial database and the administrator until Applied says that they were seen.
func (d *databases) Observe(ctx context.Context, req databaseRequest) (driver.Observation, error) {
	// The operation first: if it was done before the instance was read, what is read is what it made.
	op, err := d.operation(ctx, req)
	if err != nil {
		return driver.Observation{}, err
	}
	seen, err := d.read(ctx, req.Name)
	if driver.CodeOf(err) == driver.NotFound {
		return d.absent(ctx, req, op)
	}
	if err != nil {
		return driver.Observation{}, err
	}
	have := &instance{DatabaseInstance: seen}
	o := driver.Observation{
		ID:             seen.CreateTime, // Cloud SQL gives instances no id; a later one of the same name was made at another time
		Mark:           driver.MarkFrom(have.labels()),
		Location:       strings.ToLower(seen.Region),
		Protected:      have.settings().DeletionProtectionEnabled,
		Operation:      op.underWay(),
		OperationError: op.failure(),
		Work:           op.work(),
	}
	setState(&o, have, op)
	if o.State == driver.Deleting {
		return o, nil
	}
	if err := d.compare(ctx, req, have, &o); err != nil {
		return driver.Observation{}, err
	}
	o.Endpoint = endpointOf(req, have)
	return o, nil
}

// setState says what the instance is up to.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#SqlInstanceState
func setState(o *driver.Observation, have *instance, op *operation) {
	switch have.State {
	case "PENDING_CREATE":
		o.State, o.Problem = driver.Pending, "Cloud SQL is creating the instance"
	case "RUNNABLE", "STOPPED":
		o.State, o.Available = driver.Ready, true
		if have.State == "STOPPED" || have.settings().ActivationPolicy == "NEVER" {
			o.Available, o.Stopped, o.Problem = false, true, "the instance is stopped"
		}
	case "MAINTENANCE", "REPAIRING":
		o.State, o.Problem = driver.Pending, "the instance is down for maintenance"
		if o.Work.What == "" {
			o.Work.What = works["MAINTENANCE"]
		}
	case "ONLINE_MAINTENANCE":
		o.State, o.Available = driver.Pending, true
	case "PENDING_DELETE":
		o.State, o.Problem = driver.Deleting, "Cloud SQL is deleting the instance"
	case "FAILED", "SUSPENDED":
		o.State, o.Problem = driver.Failed, problemOf(have, op)
	default: // a state of tomorrow: nothing is done until it has passed
		o.State, o.Problem = driver.Pending, "Cloud SQL reports the instance as "+strings.ToLower(have.State)
	}
	if op.underWay() == "" {
		return
	}
	switch {
	case op.kind() == "DELETE":
		o.State = driver.Deleting
	case o.State == driver.Ready:
		o.State = driver.Pending
	}
}

// problemOf says why an instance is of no use.
func problemOf(have *instance, op *operation) string {
	text := "Cloud SQL reports the instance as " + strings.ToLower(have.State)
	if len(have.SuspensionReason) > 0 {
		text += " (" + strings.Join(have.SuspensionReason, ", ") + ")"
	}
	if failure := op.failure(); failure != nil {
		text += ": " + failure.Message
	}
	return text
}

// compare fills in the differences between spec and instance, what is applied, and the mirror.
func (d *databases) compare(ctx context.Context, req databaseRequest, have *instance, o *driver.Observation) error {
	if err := d.lookForDatabase(ctx, req, have, o); err != nil {
		return err
	}
	skip := func(name string) bool {
		for _, u := range o.Unreadable {
			if u.Field == name {
				return true
			}
		}
		return false
	}
	o.Changes = databaseTable.Diff(&req.Spec, have, req.Applied, skip)
	unsettled := o.Changes
	for _, u := range o.Unreadable {
		unsettled = append(slices.Clip(unsettled), field.Change{Field: u.Field})
	}
	o.Applied = databaseTable.Applied(&req.Spec, req.Applied, unsettled)
	if err := d.lookForUser(ctx, req, have, o); err != nil {
		return err
	}
	o.Fixed = databaseTable.Fixed(have)
	if made := o.Applied[driver.FieldUsername]; len(made) > 0 {
		o.Fixed[driver.FieldUsername] = made[0]
	} else if l := loginOf(req, have.engine()); l.builtin {
		o.Fixed[driver.FieldUsername] = l.name
	}
	mirror, err := databaseTable.Mirror(have)
	if err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	o.Mirror = mirror
	return nil
}

// absent is the observation of an instance that is not there.
func (d *databases) absent(ctx context.Context, req databaseRequest, op *operation) (driver.Observation, error) {
	// The initial database is no part of a creation: it is made once the instance runs.
	later := []field.Change{{Field: fieldDatabase}}
	o := driver.Observation{
		State:          driver.Absent,
		Applied:        databaseTable.Applied(&req.Spec, nil, later),
		OperationError: op.failure(),
	}
	if req.Deletion == nil || req.Deletion.Snapshot == "" {
		return o, nil
	}
	var err error
	o.Snapshot, o.Problem, err = d.finalBackup(ctx, req.Name, req.Deletion.Snapshot)
	if err != nil {
		return driver.Observation{}, err
	}
	return o, nil
}

func (d *databases) read(ctx context.Context, name string) (*sqladmin.DatabaseInstance, error) {
	return do(ctx, d.session, "instances.get", func(ctx context.Context) (*sqladmin.DatabaseInstance, error) {
		return d.sql.Instances.Get(d.project, name).Context(ctx).Do()
	})
}

// endpointOf says how to reach the instance: by its public address if it has one.
func endpointOf(req databaseRequest, have *instance) driver.Endpoint {
	addresses := map[string]string{}
	for _, ip := range have.IpAddresses {
		addresses[ip.Type] = ip.IpAddress
	}
	host := addresses["PRIMARY"]
	if host == "" {
		host = addresses["PRIVATE"]
	}
	if host == "" || have.State == "PENDING_CREATE" {
		return driver.Endpoint{}
	}
	e := driver.Endpoint{Host: host, Username: loginOf(req, have.engine()).name}
	switch have.engine() {
	case v1alpha1.EngineMySQL:
		e.Port = 3306
	case v1alpha1.EnginePostgres:
		e.Port, e.Database = 5432, "postgres"
	}
	if req.Spec.DatabaseName != nil {
		e.Database = *req.Spec.DatabaseName
	}
	if have.ServerCaCert != nil {
		e.Certificates = have.ServerCaCert.Cert
	}
	return e
}
