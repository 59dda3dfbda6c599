package postgres

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

func mapKeys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

func compareSettings(a, b setting) int {
	return cmp.Or(cmp.Compare(a.login, b.login), cmp.Compare(a.database, b.database))
}

// DropUser implements sql.Snapshot.
func (s *snapshot) DropUser(want sql.User) (sql.Plan, error) {
	var p sql.Plan
	if r := s.roles[want.Name]; r != nil {
		p.Found, p.Mark = true, r.mark
	}
	var names []string
	for _, name := range slices.Concat(loginsFirst(rolesOf(want)), s.strays(want)) {
		r := s.roles[name]
		switch {
		case r == nil:
		case name == s.admin || r.super:
			p.Note("role %q is the administrator or a superuser, and stays", name)
		case r.mark != want.Mark && !want.Adopt && !want.External:
			p.Note("role %q was not made for this object, and stays", name)
		default:
			names = append(names, name)
		}
	}
	if want.External {
		s.strip(&p, names)
		return p, nil
	}
	s.dropRoles(&p, names)
	return p, nil
}

// loginsFirst returns the logins first and the role with the privileges last.
func loginsFirst(roles []string) []string { return append(slices.Clone(roles[1:]), roles[0]) }

// dropRoles plans the end of roles: no new logins, no sessions, no memberships, no privileges and no objects, and then
// no role.
func (s *snapshot) dropRoles(p *sql.Plan, names []string) {
	if len(names) == 0 {
		return
	}
	for _, name := range names {
		if s.roles[name].login {
			p.Mend("logins of "+name, "allowed", "refused",
				sql.Statement{
					Name:  "refuse logins of " + name,
					Texts: []string{"ALTER ROLE " + quote(name) + " NOLOGIN"},
				})
		}
	}
	p.Statements = append(p.Statements, s.EndSessions(names...)...)
	s.strip(p, names)
	p.Blocked = append(p.Blocked, s.blocked(names)...)
	if len(p.Blocked) > 0 {
		return
	}
	for _, name := range names {
		p.Mend("role "+name, "on the server", "dropped",
			sql.Statement{Name: "drop role " + name, Texts: []string{"DROP ROLE IF EXISTS " + quote(name)}})
	}
}

// strip plans the end of all that roles have in logical databases, and of their memberships. Those go first: a role
// that logs in by IAM would hand that on to the administrator, who joins it to reassign what it owns.
func (s *snapshot) strip(p *sql.Plan, names []string) {
	for _, name := range names {
		s.leave(p, name, nil)
	}
	for _, database := range slices.Sorted(keys(s.inside)) {
		w := work{shot: s, plan: p, database: database, in: s.inside[database]}
		for _, name := range names {
			w.revoke(name, rights{})
			w.alterDefaults(name, rights{}, GroupsOf(database).Owner)
			if w.hasSomething(name) {
				w.hand(name)
			}
		}
	}
}

// hasSomething reports whether a role is named in the database in any way but by privileges that are revoked already.
func (w work) hasSomething(name string) bool {
	return slices.ContainsFunc(w.shot.depends, func(d dependency) bool { return d.role == name && d.database == w.database })
}

// heir returns the role that is to own what a dropped role owned; empty for none.
func (w work) heir(name string) string {
	for _, to := range []string{GroupsOf(w.database).Owner, w.shot.databases[w.database].owner} {
		if r := w.shot.roles[to]; r != nil && !r.super && to != name {
			return to
		}
	}
	return ""
}

// hand plans that an heir owns what a role owned. DROP OWNED would drop objects: it runs in the transaction of REASSIGN
// OWNED, and takes what is no object, such as default privileges and policies.
func (w work) hand(name string) {
	to := w.heir(name)
	what := fmt.Sprintf("what %q has in %q", name, w.database)
	texts, can := []string(nil), false
	if to != "" {
		texts, can = w.reassigned(name, to, "DROP OWNED BY "+quote(name))
	}
	if !can {
		w.plan.Blocked = append(w.plan.Blocked, what+": no role that the administrator can become takes it over")
		return
	}
	w.plan.Mend(what, "some objects or rules", "owned by "+to,
		sql.Statement{Name: "reassign " + what, Database: w.database, Texts: texts})
}

