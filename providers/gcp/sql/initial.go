package sql

import (
	"context"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// lookForDatabase finds out whether the initial database is there. It is looked for once: when Applied names it, it was made (see lookAgain).
func (d *instances) lookForDatabase(ctx context.Context, req *request, into *instance) error {
	switch {
	case into.State == "PENDING_CREATE":
		return nil
	case !running(into):
		return notRunning
	}
	found, err := d.getDatabase(ctx, req)
	if err != nil {
		return session.UnlessNotFound(err)
	}
	into.database = &found.Name
	d.recorded.saw(req.Name, recordedDatabase, d.Now())
	return nil
}

// makeDatabase makes the initial database. One that is there already is as good.
func (d *instances) makeDatabase(ctx context.Context, req *request, _ *instance, params *instanceParams, _ []driver.Change) (string, error) {
	started, err := session.Do(ctx, d.Caller, "databases.insert", func(ctx context.Context) (*sqladmin.Operation, error) {
		body := &sqladmin.Database{Name: *params.Database, Instance: req.Name, Project: d.Project}
		return d.sql.Databases.Insert(d.Project, req.Name, body).Context(ctx).Do()
	})
	switch driver.CodeOf(err) {
	case driver.Conflict, driver.Invalid:
		// Cloud SQL has no one reason for a database that is there already: PostgreSQL's own words come as
		// a bad request.
		if d.hasDatabase(ctx, req) {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	d.recorded.saw(req.Name, recordedDatabase, d.Now())
	return begun(started)
}

func (d *instances) hasDatabase(ctx context.Context, req *request) bool {
	_, err := d.getDatabase(ctx, req)
	return err == nil
}

func (d *instances) getDatabase(ctx context.Context, req *request) (*sqladmin.Database, error) {
	return session.Do(ctx, d.Caller, "databases.get", func(ctx context.Context) (*sqladmin.Database, error) {
		return d.sql.Databases.Get(d.Project, req.Name, *req.Spec.DatabaseName).Context(ctx).Do()
	})
}

// running reports whether databases and users can be looked at.
func running(have *instance) bool {
	return have.State == "RUNNABLE" && !have.stopped()
}

// notRunning is why neither can be.
var notRunning = &driver.Error{Code: driver.Busy, Message: "it can't be observed while the instance does not run"}
