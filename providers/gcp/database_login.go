package gcp

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

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
func loginOf(req databaseRequest, engine v1alpha1.Engine) login {
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

// rootPassword returns the password that the builtin administrator is made with. It must have one: MySQL's
// root may connect from anywhere. If another administrator is asked for nobody gets to know it.
func rootPassword(req databaseRequest) string {
	engine := v1alpha1.EnginePostgres
	if req.Spec.Engine != nil {
		engine = *req.Spec.Engine
	}
	if loginOf(req, engine).builtin {
		return req.Login.Password
	}
	return "aA1-" + rand.Text() // every class of characters that a policy may demand
}

const usernameInstead = "put the earlier name back, and make further users in SQL"

// lookForUser reports an administrator that is still to be made, as a change. It is looked for once:
// when Applied names it, it is there.
func (d *databases) lookForUser(ctx context.Context, req databaseRequest, have *instance, o *driver.Observation) error {
	l := loginOf(req, have.engine())
	if l.builtin {
		return nil
	}
	before := req.Applied[driver.FieldUsername]
	if slices.Contains(before, l.name) {
		o.Applied[driver.FieldUsername] = slices.Clone(before)
		return nil
	}
	change := field.Change{Field: driver.FieldUsername, To: l.name, Effect: field.Online}
	if len(before) > 0 {
		change.From, change.Effect = before[0], field.Impossible
		change.Why = "the administrator was made under another name: " + usernameInstead
		o.Applied[driver.FieldUsername] = slices.Clone(before)
		o.Changes = append(o.Changes, change)
		return nil
	}
	if !running(have) {
		if have.State == "PENDING_CREATE" {
			o.Changes = append(o.Changes, change)
		} else {
			o.Unreadable = append(o.Unreadable, notRunning(driver.FieldUsername))
		}
		return nil
	}
	users, err := do(ctx, d.session, "users.list", func(ctx context.Context) (*sqladmin.UsersListResponse, error) {
		return d.sql.Users.List(d.project, req.Name).Context(ctx).Do()
	})
	switch driver.CodeOf(err) {
	case driver.Throttled, driver.Unavailable:
		return err
	}
	if err != nil {
		o.Unreadable = append(o.Unreadable, driver.FieldError{Field: driver.FieldUsername, Err: driver.ErrorOf(err)})
		return nil //nolint:nilerr // told in Unreadable
	}
	for _, u := range users.Items {
		if u.Name == l.name && (u.Host == l.host || u.Host == "") {
			o.Applied[driver.FieldUsername] = []string{l.name}
			return nil
		}
	}
	o.Changes = append(o.Changes, change)
	return nil
}

// setLogin makes the administrator, or sets its password.
func (d *databases) setLogin(ctx context.Context, req databaseRequest, have *instance, changes []field.Change) (string, error) {
	l := loginOf(req, have.engine())
	if req.Login.Password == "" {
		return "", &driver.Error{Code: driver.Internal, Message: "no password was given for the administrator"}
	}
	if slices.Contains(field.Names(changes), driver.FieldUsername) && !l.builtin {
		name, err := d.insertUser(ctx, req, l)
		if driver.CodeOf(err) != driver.Conflict {
			return name, err
		}
	}
	return d.updateUser(ctx, req, l)
}

func (d *databases) insertUser(ctx context.Context, req databaseRequest, l login) (string, error) {
	started, err := do(ctx, d.session, "users.insert", func(ctx context.Context) (*sqladmin.Operation, error) {
		return d.sql.Users.Insert(d.project, req.Name, &sqladmin.User{Name: l.name, Host: l.host, Password: req.Login.Password}).Context(ctx).Do()
	})
	if err != nil {
		return "", redact(err, req.Login.Password)
	}
	name, err := begun(started)
	return name, redact(err, req.Login.Password)
}

func (d *databases) updateUser(ctx context.Context, req databaseRequest, l login) (string, error) {
	started, err := do(ctx, d.session, "users.update", func(ctx context.Context) (*sqladmin.Operation, error) {
		call := d.sql.Users.Update(d.project, req.Name, &sqladmin.User{Name: l.name, Host: l.host, Password: req.Login.Password}).Name(l.name)
		if l.host != "" {
			call = call.Host(l.host)
		}
		return call.Context(ctx).Do()
	})
	if err != nil {
		return "", redact(err, req.Login.Password)
	}
	name, err := begun(started)
	return name, redact(err, req.Login.Password)
}

// redact takes a password out of an error, should the cloud have put it into its answer.
func redact(err error, password string) error {
	var e *driver.Error
	if password == "" || !errors.As(err, &e) {
		return err
	}
	text := e.Error()
	if e.Err != nil {
		text += e.Err.Error()
	}
	if driver.Redact(text, password) == text {
		return err
	}
	return &driver.Error{Code: e.Code, Op: e.Op, RetryAfter: e.RetryAfter, Message: driver.Redact(e.Message, password)}
}
