package mem

import (
	"context"
	"errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type databaseRequest = table.Request[v1alpha1.DatabaseParameters]

// databases implements table.External.
type databases struct{ session }

// Preview is what driver.Driver says of a preview.
func (databases) Preview(from, to databaseParameters, applied driver.Applied) []driver.Change {
	return databaseTable.Preview(&from, &to, applied, &Database{})
}

// databaseConsequences says what people should know before they create or delete a database.
func databaseConsequences() driver.Consequences {
	return driver.Consequences{
		Noun: "database server", SnapshotKept: "until somebody deletes it",
		WithSnapshot: "its automatic backups stay until they expire", WithoutSnapshot: "its automatic backups are deleted with it",
		Unset: []driver.UnsetField{
			{Field: "version", Required: true, Means: "nothing is created without a version: set spec.version"},
			{Field: "backup.retentionDays", Means: "automatic backups are kept as long as the cloud likes: set spec.backup.retentionDays"},
		},
	}
}

// Docs returns what the reference says of each row.
func (databases) Docs() []driver.Field {
	return append(databaseTable.Docs(), driver.Field{
		Field: driver.FieldUsername, Effects: []driver.PossibleEffect{{Effect: driver.Impossible, Instead: usernameInstead}},
	})
}

const usernameInstead = "create the user on the server by SQL, or another Database with this administrator"

func (s databases) call(ctx context.Context, op Op, name string, act func(call *Call, h hits) error) error {
	return s.session.call(ctx, Call{Account: s.account, Op: op, Kind: KindDatabase, Name: name}, act)
}

// Observe implements table.External.
func (s databases) Observe(ctx context.Context, req databaseRequest) (driver.Observation, error) {
	k := key{s.account, req.Name}
	var obs driver.Observation
	err := s.call(ctx, OpObserve, req.Name, func(call *Call, h hits) error {
		d := s.cloud.database(k)
		if slot := s.cloud.databases[k]; h.main.Kind == Stale && slot != nil {
			d = slot.before
		}
		if req.Operation != "" {
			obs.OperationError = s.cloud.failed[req.Operation]
		}
		if d == nil {
			obs.State, obs.Applied = driver.Absent, databaseTable.Applied(&req.Spec, nil, nil)
			return nil
		}
		d.describe(&obs)
		obs.Unreadable = h.unreadable(call)
		if obs.State == driver.Deleting {
			return nil
		}
		if err := compare(databaseTable, &req, d, &obs); err != nil {
			return err
		}
		obs.Fixed = databaseTable.Fixed(d)
		obs.Fixed[driver.FieldUsername] = d.Username
		if want := req.Login.Username; want != "" && want != d.Username {
			obs.Changes = append(obs.Changes, driver.Change{
				Field: driver.FieldUsername, From: d.Username, To: want, Effect: driver.Impossible,
				Why: usernameInstead,
			})
		}
		return nil
	})
	if err != nil || obs.State != driver.Absent || req.Deletion == nil || req.Deletion.Snapshot == "" {
		return orZero(obs, err)
	}
	err = s.call(ctx, OpSnapshot, req.Deletion.Snapshot, func(*Call, hits) error {
		obs.Snapshot = s.cloud.snapshotState(key{s.account, req.Deletion.Snapshot})
		return nil
	})
	return orZero(obs, err) // absence with the snapshot unknown would say too much
}

// describe fills in what an observation says of a database apart from its fields.
func (d *Database) describe(obs *driver.Observation) {
	obs.State, obs.ID, obs.Location, obs.Mark = d.state(), d.ID, d.Location, driver.MarkFrom(d.Labels)
	obs.Operation, obs.Problem = d.work.operation, d.Problem
	obs.Protected, obs.Stopped = d.live().DeletionProtection, d.Stopped
	up := d.Problem == "" && (d.work.phase == resting || d.work.phase == modifying)
	obs.Available = up && !d.Stopped
	if up {
		obs.Endpoint = driver.Endpoint{
			Host: d.Name + "." + d.Location + ".mem.invalid", Port: portOf(d.Engine),
			Username: d.Username, Database: d.DatabaseName, Certificates: certificates,
		}
		if obs.Endpoint.Database == "" && d.Engine == v1alpha1.EnginePostgres {
			obs.Endpoint.Database = "postgres"
		}
	}
}

var errNoPassword = errors.New("there is no password to set")

// certificates stands for the authorities that sign servers' certificates.
const certificates = "-----BEGIN CERTIFICATE-----\nbWVt\n-----END CERTIFICATE-----\n"

// Create implements table.External.
func (s databases) Create(ctx context.Context, req databaseRequest) (driver.Result, error) {
	k := key{s.account, req.Name}
	var result driver.Result
	err := s.call(ctx, OpCreate, req.Name, func(call *Call, h hits) error {
		switch {
		case s.cloud.database(k) != nil:
			return fail(call, driver.Conflict, "a database of that name exists")
		case req.Spec.Engine == nil || req.Spec.Version == nil:
			return fail(call, driver.Invalid, "engine and version are required")
		case req.Login.Password == "":
			return fail(call, driver.Invalid, "the administrator needs a password")
		}
		d := &Database{
			Account: s.account, Name: req.Name, Location: s.locationOf(req.Spec.Location, req.Location),
			SizeGiB: defaultSizeGiB, RetentionDays: defaultRetentionDays,
			Username: req.Login.Username, Password: req.Login.Password,
		}
		if err := databaseTable.Fill(&req.Spec, d); err != nil {
			return fail(call, driver.Invalid, "%v", err)
		}
		if d.Username == "" {
			d.Username = usualUsername(d.Engine)
		}
		d.ID, d.Labels = s.cloud.next("database"), marked(d.Labels, req.Mark)
		result = driver.Result{ID: d.ID, Operation: s.cloud.begin(k, d, creating, s.cloud.opts.CreateFor, h)}
		return nil
	})
	return orZero(result, err)
}

// Update implements table.External.
func (s databases) Update(ctx context.Context, req databaseRequest, changes []driver.Change) (driver.Result, error) {
	k := key{s.account, req.Name}
	var result driver.Result
	if possible, failed := sift(changes); len(possible) == 0 {
		return driver.Result{Failed: failed}, nil
	}
	err := s.call(ctx, OpUpdate, req.Name, func(call *Call, h hits) error {
		d := s.cloud.database(k)
		switch {
		case d == nil:
			return fail(call, driver.NotFound, "no such database")
		case d.work.phase != resting:
			return fail(call, driver.Busy, "the cloud is at work on the database")
		}
		next := d.clone()
		result.ID = d.ID
		result.Failed = apply(call, h, changes, func(c driver.Change) error {
			switch c.Field {
			case driver.FieldMark:
				next.Labels = marked(next.Labels, req.Mark)
				return nil
			case driver.FieldPassword:
				if req.Login.Password == "" {
					return errNoPassword
				}
				next.Password = req.Login.Password
				return nil
			}
			return databaseTable.Patch(&req.Spec, d, []driver.Change{c}, next)
		})
		if len(call.Fields) == 0 {
			return nil
		}
		next.was = d
		result.Operation = s.cloud.begin(k, next, modifying, s.cloud.opts.ModifyFor, h)
		return nil
	})
	return orZero(result, err)
}

// Delete implements table.External.
func (s databases) Delete(ctx context.Context, req databaseRequest) (driver.Result, error) {
	k := key{s.account, req.Name}
	var result driver.Result
	err := s.call(ctx, OpDelete, req.Name, func(call *Call, h hits) error {
		d := s.cloud.database(k)
		switch {
		case d == nil || d.work.phase == deleting:
			return nil
		case d.work.phase != resting:
			return fail(call, driver.Busy, "the cloud is at work on the database")
		case d.DeletionProtection:
			return fail(call, driver.Protected, "deletion protection is on")
		}
		if req.Deletion != nil && req.Deletion.Snapshot != "" {
			if err := s.cloud.takeSnapshot(call, d, req.Deletion.Snapshot, h); err != nil {
				return err
			}
		}
		result = driver.Result{ID: d.ID, Operation: s.cloud.begin(k, d.clone(), deleting, s.cloud.opts.DeleteFor, h)}
		return nil
	})
	return orZero(result, err)
}
