package mem

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

type (
	databaseRequest = table.Request[databaseParameters]
	databaseParams  = params[databaseParameters]
	databaseAdapter = table.Adapter[databaseParameters, Database, databaseParams]
)

// databases manages databases.
type databases struct {
	manager[databaseParameters, Database]
	snapshots *Objects[DatabaseSnapshot]
}

func newDatabases(s session) *databaseAdapter {
	d := &databases{manager[databaseParameters, Database]{session: s, objects: Databases(s.cloud), spec: (*Database).spec}, Snapshots(s.cloud)}
	d.busy = func(call *Call, have *Database) error {
		if have.work.phase != resting {
			return fail(call, driver.Busy, "the cloud is at work on the database")
		}
		return nil
	}
	d.setPassword = d.password
	d.entries = changeParameters
	d.refuses = func(call *Call, have *Database, c driver.Change) error {
		if whileStopped(have, []driver.Change{c})[0].NeedsRunning {
			return fail(call, driver.Busy, "the database is stopped")
		}
		return nil
	}
	d.update = func(have, next *Database, h hits) string {
		next.was = have
		next.switchPower()
		return d.begin(next, modifying, h)
	}
	return &databaseAdapter{
		Table: databaseTable, Noun: "database", ReadCall: string(OpObserve) + string(KindDatabase), Fixed: true,
		Read: d.read, State: d.stateOf, Following: &table.Following[databaseParameters, Database]{Withheld: withheld, Promote: d.promote, Lag: lagOf}, Login: login, Snapshot: d.snapshot, Restorable: d.restorable,
		Support: func(_ context.Context, have *Database) *driver.Support { return new(have.Support) },
		Tags:    func(p *databaseParams) *table.Delta { return &p.Tags },
		Manage:  func(*databaseParams, bool) {}, // the request and the changes say it
		Make:    d.make, Taken: every,
		Review: func(_ *databaseRequest, have *Database, o *driver.Observation) {
			o.Changes = whileStopped(have, o.Changes)
		},
		Parts: []table.Part[databaseParameters, Database, databaseParams]{
			{Write: d.write, Taken: every, Blind: true},
			{Fields: []string{driver.FieldPowerState}, Write: d.write, Taken: table.Names{"Spec"}, Blind: true, Later: true},
		},
		Whole: whole, Listing: d.listing(), Remove: d.remove,
		Actions: d.actions, Act: d.act,
	}
}

// password makes the change of the administrator's password that a request has.
func (m *databases) password(call *Call, req *databaseRequest, have, next *Database) error {
	why := passwords[0].Check(req.Login.Password)
	switch {
	case have.Stopped: // which takes no change of it
		return fail(call, driver.Busy, "the database is stopped")
	case have.Follows != (driver.ParentRef{}):
		return fail(call, driver.Invalid, "a replica has the password of the database that it follows")
	case req.Password == driver.SetPassword && have.Secret != "":
		return fail(call, driver.Conflict, "the cloud manages the administrator's password")
	case req.Password.Sets() && why != "":
		return fail(call, driver.Invalid, "the administrator's password: %s", why)
	case req.Password == driver.HandOverPassword:
		m.manage(next)
		return nil
	case req.Password.Sets():
		next.Password, next.Secret, next.SecretProblem = req.Login.Password, "", ""
		return nil
	default:
		return fail(call, driver.Invalid, "there is no change of the password %q", string(req.Password))
	}
}

// manage has the cloud make a password and keep it.
func (m *databases) manage(d *Database) {
	d.Secret = "secret:" + m.cloud.next("secret")
	d.Password = rand.Text()
}

// changeParameters makes a change of parameters. The call names what is set; the rest follows from the change and the spec.
func changeParameters(next *Database, req *databaseRequest, set *databaseParameters, c driver.Change) {
	before := next.Spec.Parameters
	next.Spec.Parameters = maps.Clone(before)
	if next.Spec.Parameters == nil {
		next.Spec.Parameters = map[string]v1alpha1.ParameterValue{}
	}
	for name := range before {
		_, wanted := req.Spec.Parameters[name]
		planned := len(c.Names) == 0 || slices.Contains(c.Names, name)
		if !wanted && planned && (slices.Contains(c.Remove, name) || portable.ExactParameters(&req.Spec)) {
			delete(next.Spec.Parameters, name)
		}
	}
	maps.Copy(next.Spec.Parameters, set.Parameters)
}

