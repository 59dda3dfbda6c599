package sql

import (
	"context"
	"strings"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// An operation is what Cloud SQL answers every write with: work that goes on, and may yet fail.
// A nil one is none, or one that is no longer known.
type operation struct{ *sqladmin.Operation }

// operation reads the operation that the request names.
func (d *instances) operation(ctx context.Context, req *request) (*operation, error) {
	if req.Operation == "" {
		return nil, nil
	}
	op, err := session.Do(ctx, d.Caller, "operations.get", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Operations.Get(d.Project, req.Operation).Context(ctx).Do()
	})
	switch driver.CodeOf(err) {
	case driver.NotFound, driver.Invalid:
		return nil, nil // a name is a hint; without it the instance itself tells enough
	}
	if err != nil {
		return nil, err
	}
	if op.TargetId != "" && op.TargetId != req.Name && op.OperationType != createReplica { // which is one of the primary
		return nil, nil
	}
	return &operation{op}, nil
}

// begun returns the name of an operation that a write began and that has to be waited for, or why it failed. What concerns databases
// and users is usually done with the answer.
func begun(started *sqladmin.Operation) (string, error) {
	op := &operation{started}
	return op.underWay(), op.err()
}

// underWay returns the name of an operation that is not done.
func (o *operation) underWay() string {
	if o == nil || o.Status == "DONE" {
		return ""
	}
	return o.Name
}

func (o *operation) kind() string {
	if o == nil {
		return ""
	}
	return o.OperationType
}

// createReplica is the operation that makes a read replica. The recordings show that its target is the primary, with its project.
const createReplica = "CREATE_REPLICA"

// works are what operations do, in plain words. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/operations#SqlOperationType
var works = map[string]string{
	"BACKUP_VOLUME":   "taking a backup",
	"CREATE":          "creating it",
	"CREATE_DATABASE": "creating a database",
	createReplica:     "creating it",
	"CREATE_USER":     "creating a user",
	"DELETE":          "deleting it",
	"DELETE_BACKUP":   "deleting a backup",
	"DELETE_DATABASE": "deleting a database",
	"DELETE_USER":     "deleting a user",
	"EXPORT":          "exporting its data",
	"FAILOVER":        "failing over",
	"IMPORT":          "importing data",
	"MAINTENANCE":     "maintaining it",
	preCheck:          "looking for what is in the way of an upgrade",
	"PROMOTE_REPLICA": "promoting it",
	"RESTART":         "restarting it",
	"RESTORE_VOLUME":  "restoring a backup",
	"UPDATE":          "applying a change",
	"UPDATE_USER":     "setting the password of a user",
}

// work returns what Cloud SQL is at work on, and since when: since the operation was asked for.
func (o *operation) work() driver.Work {
	if o.underWay() == "" {
		return driver.Work{}
	}
	w := driver.Work{What: works[o.OperationType]}
	if w.What == "" {
		w.What = strings.ToLower(strings.ReplaceAll(o.OperationType, "_", " "))
	}
	if since, err := time.Parse(time.RFC3339, o.InsertTime); err == nil {
		w.Since = since
	}
	return w
}

// operationCodes says what the codes of failed operations mean. They are many, and few are documented.
var operationCodes = []struct {
	part string
	code driver.Code
}{
	{"STOCKOUT", driver.Capacity},
	{"POOL_EXHAUSTED", driver.Capacity},
	{"QUOTA", driver.Quota},
	{"LIMIT_EXCEEDED", driver.Quota},
	{"RESOURCE_EXHAUSTED", driver.Quota},
	{"PERMISSION", driver.Denied},
	{"INVALID", driver.Invalid},
	{"NOT_FOUND", driver.NotFound},
	{"UNAVAILABLE", driver.Unavailable},
	{"TIMEOUT", driver.Unavailable},
}

// err returns why the operation failed as an error, nil if it did not.
func (o *operation) err() error {
	if failure := o.failure(); failure != nil {
		return failure
	}
	return nil
}

// failure returns why the operation failed, nil if it did not.
func (o *operation) failure() *driver.Error {
	if o == nil || o.Status != "DONE" || o.Error == nil || len(o.Error.Errors) == 0 {
		return nil
	}
	first := o.Error.Errors[0]
	e := &driver.Error{Code: driver.Internal, Op: strings.ToLower(o.OperationType), Message: first.Message}
	if e.Message == "" {
		e.Message = "Cloud SQL gives no reason except " + first.Code
	}
	for _, known := range operationCodes {
		if strings.Contains(strings.ToUpper(first.Code), known.part) {
			e.Code = known.code
			break
		}
	}
	switch {
	case o.OperationType == "CREATE" || o.OperationType == createReplica: // the instance stays as it is, and can't be changed
		e.Message = strings.TrimSuffix(e.Message, ".") + "; the instance that failed stays in Cloud SQL: delete this object, and create it again once the cause is put right"
		if e.Code == driver.Capacity {
			e.Message += ", or with another tier or location"
		}
	case e.Code == driver.Capacity:
		e.Message = strings.TrimSuffix(e.Message, ".") + "; choose another tier, or wait: Mooring retries"
	}
	return e
}
