package sql

import (
	"cmp"
	"context"
	"errors"
	"reflect"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// create makes an instance.
func (d *instances) create(ctx context.Context, req *request, params *instanceParams) (driver.Result, error) {
	location, err := d.LocationOf(req.Spec.Location, req.Location)
	if err != nil {
		return driver.Result{}, err
	}
	params.Region = location
	if req.Restore != nil && req.Restore.Follows {
		return replicator{d}.create(ctx, req, params)
	}
	if req.Restore != nil && req.Restore.Snapshot == "" {
		return cloneInstance(ctx, d, req)
	}
	if version, err := params.versionOfNew(); err == nil {
		d.flags.spell(ctx, version, &params.DatabaseFlags)
	}
	body, err := params.forCreate(req.Name, rootPassword(req))
	if err != nil {
		return driver.Result{}, err
	}
	if req.Restore != nil {
		return restoreBackup(ctx, d, req, params, body)
	}
	started, err := session.Do(ctx, d.Caller, "instances.insert", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Insert(d.Project, body).Context(ctx).Do()
	})
	if err != nil {
		err = d.flags.explain(ctx, err, body.DatabaseVersion, params.DatabaseFlags)
		return driver.Result{}, explainKey(err, body)
	}
	d.recorded.forget(req.Name) // of one of that name before
	d.recorded.saw(req.Name, recordedUser, d.Now())
	return driver.Result{Operation: started.Name}, nil
}

// creatable refuses what can't be created.
func creatable(req *request) error {
	spec := &req.Spec
	problems := checkSpec(spec, nil, cmp.Or(orNone(spec.Location), req.Location))
	if spec.AWS == nil && (spec.GCP == nil || spec.GCP.Tier == nil) {
		problems = append(problems, session.Invalid("the size of the instance is not known: set spec.gcp.tier, for example to db-custom-2-7680"))
	}
	if spec.Engine == nil {
		problems = append(problems, session.Invalid("the engine is not known: set spec.engine to postgres or mysql"))
	}
	if req.Login.Password == "" && !req.CloudManaged && req.Restore == nil { // which is refused as such
		problems = append(problems, &driver.Error{Code: driver.Internal, Message: "no password was given for the administrator"})
	}
	return table.Together(problems...)
}

// patch sends settings in one write.
func (d *instances) patch(ctx context.Context, req *request, have *instance, params *instanceParams, changes []driver.Change) (string, error) {
	if err := checkChange(params, &req.Spec, have, changes); err != nil {
		return "", err
	}
	if version := majorWanted(&req.Spec, have); version != "" && params.Version != nil {
		if operation, err := (upgrader{d}).before(ctx, req, have, params, changes, version); err != nil {
			return operation, err
		}
	}
	later := standbyLater(params, &req.Spec, have)
	if reflect.ValueOf(*params).IsZero() {
		return "", later
	}
	params.completeEdition(&req.Spec, have)
	if params.leavesPlus(have) && have.pooled() {
		return d.pools.end(ctx, req, have, changes)
	}
	params.place(&req.Spec, have)
	params.completeWindow(&req.Spec)
	params.completeDeny(&req.Spec, have)
	params.completeSpeed(&req.Spec)
	params.completeNetwork(&req.Spec)
	d.flags.spell(ctx, have.DatabaseVersion, &params.DatabaseFlags)
	body, err := params.forPatch(have)
	if err != nil {
		return "", err
	}
	started, err := session.Do(ctx, d.Caller, "instances.patch", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Patch(d.Project, req.Name, body).Context(ctx).Do()
	})
	if err != nil {
		return "", d.flags.explain(ctx, err, cmp.Or(body.DatabaseVersion, have.DatabaseVersion), params.DatabaseFlags)
	}
	if len(later) > 0 {
		return started.Name, later
	}
	return started.Name, nil
}

// checkChange refuses a change that Cloud SQL would refuse in words that do not help.
func checkChange(params *instanceParams, spec *databaseParameters, have *instance, changes []driver.Change) error {
	if err := notStopped(have, changes); err != nil {
		return err
	}
	if params.AvailabilityType != nil || params.RetainedBackups != nil || params.PointInTimeRecovery != nil {
		if err := checkBackups(spec, cmp.Or(spec.Availability, haveAvailability(have))); err != nil {
			return err
		}
	}
	if params.AvailabilityType != nil || params.SecondaryZone != nil {
		if err := checkStandby(spec, cmp.Or(spec.Availability, haveAvailability(have))); err != nil {
			return err
		}
	}
	if params.SslMode != nil {
		if err := checkTLS(spec); err != nil {
			return err
		}
	}
	if params.IAMAuthentication != nil || len(params.DatabaseFlags.Names()) > 0 {
		if err := checkIAM(spec); err != nil {
			return err
		}
	}
	return cmp.Or(checkAccess(params, have), checkEdition(params, spec, have), checkDisk(params, spec, have))
}

// remove asks Cloud SQL to delete an instance. A read replica takes no final backup.
func (d *instances) remove(ctx context.Context, req *request) (driver.Result, error) {
	if first, err := (&snapshots{Caller: d.Caller, sql: d.sql}).keep(ctx, req.Name); first.Unfinished || err != nil {
		return first, err
	}
	final := ""
	if req.Deletion != nil {
		final = req.Deletion.Snapshot
	}
	started, err := deleteInstance(ctx, d, req.Name, final)
	if final != "" && driver.CodeOf(err) == driver.Invalid && (replicator{d}).isReplica(ctx, req) {
		started, err = deleteInstance(ctx, d, req.Name, "")
	}
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

// deleteInstance makes the call. A final backup is described by its name.
func deleteInstance(ctx context.Context, d *instances, name, final string) (*sqladmin.Operation, error) {
	call := d.sql.Instances.Delete(d.Project, name)
	if final != "" {
		call = call.EnableFinalBackup(true).FinalBackupDescription(final).FinalBackupTtlDays(finalBackupDays)
	}
	return session.Do(ctx, d.Caller, "instances.delete", func(ctx context.Context) (*sqladmin.Operation, error) { return call.Context(ctx).Do() })
}

// whyNotDeleted tells deletion protection, for which Cloud SQL has no reason of its own, a deletion
// that is under way already, and read replicas from other refusals.
func (d *instances) whyNotDeleted(ctx context.Context, req *request, refusal error) error {
	seen, err := d.read(ctx, req.Name)
	switch {
	case driver.CodeOf(err) == driver.NotFound && err != nil, err == nil && seen.State == "PENDING_DELETE":
		return nil //nolint:nilerr // what is gone is deleted
	case err == nil && seen.Settings != nil && seen.Settings.DeletionProtectionEnabled:
		return &driver.Error{Code: driver.Protected, Op: "instances.delete",
			Message: "deletion protection is on: set spec.deletionProtection to false first", Err: errors.Unwrap(refusal)}
	case err == nil && driver.CodeOf(refusal) == driver.Invalid:
		return cmp.Or(leads(&instance{DatabaseInstance: seen}, refusal), refusal)
	}
	return refusal
}
