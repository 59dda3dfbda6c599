package mysql

import (
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

const (
	// longestAccount is MySQL's limit in characters; MariaDB takes more.
	longestAccount = 32
	// longestDatabase is the limit of both in characters.
	longestDatabase = 64
	// registry is the database that has the table of marks.
	registry = "mooring"
)

// reserved are accounts and databases of the servers and of the clouds.
var (
	reserved = []string{
		"mysql", "root", "mysql.sys", "mysql.session", "mysql.infoschema", "mariadb.sys", "rdsadmin", "rdsrepladmin", "rdstopmgr", "rds_superuser_role",
		"cloudsqladmin", "cloudsqlsuperuser", "cloudiamgroup", "cloudsqlimport", "cloudsqlexport", "cloudsqlreplica", "cloudsqlobservabilityadmin", "public",
	}
	reservedDatabases = []string{"mysql", "information_schema", "performance_schema", "sys", "innodb", registry}
)

// AlternateLogins returns the names of the two accounts of a user whose passwords alternate.
func AlternateLogins(username string) (a, b string) { return sql.Alternate(username, longestAccount) }

// quote returns a name as an identifier.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// literal returns a string constant. Each session sets NO_BACKSLASH_ESCAPES, so that a backslash is itself.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// account returns a name as an account from any host.
func account(name string) string { return literal(name) + "@'%'" }

// grantee is how information_schema writes an account. It quotes nothing, so that checkAccount refuses the names for which that is ambiguous.
func grantee(name string) string { return "'" + name + "'@'%'" }

// pattern returns the name of a database as GRANT takes it, where _ and % stand for other characters.
func pattern(database string) string {
	return strings.NewReplacer(`\`, `\\`, `_`, `\_`, `%`, `\%`).Replace(database)
}

func checkAccount(what, name string) error {
	if err := checkCharacters(what, name, longestAccount); err != nil {
		return err
	}
	if strings.Contains(name, "'@'") {
		return sql.Invalid(
			"the name %q of a %s contains '@', with its quotes, which reads as an account and its host: choose another",
			name, what,
		)
	}
	if slices.Contains(reserved, strings.ToLower(name)) {
		return sql.Invalid("the name %q of a %s is reserved: choose another", name, what)
	}
	return nil
}

func checkDatabase(want sql.Database) error {
	if err := checkCharacters("logical database", want.Name, longestDatabase); err != nil {
		return err
	}
	switch {
	case slices.Contains(reservedDatabases, strings.ToLower(want.Name)):
		return sql.Invalid("the name %q of a logical database is reserved: choose another", want.Name)
	case want.Mark == "":
		return sql.Invalid("logical database %q has no mark", want.Name)
	case len(want.Schemas) > 0:
		return sql.Invalid(
			"logical database %q has schemas: MySQL and MariaDB have none within a database; remove them",
			want.Name,
		)
	case len(want.Extensions) > 0:
		return sql.Invalid("logical database %q has extensions: MySQL and MariaDB have none; remove them", want.Name)
	}
	return nil
}

func checkCharacters(what, name string, limit int) error {
	if err := sql.CheckName(what, name, limit); err != nil {
		return err
	}
	if strings.ContainsFunc(name, func(c rune) bool { return c > 0xFFFF }) {
		return sql.Invalid(
			"the name %q of a %s has characters beyond the Basic Multilingual Plane, which the server's catalogs do not hold",
			name, what,
		)
	}
	return nil
}
