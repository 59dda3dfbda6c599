package mem

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/table"
)

// KindUser is the kind of users, which are within databases. It is there to try what holds of kinds with a parent: only a cloud whose
// Options say how users are owned has it, and the API has no such kind.
const KindUser Kind = "User"

// UserParameters are the spec of a user.
type UserParameters struct {
	// Role is what the user may do.
	Role *string `json:"role,omitempty"`
	// Limit is how many connections the user may have.
	Limit *int32 `json:"limit,omitempty"`
}

// A User is a user of a database. It is in Database.Users by its name, and has no ID.
type User struct {
	Spec UserParameters
	// Registered are the labels of the mark that the database's table of owners has of the user, where users are owned by that.
	Registered map[string]string
}

// foundUser is a user, and where it is.
type foundUser struct {
	*User
	in *Database
}

func (u *foundUser) spec() *UserParameters { return &u.Spec }

var userFields = fields[UserParameters, foundUser]{asked: (*foundUser).spec, live: (*foundUser).spec}

// userTable has the fields of a user, which are all plain.
var userTable = userFields.table(nil)

// userKind returns what the driver has of users.
func userKind(owned driver.Ownership) table.Kind[session] {
	return table.Kind[session]{
		Name: string(KindUser),
		Resource: func() driver.Resource {
			r := driver.Resource{
				Title: "Memory", Name: driver.NameRule{MaxLength: 63}, Fields: userTable.Docs(), Parent: string(KindDatabase), Ownership: owned,
				Connection: driver.Connection{Type: "user", Scheme: "user"}, Consequences: driver.Consequences{Noun: "user"},
			}
			if owned == driver.OwnedByRegistry {
				r.Registry = "the table of owners in the database"
			}
			return r
		},
		Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
			return table.PreviewOf(from, to, applied, func(from, to UserParameters, applied driver.Applied) []driver.Change {
				return userTable.Preview(&from, &to, applied, &foundUser{User: &User{}})
			})
		},
		Handler: func(s session) table.Handler { return table.Handle(newUsers(s, owned)) },
	}
}

type (
	userRequest = table.Request[UserParameters]
	userParams  = params[UserParameters]
	userAdapter = table.Adapter[UserParameters, foundUser, userParams]
)

// users manages users.
type users struct {
	session
	databases *Objects[Database]
}

func newUsers(s session, owned driver.Ownership) *userAdapter {
	u := &users{s, Databases(s.cloud)}
	a := &userAdapter{
		Table: userTable, Noun: "user", ReadCall: string(OpObserve) + string(KindUser),
		Read: u.read, State: stateOfUser, Make: u.make, Taken: every,
		Parts: []table.Part[UserParameters, foundUser, userParams]{{Write: u.write, Taken: every, Blind: true}},
		Whole: whole, Remove: u.remove,
	}
	if owned == driver.OwnedByRegistry {
		a.Tags = func(p *userParams) *table.Delta { return &p.Tags }
	}
	return a
}

// stateOfUser is what a user says of itself.
func stateOfUser(req *userRequest, u *foundUser, o *driver.Observation) {
	o.State, o.Available, o.Location, o.Mark = driver.Ready, true, value(u.in.Spec.Location), driver.MarkFrom(u.Registered)
	o.Endpoint = driver.Endpoint{Host: u.in.Name + "." + o.Location + ".mem.invalid", Username: req.Name}
}

func (m *users) call(ctx context.Context, op Op, name string, act func(call *Call, h hits) error) error {
	return m.session.call(ctx, Call{Account: m.account, Op: op, Kind: KindUser, Name: name}, act)
}

// parent returns the database of a request; nil if there is none of its name and ID, or if it is not there yet or any more.
func (m *users) parent(req *userRequest) *Database {
	d := m.databases.own(m.account, req.Parent.Name)
	switch {
	case d == nil, req.Parent.ID != "" && d.ID != req.Parent.ID, d.work.phase == creating, d.work.phase == deleting:
		return nil
	}
	return d
}

// read is table.Adapter.Read.
func (m *users) read(ctx context.Context, req *userRequest, o *driver.Observation) (have *foundUser, err error) {
	err = m.call(ctx, OpObserve, req.Name, func(call *Call, h hits) error {
		d := m.parent(req)
		if d == nil || h.main.Kind == Stale {
			return nil
		}
		if u, has := d.Users[req.Name]; has {
			have, o.Unreadable = &foundUser{&u, d}, h.unreadable(call)
		}
		return nil
	})
	return orZero(have, err)
}

// make creates a user.
func (m *users) make(ctx context.Context, req *userRequest, p *userParams) (driver.Result, error) {
	return driver.Result{}, m.call(ctx, OpCreate, req.Name, func(call *Call, _ hits) error {
		d := m.parent(req)
		if d == nil {
			return fail(call, driver.NotFound, "there is no database %s", req.Parent.Name)
		}
		if _, has := d.Users[req.Name]; has {
			return fail(call, driver.Conflict, "a user of that name exists")
		}
		m.put(d, req.Name, &User{Spec: p.Spec, Registered: p.Tags.Set})
		return nil
	})
}

// write is the table.Part.Write of all fields.
func (m *users) write(ctx context.Context, req *userRequest, _ *foundUser, p *userParams, changes []driver.Change) (string, error) {
	var failed table.FieldErrors
	err := m.call(ctx, OpUpdate, req.Name, func(call *Call, h hits) error {
		d := m.parent(req)
		if d == nil {
			return fail(call, driver.NotFound, "there is no database %s", req.Parent.Name)
		}
		u, has := d.Users[req.Name]
		if !has {
			return fail(call, driver.NotFound, "no such user")
		}
		for _, c := range changes {
			if err := h.field(FieldRefused, c.Field, call); err != nil {
				failed = append(failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(err)})
				continue
			}
			call.Fields = append(call.Fields, c.Field)
			if c.Field == driver.FieldMark {
				u.Registered = marked(u.Registered, req.Mark)
			} else if v, ok := fieldpath.Get(&p.Spec, c.Field); ok {
				fieldpath.Set(&u.Spec, c.Field, v.Interface())
			}
		}
		m.put(d, req.Name, &u)
		return nil
	})
	if err == nil && len(failed) > 0 {
		return "", failed
	}
	return "", err
}

// remove deletes a user, and with it what the table of owners has of it.
func (m *users) remove(ctx context.Context, req *userRequest) (driver.Result, error) {
	return driver.Result{}, m.call(ctx, OpDelete, req.Name, func(*Call, hits) error {
		if d := m.parent(req); d != nil {
			m.put(d, req.Name, nil)
		}
		return nil
	})
}

// put makes or replaces a user of a database, or removes it if u is nil.
func (m *users) put(d *Database, name string, u *User) {
	next := d.clone()
	if next.Users == nil {
		next.Users = map[string]User{}
	}
	if delete(next.Users, name); u != nil {
		next.Users[name] = User{u.Spec, maps.Clone(u.Registered)}
	}
	m.databases.put(next)
}
