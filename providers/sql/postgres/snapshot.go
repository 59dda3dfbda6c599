package postgres

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/sql"
)

// A snapshot is what a server had when it was read.
type snapshot struct {
	wanted  sql.Wanted
	version int    // server_version_num
	admin   string // whose session it was
	// signals says that the administrator may end sessions of all but superusers.
	signals   bool
	roles     map[string]*role
	databases map[string]*database
	// settings are the roles that logins take at the start of a session, by login and database.
	settings map[setting]string
	depends  []dependency
	inside   map[string]*inside
	// unreadable has the errors of logical databases that the administrator can't connect to.
	unreadable map[string]error
}

// A role is a row of pg_roles.
type role struct {
	name                                                    string
	mark                                                    string
	super, login, inherit, createDB, createRole, replicates bool
	bypassRLS, expires                                      bool
	connections                                             int
	// memberOf has the options of each membership that the role has.
	memberOf map[string]membership
}

// A membership is what pg_auth_members has, over all grantors. Servers before 16 have no options but ADMIN, and one
// grantor.
type membership struct {
	admin, inherit, set bool
	grantors            []string
}

type setting struct{ login, database string }

// A dependency is what a role of ours has, in words of pg_shdepend. Database is empty for what is shared by all
// databases.
type dependency struct {
	role, database, class string
	owns                  bool
	count                 int
}

// databaseClass begins the class of a dependency that is on a database itself, before its name.
const databaseClass = "database "

// A database is a row of pg_database.
type database struct {
	owner, charset, collation string
	connectable               bool
	grants                    []grant
	// public are the privileges of PUBLIC.
	public []string
}

// An inside is what one logical database has in it.
type inside struct {
	schemas    []schema
	relations  []relation
	grants     []grant
	defaults   []defaultGrant
	owned      []owned
	extensions map[string]extension
	tables     int
}

type schema struct {
	name, owner string
	// creates says that PUBLIC may create in it.
	creates bool
}

// A relation is a table, a view or a sequence that is no part of an extension.
type relation struct {
	schema, name, owner string
	sequence            bool
}

// An object is what privileges are for.
type object struct{ kind, schema, name, column string }

// A grant is what one grantee has from one grantor. Grantable are the privileges that it may hand on.
type grant struct {
	object
	owner, grantee, grantor string
	privileges, grantable   []string
}

// A defaultGrant is what objects will grant that a role makes later. Schema is empty for all schemas.
type defaultGrant struct {
	role, schema, kind, grantee string
	privileges                  []string
}

// An owned is a count of what a role owns in a database, without temporary objects.
type owned struct {
	role, class string
	count       int
}

// An extension is what is installed, and what may be.
type extension struct {
	installed, preferred string
	versions             []string
}

// memberOf reports whether a role is a member of another one, directly or not.
func (s *snapshot) memberOf(member, of string) bool {
	return s.follow(member, of, map[string]bool{}, func(membership) bool { return true })
}

// has reports whether a role has the rights of another one. The role that made another is a member only to administer
// it, from 16 on.
func (s *snapshot) has(member, of string) bool {
	return s.follow(member, of, map[string]bool{}, func(m membership) bool { return m.inherit || m.set })
}

// follow reports whether memberships that pass lead from a role to another one.
func (s *snapshot) follow(from, to string, seen map[string]bool, passes func(membership) bool) bool {
	r := s.roles[from]
	if r == nil || seen[from] {
		return false
	}
	seen[from] = true
	for name, m := range r.memberOf {
		if passes(m) && (name == to || s.follow(name, to, seen, passes)) {
			return true
		}
	}
	return false
}

// options reports whether memberships have options.
func (s *snapshot) options() bool { return s.version >= 160000 }

// becomes reports whether the administrator may SET ROLE to a role as it is.
func (s *snapshot) becomes(name string) bool {
	return name == s.admin || s.follow(s.admin, name, map[string]bool{}, func(m membership) bool { return m.set })
}

// joins reports whether the administrator can make itself a member of a role.
func (s *snapshot) joins(name string) bool {
	r, a := s.roles[name], s.roles[s.admin]
	if r == nil || a == nil || r.super || s.memberOf(name, s.admin) {
		return false
	}
	if !s.options() {
		return a.createRole
	}
	return a.memberOf[name].admin || s.follow(s.admin, name, map[string]bool{}, func(m membership) bool { return m.admin })
}

// join is the text by which the administrator makes itself a member of a role.
func (s *snapshot) join(name string) string {
	return s.grantRole(name, s.admin)
}

// grantRole is the text that makes a role a member of another one, with all of its rights.
func (s *snapshot) grantRole(name, member string) string {
	text := "GRANT " + quote(name) + " TO " + quote(member)
	if s.options() {
		text += " WITH INHERIT TRUE, SET TRUE"
	}
	return text
}

// as returns texts that run as a role: what belongs to a role, or was granted by it, only the role itself changes for
// sure. The administrator is a member meanwhile. It returns false if the administrator can't become that role.
func (s *snapshot) as(name string, texts ...string) ([]string, bool) {
	if name == s.admin {
		return texts, true
	}
	texts = slices.Concat([]string{"SET LOCAL ROLE " + quote(name)}, texts, []string{"RESET ROLE"})
	if s.becomes(name) {
		return texts, true
	}
	return s.joined(name, texts...)
}

// joined returns texts that run while the administrator is a member of a role.
func (s *snapshot) joined(name string, texts ...string) ([]string, bool) {
	if s.roles[s.admin] != nil {
		if m, is := s.roles[s.admin].memberOf[name]; is && m.inherit && m.set {
			return texts, true
		}
	}
	if !s.joins(name) {
		return nil, false
	}
	return slices.Concat([]string{s.join(name)}, texts, []string{"REVOKE " + quote(name) + " FROM " + quote(s.admin)}), true
}
