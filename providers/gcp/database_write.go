package gcp

import (
	"context"
	"errors"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// Create implements table.External.
func (d *databases) Create(ctx context.Context, req databaseRequest) (driver.Result, error) {
	const op = "instances.insert"
	body, err := d.insertion(req)
	if err != nil {
		return driver.Result{}, err
	}
	started, err := do(ctx, d.session, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Insert(d.project, body).Context(ctx).Do()
	})
	if err != nil {
		err = advise(err, "an instance of this name exists, or existed within the last week: Cloud SQL may reserve the name for a week; choose another spec.externalName", driver.Conflict)
		return driver.Result{}, redact(err, req.Login.Password)
	}
	return driver.Result{Operation: started.Name}, nil
}

// insertion checks and gathers what a creation sends.
func (d *databases) insertion(req databaseRequest) (*sqladmin.DatabaseInstance, error) {
	switch spec := req.Spec; {
	case spec.AWS != nil:
		return nil, invalid("spec.aws is for Amazon RDS, and this account is in Google Cloud: remove it, and set spec.gcp.tier")
	case spec.GCP == nil || spec.GCP.Tier == nil:
		return nil, invalid("the size of the instance is not known: set spec.gcp.tier, for example to db-custom-2-7680")
	case spec.Engine == nil:
		return nil, invalid("the engine is not known: set spec.engine to postgres or mysql")
	case req.Login.Password == "":
		return nil, &driver.Error{Code: driver.Internal, Message: "no password was given for the administrator"}
	}
	location, err := d.locationOf(req.Spec.Location, req.Location)
	if err != nil {
		return nil, err
	}
	var params instanceParams
	if err := databaseTable.Fill(&req.Spec, &params); err != nil {
		return nil, invalid("%v", err)
	}
	params.region = location
	return params.forCreate(req.Name, req.Mark, rootPassword(req))
}

// Update implements table.External. Settings, the mark among them, go in one patch. Cloud SQL takes one
// operation at a time on an instance, so what needs a call of its own (the initial database, the
// administrator) has its turn when the patch is done: until then it failed, and is Busy.
func (d *databases) Update(ctx context.Context, req databaseRequest, changes []field.Change) (driver.Result, error) {
	possible, failed := partition(changes)
	var turns [3][]field.Change
	for _, c := range possible {
		turn := turnOf(c.Field)
		turns[turn] = append(turns[turn], c)
	}
	result := driver.Result{Failed: failed}
	for turn, changes := range turns {
		if len(changes) == 0 {
			continue
		}
		if result.Operation != "" {
			result.Failed = append(result.Failed, fail(changes, comesNext)...)
			continue
		}
		operation, refused, err := d.take(ctx, req, turn, changes)
		if err != nil {
			return driver.Result{}, err
		}
		result.Operation, result.Failed = operation, append(result.Failed, refused...)
	}
	return result, nil
}

var comesNext = &driver.Error{Code: driver.Busy, Message: "Cloud SQL runs one operation at a time on an instance; this change is next"}

// The turns of an update.
const (
	turnSettings = iota
	turnDatabase
	turnLogin
)

func turnOf(name string) int {
	switch name {
	case fieldDatabase:
		return turnDatabase
	case driver.FieldUsername, driver.FieldPassword:
		return turnLogin
	}
	return turnSettings
}

// take does what one turn asks for, and returns the operation that it started.
func (d *databases) take(ctx context.Context, req databaseRequest, turn int, changes []field.Change) (started string, refused []driver.FieldError, err error) {
	look := func() (*instance, error) {
		if turn == turnDatabase {
			return nil, nil // a call that names the database alone; the instance was observed a moment ago
		}
		seen, err := d.read(ctx, req.Name)
		if err != nil {
			return nil, err
		}
		return &instance{DatabaseInstance: seen}, sameObject("update", req.ID, seen.CreateTime)
	}
	refused, err = updateTogether(changes, look, func(have *instance, changes []field.Change) (err error) {
		switch {
		case started != "":
			return comesNext
		case turn == turnSettings:
			started, err = d.patch(ctx, req, have, changes)
		case turn == turnDatabase:
			started, err = d.makeDatabase(ctx, req)
		default:
			started, err = d.setLogin(ctx, req, have, changes)
		}
		return err
	})
	return started, refused, err
}

// patch sends settings in one write.
func (d *databases) patch(ctx context.Context, req databaseRequest, have *instance, changes []field.Change) (string, error) {
	const op = "instances.patch"
	spec, marks := splitMark(changes)
	var params instanceParams
	if err := databaseTable.Patch(&req.Spec, have, spec, &params); err != nil {
		return "", invalid("%v", err)
	}
	var mark *driver.Mark
	if marks {
		mark = &req.Mark
	}
	body, err := params.forPatch(have, mark)
	if err != nil {
		return "", err
	}
	started, err := do(ctx, d.session, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Patch(d.project, req.Name, body).Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return started.Name, nil
}

// Delete implements table.External.
func (d *databases) Delete(ctx context.Context, req databaseRequest) (driver.Result, error) {
	const op = "instances.delete"
	call := d.sql.Instances.Delete(d.project, req.Name)
	if req.Deletion != nil && req.Deletion.Snapshot != "" {
		call = call.EnableFinalBackup(true).FinalBackupDescription(req.Deletion.Snapshot).FinalBackupTtlDays(finalBackupDays)
	}
	started, err := do(ctx, d.session, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return call.Context(ctx).Do()
	})
	if err == nil {
		return driver.Result{Operation: started.Name}, nil
	}
	switch driver.CodeOf(err) {
	case driver.NotFound:
		err = nil
	case driver.Invalid, driver.Busy:
		err = d.whyNotDeleted(ctx, req, err)
	}
	return driver.Result{}, err
}

// whyNotDeleted tells deletion protection, for which Cloud SQL has no reason of its own, and a deletion
// that is under way already, from other refusals.
func (d *databases) whyNotDeleted(ctx context.Context, req databaseRequest, refusal error) error {
	seen, err := d.read(ctx, req.Name)
	switch {
	case driver.CodeOf(err) == driver.NotFound && err != nil, err == nil && seen.State == "PENDING_DELETE":
		return nil //nolint:nilerr // what is gone is deleted
	case err == nil && seen.Settings != nil && seen.Settings.DeletionProtectionEnabled:
		return &driver.Error{Code: driver.Protected, Op: "instances.delete",
			Message: "deletion protection is on: set spec.deletionProtection to false first", Err: errors.Unwrap(refusal)}
	}
	return refusal
}
