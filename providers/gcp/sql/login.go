package sql

import (
	"context"
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// managedPasswordLack: users.insert and users.update take a password, and no call has Cloud SQL make or keep one.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/users
var managedPasswordLack = driver.CloudManagedLack("Cloud SQL neither makes nor keeps passwords: whoever creates a user names the password")

// A login is an administrator, as Cloud SQL names one.
type login struct {
	name string
	host string // MySQL: where it may come from
	// builtin: every instance of the engine has it.
	builtin bool
}

// loginOf returns the administrator. Users that the API makes have the rights of the builtin one.
// https://cloud.google.com/sql/docs/mysql/users
// https://cloud.google.com/sql/docs/postgres/users
func loginOf(req *request, engine v1alpha1.Engine) login {
	l := login{name: "postgres"}
	if engine == v1alpha1.EngineMySQL {
		l = login{name: "root", host: "%"}
	}
	l.builtin = req.Login.Username == "" || req.Login.Username == l.name
	if !l.builtin {
		l.name = req.Login.Username
	}
	return l
}

// is reports whether a user is the administrator.
func (l login) is(u *sqladmin.User) bool {
	return u.Name == l.name && (u.Host == l.host || u.Host == "")
}

// rootPassword returns the password that the builtin administrator is made with. It must have one: MySQL's
// root may connect from anywhere. If another administrator is asked for nobody gets to know it.
func rootPassword(req *request) string {
	engine := v1alpha1.EnginePostgres
	if req.Spec.Engine != nil {
		engine = *req.Spec.Engine
	}
	if loginOf(req, engine).builtin {
		return req.Login.Password
	}
	return driver.NewPassword(loginOf(&request{}, engine).name)
}

const usernameInstead = "put the earlier name back, and make further users in SQL"

// administrators looks after the administrators of databases.
type administrators struct{ of *instances }

// lookForLogin reports an administrator that is still to be made, and what is gone of what was made once.
func (a administrators) lookForLogin(ctx context.Context, req *request, have *instance, o *driver.Observation) error {
	d := a.of
	if err := a.lookForUser(ctx, req, have, o); err != nil {
		return err
	}
	d.recorded.lookAgain(ctx, d, req, have, o)
	return nil
}

// lookForUser reports an administrator that is still to be made, as a change. It is looked for once:
// when Applied names it, it was made (see lookAgain).
func (a administrators) lookForUser(ctx context.Context, req *request, have *instance, o *driver.Observation) error {
	d := a.of
	l, before := loginOf(req, have.engine()), req.Applied[driver.FieldUsername]
	if l.builtin {
		o.Fixed[driver.FieldUsername] = l.name
		return nil
	}
	if len(before) > 0 {
		o.Applied[driver.FieldUsername], o.Fixed[driver.FieldUsername] = slices.Clone(before), before[0]
	}
	if slices.Contains(before, l.name) {
		return nil
	}
	change := driver.Change{Field: driver.FieldUsername, To: l.name, Effect: driver.Online}
	if len(before) > 0 {
		change.From, change.Effect = before[0], driver.Impossible
		change.Why = "the administrator was made under another name: " + usernameInstead
		o.Changes = append(o.Changes, change)
		return nil
	}
	if req.Deletion != nil || o.State == driver.Deleting {
		return nil // no call is made for it
	}
	if !running(have) {
		if have.State == "PENDING_CREATE" {
			o.Changes = append(o.Changes, change)
		} else {
			o.Unreadable = append(o.Unreadable, driver.FieldError{Field: driver.FieldUsername, Err: notRunning})
		}
		return nil
	}
	users, err := session.Do(ctx, d.Caller, "users.list", func(ctx context.Context) (*sqladmin.UsersListResponse, error) {
		return d.sql.Users.List(d.Project, req.Name).Context(ctx).Do()
	})
	if session.MayPass(err) {
		return err
	}
	if err != nil {
		o.Unreadable = append(o.Unreadable, driver.FieldError{Field: driver.FieldUsername, Err: driver.ErrorOf(err)})
		return nil
	}
	if slices.ContainsFunc(users.Items, l.is) {
		d.recorded.saw(req.Name, recordedUser, d.Now())
		o.Applied[driver.FieldUsername], o.Fixed[driver.FieldUsername] = []string{l.name}, l.name
		return nil
	}
	o.Changes = append(o.Changes, change)
	return nil
}

// setLogin makes the administrator, or sets its password.
func (a administrators) setLogin(ctx context.Context, req *request, have *instance, _ *instanceParams, changes []driver.Change) (string, error) {
	makes := slices.Contains(driver.Names(changes), driver.FieldUsername)
	operation, err := a.writeUser(ctx, req, loginOf(req, have.engine()), makes)
	if err == nil {
		a.of.recorded.saw(req.Name, recordedUser, a.of.Now())
	}
	return operation, err
}

// writeUser makes a user if it is to be made and not there yet, or sets its password.
func (a administrators) writeUser(ctx context.Context, req *request, l login, makes bool) (string, error) {
	if makes && !l.builtin {
		operation, err := a.insertUser(ctx, req, l)
		if driver.CodeOf(err) != driver.Conflict {
			return operation, err
		}
	}
	return a.updateUser(ctx, req, l)
}

func (a administrators) insertUser(ctx context.Context, req *request, l login) (string, error) {
	d := a.of
	started, err := session.Do(ctx, d.Caller, "users.insert", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Users.Insert(d.Project, req.Name, &sqladmin.User{Name: l.name, Host: l.host, Password: req.Login.Password}).Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return begun(started)
}

func (a administrators) updateUser(ctx context.Context, req *request, l login) (string, error) {
	d := a.of
	started, err := session.Do(ctx, d.Caller, "users.update", func(ctx context.Context) (*sqladmin.Operation, error) {
		call := d.sql.Users.Update(d.Project, req.Name, &sqladmin.User{Name: l.name, Host: l.host, Password: req.Login.Password}).Name(l.name)
		if l.host != "" {
			call = call.Host(l.host)
		}
		return call.Context(ctx).Do()
	})
	if err != nil {
		return "", err
	}
	return begun(started)
}
