package postgres

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// Database implements sql.Snapshot.
func (s *snapshot) Database(want sql.Database) (sql.Plan, error) {
	if err := checkDatabase(want); err != nil {
		return sql.Plan{}, err
	}
	groups := GroupsOf(want.Name)
	var p sql.Plan
	has := s.databases[want.Name]
	p.Found = has != nil
	if owner := s.roles[groups.Owner]; owner != nil {
		p.Mark = owner.mark
	}
	switch {
	case has == nil && !want.Made:
		return p, sql.Missing("there is no logical database %q on the server", want.Name)
	case has != nil && want.Made && has.owner != groups.Owner && p.Mark != want.Mark && !want.Adopt:
		return p, sql.Taken("logical database", want.Name)
	}
	for _, name := range groups.all() {
		if err := s.ensure(&p, wantedRole{name: name, what: groupRole, mark: want.Mark, adopt: want.Adopt}); err != nil {
			return p, err
		}
		s.leave(&p, name, nil)
	}
	s.joinOwner(&p, groups.Owner)
	s = s.with(groups, want.Name)
	in := s.inside[want.Name]
	if has == nil {
		p.Mend("logical database "+want.Name, "missing", "made", s.createDatabase(want, groups))
	} else {
		s.keepOwner(&p, want, groups)
		if err := s.unreadable[want.Name]; err != nil {
			return p, err
		}
		if in == nil {
			return p, &driver.Error{
				Code:    driver.Conflict,
				Message: fmt.Sprintf("logical database %q takes no connections (ALLOW_CONNECTIONS is off)", want.Name),
			}
		}
	}
	if err := s.furnish(&p, want, groups, in); err != nil {
		return p, err
	}
	return p, nil
}

func checkDatabase(want sql.Database) error {
	if err := sql.CheckName("logical database", want.Name, longestName); err != nil {
		return err
	}
	if slices.Contains([]string{"template0", "template1"}, want.Name) {
		return sql.Invalid("the name %q of a logical database is reserved by PostgreSQL: choose another", want.Name)
	}
	if want.Mark == "" {
		return sql.Invalid("logical database %q has no mark", want.Name)
	}
	for _, name := range want.Schemas {
		if err := sql.CheckName("schema", name, longestName); err != nil {
			return err
		}
		if strings.HasPrefix(name, "pg_") || name == "information_schema" {
			return sql.Invalid("the name %q of a schema is reserved by PostgreSQL: choose another", name)
		}
	}
	return nil
}

// joinOwner plans that the administrator is a member of the owner role, and stays it: all that is done in the database
// needs that.
func (s *snapshot) joinOwner(p *sql.Plan, owner string) {
	m, is := membership{}, false
	if a := s.roles[s.admin]; a != nil {
		m, is = a.memberOf[owner]
	}
	if is && (!s.options() || m.inherit && m.set) {
		return
	}
	p.Mend(fmt.Sprintf("membership of the administrator in %q", owner), "none", "member",
		sql.Statement{Name: "join role " + owner, Texts: []string{s.join(owner)}})
}

// with returns the snapshot as it will be once the group roles and the database are there.
func (s *snapshot) with(groups Groups, name string) *snapshot {
	next := *s
	next.roles, next.databases, next.inside = maps.Clone(s.roles), maps.Clone(s.databases), maps.Clone(s.inside)
	for _, group := range groups.all() {
		if next.roles[group] == nil {
			next.roles[group] = &role{name: group, inherit: true}
		}
	}
	admin := role{name: s.admin}
	if a := s.roles[s.admin]; a != nil {
		admin = *a
	}
	admin.memberOf = maps.Clone(admin.memberOf)
	if admin.memberOf == nil {
		admin.memberOf = map[string]membership{}
	}
	admin.memberOf[groups.Owner] = membership{inherit: true, set: true}
	next.roles[s.admin] = &admin
	if next.databases[name] == nil {
		next.databases[name] = &database{owner: groups.Owner, connectable: true, public: []string{"CONNECT", "TEMPORARY"}}
		public := schema{name: "public", owner: databaseOwner}
		if s.version < 150000 {
			public = schema{name: "public", creates: true}
		}
		next.inside[name] = &inside{schemas: []schema{public}}
	}
	return &next
}

// createDatabase is a statement of its own: it runs in no transaction. That the owner role owns it shows who made it.
func (s *snapshot) createDatabase(want sql.Database, groups Groups) sql.Statement {
	var text strings.Builder
	text.WriteString("CREATE DATABASE " + quote(want.Name) + " OWNER " + quote(groups.Owner))
	if want.Charset+want.Collation+want.Locale != "" {
		text.WriteString(" TEMPLATE template0")
	}
	for _, option := range []struct{ keyword, value string }{{"ENCODING", want.Charset}, {"LOCALE", want.Locale}, {"LC_COLLATE", want.Collation}} {
		if option.value != "" {
			text.WriteString(" " + option.keyword + " " + literal(option.value))
		}
	}
	return sql.Statement{
		Name: "make logical database " + want.Name, Texts: []string{text.String()},
		Unless: "SELECT EXISTS (SELECT FROM pg_database WHERE datname = " + literal(want.Name) + " AND pg_get_userbyid(datdba) = " + literal(groups.Owner) + ")",
	}
}