// stateOfDatabase is what a database says of itself.
func stateOfDatabase(_ *databaseRequest, d *Database, o *driver.Observation) {
	o.State, o.ID, o.Location, o.Mark = d.state(), d.ID, value(d.Spec.Location), driver.MarkFrom(d.Labels)
	o.Operation, o.Problem = d.work.operation, d.Problem
	o.Protected, o.Stopped = value(d.Spec.DeletionProtection), d.Stopped // as asked, like the changes
	o.Login = &driver.LoginState{CloudManaged: d.Secret != "", PasswordProblem: d.SecretProblem}
	up := d.Problem == "" && (d.work.phase == resting || d.work.phase == modifying)
	o.Available = up && !d.Stopped
	if up {
		engine := value(d.Spec.Engine)
		o.Endpoint = driver.Endpoint{
			Host: d.Name + "." + o.Location + ".mem.invalid", Port: portOf(engine),
			Username: d.Username, Database: value(d.Spec.DatabaseName), Certificates: certificates,
		}
		if d.live().Secret == d.Secret {
			o.Endpoint.PasswordSecret = d.Secret
		}
		if o.Endpoint.Database == "" && engine == v1alpha1.EnginePostgres {
			o.Endpoint.Database = "postgres"
		}
	}
}

// certificates stands for the authorities that sign servers' certificates.
const certificates = "-----BEGIN CERTIFICATE-----\nbWVt\n-----END CERTIFICATE-----\n"

// login compares the administrator, who can't change.
func login(_ context.Context, req *databaseRequest, d *Database, o *driver.Observation) error {
	o.Fixed[driver.FieldUsername] = d.Username
	if want := req.Login.Username; want != "" && want != d.Username {
		o.Changes = append(o.Changes, driver.Change{
			Field: driver.FieldUsername, From: d.Username, To: want, Effect: driver.Impossible, Why: usernameInstead,
		})
	}
	return nil
}

// snapshot looks for the final snapshot.
func (m *databases) snapshot(ctx context.Context, req *databaseRequest) (state driver.State, problem string, err error) {
	err = m.call(ctx, OpSnapshot, req.Deletion.Snapshot, func(*Call, hits) error {
		state = m.snapshots.own(m.account, req.Deletion.Snapshot).state(m.cloud.opts.Now())
		return nil
	})
	return state, "", err
}

