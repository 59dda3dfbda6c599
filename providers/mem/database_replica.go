package mem

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// stateOf is table.Adapter.State.
func (m *databases) stateOf(req *databaseRequest, d *Database, o *driver.Observation) {
	stateOfDatabase(req, d, o)
	follows := d.live().Follows
	r := &driver.Replication{}
	if follows != (driver.ParentRef{}) {
		r.Follows = &driver.Following{Primary: follows.Name}
	}
	m.cloud.mu.Lock()
	defer m.cloud.mu.Unlock()
	for k := range m.objects.slots {
		other := m.objects.at(k)
		switch {
		case other == nil:
		case other.live().Follows.ID == d.ID:
			r.Followers = append(r.Followers, other.Name)
		case other.ID == follows.ID && value(other.Spec.Location) != o.Location:
			r.Follows.Location = value(other.Spec.Location)
		}
	}
	slices.Sort(r.Followers)
	o.Replication = r
}

// follow makes a new database one that follows another: it has the data, the administrator and the users of that, and no backups.
func (m *databases) follow(call *Call, req *databaseRequest, d *Database) error {
	of := m.objects.own(m.account, req.Restore.Source.Name)
	if of != nil {
		if err := req.Restore.RefusesSource("read", driver.MarkFrom(of.Labels)); err != nil {
			return err
		}
	}
	switch {
	case of == nil || of.ID != req.Restore.Source.ID, req.Restore.SourceLocation != "" && req.Restore.SourceLocation != value(of.Spec.Location):
		return fail(call, driver.NotFound, "there is no database %q to follow", req.Restore.Source.Name)
	case of.state() != driver.Ready || of.Stopped:
		return fail(call, driver.Busy, "the database %q takes no replica now", of.Name)
	case value(of.Spec.Engine) != value(d.Spec.Engine):
		return fail(call, driver.Invalid, "the database %q has the engine %s", of.Name, value(of.Spec.Engine))
	case of.Secret != "":
		return fail(call, driver.Invalid, "the cloud manages the password of %q, so it can't have replicas: set spec.credentials.source of its Database to Generated or SecretRef", of.Name)
	case value(of.Spec.Backup.RetentionDays) == 0 && of.Follows == (driver.ParentRef{}):
		return fail(call, driver.Invalid, "%q has no automatic backups, without which it can't have replicas: set spec.backup.retentionDays of its Database", of.Name)
	}
	d.Follows = driver.ParentRef{Name: of.Name, ID: of.ID}
	d.Username, d.Password, d.Users = of.Username, of.Password, maps.Clone(of.Users)
	d.Spec.Version, d.Spec.DatabaseName = of.Spec.Version, of.Spec.DatabaseName
	d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
	if value(d.Spec.Location) == value(of.Spec.Location) {
		d.Spec.Encryption = of.Spec.Encryption.DeepCopy()
	}
	fieldpath.Set(&d.Spec, "storage.sizeGiB", max(value(d.Spec.Storage.SizeGiB), value(of.Spec.Storage.SizeGiB)))
	return nil
}

// withheld is table.Following.Withheld: databases and logins are those of what it follows, it is of the same version, has no backups of its own, and is not stopped.
func withheld(_ *databaseRequest, _ *Database, c driver.Change) bool {
	return strings.HasPrefix(c.Field, "backup.") || slices.Contains([]string{"version", "databaseName", driver.FieldUsername, driver.FieldPowerState}, c.Field)
}

// lagOf is table.Following.Lag. It comes with the read.
func lagOf(_ context.Context, d *Database) *time.Duration {
	lag := d.live().Lag
	return &lag
}

// promote is table.Following.Promote.
func (m *databases) promote(ctx context.Context, req *databaseRequest, seen *Database) (operation string, err error) {
	if seen.Follows == (driver.ParentRef{}) {
		return "", nil // it is under way
	}
	err = m.call(ctx, OpUpdate, req.Name, func(call *Call, h hits) error {
		have, err := m.own(call)
		switch {
		case err != nil:
			return err
		case have == nil:
			return fail(call, driver.NotFound, "no such database")
		case m.busy(call, have) != nil:
			return m.busy(call, have)
		}
		if err := h.field(FieldRefused, string(driver.Promote), call); err != nil {
			return err
		}
		call.Fields = []string{string(driver.Promote)}
		next := have.alone()
		if of := m.objects.own(m.account, have.Follows.Name); of != nil && of.ID == have.Follows.ID {
			next.Password, next.Users = of.Password, maps.Clone(of.Users)
		}
		next.was = have
		operation = m.begin(next, modifying, h)
		return nil
	})
	return orZero(operation, err)
}

// alone returns a database that follows none any more.
func (d *Database) alone() *Database {
	next := d.clone()
	next.Follows, next.Lag = driver.ParentRef{}, 0
	return next
}

// leaderless reports whether the database that one follows is gone. The caller has the cloud's lock.
func (c *Cloud) leaderless(d *Database) bool {
	if d.Follows == (driver.ParentRef{}) {
		return false
	}
	all, _ := c.objects[KindDatabase].(*Objects[Database])
	of := all.own(d.Account, d.Follows.Name)
	return of == nil || of.ID != d.Follows.ID
}
