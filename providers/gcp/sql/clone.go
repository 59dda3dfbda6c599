package sql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// cloneInstance makes an instance of another one as that is, or was at a time. The call takes a name and a time: the clone has the labels of the other one, so its mark, its networks,
// its flags and the passwords of all users. What the spec has of that differs when the instance is observed, and what it has not is undone, because it counts as applied.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/clone
func cloneInstance(ctx context.Context, d *instances, req *request) (driver.Result, error) {
	const op = "instances.clone"
	of, err := sourceOf(ctx, d, req)
	if err != nil {
		return driver.Result{}, err
	}
	asked := &sqladmin.CloneContext{DestinationInstanceName: req.Name}
	if at := req.Restore.Time; !at.IsZero() {
		asked.PointInTime = at.UTC().Format(time.RFC3339Nano)
	}
	started, err := session.Do(ctx, d.Caller, op, func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Instances.Clone(d.Project, of.Name, &sqladmin.InstancesCloneRequest{CloneContext: asked}).Context(ctx).Do()
	})
	if err != nil {
		return driver.Result{}, explainClone(ctx, d, req, err)
	}
	return driver.Result{Operation: started.Name}, nil
}

// sourceOf reads the instance that is to be cloned, and refuses what a clone could never become.
func sourceOf(ctx context.Context, d *instances, req *request) (*instance, error) {
	from := req.Restore.Source
	seen, err := d.read(ctx, from.Name)
	switch {
	case err != nil && driver.CodeOf(err) != driver.NotFound:
		return nil, err
	case err != nil, seen.CreateTime != from.ID, seen.State == "PENDING_DELETE":
		return nil, &driver.Error{Code: driver.NotFound, Op: "instances.get", Message: fmt.Sprintf("Cloud SQL has no instance %s that could be restored; correct spec.restoreFrom", from.Name)}
	}
	of := &instance{DatabaseInstance: seen}
	location, err := d.LocationOf(req.Spec.Location, req.Location)
	if err != nil {
		return nil, err
	}
	switch now := d.Now(); {
	case !driver.MarkFrom(of.labels()).Is(req.Restore.SourceMark):
		return nil, &driver.Error{Code: driver.Conflict, Op: "instances.get", Message: fmt.Sprintf("the mark of %s was changed meanwhile, and a clone would be born with it; Mooring looks again", from.Name)}
	case !strings.EqualFold(location, of.Region):
		return nil, session.Invalid("a clone is where %s is: set spec.location to %s, and not to %s", from.Name, strings.ToLower(of.Region), location)
	case req.Restore.Time.After(now):
		return nil, session.Invalid("spec.restoreFrom.pointInTime.time is %s, which is still to come: set an earlier time, or none for the latest one", req.Restore.Time.Format(time.RFC3339))
	}
	return of, cloneRefusal(req, of)
}

// cloneRefusal says what in the spec a clone of an instance could never become; nil if there is nothing.
func cloneRefusal(req *request, of *instance) error {
	var never []string
	for _, c := range fields.Diff(&req.Spec, of, nil, func(string) bool { return false }) {
		if c.Effect == driver.Impossible {
			never = append(never, fmt.Sprintf("spec.%s is %s, and that of %s is %s", c.Field, c.To, of.Name, cmp.Or(c.From, "not set")))
		}
	}
	if len(never) == 0 {
		return nil
	}
	return session.Invalid("a clone keeps for good what it was cloned with: %s; set that as it is there, or remove it", strings.Join(never, "; "))
}

// explainClone says of a refused time which times there are. That is only asked then, and an instance without point-in-time recovery has none.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/projects.instances/getLatestRecoveryTime
func explainClone(ctx context.Context, d *instances, req *request, refusal error) error {
	e, is := errors.AsType[*driver.Error](refusal)
	if !is || e.Code != driver.Invalid || req.Restore.Time.IsZero() {
		return refusal
	}
	between, err := session.Do(ctx, d.Caller, "instances.getLatestRecoveryTime", func(ctx context.Context) (*sqladmin.SqlInstancesGetLatestRecoveryTimeResponse, error) {
		return d.sql.Projects.Instances.GetLatestRecoveryTime(d.Project, req.Restore.Source.Name).Context(ctx).Do()
	})
	explained, from := *e, req.Restore.Source.Name
	switch {
	case err != nil && driver.CodeOf(err) == driver.Invalid:
		explained.Message = fmt.Sprintf("set spec.backup.pointInTimeRecovery of the Database of %s, for times from then on, or remove spec.restoreFrom.pointInTime.time for the latest one: %s", from, e.Message)
	case err != nil:
		return refusal
	default:
		return outside(from, req.Restore.Time, between, refusal)
	}
	return &explained
}

// outside says of a time that an instance can't be restored to it; other refusals stay as they are. What it says does not change with each try, as the words of Cloud SQL may: the earliest
// time moves on with the days that logs are kept, so the next full hour is said.
func outside(from string, at time.Time, between *sqladmin.SqlInstancesGetLatestRecoveryTimeResponse, refusal error) error {
	const op = "instances.clone"
	earliest, err := time.Parse(time.RFC3339, between.EarliestRecoveryTime)
	if err == nil && at.Before(earliest) {
		return &driver.Error{Code: driver.Invalid, Op: op, Err: refusal, Message: fmt.Sprintf("correct spec.restoreFrom.pointInTime.time: %s can be restored to times from %s on",
			from, earliest.Add(time.Hour-1).UTC().Truncate(time.Hour).Format(time.RFC3339))}
	}
	latest, err := time.Parse(time.RFC3339, between.LatestRecoveryTime)
	if err == nil && at.After(latest) {
		return &driver.Error{Code: driver.Busy, Op: op, Err: refusal, Message: fmt.Sprintf("%s can't be restored up to %s yet, because its logs are stored some minutes later; Mooring tries again", from, at.UTC().Format(time.RFC3339))}
	}
	return refusal
}
