package mysql

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mooring-dev/mooring/providers/sql"
)

// User implements sql.Snapshot.
func (s *snapshot) User(want sql.User) (sql.Plan, error) {
	if err := s.checkUser(want); err != nil {
		return sql.Plan{}, err
	}
	var p sql.Plan
	for _, l := range want.Logins {
		if s.accounts[l.Name] != nil {
			p.Found, p.Mark = true, s.marks[markKey{kindAccount, l.Name}]
		}
	}
	for _, l := range want.Logins {
		if err := s.ensure(&p, want, l); err != nil {
			return p, err
		}
		s.converge(&p, l.Name, want)
		s.memberships(&p, l.Name, want)
	}
	for _, shadow := range s.shadows {
		if name, _, _ := strings.Cut(shadow, "@"); slices.Contains(accountsOf(want), name) {
			p.Note("account %s exists beside %s@%%: clients from that host log in as that one", shadow, name)
		}
	}
	s.dropAccounts(&p, s.strays(want))
	return p, nil
}

func (s *snapshot) checkUser(want sql.User) error {
	if want.Mark == "" && !want.External {
		return sql.Invalid("user %q has no mark", want.Name)
	}
	for _, name := range append(accountsOf(want), want.Name) {
		if err := checkAccount("user", name); err != nil {
			return err
		}
		if name == s.admin {
			return sql.Conflict("user %q is the administrator, who is never taken over: choose another name", name)
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
		case privileges(a.Level) == nil:
			return sql.Invalid("access to logical database %q has no level", a.Database)
		case len(a.Schemas) > 0:
			return sql.Invalid(
				"access to logical database %q has schemas: MySQL and MariaDB have none within a database; remove them",
				a.Database,
			)
		case s.database(a.Database) == nil:
			return sql.NotYet("logical database %q is not on the server yet", a.Database)
		}
		seen[a.Database] = true
	}
	for _, role := range want.MemberOf {
		switch {
		case !s.roles[role]:
			return sql.Missing("memberOf names role %q, which is not on the server: make it first, or remove it from memberOf", role)
		case slices.Contains(reserved, strings.ToLower(role)):
			return sql.Invalid("memberOf names role %q, which is reserved: remove it from memberOf", role)
		}
	}
	return nil
}

// ensure plans that an account is there, has the mark, and has its attributes.
func (s *snapshot) ensure(p *sql.Plan, want sql.User, login sql.Login) error {
	has, key := s.accounts[login.Name], markKey{kindAccount, login.Name}
	if want.External {
		if has == nil {
			return sql.NotYet("the cloud has not made login %q on the server yet", login.Name)
		}
		return nil
	}
	ours := s.marks[key] == want.Mark
	if has != nil && !ours && !want.Adopt {
		return sql.Taken("login", login.Name)
	}
	if !ours {
		p.Mend(fmt.Sprintf("mark of login %q", login.Name), "none or another", "this object", s.record(key, want.Mark))
	}
	plugin := want.IAMRole != "" && has != nil && !strings.EqualFold(has.plugin, want.IAMRole)
	if has == nil || !ours || login.Reset || plugin {
		by, secrets, err := s.identified(want, login)
		if err != nil {
			return err
		}
		if has == nil {
			limit := ""
			if want.ConnectionLimit != nil {
				limit = " WITH MAX_USER_CONNECTIONS " + strconv.Itoa(max(0, *want.ConnectionLimit))
			}
			p.Mend(fmt.Sprintf("login %q", login.Name), "missing", "made",
				sql.Statement{
					Name:  "make account " + login.Name,
					Texts: []string{"CREATE USER IF NOT EXISTS " + account(login.Name) + by + limit}, Secrets: secrets,
				})
			return nil
		}
		p.Mend("password of "+login.Name, "the former one", "the current one",
			sql.Statement{
				Name:  "set the password of " + login.Name,
				Texts: []string{"ALTER USER " + account(login.Name) + by}, Secrets: secrets,
			})
	}
	s.attributes(p, want, login, has)
	return nil
}

func (s *snapshot) attributes(p *sql.Plan, want sql.User, login sql.Login, has *accountRow) {
	if has.locked {
		p.Mend("logins of "+login.Name, "locked", "allowed",
			sql.Statement{
				Name:  "unlock " + login.Name,
				Texts: []string{"ALTER USER " + account(login.Name) + " ACCOUNT UNLOCK"},
			})
	}
	if want.ConnectionLimit == nil {
		return
	}
	if limit := max(0, *want.ConnectionLimit); limit != has.connections {
		p.Mend("connection limit of "+login.Name, strconv.Itoa(has.connections), strconv.Itoa(limit),
			sql.Statement{
				Name:  "limit connections of " + login.Name,
				Texts: []string{"ALTER USER " + account(login.Name) + " WITH MAX_USER_CONNECTIONS " + strconv.Itoa(limit)},
			})
	}
}

// identified returns how an account proves who it is. No password is in it.
func (s *snapshot) identified(want sql.User, login sql.Login) (text string, secrets []string, err error) {
	if want.IAMRole != "" {
		if !plugin.MatchString(want.IAMRole) {
			return "", nil, sql.Invalid("%q is no name of a plugin", want.IAMRole)
		}
		return " IDENTIFIED WITH " + want.IAMRole + " AS 'RDS' REQUIRE SSL", nil, nil
	}
	if login.Verifier == nil {
		return "", nil, sql.Invalid("login %q has no password", login.Name)
	}
	verifier, err := login.Verifier()
	if err != nil {
		return "", nil, err
	}
	if strings.HasPrefix(verifier, "*") {
		if s.mariaDB {
			return " IDENTIFIED VIA mysql_native_password USING " + literal(verifier), []string{verifier}, nil
		}
		return " IDENTIFIED WITH mysql_native_password AS " + literal(verifier), []string{verifier}, nil
	}
	return " IDENTIFIED WITH caching_sha2_password AS 0x" + hex.EncodeToString([]byte(verifier)), []string{verifier, hex.EncodeToString([]byte(verifier))}, nil
}

