package postgres

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/sql"
)

// Rights are what a role is to have in one logical database, beyond what PUBLIC has.
type rights struct {
	level sql.Level
	// schemas restrict the rights to schemas; nil for all. The role has the rights itself then, and otherwise by a
	// group role.
	schemas []string
	// owns says that the database belongs to the role: what it has as the owner is not granted.
	owns bool
}

// in reports whether the rights are valid in a schema.
func (r rights) in(schema string) bool { return r.schemas == nil || slices.Contains(r.schemas, schema) }

// database returns the privileges on the database itself.
func (r rights) database() []string {
	switch {
	case r.owns, r.level == 0:
		return nil
	case r.level == sql.ReadOnly:
		return []string{"CONNECT"}
	case r.level == sql.ReadWrite:
		return []string{"CONNECT", "TEMPORARY"}
	}
	return []string{"CONNECT", "TEMPORARY", "CREATE"}
}

// schema returns the privileges on a schema.
func (r rights) schema(name string) []string {
	switch {
	case r.level == 0, !r.in(name):
		return nil
	case r.level == sql.Owner:
		return []string{"USAGE", "CREATE"}
	}
	return []string{"USAGE"}
}

// relation returns the privileges on a table, a view or a sequence.
func (r rights) relation(schema string, sequence bool) []string {
	if r.level == 0 || !r.in(schema) {
		return nil
	}
	return r.kind(sequence)
}

func (r rights) kind(sequence bool) []string {
	switch {
	case sequence && r.level == sql.ReadOnly:
		return []string{"SELECT"}
	case sequence:
		return []string{"SELECT", "USAGE", "UPDATE"}
	case r.level == sql.ReadOnly:
		return []string{"SELECT"}
	case r.level == sql.ReadWrite:
		return []string{"SELECT", "INSERT", "UPDATE", "DELETE"}
	}
	return []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}
}

// defaults returns what objects grant to a grantee that the owner role makes later. Rights in all of the database are
// valid in schemas made later too.
func (r rights) defaults(owner, grantee string) (all []defaultGrant) {
	switch {
	case r.level == 0, r.level == sql.Owner:
		return nil
	case r.schemas == nil:
		all = append(all, defaultGrant{role: owner, kind: "n", grantee: grantee, privileges: []string{"USAGE"}})
	}
	schemas := r.schemas
	if schemas == nil {
		schemas = []string{""}
	}
	for _, schema := range schemas {
		all = append(all,
			defaultGrant{role: owner, schema: schema, kind: "r", grantee: grantee, privileges: r.kind(false)},
			defaultGrant{role: owner, schema: schema, kind: "S", grantee: grantee, privileges: r.kind(true)})
	}
	return all
}

// on returns the privileges on any object.
func (r rights) on(o object) []string {
	switch o.kind {
	case "database":
		return r.database()
	case "schema":
		return r.schema(o.name)
	case "table", "column":
		return r.relation(o.schema, false)
	case "sequence":
		return r.relation(o.schema, true)
	}
	return nil
}
