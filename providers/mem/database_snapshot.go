package mem

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// KindDatabaseSnapshot is the kind of snapshots of databases.
const KindDatabaseSnapshot Kind = "DatabaseSnapshot"

// A DatabaseSnapshot is a snapshot of a database, which may be gone. A final one is one without a mark.
type DatabaseSnapshot struct {
	Object
	// Spec are its fields but for the tags, of which there are none yet.
	Spec v1alpha1.DatabaseSnapshotParameters
	// Location is where it is, Source what it was taken of, and Of what that was.
	Location string
	Source   driver.ParentRef
	Of       v1alpha1.DatabaseParameters
	// Username and Password are the administrator's, and Users the others that were within it.
	Username, Password string
	Users              map[string]User
	Taken              time.Time

	ready  time.Time
	failed bool
}

func (s *DatabaseSnapshot) clone() *DatabaseSnapshot {
	out := *s
	out.Labels, out.Spec, out.Of, out.Users = maps.Clone(s.Labels), *s.Spec.DeepCopy(), *s.Of.DeepCopy(), maps.Clone(s.Users)
	return &out
}

func (s *DatabaseSnapshot) object() *Object                            { return &s.Object }
func (s *DatabaseSnapshot) spec() *v1alpha1.DatabaseSnapshotParameters { return &s.Spec }

// state returns the state of a snapshot, of which there may be none.
func (s *DatabaseSnapshot) state(now time.Time) driver.State {
	switch {
	case s == nil:
		return driver.Absent
	case now.Before(s.ready):
		return driver.Pending
	case s.failed:
		return driver.Failed
	}
	return driver.Ready
}

// isFinalOf reports whether there is a snapshot, and it is one that the deletion of a database took.
func (s *DatabaseSnapshot) isFinalOf(d *Database) bool {
	return s != nil && s.Source.ID == d.ID && driver.MarkFrom(s.Labels).Zero()
}

// Snapshots returns the snapshots of databases of a cloud.
func Snapshots(c *Cloud) *Objects[DatabaseSnapshot] {
	return objectsOf(c, storage[DatabaseSnapshot]{kind: KindDatabaseSnapshot, object: (*DatabaseSnapshot).object, clone: (*DatabaseSnapshot).clone})
}

// snapshotKind is what the driver has of snapshots.
var snapshotKind = table.Kind[session]{
	Name: string(KindDatabaseSnapshot),
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Memory", Name: driver.NameRule{MaxLength: 63}, Fields: snapshotTable.Docs(), Source: string(KindDatabase),
			Ownership: driver.OwnedByTags, Capabilities: driver.Capabilities{List: true}, Consequences: driver.Consequences{Noun: "snapshot"},
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, func(from, to v1alpha1.DatabaseSnapshotParameters, applied driver.Applied) []driver.Change {
			return snapshotTable.Preview(&from, &to, applied, &DatabaseSnapshot{})
		})
	},
	Handler: func(s session) table.Handler { return table.Handle(newSnapshots(s)) },
}

var snapshotFields = fields[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot]{asked: (*DatabaseSnapshot).spec, live: (*DatabaseSnapshot).spec}

// snapshotTable has the fields of a snapshot. Those that are not here are plain.
var snapshotTable = snapshotFields.table(nil,
	tags(func(s *v1alpha1.DatabaseSnapshotParameters) map[string]v1alpha1.TagValue { return s.Tags }, (*DatabaseSnapshot).object),
)

type (
	snapshotRequest = table.Request[v1alpha1.DatabaseSnapshotParameters]
	snapshotParams  = params[v1alpha1.DatabaseSnapshotParameters]
	snapshotAdapter = table.Adapter[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot, snapshotParams]
)

// snapshots manages snapshots.
type snapshots struct {
	manager[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot]
	databases *Objects[Database]
}

