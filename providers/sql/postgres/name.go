package postgres

import (
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// longestName is NAMEDATALEN - 1: what is longer, the server cuts without an error.
const longestName = 63

// Groups are the names of the group roles of a logical database. The owner role owns the database and all that owners
// make in it.
type Groups struct{ Owner, ReadWrite, ReadOnly string }

// GroupsOf returns the fixed names: <database>_owner, <database>_readwrite and <database>_readonly, cut to 63 bytes
// (see sql.Suffixed).
func GroupsOf(database string) Groups {
	name := func(suffix string) string { return sql.Suffixed(database, suffix, longestName) }
	return Groups{Owner: name("_owner"), ReadWrite: name("_readwrite"), ReadOnly: name("_readonly")}
}

// of returns the group role of a level.
func (g Groups) of(level sql.Level) string {
	switch level {
	case sql.Owner:
		return g.Owner
	case sql.ReadWrite:
		return g.ReadWrite
	case sql.ReadOnly:
	}
	return g.ReadOnly
}

// all returns the names with the words for each.
func (g Groups) all() []string { return []string{g.Owner, g.ReadWrite, g.ReadOnly} }

// AlternateLogins returns the names of the two logins of a user whose passwords alternate.
func AlternateLogins(username string) (a, b string) { return sql.Alternate(username, longestName) }

// quote returns a name as an identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal returns a string constant. Each session sets standard_conforming_strings, so that a backslash is itself.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// literals returns strings as an array of text.
func literals(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = literal(text)
	}
	return "ARRAY[" + strings.Join(quoted, ", ") + "]::text[]"
}

func checkRole(what, name string) error {
	if err := sql.CheckName(what, name, longestName); err != nil {
		return err
	}
	if strings.HasPrefix(name, "pg_") || name == "public" || name == "none" {
		return sql.Invalid("the name %q of a %s is reserved by PostgreSQL: choose another", name, what)
	}
	return nil
}

// number shows a limit of connections in words.
func number(limit int) string {
	if limit < 0 {
		return "no limit"
	}
	return strconv.Itoa(limit)
}
