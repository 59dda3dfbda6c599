package mysql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// plugin is what names of authentication plugins look like.
var plugin = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// DropUser implements sql.Snapshot.
func (s *snapshot) DropUser(want sql.User) (sql.Plan, error) {
	var p sql.Plan
	var names []string
	for _, name := range slices.Concat(accountsOf(want), s.strays(want)) {
		mark, is := s.marks[markKey{kindAccount, name}]
		if s.accounts[name] != nil {
			p.Found, p.Mark = true, mark
		}
		switch {
		case name == s.admin || slices.Contains(reserved, strings.ToLower(name)):
			p.Note("account %q is the administrator or the cloud's own, and stays", name)
		case want.External:
			s.converge(&p, name, sql.User{})
		case (!is || mark != want.Mark) && !want.Adopt:
			if s.accounts[name] != nil {
				p.Note("account %q was not made for this object, and stays", name)
			}
		default:
			names = append(names, name)
		}
	}
	s.dropAccounts(&p, names)
	return p, nil
}

// dropAccounts plans the end of accounts: no new logins, no sessions, no privileges, and then no account. What runs
// with the rights of an account would fail without it: it is named, and the account stays locked and without privileges
// until somebody has given that another definer.
func (s *snapshot) dropAccounts(p *sql.Plan, names []string) {
	for _, name := range names {
		has := s.accounts[name]
		key := markKey{kindAccount, name}
		if has == nil {
			p.Statements = append(p.Statements, s.forget(key)...)
			continue
		}
		if !has.locked {
			p.Mend("logins of "+name, "allowed", "refused",
				sql.Statement{
					Name:  "lock " + name,
					Texts: []string{"ALTER USER IF EXISTS " + account(name) + " ACCOUNT LOCK"},
				})
		}
		for _, end := range s.EndSessions(name) {
			end.Refused = append(end.Refused, notPermitted...)
			p.Statements = append(p.Statements, end)
		}
		s.converge(p, name, sql.User{})
		if defines := s.definers[name]; len(defines) > 0 {
			p.Blocked = append(p.Blocked, fmt.Sprintf("account %q is the definer of %s: give them another definer", name, strings.Join(defines, ", ")))
			continue
		}
		p.Mend("account "+name, "on the server", "dropped",
			sql.Statement{Name: "drop account " + name, Texts: []string{"DROP USER IF EXISTS " + account(name)}})
		p.Statements = append(p.Statements, s.forget(key)...)
	}
}

// notPermitted are what servers answer to an administrator that may not end sessions. A dropped account has no rights
// any more in them.
var notPermitted = []string{"1095", "1227"}

// EndSessions implements sql.Snapshot.
func (s *snapshot) EndSessions(logins ...string) []sql.Statement {
	if len(logins) == 0 {
		return nil
	}
	users := make([]string, len(logins))
	for i, name := range logins {
		users[i] = literal(name)
	}
	kill := "KILL CONNECTION %d"
	if s.kills != "" {
		kill = s.kills
	}
	return []sql.Statement{{
		Name: "end sessions of " + strings.Join(logins, ", "), Texts: []string{kill}, Refused: []string{"1094"},
		Each: "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND USER IN (" + strings.Join(users, ", ") + ")",
	}}
}