// converge plans that an account has exactly the privileges of its levels.
func (s *snapshot) converge(p *sql.Plan, name string, want sql.User) {
	declared, has := map[string][]string{}, map[string][]string{}
	for _, a := range want.Access {
		at := pattern(a.Database)
		if s.folds {
			at = strings.ToLower(at)
		}
		declared[at] = privileges(a.Level)
	}
	for _, g := range s.grants[name] {
		if g.table == "" && g.routine == "" {
			has[g.pattern] = g.privileges
		}
		s.revoke(p, name, g, allowed(g.where, declared))
	}
	for _, a := range want.Access {
		at := where{pattern: pattern(a.Database)}
		key := at.pattern
		if s.folds {
			key = strings.ToLower(key)
		}
		if missing := without(declared[key], has[key]); len(missing) > 0 {
			what := fmt.Sprintf("privileges of %q in %q", name, a.Database)
			p.Mend(what, "without "+strings.Join(missing, ", "), "with "+strings.Join(missing, ", "),
				sql.Statement{
					Name:  "grant " + what,
					Texts: []string{"GRANT " + strings.Join(missing, ", ") + " ON " + at.on() + " TO " + account(name)},
				})
		}
	}
}

// absent are what servers answer to a REVOKE of what is not there.
var absent = []string{"1141", "1147", "1403"}

// revoke plans the end of privileges that are not declared, and of the right to hand them on.
func (s *snapshot) revoke(p *sql.Plan, name string, g grant, allowed []string) {
	extra := without(g.privileges, allowed)
	if g.pattern == "" && g.grantable { // on all of the server, GRANT OPTION is a privilege beside others
		extra = append(extra, "GRANT OPTION")
	} else if g.grantable {
		what := fmt.Sprintf("GRANT OPTION of %q on %s", name, g.on())
		p.Mend(what, "granted", "none",
			sql.Statement{
				Name:  "revoke " + what,
				Texts: []string{"REVOKE GRANT OPTION ON " + g.on() + " FROM " + account(name)}, Refused: absent,
			})
	}
	if len(extra) == 0 {
		return
	}
	what := fmt.Sprintf("privileges of %q on %s", name, g.on())
	texts := []string{"REVOKE " + g.list(extra) + " ON " + g.on() + " FROM " + account(name)}
	if g.routine != "" && s.mariaDB && strings.ContainsFunc(name+g.pattern+g.routine, func(c rune) bool { return c > unicode.MaxASCII }) {
		// DROP USER leaves the row of such a name in the table and not in memory: MariaDB revokes it only once it is in
		// both.
		texts = append([]string{"GRANT " + g.list(extra) + " ON " + g.on() + " TO " + account(name)}, texts...)
	}
	p.Mend(what, strings.Join(extra, ", "), "none",
		sql.Statement{Name: "revoke " + what, Texts: texts, Refused: absent})
}

// memberships plans that an account has these roles and no others.
func (s *snapshot) memberships(p *sql.Plan, name string, want sql.User) {
	has := map[string]membership{}
	for _, m := range s.members[name] {
		has[m.role] = m
	}
	for _, role := range want.MemberOf {
		what := fmt.Sprintf("membership of %q in %q", name, role)
		m, is := has[role]
		if !is {
			p.Mend(what, "none", "member",
				sql.Statement{Name: "grant " + what, Texts: []string{"GRANT " + s.role(role) + " TO " + account(name)}})
		}
		if is && m.admin {
			p.Mend(what, "with ADMIN OPTION", "without",
				sql.Statement{
					Name:  "revoke the option of " + what,
					Texts: []string{"REVOKE ADMIN OPTION FOR " + s.role(role) + " FROM " + account(name)},
				})
		}
		if s.mariaDB && len(want.MemberOf) > 1 {
			p.Note("%s: MariaDB activates one role at login, and %q has %d: clients use SET ROLE",
				what, name, len(want.MemberOf))
		} else if !m.standard {
			p.Mend(what, "not active at login", "active at login", s.activate(name, role))
		}
	}
	if want.External {
		return // what the cloud has granted to it is the cloud's
	}
	for _, m := range s.members[name] {
		if !slices.Contains(want.MemberOf, m.role) {
			what := fmt.Sprintf("membership of %q in %q", name, m.role)
			p.Mend(what, "member", "none",
				sql.Statement{
					Name:  "revoke " + what,
					Texts: []string{"REVOKE " + s.role(m.role) + " FROM " + account(name)}, Refused: []string{"1960", "3523"},
				})
		}
	}
}

// role returns a role as a statement names it: in MySQL it is an account.
func (s *snapshot) role(name string) string {
	if s.mariaDB {
		return quote(name)
	}
	return account(name)
}

// activate is the statement by which sessions have a role from the login on.
func (s *snapshot) activate(name, role string) sql.Statement {
	text := "ALTER USER " + account(name) + " DEFAULT ROLE ALL"
	if s.mariaDB {
		text = "SET DEFAULT ROLE " + quote(role) + " FOR " + account(name)
	}
	return sql.Statement{Name: fmt.Sprintf("activate role %s of %s", role, name), Texts: []string{text}}
}