func newSnapshots(s session) *snapshotAdapter {
	m := &snapshots{manager[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot]{session: s, objects: Snapshots(s.cloud), spec: (*DatabaseSnapshot).spec}, Databases(s.cloud)}
	m.update = func(_, next *DatabaseSnapshot, _ hits) string { m.objects.put(next); return "" }
	return &snapshotAdapter{
		Table: snapshotTable, Noun: "snapshot", ReadCall: string(OpObserve) + string(KindDatabaseSnapshot),
		Read: m.read, State: m.state,
		Tags: func(p *snapshotParams) *table.Delta { return &p.Tags },
		Make: m.make, Taken: every,
		Parts: []table.Part[v1alpha1.DatabaseSnapshotParameters, DatabaseSnapshot, snapshotParams]{{Write: m.write, Taken: every, Blind: true}},
		Whole: whole, Listing: m.listing(), Remove: m.remove,
	}
}

// state is what a snapshot says of itself.
func (m *snapshots) state(_ *snapshotRequest, s *DatabaseSnapshot, o *driver.Observation) {
	o.State, o.ID, o.Location, o.Mark = s.state(m.cloud.opts.Now()), s.ID, s.Location, driver.MarkFrom(s.Labels)
	o.Available = o.State == driver.Ready
	if o.State == driver.Failed {
		o.Problem = lateFailure
	}
	o.SnapshotDetails = &driver.SnapshotDetails{
		Source: s.Source.Name, Taken: s.Taken, Engine: string(value(s.Of.Engine)), Version: value(s.Of.Version), Encrypted: true,
		Username: s.Username,
	}
	if e := s.Of.Encryption; e != nil {
		o.SnapshotDetails.Key = value(e.Key)
	}
	if disk := s.Of.Storage; disk != nil {
		o.SnapshotDetails.SizeGiB = value(disk.SizeGiB)
	}
}

// make takes a snapshot of the database that the request names.
func (m *snapshots) make(ctx context.Context, req *snapshotRequest, p *snapshotParams) (driver.Result, error) {
	var result driver.Result
	err := m.call(ctx, OpCreate, req.Name, func(call *Call, h hits) error {
		d := m.databases.own(m.account, req.Parent.Name)
		switch {
		case m.objects.find(m.account, req.Name) != nil:
			return fail(call, driver.Conflict, "a snapshot of that name exists")
		case d == nil, req.Parent.ID != "" && d.ID != req.Parent.ID:
			return fail(call, driver.NotFound, "there is no database %q", req.Parent.Name)
		case d.work.phase != resting:
			return fail(call, driver.Busy, "the cloud is at work on the database")
		}
		s := snapshotOf(d, req.Name, m.cloud.opts, h)
		s.Labels = merge(nil, p.Tags)
		m.objects.put(s)
		result.ID = s.ID
		return nil
	})
	return orZero(result, err)
}

// snapshotOf returns a snapshot of a database that begins now.
func snapshotOf(d *Database, name string, opts Options, h hits) *DatabaseSnapshot {
	now := opts.Now()
	return &DatabaseSnapshot{
		Object: Object{Account: d.Account, Name: name}, Location: value(d.Spec.Location), Source: driver.ParentRef{Name: d.Name, ID: d.ID},
		Of: *d.Spec.DeepCopy(), Username: d.Username, Password: d.Password, Users: maps.Clone(d.Users), Taken: now, ready: now.Add(opts.SnapshotFor), failed: h.main.Kind == FailLate,
	}
}

// remove deletes a snapshot.
func (m *snapshots) remove(ctx context.Context, req *snapshotRequest) (driver.Result, error) {
	err := m.call(ctx, OpDelete, req.Name, func(call *Call, _ hits) error {
		s, err := m.own(call)
		switch {
		case s == nil || err != nil:
			return err
		case s.state(m.cloud.opts.Now()) == driver.Pending:
			return fail(call, driver.Busy, "the cloud is taking the snapshot")
		}
		m.objects.remove(s)
		return nil
	})
	return driver.Result{}, err
}