// restorable returns the newest snapshot of a database that is gone. Another object's snapshot is not for this one.
func (m *databases) restorable(ctx context.Context, req *databaseRequest) (*driver.Restorable, error) {
	var states []driver.SavedState
	err := m.call(ctx, OpSnapshot, req.Name, func(*Call, hits) error {
		for k := range m.snapshots.slots {
			s := m.snapshots.at(k)
			state := s.state(m.cloud.opts.Now())
			if s == nil || s.Account != m.account || s.Source.ID != req.Vanished.ID || state != driver.Ready && state != driver.Pending || !driver.MarkFrom(s.Labels).Leaves(req.Mark, true) {
				continue
			}
			var o driver.Observation
			(&snapshots{manager: manager[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot]{session: m.session}}).state(nil, s, &o)
			states = append(states, driver.SavedState{
				Complete: state == driver.Ready, Details: *o.SnapshotDetails, From: driver.Restore{Snapshot: s.Name, SnapshotID: s.ID, Time: s.Taken},
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return table.NewestOf(*req.Vanished, states), nil
}

// make creates a database.
func (m *databases) make(ctx context.Context, req *databaseRequest, p *databaseParams) (driver.Result, error) {
	var result driver.Result
	err := m.call(ctx, OpCreate, req.Name, func(call *Call, h hits) error {
		switch {
		case m.objects.find(m.account, req.Name) != nil:
			return fail(call, driver.Conflict, "a database of that name exists")
		case req.Spec.Engine == nil || req.Spec.Version == nil:
			return fail(call, driver.Invalid, "engine and version are required")
		case req.Restore != nil: // its administrator has a password
		case req.Login.Password == "" && !req.CloudManaged:
			return fail(call, driver.Invalid, "the administrator needs a password")
		case passwords[0].Check(req.Login.Password) != "" && !req.CloudManaged:
			return fail(call, driver.Invalid, "the administrator's password: %s", passwords[0].Check(req.Login.Password))
		}
		d := &Database{
			Object: Object{Account: m.account, Name: req.Name, Labels: merge(nil, p.Tags)}, Spec: p.Spec,
			Username: req.Login.Username, Password: req.Login.Password,
		}
		d.Spec.Location = new(m.locationOf(req.Spec.Location, req.Location))
		d.Spec.PowerState = nil // a new server runs
		choose(&d.Spec)
		if d.Username == "" {
			d.Username = usualUsername(*d.Spec.Engine)
		}
		if req.Restore != nil {
			if err := m.restore(call, req, d); err != nil {
				return err
			}
		}
		if req.CloudManaged && req.Restore == nil {
			m.manage(d)
		}
		result.Operation = m.begin(d, creating, h)
		result.ID = d.ID
		return nil
	})
	return orZero(result, err)
}

// restore makes a new database what a snapshot was taken of, but for what its spec declares.
func (m *databases) restore(call *Call, req *databaseRequest, d *Database) error {
	if req.Restore.Follows {
		return m.follow(call, req, d)
	}
	if req.Restore.Snapshot == "" {
		return fail(call, driver.Unsupported, "the cloud restores snapshots, and no points in time")
	}
	s := m.snapshots.own(m.account, req.Restore.Snapshot)
	switch state := s.state(m.cloud.opts.Now()); {
	case state == driver.Absent, req.Restore.SnapshotID != "" && s.ID != req.Restore.SnapshotID, req.Restore.Vanished != "" && s.Source.ID != req.Restore.Vanished:
		return fail(call, driver.NotFound, "there is no snapshot %q", req.Restore.Snapshot)
	case state == driver.Pending:
		return fail(call, driver.Busy, "the cloud is taking the snapshot")
	case state != driver.Ready:
		return fail(call, driver.Invalid, "the snapshot failed")
	case value(s.Of.Engine) != value(d.Spec.Engine):
		return fail(call, driver.Invalid, "the snapshot is of the engine %s", value(s.Of.Engine))
	}
	d.Username, d.Password, d.Users = s.Username, s.Password, maps.Clone(s.Users)
	d.Spec.Version, d.Spec.DatabaseName, d.Spec.Encryption = s.Of.Version, s.Of.DatabaseName, s.Of.Encryption.DeepCopy()
	if disk := s.Of.Storage; disk != nil && (d.Spec.Storage.SizeGiB == nil || *d.Spec.Storage.SizeGiB < value(disk.SizeGiB)) {
		fieldpath.Set(&d.Spec, "storage.sizeGiB", value(disk.SizeGiB))
	}
	return nil
}

// remove deletes a database.
func (m *databases) remove(ctx context.Context, req *databaseRequest) (driver.Result, error) {
	var result driver.Result
	err := m.call(ctx, OpDelete, req.Name, func(call *Call, h hits) error {
		d, err := m.own(call)
		switch {
		case err != nil:
			return err
		case d == nil || d.work.phase == deleting:
			return nil
		case d.work.phase != resting:
			return fail(call, driver.Busy, "the cloud is at work on the database")
		case value(d.Spec.DeletionProtection):
			return fail(call, driver.Protected, "deletion protection is on")
		}
		if req.Deletion != nil && req.Deletion.Snapshot != "" && d.Follows == (driver.ParentRef{}) {
			if err := m.takeSnapshot(call, d, req.Deletion.Snapshot, h); err != nil {
				return err
			}
		}
		result = driver.Result{ID: d.ID, Operation: m.begin(d.clone(), deleting, h)}
		return nil
	})
	return orZero(result, err)
}

// takeSnapshot starts the final snapshot of a database. One that an earlier try of its deletion took is that: a deletion may fail after it.
func (m *databases) takeSnapshot(call *Call, d *Database, name string, h hits) error {
	switch taken := m.snapshots.find(m.account, name); {
	case d.Problem != "":
		return fail(call, driver.Invalid, "a database that never worked can't take a final snapshot")
	case taken.isFinalOf(d) && taken.state(m.cloud.opts.Now()) == driver.Pending:
		return fail(call, driver.Busy, "the cloud is taking the final snapshot")
	case taken.isFinalOf(d) && !taken.failed:
		return nil
	case taken != nil && !taken.failed:
		return fail(call, driver.Conflict, "a snapshot of the name %q exists", name)
	}
	taken := snapshotOf(d, name, m.cloud.opts, h)
	taken.failed = false // of a deletion that fails it is the deletion that does
	m.snapshots.put(taken)
	return nil
}

// begin starts a piece of work on next, which takes the place of the database of its name.
func (m *databases) begin(next *Database, p phase, h hits) (operation string) {
	lasts := map[phase]time.Duration{creating: m.cloud.opts.CreateFor, modifying: m.cloud.opts.ModifyFor, deleting: m.cloud.opts.DeleteFor}
	operation = m.cloud.next("operation")
	next.work = work{phase: p, until: m.cloud.opts.Now().Add(lasts[p]), operation: operation, doomed: h.main.Kind == FailLate}
	m.objects.put(next)
	return operation
}
