package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// Read implements sql.Server. It sends seven queries for the server, and six or seven for each logical database that is
// declared, or that a role of ours has something in.
func (s *session) Read(ctx context.Context, wanted sql.Wanted) (sql.Snapshot, error) {
	s.budget.Renew()
	conn, err := s.conn(ctx, "")
	if err != nil {
		return nil, err
	}
	shot := &snapshot{wanted: wanted, roles: map[string]*role{}, databases: map[string]*database{}, settings: map[setting]string{}, inside: map[string]*inside{}, unreadable: map[string]error{}}
	r := &reader{session: s, conn: conn}
	r.server(ctx, shot)
	for _, name := range shot.concerned() {
		if d := shot.databases[name]; d == nil || !d.connectable || r.err != nil {
			continue
		}
		switch r.conn, err = s.conn(ctx, name); {
		case err != nil && slices.Contains([]driver.Code{driver.Denied, driver.NotFound, driver.Busy}, driver.CodeOf(err)):
			shot.unreadable[name] = err // the others are no less readable for it
			continue
		case err != nil:
			return nil, err
		}
		shot.inside[name] = r.database(ctx, slices.ContainsFunc(wanted.Databases, func(d sql.Database) bool { return d.Name == name && len(d.Extensions) > 0 }))
	}
	if r.err != nil {
		return nil, r.err
	}
	return shot, nil
}

