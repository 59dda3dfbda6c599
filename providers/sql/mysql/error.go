package mysql

import (
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// causes is the error table of MySQL and MariaDB, by number.
// https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
var causes = map[uint16]sql.Cause{
	1006: {Code: driver.Quota, Advice: "the server can't make the database: its disk may be full"},
	1007: {Code: driver.Conflict, Advice: "a logical database of that name exists"},
	1008: {Code: driver.NotFound, Advice: "there is no such logical database"},
	1021: {Code: driver.Quota, Advice: "the disk of the server is full"},
	1040: {Code: driver.Busy, Advice: "the server has no connection left", Transient: true},
	1044: {Code: driver.Denied, Advice: "the account may not use this logical database"},
	1045: {Code: driver.Denied, Advice: "the server refuses the user or the password"},
	1049: {Code: driver.NotFound, Advice: "there is no such logical database"},
	1053: {Code: driver.Unavailable, Advice: "the server is shutting down", Transient: true},
	1064: {Code: driver.Internal},
	1095: {Code: driver.Denied, Advice: "the administrator may not end sessions of others: it needs CONNECTION_ADMIN"},
	1115: {Code: driver.Invalid, Advice: "the server has no such character set"},
	1129: {Code: driver.Unavailable, Advice: "the server has blocked this address after many failed connections"},
	1130: {Code: driver.Denied, Advice: "the server does not let this address in"},
	1133: {Code: driver.NotFound, Advice: "the account was dropped meanwhile", Transient: true},
	1141: {Code: driver.NotFound, Advice: "the privilege was revoked meanwhile", Transient: true},
	1142: {Code: driver.Denied, Advice: "the administrator may not use this table of the server"},
	1143: {Code: driver.Denied, Advice: "the account may not use this column"},
	1147: {Code: driver.NotFound, Advice: "the privilege was revoked meanwhile", Transient: true},
	1203: {Code: driver.Busy, Advice: "the account has no connection left", Transient: true},
	1205: {Code: driver.Busy, Advice: "another session has a lock on the object; Mooring retries", Transient: true},
	1213: {Code: driver.Busy, Advice: "another transaction was in the way; Mooring retries", Transient: true},
	1226: {Code: driver.Busy, Advice: "the account has no connection left", Transient: true},
	1227: {Code: driver.Denied, Advice: "the administrator lacks the privilege for this"},
	1273: {Code: driver.Invalid, Advice: "the server has no such collation"},
	1290: {Code: driver.Busy, Advice: "the server is read-only: a read replica, or one whose disk is full", Transient: true},
	1253: {Code: driver.Invalid, Advice: "the collation does not belong to the character set"},
	1370: {Code: driver.Denied, Advice: "the account may not use this routine"},
	1396: {Code: driver.Conflict, Advice: "an account of that name exists, or was dropped meanwhile"},
	1403: {Code: driver.NotFound, Advice: "the privilege was revoked meanwhile", Transient: true},
	1410: {Code: driver.Denied, Advice: "the administrator may not grant this: it needs the privilege itself, with GRANT OPTION"},
	1470: {Code: driver.Invalid, Advice: "the name is too long"},
	1524: {Code: driver.Unsupported, Advice: "the server lacks this way to log in: switch on IAM authentication, or use a password"},
	1698: {Code: driver.Denied, Advice: "the server refuses the user"},
	1819: {Code: driver.Invalid, Advice: "the password does not satisfy the policy of the server"},
	1836: {Code: driver.Busy, Advice: "the server is read-only", Transient: true},
	1969: {Code: driver.Unavailable, Advice: "the statement took longer than Mooring waits"},
	3024: {Code: driver.Unavailable, Advice: "the statement took longer than Mooring waits"},
	3118: {Code: driver.Denied, Advice: "the account is locked"},
	3159: {Code: driver.Denied, Advice: "the server takes encrypted connections only"},
	3619: {Code: driver.Denied, Advice: "the account is locked"},
	4006: {Code: driver.Conflict, Advice: "the account is the definer of a view, a routine, a trigger or an event"},
	4151: {Code: driver.Denied, Advice: "the account is locked"},
}

func causeOf(number uint16) sql.Cause { return causes[number] }
