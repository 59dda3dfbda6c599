package postgres

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// groupRole is what a role is that owns or reads a logical database.
const groupRole = "group role"

// A wantedRole is a role that Mooring makes.
type wantedRole struct {
	name, what, mark string
	adopt            bool
	login            *sql.Login
	connections      *int
}

// taken returns an error if a role can't be Mooring's.
func (s *snapshot) taken(w wantedRole) error {
	r := s.roles[w.name]
	switch {
	case w.name == s.admin:
		return sql.Conflict("%s %q is the administrator, who is never taken over: choose another name", w.what, w.name)
	case r == nil:
		return nil
	case r.super || r.replicates || r.mark == "" && w.what != groupRole && s.has(s.admin, w.name):
		return sql.Conflict(
			"%s %q is a role of the cloud or of the administrator, which is never taken over: choose another name",
			w.what, w.name,
		)
	case r.mark != w.mark && !w.adopt:
		return sql.Taken(w.what, w.name)
	}
	return nil
}

// ensure plans that a role is there, has the mark, and has its attributes and no others.
func (s *snapshot) ensure(p *sql.Plan, w wantedRole) error {
	if err := s.taken(w); err != nil {
		return err
	}
	r := s.roles[w.name]
	if r == nil {
		return s.create(p, w)
	}
	if r.mark != w.mark {
		p.Mend(fmt.Sprintf("mark of %s %q", w.what, w.name), "another", "this object",
			sql.Statement{Name: "mark role " + w.name, Texts: []string{comment(w.name, w.mark)}})
	}
	s.attributes(p, w, r)
	if w.login == nil || w.login.Verifier == nil || !w.login.Reset && r.login && r.mark == w.mark {
		return nil
	}
	verifier, err := w.login.Verifier()
	if err != nil {
		return err
	}
	p.Mend("password of "+w.name, "the former one", "the current one", sql.Statement{
		Name:  "set the password of " + w.name,
		Texts: []string{"ALTER ROLE " + quote(w.name) + " PASSWORD " + literal(verifier)}, Secrets: []string{verifier},
	})
	return nil
}

// create plans a role with its mark, in one transaction: what has the mark was made here.
func (s *snapshot) create(p *sql.Plan, w wantedRole) error {
	text, secrets := "CREATE ROLE "+quote(w.name)+" NOLOGIN", []string(nil)
	if w.login != nil {
		text = "CREATE ROLE " + quote(w.name) + " LOGIN"
		if w.connections != nil {
			text += " CONNECTION LIMIT " + strconv.Itoa(*w.connections)
		}
		if w.login.Verifier != nil {
			verifier, err := w.login.Verifier()
			if err != nil {
				return err
			}
			text += " PASSWORD " + literal(verifier)
			secrets = append(secrets, verifier)
		}
	}
	p.Mend(fmt.Sprintf("%s %q", w.what, w.name), "missing", "made", sql.Statement{
		Name: "make role " + w.name, Texts: []string{text, comment(w.name, w.mark)}, Secrets: secrets,
		Unless: "SELECT EXISTS (SELECT FROM pg_roles r JOIN pg_shdescription d ON d.objoid = r.oid AND d.classoid = 'pg_authid'::regclass WHERE r.rolname = " +
			literal(w.name) + " AND d.description = " + literal(w.mark) + ")",
	})
	return nil
}

func comment(role, mark string) string {
	return "COMMENT ON ROLE " + quote(role) + " IS " + literal(mark)
}

// attributes plans what a role may do on the server as a whole.
func (s *snapshot) attributes(p *sql.Plan, w wantedRole, r *role) {
	login := w.login != nil
	var words, from []string
	change := func(is bool, word, was string) {
		if is {
			words, from = append(words, word), append(from, was)
		}
	}
	change(r.login && !login, "NOLOGIN", "may log in")
	change(!r.login && login, "LOGIN", "may not log in")
	change(!r.inherit, "INHERIT", "does not inherit")
	change(r.createDB, "NOCREATEDB", "may make databases")
	change(r.createRole, "NOCREATEROLE", "may make roles")
	change(r.expires, "VALID UNTIL 'infinity'", "expires")
	if login && w.connections != nil {
		change(r.connections != *w.connections, "CONNECTION LIMIT "+strconv.Itoa(*w.connections), "connections: "+number(r.connections))
	}
	if r.bypassRLS {
		p.Note("role %q has BYPASSRLS, which only a superuser takes away", r.name)
	}
	if len(words) > 0 {
		p.Mend(fmt.Sprintf("attributes of %s %q", w.what, r.name), strings.Join(from, ", "), strings.Join(words, ", "),
			sql.Statement{
				Name:  "alter role " + r.name,
				Texts: []string{"ALTER ROLE " + quote(r.name) + " " + strings.Join(words, " ")},
			})
	}
}