// ours are the names of all roles that are declared, whether they are on the server or not, and of those that have a
// declared mark.
func (s *snapshot) ours() (names []string) {
	marks := map[string]bool{}
	for _, u := range s.wanted.Users {
		marks[u.Mark] = true
	}
	for name, r := range s.roles {
		if r.mark != "" && marks[r.mark] {
			names = append(names, name)
		}
	}
	for _, d := range s.wanted.Databases {
		names = append(names, GroupsOf(d.Name).all()...)
	}
	for _, u := range s.wanted.Users {
		names = append(names, rolesOf(u)...)
		for _, a := range u.Access {
			names = append(names, GroupsOf(a.Database).all()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// rolesOf returns the roles of a user: the one with the privileges, and its logins.
func rolesOf(u sql.User) []string {
	names := []string{u.Name}
	for _, l := range u.Logins {
		if l.Name != u.Name {
			names = append(names, l.Name)
		}
	}
	return names
}

// concerned returns the logical databases that are declared, or that one of our roles has something in.
func (s *snapshot) concerned() []string {
	names := map[string]bool{}
	for _, d := range s.wanted.Databases {
		names[d.Name] = true
	}
	for _, u := range s.wanted.Users {
		for _, a := range u.Access {
			names[a.Database] = true
		}
	}
	for _, d := range s.depends {
		if d.database != "" {
			names[d.database] = true
		}
		if name, is := strings.CutPrefix(d.class, databaseClass); is {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// A reader sends queries until one fails.
type reader struct {
	session *session
	conn    *pgx.Conn
	ours    []string
	err     error
}

// rows calls scan for each row, within the limits of the session.
func (r *reader) rows(ctx context.Context, op, query string, scan func(pgx.Rows) error, arguments ...any) {
	if r.err != nil {
		return
	}
	r.session.queries++
	rows, err := r.conn.Query(ctx, query, arguments...)
	if err != nil {
		r.err = r.session.failure(op, err)
		return
	}
	defer rows.Close()
	for n := 0; rows.Next(); n++ {
		if n >= r.session.limits.Rows {
			r.err = &driver.Error{
				Code: driver.Quota, Op: op,
				Message: "the server has more of these than Mooring reads",
			}
			return
		}
		if err := scan(rows); err != nil {
			r.err = r.session.failure(op, err)
			return
		}
	}
	if err := rows.Err(); err != nil {
		r.err = r.session.failure(op, err)
	}
}

func (r *reader) server(ctx context.Context, s *snapshot) {
	r.rows(ctx, "read the server", queryServer, func(rows pgx.Rows) error {
		var recovers bool
		err := rows.Scan(&s.version, &s.admin, &s.signals, &recovers)
		if err == nil && recovers {
			return &driver.Error{
				Code:    driver.Invalid,
				Message: "the server is a read replica: its users come from its primary",
			}
		}
		return err
	})
	r.rows(ctx, "read roles", queryRoles, func(rows pgx.Rows) error {
		to := &role{memberOf: map[string]membership{}}
		err := rows.Scan(&to.name, &to.mark, &to.super, &to.login, &to.inherit, &to.createDB, &to.createRole, &to.replicates, &to.bypassRLS, &to.expires, &to.connections)
		s.roles[to.name] = to
		return err
	})
	members := queryMembers
	if s.options() {
		members = queryMembersOptions
	}
	r.rows(ctx, "read memberships", members, func(rows pgx.Rows) error {
		var member, of string
		var m membership
		err := rows.Scan(&member, &of, &m.admin, &m.inherit, &m.set, &m.grantors)
		if to := s.roles[member]; to != nil {
			to.memberOf[of] = m
		}
		return err
	})
	r.rows(ctx, "read databases", queryDatabases, func(rows pgx.Rows) error {
		var name string
		d := &database{}
		err := rows.Scan(&name, &d.owner, &d.charset, &d.collation, &d.connectable, &d.public)
		s.databases[name] = d
		return err
	})
	r.ours = s.ours()
	r.rows(ctx, "read privileges on databases", queryDatabaseGrants, func(rows pgx.Rows) error {
		g, err := scanGrant(rows)
		if d := s.databases[g.name]; d != nil {
			d.grants = append(d.grants, g)
		}
		return err
	}, r.ours)
	r.rows(ctx, "read settings of roles", querySettings, func(rows pgx.Rows) error {
		var at setting
		var role string
		err := rows.Scan(&at.login, &at.database, &role)
		s.settings[at] = role
		return err
	}, r.ours)
	r.rows(ctx, "read what roles have", queryDepends, func(rows pgx.Rows) error {
		var d dependency
		err := rows.Scan(&d.role, &d.database, &d.class, &d.owns, &d.count)
		s.depends = append(s.depends, d)
		return err
	}, r.ours)
}

func scanGrant(rows pgx.Rows) (g grant, err error) {
	err = rows.Scan(&g.kind, &g.schema, &g.name, &g.column, &g.owner, &g.grantee, &g.grantor, &g.privileges, &g.grantable)
	return g, err
}

// database reads the database of the connection.
func (r *reader) database(ctx context.Context, extensions bool) *inside {
	in := &inside{extensions: map[string]extension{}}
	r.rows(ctx, "read schemas", querySchemas, func(rows pgx.Rows) error {
		var to schema
		err := rows.Scan(&to.name, &to.owner, &to.creates)
		in.schemas = append(in.schemas, to)
		return err
	})
	r.rows(ctx, "read tables and sequences", queryRelations, func(rows pgx.Rows) error {
		var to relation
		err := rows.Scan(&to.schema, &to.name, &to.owner, &to.sequence)
		in.relations = append(in.relations, to)
		return err
	})
	r.rows(ctx, "count tables", queryTables, func(rows pgx.Rows) error { return rows.Scan(&in.tables) })
	r.rows(ctx, "read privileges", queryGrants, func(rows pgx.Rows) error {
		g, err := scanGrant(rows)
		in.grants = append(in.grants, g)
		return err
	}, r.ours)
	r.rows(ctx, "read default privileges", queryDefaults, func(rows pgx.Rows) error {
		var d defaultGrant
		err := rows.Scan(&d.role, &d.schema, &d.kind, &d.grantee, &d.privileges)
		in.defaults = append(in.defaults, d)
		return err
	}, r.ours)
	r.rows(ctx, "read what roles own", queryOwned, func(rows pgx.Rows) error {
		var o owned
		err := rows.Scan(&o.role, &o.class, &o.count)
		in.owned = append(in.owned, o)
		return err
	}, r.ours)
	if !extensions {
		return in
	}
	r.rows(ctx, "read extensions", queryExtensions, func(rows pgx.Rows) error {
		var name string
		var e extension
		err := rows.Scan(&name, &e.installed, &e.preferred, &e.versions)
		in.extensions[name] = e
		return err
	})
	return in
}