// keepOwner plans the owner of a database that Mooring made, and says what can't be changed.
func (s *snapshot) keepOwner(p *sql.Plan, want sql.Database, groups Groups) {
	has := s.databases[want.Name]
	if want.Charset != "" && !strings.EqualFold(strings.ReplaceAll(want.Charset, "-", ""), strings.ReplaceAll(has.charset, "-", "")) {
		p.Note("logical database %q has charset %s: it can't be changed to %s", want.Name, has.charset, want.Charset)
	}
	if has.owner == groups.Owner {
		return
	}
	if !want.Made {
		p.Note("logical database %q belongs to role %q: users with level Owner can't alter what others made in it",
			want.Name, has.owner)
		return
	}
	text := []string{"ALTER DATABASE " + quote(want.Name) + " OWNER TO " + quote(groups.Owner)}
	texts, can := text, true
	if has.owner != s.admin {
		texts, can = s.joined(has.owner, text...)
		if !can && s.memberOf(s.admin, has.owner) {
			texts, can = text, true
		}
	}
	if !can {
		p.Note("logical database %q belongs to role %q, which the administrator %q can't become",
			want.Name, has.owner, s.admin)
		return
	}
	p.Mend("owner of logical database "+want.Name, has.owner, groups.Owner,
		sql.Statement{Name: "set the owner of logical database " + want.Name, Texts: texts})
	owned := *has
	owned.owner = groups.Owner
	s.databases[want.Name] = &owned
}

// furnish plans what is in the database: schemas, extensions, and the privileges of the group roles.
func (s *snapshot) furnish(p *sql.Plan, want sql.Database, groups Groups, in *inside) error {
	if in == nil {
		in = s.inside[want.Name]
	}
	w := work{shot: s, plan: p, database: want.Name, in: in}
	if want.Made {
		w.restrictPublic()
	} else if public := s.databases[want.Name].public; len(public) > 0 {
		p.Note("PUBLIC, and so every role, has %s on logical database %q", strings.Join(public, ", "), want.Name)
	}
	w = w.reassign()
	fresh := *w.in
	fresh.schemas = slices.Clone(w.in.schemas)
	for _, name := range want.Schemas {
		if !slices.ContainsFunc(in.schemas, func(s schema) bool { return s.name == name }) {
			p.Mend("schema "+name, "missing", "made", sql.Statement{
				Name: "make schema " + name, Database: want.Name,
				Texts: []string{"CREATE SCHEMA IF NOT EXISTS " + quote(name) + " AUTHORIZATION " + quote(groups.Owner)},
			})
			fresh.schemas = append(fresh.schemas, schema{name: name, owner: groups.Owner})
		}
	}
	if err := w.extensions(want); err != nil {
		return err
	}
	w.in = &fresh
	owns := s.databases[want.Name].owner == groups.Owner
	for _, level := range []sql.Level{sql.Owner, sql.ReadWrite, sql.ReadOnly} {
		w.converge(groups.of(level), rights{level: level, owns: owns && level == sql.Owner}, groups.Owner)
	}
	return nil
}

// restrictPublic plans that only roles with access connect to a database that Mooring made.
func (w work) restrictPublic() {
	d := w.shot.databases[w.database]
	revoke := func(what, from string, actor, text string) {
		texts, can := w.shot.as(actor, text)
		if !can {
			w.plan.Note("PUBLIC, and so every role, has %s on %s: the administrator can't become its owner", from, what)
			return
		}
		w.plan.Mend("privileges of PUBLIC on "+what, from, "none",
			sql.Statement{Name: "restrict PUBLIC on " + what, Database: w.database, Texts: texts})
	}
	if len(d.public) > 0 {
		revoke("logical database "+w.database, strings.Join(d.public, ", "), d.owner, "REVOKE ALL ON DATABASE "+quote(w.database)+" FROM PUBLIC")
	}
	for _, s := range w.in.schemas {
		if s.creates && s.name == "public" {
			revoke("schema "+s.name, "CREATE", w.owner(s.owner), "REVOKE CREATE ON SCHEMA "+quote(s.name)+" FROM PUBLIC")
		}
	}
}

// listed returns names as one text. Names are the server's, so that there is a limit to them.
func listed(names []string) string { return strings.Join(names[:min(len(names), 200)], ", ") }

// extensions plans the extensions. The administrator makes them: clouds let it install more than an owner of a
// database.
func (w work) extensions(want sql.Database) error {
	known := w.shot.databases[want.Name] != nil && len(w.in.extensions) > 0
	for _, e := range want.Extensions {
		if err := sql.CheckName("extension", e.Name, longestName); err != nil {
			return err
		}
		has, is := w.in.extensions[e.Name]
		switch {
		case known && !is:
			return sql.Invalid(
				"the server has no extension %q; it has %s",
				e.Name, listed(slices.Sorted(keys(w.in.extensions))),
			)
		case known && e.Version != "" && !slices.Contains(has.versions, e.Version):
			return sql.Invalid(
				"the server has no version %q of extension %q; it has %s",
				e.Version, e.Name, listed(has.versions),
			)
		}
		version := ""
		if e.Version != "" {
			version = " VERSION " + literal(e.Version)
		}
		switch {
		case has.installed == "":
			w.plan.Mend("extension "+e.Name, "missing", "installed", sql.Statement{
				Name: "install extension " + e.Name, Database: want.Name,
				// Its objects go to public, unless the extension has a schema of its own.
				Texts: []string{"SET LOCAL search_path TO public, pg_temp", "CREATE EXTENSION IF NOT EXISTS " + quote(e.Name) + version},
			})
		case e.Version != "" && has.installed != e.Version:
			w.plan.Mend("version of extension "+e.Name, has.installed, e.Version, sql.Statement{
				Name: "update extension " + e.Name, Database: want.Name,
				Texts: []string{"ALTER EXTENSION " + quote(e.Name) + " UPDATE TO " + literal(e.Version)},
			})
		}
	}
	return nil
}