// blocked names what keeps roles from being dropped and is in no database that was read.
func (s *snapshot) blocked(names []string) (blocked []string) {
	for _, d := range s.depends {
		if !slices.Contains(names, d.role) || s.inside[d.database] != nil {
			continue
		}
		switch {
		case d.database != "":
			blocked = append(blocked,
				fmt.Sprintf("role %q has %d of %s in logical database %q, which takes no connections", d.role, d.count, d.class, d.database))
		case d.owns:
			blocked = append(blocked, fmt.Sprintf("role %q owns %s", d.role, d.class))
		case !strings.HasPrefix(d.class, databaseClass):
			blocked = append(blocked,
				fmt.Sprintf("role %q has privileges on %d of %s, which the whole server shares", d.role, d.count, d.class))
		}
	}
	return blocked
}

// EndSessions implements sql.Snapshot.
func (s *snapshot) EndSessions(logins ...string) []sql.Statement {
	if len(logins) == 0 {
		return nil
	}
	texts := []string{"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = ANY(" + literals(logins) + ")"}
	if !s.signals {
		for _, login := range logins {
			if joined, can := s.joined(login, texts...); can {
				texts = joined
			}
		}
	}
	return []sql.Statement{{Name: "end sessions of " + strings.Join(logins, ", "), Texts: texts}}
}

// DropDatabase implements sql.Snapshot.
func (s *snapshot) DropDatabase(want sql.Database, force bool) (sql.Plan, error) {
	var p sql.Plan
	groups := GroupsOf(want.Name)
	has := s.databases[want.Name]
	p.Found = has != nil
	if r := s.roles[groups.Owner]; r != nil {
		p.Mark = r.mark
	}
	if p.Mark != want.Mark && !want.Adopt {
		p.Note("logical database %q was not made for this object, and stays", want.Name)
		return p, nil
	}
	var names []string
	for _, name := range []string{groups.ReadOnly, groups.ReadWrite, groups.Owner} {
		if r := s.roles[name]; r != nil && (r.mark == want.Mark || want.Adopt) && !r.super && name != s.admin {
			names = append(names, name)
		}
	}
	if has != nil && want.Made {
		switch in := s.inside[want.Name]; {
		case has.owner != groups.Owner:
			return p, sql.Conflict(
				"logical database %q belongs to role %q and not to its owner role: it is not dropped",
				want.Name, has.owner,
			)
		case in == nil && !force, in != nil && in.tables > 0 && !force:
			return p, sql.NotEmpty(want.Name)
		}
		texts := []string{"DROP DATABASE IF EXISTS " + quote(want.Name) + " WITH (FORCE)"}
		if s.roles[s.admin] != nil && !s.memberOf(s.admin, groups.Owner) {
			p.Statements = append(p.Statements, sql.Statement{
				Name:  "join role " + groups.Owner,
				Texts: []string{s.join(groups.Owner)},
			})
		}
		p.Mend("logical database "+want.Name, "on the server", "dropped",
			sql.Statement{Name: "drop logical database " + want.Name, Texts: texts, Disconnects: true})
		s = s.afterDrop(want.Name)
	}
	s.dropRoles(&p, names)
	return p, nil
}

// afterDrop returns the snapshot as it will be without a database.
func (s *snapshot) afterDrop(name string) *snapshot {
	next := *s
	next.databases, next.inside = maps.Clone(s.databases), maps.Clone(s.inside)
	delete(next.databases, name)
	delete(next.inside, name)
	next.depends = slices.DeleteFunc(slices.Clone(s.depends), func(d dependency) bool {
		return d.database == name || d.class == databaseClass+name
	})
	return &next
}
