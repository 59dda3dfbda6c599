package sql

import (
	"fmt"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Level is what a user may do in one logical database.
type Level int

// The levels. The zero Level permits nothing.
const (
	ReadOnly  Level = 1 // reads tables
	ReadWrite Level = 2 // reads and writes rows
	Owner     Level = 3 // makes, alters and drops tables too
)

// String returns the name of the level as the API has it.
func (l Level) String() string {
	switch l {
	case ReadOnly:
		return "ReadOnly"
	case ReadWrite:
		return "ReadWrite"
	case Owner:
		return "Owner"
	}
	return "none"
}

// Wanted is what is declared for one database server. A Snapshot reads what concerns it, and nothing else is touched.
type Wanted struct {
	Databases []Database
	Users     []User
}

// A Database is a logical database.
type Database struct {
	Name string
	// Mark is written on what Mooring makes for the database, so that a later session recognizes it.
	Mark string
	// Adopt permits to take over roles of the fixed names that have no mark, or another one.
	Adopt bool
	// Made says that Mooring makes the database, or has made it. Its owner and what PUBLIC may do in it are managed
	// then.
	Made bool
	// Schemas are made if they are missing. None is dropped.
	Schemas []string
	// Extensions are installed. None is dropped.
	Extensions []Extension
	// Charset, Collation and Locale count at creation alone; empty for the server's default.
	Charset, Collation, Locale string
}

// An Extension is an extension of PostgreSQL. Version is empty for the server's default, and unmanaged then.
type Extension struct{ Name, Version string }

// A User is one application's user, with one login or two that alternate.
type User struct {
	// Name is the role or account that has the privileges. It logs in itself if it is the name of a Login too.
	Name string
	// Mark is written on what Mooring makes for the user.
	Mark string
	// Adopt permits to take over a role that has no mark, or another one: because the user says so, or because the caller's own record says that
	// Mooring made it, such as in the copy that a restore is.
	Adopt bool
	// Logins are all logins of the user. What else has the mark of the user is dropped.
	Logins []Login
	Access []Access
	// MemberOf are roles that exist on the server, and that the user is a member of.
	MemberOf []string
	// ConnectionLimit is how many connections each login may have; nil is unmanaged, -1 is no limit.
	ConnectionLimit *int
	// IAMRole makes a login authenticate by IAM: the role of PostgreSQL that does so, such as rds_iam, or the plugin of
	// MySQL, such as AWSAuthenticationPlugin. Empty for a login by password.
	IAMRole string
	// External says that the cloud makes and drops the logins: only privileges are managed.
	External bool
}

// A Login is what connects.
type Login struct {
	Name string
	// Verifier makes what the server checks a password by. It is called when the login is made, when a role becomes a
	// login or is taken over, and when Reset is set. Nil for IAM.
	Verifier func() (string, error)
	// Reset sets the verifier although the login exists.
	Reset bool
}

// An Access is a level in one logical database.
type Access struct {
	Database string
	Level    Level
	// Schemas restrict the access to schemas of PostgreSQL; empty for all of the database. An Owner can't be
	// restricted.
	Schemas []string
}

// A Difference is what differs between what is declared and what the server has, in words for people.
type Difference struct{ Name, From, To string }

// String returns the difference as one line.
func (d Difference) String() string { return fmt.Sprintf("%s: %s → %s", d.Name, d.From, d.To) }

// A Statement is one step. Its texts run in one transaction, unless there is only one.
type Statement struct {
	// Name says what the step does, without secrets.
	Name string
	// Database is where it runs; empty for the database of the session.
	Database string
	Texts    []string
	// Unless is a query of one boolean: if it is true, the step was done before.
	Unless string
	// Each is a query of numbers: the texts run once for each, which takes the place of %d. Empty for once.
	Each string
	// Disconnects says that the session ends its connections to other databases first.
	Disconnects bool
	// Refused are codes of the server that mean that there was nothing to do.
	Refused []string
	// Secrets are parts of the texts that no error may show.
	Secrets []string
}

// String returns the name. Texts may hold verifiers, so that they are never shown.
func (s Statement) String() string { return s.Name }

// GoString implements fmt.GoStringer for the same reason.
func (s Statement) GoString() string { return s.Name }

// A Plan is what Snapshot found for one user or one logical database.
type Plan struct {
	// Found says whether the role or database is on the server.
	Found bool
	// Mark is the mark that it has there; empty for none.
	Mark string
	// Differences and Statements are both empty if all is as declared.
	Differences []Difference
	Statements  []Statement
	// Notes are what is not as one may expect, and is not Mooring's to change, or can't be changed by this
	// administrator.
	Notes []string
	// Blocked names what stands in the way of a drop.
	Blocked []string
}

// Mend adds a difference, and the statements that mend it.
func (p *Plan) Mend(name, from, to string, statements ...Statement) {
	p.Differences = append(p.Differences, Difference{name, from, to})
	p.Statements = append(p.Statements, statements...)
}

// Note adds a sentence on what stays as it is.
func (p *Plan) Note(format string, arguments ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, arguments...))
}

// Invalid is the error of what is declared and no server takes.
func Invalid(format string, arguments ...any) error {
	return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf(format, arguments...)}
}

// Conflict is the error of a name that something else has.
func Conflict(format string, arguments ...any) error {
	return &driver.Error{Code: driver.Conflict, Message: fmt.Sprintf(format, arguments...)}
}

// Taken is the error of a name that belongs to something which was not made for the object.
func Taken(what, name string) error {
	return Conflict("%s %q exists on the server and is not made for this object: "+
		"set adoption to IfExists to take it over, or choose another name", what, name)
}

// Missing is the error of something that is not on the server.
func Missing(format string, arguments ...any) error {
	return &driver.Error{Code: driver.NotFound, Message: fmt.Sprintf(format, arguments...)}
}

// NotYet is the error of something that is not on the server, and may be there after a short time.
func NotYet(format string, arguments ...any) error {
	return &driver.Error{Code: driver.NotFound, Settling: true, Message: fmt.Sprintf(format, arguments...)}
}

// NotEmpty is the error of a logical database that is not dropped because of its tables.
func NotEmpty(name string) error {
	message := fmt.Sprintf("logical database %q has tables: set forceDestroy to drop them with it, or drop them first", name)
	return &driver.Error{Code: driver.NotEmpty, Message: message}
}