// memberships plans that a role is a member of these roles and no others.
func (s *snapshot) memberships(p *sql.Plan, name string, want []string) {
	r := s.roles[name]
	if r == nil {
		r = &role{name: name}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	for _, of := range want {
		m, is := r.memberOf[of]
		what := fmt.Sprintf("membership of %q in %q", name, of)
		switch {
		case !is:
			p.Mend(what, "none", "member", sql.Statement{Name: "grant " + what, Texts: []string{s.grantRole(of, name)}})
		case s.options() && (!m.inherit || !m.set):
			p.Mend(what, "without INHERIT or SET", "with both",
				sql.Statement{Name: "grant " + what, Texts: []string{s.grantRole(of, name)}})
		}
		if m.admin {
			p.Mend(what, "with ADMIN OPTION", "without",
				sql.Statement{
					Name:  "revoke the option of " + what,
					Texts: m.revoked("ADMIN OPTION FOR "+quote(of), name),
				})
		}
	}
	s.leave(p, name, want)
}

// leave plans the end of all memberships but these.
func (s *snapshot) leave(p *sql.Plan, name string, but []string) {
	r := s.roles[name]
	if r == nil {
		return
	}
	for _, of := range slices.Sorted(keys(r.memberOf)) {
		if slices.Contains(but, of) {
			continue
		}
		what := fmt.Sprintf("membership of %q in %q", name, of)
		if to := s.roles[of]; to != nil && to.super {
			p.Note("%s: only a superuser can end it", what)
			continue
		}
		p.Mend(what, "member", "none",
			sql.Statement{Name: "revoke " + what, Texts: r.memberOf[of].revoked(quote(of), name)})
	}
}

// revoked returns the texts that end a membership, or an option of it, as each grantor has granted it.
func (m membership) revoked(what, member string) (texts []string) {
	text := "REVOKE " + what + " FROM " + quote(member)
	if len(m.grantors) == 0 {
		return []string{text + " CASCADE"}
	}
	for _, grantor := range m.grantors {
		texts = append(texts, text+" GRANTED BY "+quote(grantor)+" CASCADE")
	}
	return texts
}

// harmless are the roles of PostgreSQL itself that only show how the server is doing. The others read all data, or
// files of the server.
var harmless = []string{"pg_monitor", "pg_read_all_settings", "pg_read_all_stats", "pg_stat_scan_tables"}

// isReserved reports whether a role is PostgreSQL's own or a cloud's.
func isReserved(name string) bool {
	return strings.HasPrefix(name, "pg_") && !slices.Contains(harmless, name) || strings.HasPrefix(name, "rds") || strings.HasPrefix(name, "cloudsql")
}

// checkMember refuses a role that a user must not be a member of.
func (s *snapshot) checkMember(user, of string) error {
	r := s.roles[of]
	switch {
	case isReserved(of):
		return sql.Invalid(
			"memberOf names role %q, which is reserved by PostgreSQL or by the cloud: remove it from memberOf",
			of,
		)
	case isGroup(s, of):
		return sql.Invalid(
			"memberOf names role %q, which is a group role of a logical database: name the database in access",
			of,
		)
	case r == nil:
		return sql.Missing("memberOf names role %q, which is not on the server: make it first, or remove it from memberOf", of)
	case r.super || r.createRole || r.replicates || r.bypassRLS || of == s.admin || s.memberOf(of, s.admin):
		return sql.Invalid("memberOf names role %q, which can do more than any level: remove it from memberOf", of)
	case of == user || s.memberOf(of, user):
		return sql.Invalid(
			"memberOf names role %q, which is itself a member of %q: a role can't be a member of itself",
			of, user,
		)
	}
	return nil
}
