package postgres

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/sql"
)

// User implements sql.Snapshot.
func (s *snapshot) User(want sql.User) (sql.Plan, error) {
	if err := s.checkUser(want); err != nil {
		return sql.Plan{}, err
	}
	var p sql.Plan
	if r := s.roles[want.Name]; r != nil {
		p.Found, p.Mark = true, r.mark
	}
	if err := s.ensureLogins(&p, want); err != nil {
		return p, err
	}
	groups := s.groupsOf(want)
	s.memberships(&p, want.Name, groups)
	for _, l := range want.Logins {
		if l.Name == want.Name {
			continue
		}
		of := []string{want.Name}
		if want.IAMRole != "" {
			of = append(of, want.IAMRole)
		}
		s.memberships(&p, l.Name, of)
	}
	s.sessionRoles(&p, want)
	for _, name := range slices.Sorted(keys(s.inside)) {
		w := work{shot: s, plan: &p, database: name, in: s.inside[name]}.reassign()
		for _, role := range rolesOf(want) {
			right := rights{}
			if role == want.Name {
				right = directRights(want, name)
			}
			w.converge(role, right, GroupsOf(name).Owner)
		}
	}
	if s.losesOwner(want.Name, groups) {
		p.Statements = append(p.Statements, s.EndSessions(loginsOf(want)...)...)
	}
	if strays := s.strays(want); len(strays) > 0 {
		s.dropRoles(&p, strays)
	}
	return p, nil
}

func loginsOf(want sql.User) (names []string) {
	for _, l := range want.Logins {
		names = append(names, l.Name)
	}
	return names
}

// losesOwner reports whether a role is no member of an owner role any more. Its sessions that began as the owner role
// would stay that.
func (s *snapshot) losesOwner(name string, groups []string) bool {
	if s.roles[name] == nil {
		return false
	}
	for of := range s.roles[name].memberOf {
		owns := slices.ContainsFunc(s.concerned(), func(d string) bool { return GroupsOf(d).Owner == of })
		if owns && !slices.Contains(groups, of) {
			return true
		}
	}
	return false
}

