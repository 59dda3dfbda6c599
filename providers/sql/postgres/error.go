package postgres

import (
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// causes is the error table of PostgreSQL, by SQLSTATE or by its class of two characters.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var causes = map[sql.State]sql.Cause{
	"08":    {Code: driver.Unavailable},
	"0A000": {Code: driver.Unsupported, Advice: "this server has no such feature"},
	"0LP01": {Code: driver.Denied, Advice: "the administrator may not grant this role: a person with ADMIN OPTION on it has to"},
	"0P000": {Code: driver.NotFound, Advice: "a role was dropped meanwhile"},
	"22023": {Code: driver.Invalid, Advice: "the server does not take this value"},
	"25006": {Code: driver.Busy, Advice: "the server is read-only: a read replica, or one whose disk is full", Transient: true},
	"28000": {Code: driver.Denied, Advice: "the server refuses this login: check that the role may log in, and by which method"},
	"28P01": {Code: driver.Denied, Advice: "the server refuses the password"},
	"2BP01": {Code: driver.Conflict, Advice: "something still depends on the role or database"},
	"3D000": {Code: driver.NotFound, Advice: "there is no such logical database"},
	"3F000": {Code: driver.NotFound, Advice: "there is no such schema"},
	"40":    {Code: driver.Busy, Advice: "another transaction was in the way; Mooring retries", Transient: true},
	"42501": {Code: driver.Denied, Advice: "the administrator may not do this: it has to be a member of the role that owns the object"},
	"42601": {Code: driver.Internal},
	"42602": {Code: driver.Invalid, Advice: "the server does not take this name"},
	"42622": {Code: driver.Invalid, Advice: "the name is too long"},
	"42704": {Code: driver.NotFound, Advice: "a role, a schema, a collation or a type was dropped meanwhile, or the server does not have it"},
	"42710": {Code: driver.Conflict, Advice: "a role or an extension of that name exists"},
	"42809": {Code: driver.Invalid, Advice: "the server does not have this locale or collation"},
	"42939": {Code: driver.Invalid, Advice: "the name is reserved: choose another"},
	"42P01": {Code: driver.NotFound, Advice: "a table was dropped meanwhile", Transient: true},
	"42P04": {Code: driver.Conflict, Advice: "a logical database of that name exists"},
	"42P06": {Code: driver.Conflict, Advice: "a schema of that name exists"},
	"53":    {Code: driver.Busy, Advice: "the server is short of memory, disk or connections", Transient: true},
	"53100": {Code: driver.Quota, Advice: "the disk of the server is full"},
	"53300": {Code: driver.Busy, Advice: "the server has no connection left", Transient: true},
	"55006": {Code: driver.Busy, Advice: "the object is in use", Transient: true},
	"55P03": {Code: driver.Busy, Advice: "another session has a lock on the object; Mooring retries", Transient: true},
	"57014": {Code: driver.Unavailable, Advice: "the statement took longer than Mooring waits"},
	"57P":   {Code: driver.Unavailable, Advice: "the server is starting, stopping or restarting", Transient: true},
	"58P01": {Code: driver.Unsupported, Advice: "the server does not have the files of this extension"},
	"XX000": {Code: driver.Busy, Advice: "another transaction changed the same row of a catalog, or the server is in trouble", Transient: true},
}

// causeOf returns the row of an SQLSTATE, of the first three characters, or of the class.
func causeOf(state string) sql.Cause {
	for n := len(state); n >= 2; n-- {
		if c, ok := causes[sql.State(state[:n])]; ok {
			return c
		}
	}
	return sql.Cause{Code: driver.Internal}
}
