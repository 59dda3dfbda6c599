package mysql

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

var (
	readOnly  = []string{"SELECT", "SHOW VIEW"}
	readWrite = slices.Concat(readOnly, []string{"INSERT", "UPDATE", "DELETE", "EXECUTE", "CREATE TEMPORARY TABLES", "LOCK TABLES"})
	owner     = slices.Concat(readWrite, []string{
		"CREATE", "DROP", "ALTER", "INDEX", "REFERENCES", "CREATE VIEW", "CREATE ROUTINE", "ALTER ROUTINE", "TRIGGER", "EVENT",
	})
)

// privileges are what a level has on a database.
func privileges(level sql.Level) []string {
	switch level {
	case sql.ReadOnly:
		return readOnly
	case sql.ReadWrite:
		return readWrite
	case sql.Owner:
		return owner
	}
	return nil
}

// privilege is what names of privileges look like: they come from the server, and go into a statement.
var privilege = regexp.MustCompile(`^[A-Z][A-Z _]*$`)

// without returns what is in all and not in others, in order.
func without(all, others []string) (left []string) {
	for _, p := range all {
		if p = strings.ToUpper(p); !slices.Contains(others, p) && !slices.Contains(left, p) && privilege.MatchString(p) {
			left = append(left, p)
		}
	}
	slices.Sort(left)
	return left
}

// where is what a privilege is for: all of the server, a pattern of databases, a table, a column or a routine.
type where struct{ pattern, table, column, routine, kind string }

// A grant is what an account has somewhere, and what it may hand on. MariaDB hands on all or nothing.
type grant struct {
	where
	privileges []string
	grantable  bool
}

// on returns how a statement names it.
func (w where) on() string {
	switch {
	case w.routine != "":
		return w.kind + " " + quote(w.pattern) + "." + quote(w.routine)
	case w.table != "":
		return quote(w.pattern) + "." + quote(w.table)
	case w.pattern != "":
		return quote(w.pattern) + ".*"
	}
	return "*.*"
}

// list returns privileges as a statement has them: those on a column name it.
func (w where) list(privileges []string) string {
	if w.column == "" {
		return strings.Join(privileges, ", ")
	}
	columns := make([]string, len(privileges))
	for i, p := range privileges {
		columns[i] = p + " (" + quote(w.column) + ")"
	}
	return strings.Join(columns, ", ")
}

// allowed returns which of the privileges somewhere are within what is declared: a table has no more than its database.
func allowed(w where, databases map[string][]string) []string {
	if w.table == "" && w.routine == "" {
		return databases[w.pattern]
	}
	return databases[pattern(w.pattern)]
}