func (s *snapshot) checkUser(want sql.User) error {
	if want.Mark == "" && !want.External {
		return sql.Invalid("user %q has no mark", want.Name)
	}
	for _, name := range rolesOf(want) {
		if err := checkRole("user", name); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for _, a := range want.Access {
		switch {
		case seen[a.Database]:
			return sql.Invalid(
				"access names logical database %q twice: name it once, with the higher level",
				a.Database,
			)
		case a.Level < sql.ReadOnly || a.Level > sql.Owner:
			return sql.Invalid("access to logical database %q has no level", a.Database)
		case a.Level == sql.Owner && len(a.Schemas) > 0:
			return sql.Invalid(
				"access to logical database %q has level Owner and schemas: an Owner has all schemas; remove schemas, or set ReadWrite",
				a.Database,
			)
		case s.databases[a.Database] == nil || s.roles[GroupsOf(a.Database).Owner] == nil:
			return sql.NotYet("logical database %q and its group roles are not on the server yet", a.Database)
		}
		if err := s.unreadable[a.Database]; err != nil {
			return err
		}
		seen[a.Database] = true
	}
	for _, of := range want.MemberOf {
		if err := s.checkMember(want.Name, of); err != nil {
			return err
		}
	}
	return nil
}

// ensureLogins plans the roles of a user.
func (s *snapshot) ensureLogins(p *sql.Plan, want sql.User) error {
	if want.External {
		for _, name := range rolesOf(want) {
			if s.roles[name] == nil {
				return sql.NotYet("the cloud has not made login %q on the server yet", name)
			}
		}
		return nil
	}
	for _, name := range rolesOf(want) {
		w := wantedRole{name: name, what: "user", mark: want.Mark, adopt: want.Adopt, connections: want.ConnectionLimit}
		if i := slices.IndexFunc(want.Logins, func(l sql.Login) bool { return l.Name == name }); i >= 0 {
			w.what, w.login = "login", &want.Logins[i]
		}
		if err := s.ensure(p, w); err != nil {
			return err
		}
	}
	return nil
}

// groupsOf returns the roles that the role with a user's privileges is a member of.
func (s *snapshot) groupsOf(want sql.User) []string {
	of := slices.Clone(want.MemberOf)
	for _, a := range want.Access {
		if len(a.Schemas) == 0 {
			of = append(of, GroupsOf(a.Database).of(a.Level))
		}
	}
	logs := slices.ContainsFunc(want.Logins, func(l sql.Login) bool { return l.Name == want.Name })
	if want.IAMRole != "" && logs {
		of = append(of, want.IAMRole)
	}
	if want.External { // what the cloud has granted to it is the cloud's
		for name := range s.roles[want.Name].memberOf {
			if !isGroup(s, name) {
				of = append(of, name)
			}
		}
	}
	return of
}

// isGroup reports whether a name is that of a group role of a declared logical database.
func isGroup(s *snapshot, name string) bool {
	return slices.ContainsFunc(s.concerned(), func(d string) bool { return slices.Contains(GroupsOf(d).all(), name) })
}

// directRights are what a user has itself in a database: only access that is restricted to schemas is not by a group
// role.
func directRights(want sql.User, database string) rights {
	for _, a := range want.Access {
		if a.Database == database && len(a.Schemas) > 0 {
			return rights{level: a.Level, schemas: a.Schemas}
		}
	}
	return rights{}
}

// sessionRoles plans that sessions of an owner begin as the owner role, so that what they make belongs to it.
func (s *snapshot) sessionRoles(p *sql.Plan, want sql.User) {
	wanted := map[setting]string{}
	for _, a := range want.Access {
		for _, l := range want.Logins {
			if a.Level == sql.Owner {
				wanted[setting{l.Name, a.Database}] = GroupsOf(a.Database).Owner
			}
		}
	}
	for at := range s.settings {
		if _, is := wanted[at]; !is && slices.Contains(rolesOf(want), at.login) {
			wanted[at] = ""
		}
	}
	for _, at := range slices.SortedFunc(mapKeys(wanted), compareSettings) {
		is, to := s.settings[at], wanted[at]
		if is == to {
			continue
		}
		text := " RESET role"
		if to != "" {
			text = " SET role TO " + literal(to)
		}
		p.Mend(fmt.Sprintf("role of sessions of %q in %q", at.login, at.database), orNone(is), orNone(to), sql.Statement{
			Name:  fmt.Sprintf("set the role of sessions of %s in %s", at.login, at.database),
			Texts: []string{"ALTER ROLE " + quote(at.login) + " IN DATABASE " + quote(at.database) + text},
		})
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// reassign plans that what declared users own in the database belongs to its owner role, and returns the work as it is
// afterwards.
func (w work) reassign() work {
	owner := GroupsOf(w.database).Owner
	handed := map[string]bool{}
	for _, o := range w.in.owned {
		if o.class == "pg_default_acl" || !slices.ContainsFunc(w.shot.wanted.Users, func(u sql.User) bool { return slices.Contains(rolesOf(u), o.role) }) {
			continue
		}
		what := fmt.Sprintf("objects of %q in %q", o.role, w.database)
		texts, can := w.reassigned(o.role, owner)
		if !can {
			w.plan.Note("%s: they can't be handed to role %q", what, owner)
			continue
		}
		if !handed[o.role] {
			w.plan.Mend(what, fmt.Sprintf("%d in %s", o.count, o.class), "owned by "+owner,
				sql.Statement{Name: "reassign " + what, Database: w.database, Texts: texts})
		}
		handed[o.role] = true
	}
	if len(handed) > 0 {
		w.in = w.in.handed(handed, owner)
	}
	return w
}

// handed returns what is in a database once other roles' objects belong to an owner. Their grants are the new owner's
// then.
func (in *inside) handed(from map[string]bool, to string) *inside {
	next := *in
	next.schemas, next.relations, next.grants = slices.Clone(in.schemas), slices.Clone(in.relations), nil
	for i := range next.schemas {
		if from[next.schemas[i].owner] {
			next.schemas[i].owner = to
		}
	}
	for i := range next.relations {
		if from[next.relations[i].owner] {
			next.relations[i].owner = to
		}
	}
	for _, g := range in.grants {
		if from[g.owner] {
			g.owner = to
			if from[g.grantor] {
				g.grantor = to
			}
			if g.grantee == to {
				continue
			}
		}
		next.grants = append(next.grants, g)
	}
	return &next
}

// reassigned returns the texts that hand what a role owns in a database to another one, and more texts that need the
// membership too.
func (w work) reassigned(from, to string, more ...string) ([]string, bool) {
	if w.shot.roles[to] == nil || w.shot.roles[from] == nil {
		return nil, false
	}
	texts, can := w.shot.joined(from, slices.Concat([]string{"REASSIGN OWNED BY " + quote(from) + " TO " + quote(to)}, more)...)
	if !can {
		return nil, false
	}
	if w.shot.memberOf(w.shot.admin, to) || to == w.shot.admin {
		return texts, true
	}
	return w.shot.joined(to, texts...)
}

// strays are roles with the mark of a user that are none of its logins any more.
func (s *snapshot) strays(want sql.User) (names []string) {
	if want.External {
		return nil
	}
	for _, name := range slices.Sorted(keys(s.roles)) {
		if s.roles[name].mark == want.Mark && !slices.Contains(rolesOf(want), name) {
			names = append(names, name)
		}
	}
	return names
}
