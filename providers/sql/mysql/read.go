package mysql

import (
	"context"
	dbsql "database/sql"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// Read implements sql.Server. It sends at most thirteen queries.
func (s *session) Read(ctx context.Context, wanted sql.Wanted) (sql.Snapshot, error) {
	s.budget.Renew()
	conn, err := s.conn(ctx)
	if err != nil {
		return nil, err
	}
	shot := &snapshot{
		wanted: wanted, mariaDB: s.mariaDB, accounts: map[string]*accountRow{}, databases: map[string]*database{}, grants: map[string][]grant{},
		members: map[string][]membership{}, roles: map[string]bool{}, marks: map[markKey]string{}, definers: map[string][]string{},
	}
	r := &reader{session: s, conn: conn}
	r.server(ctx, shot)
	r.databases(ctx, shot)
	r.marks(ctx, shot)
	names := shot.concerned()
	if len(names) > 0 {
		r.accounts(ctx, shot, names)
		r.grants(ctx, shot, names)
		r.members(ctx, shot, names)
		r.definers(ctx, shot, names)
	}
	if r.err != nil {
		return nil, r.err
	}
	return shot, nil
}

// concerned are the accounts that are declared, and those that have a declared mark.
func (s *snapshot) concerned() []string {
	names := s.ours()
	for _, u := range s.wanted.Users {
		names = append(names, s.strays(u)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A reader sends queries until one fails.
type reader struct {
	session *session
	conn    *dbsql.Conn
	err     error
}

// rows calls scan for each row, within the limits of the session.
func (r *reader) rows(ctx context.Context, op, query string, scan func(func(...any) error) error, arguments ...any) {
	if r.err != nil {
		return
	}
	r.session.queries++
	ctx, cancel := context.WithTimeout(ctx, r.session.limits.Statement)
	defer cancel()
	rows, err := r.conn.QueryContext(ctx, query, arguments...)
	if err != nil {
		r.err = r.session.failure(op, err)
		return
	}
	defer func() { _ = rows.Close() }() // rows.Err says what there is to say
	for n := 0; rows.Next(); n++ {
		if n >= r.session.limits.Rows {
			r.err = &driver.Error{
				Code: driver.Quota, Op: op,
				Message: "the server has more of these than Mooring reads",
			}
			return
		}
		if err := scan(rows.Scan); err != nil {
			r.err = r.session.failure(op, err)
			return
		}
	}
	if err := rows.Err(); err != nil {
		r.err = r.session.failure(op, err)
	}
}

// in returns placeholders and arguments for names.
func in(names []string) (placeholders string, arguments []any) {
	for _, name := range names {
		arguments = append(arguments, name)
	}
	return "(?" + strings.Repeat(", ?", len(names)-1) + ")", arguments
}

func (r *reader) server(ctx context.Context, s *snapshot) {
	r.rows(ctx, "read the server", `SELECT VERSION(), SUBSTRING_INDEX(CURRENT_USER(), '@', 1), @@read_only, @@lower_case_table_names,
  (SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'mysql' AND ROUTINE_NAME = 'rds_kill'),
  (SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '`+registry+`' AND TABLE_NAME = 'marks')`, func(scan func(...any) error) error {
		var readOnly, rds, marks int
		var lower int
		if err := scan(&s.version, &s.admin, &readOnly, &lower, &rds, &marks); err != nil {
			return err
		}
		if readOnly != 0 {
			return &driver.Error{
				Code:    driver.Invalid,
				Message: "the server is read-only, as a read replica is: its users come from its primary",
			}
		}
		s.folds, s.registry = lower != 0, marks > 0
		if rds > 0 {
			s.kills = "CALL mysql.rds_kill(%d)"
		}
		return nil
	})
}

func (r *reader) databases(ctx context.Context, s *snapshot) {
	r.rows(ctx, "read databases", `SELECT s.SCHEMA_NAME, s.DEFAULT_CHARACTER_SET_NAME, s.DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA s`, func(scan func(...any) error) error {
		var name string
		d := &database{}
		err := scan(&name, &d.charset, &d.collation)
		if s.folds {
			name = strings.ToLower(name)
		}
		s.databases[name] = d
		return err
	})
	names := []string{}
	for _, d := range s.wanted.Databases {
		names = append(names, d.Name)
	}
	if len(names) == 0 {
		return
	}
	placeholders, arguments := in(names)
	r.rows(ctx, "count tables", `SELECT TABLE_SCHEMA, COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE NOT LIKE '%VIEW' AND TABLE_SCHEMA IN `+placeholders+` GROUP BY TABLE_SCHEMA`,
		func(scan func(...any) error) error {
			var name string
			var n int
			err := scan(&name, &n)
			if d := s.database(name); d != nil {
				d.tables = n
			}
			return err
		}, arguments...)
}

func (r *reader) marks(ctx context.Context, s *snapshot) {
	if !s.registry {
		return
	}
	r.rows(ctx, "read marks", "SELECT kind, name, mark FROM "+quote(registry)+".marks", func(scan func(...any) error) error {
		var key markKey
		var mark string
		err := scan(&key.kind, &key.name, &mark)
		s.marks[key] = mark
		return err
	})
}

// Accounts of the same name at other hosts are read too: the server prefers them to ours for a client from there.
func (r *reader) accounts(ctx context.Context, s *snapshot, names []string) {
	placeholders, arguments := in(names)
	query := `SELECT User, Host, COALESCE(account_locked, 'N') = 'Y', plugin, max_user_connections FROM mysql.user WHERE User IN ` + placeholders
	if s.mariaDB {
		query = `SELECT User, Host, COALESCE(JSON_VALUE(Priv, '$.account_locked'), '0') IN ('1', 'true'), COALESCE(JSON_VALUE(Priv, '$.plugin'), ''),
  COALESCE(JSON_VALUE(Priv, '$.max_user_connections'), 0) FROM mysql.global_priv WHERE COALESCE(JSON_VALUE(Priv, '$.is_role'), '0') NOT IN ('1', 'true') AND User IN ` + placeholders
	}
	r.rows(ctx, "read accounts", query, func(scan func(...any) error) error {
		var name, host string
		a := &accountRow{}
		err := scan(&name, &host, &a.locked, &a.plugin, &a.connections)
		if host == "%" {
			s.accounts[name] = a
		} else {
			s.shadows = append(s.shadows, name+"@"+host)
		}
		return err
	}, arguments...)
}

// A collection is the grants of accounts, by where they are.
type collection map[string]map[where]*grant

// add adds a privilege. USAGE is none, but may come with the right to hand on.
func (c collection) add(name string, at where, privilege string, grantable bool) {
	if name == "" || privilege == "USAGE" && !grantable {
		return
	}
	if c[name] == nil {
		c[name] = map[where]*grant{}
	}
	g := c[name][at]
	if g == nil {
		g = &grant{where: at}
		c[name][at] = g
	}
	g.grantable = g.grantable || grantable
	if privilege != "USAGE" {
		g.privileges = append(g.privileges, strings.ToUpper(privilege))
	}
}

// grants reads privileges, of whatever kind the object is.
func (r *reader) grants(ctx context.Context, s *snapshot, names []string) {
	byGrantee, found := map[string]string{}, collection{}
	grantees := []string{}
	for _, name := range names {
		byGrantee[grantee(name)] = name
		grantees = append(grantees, grantee(name))
	}
	placeholders, arguments := in(grantees)
	for _, q := range []struct{ table, columns string }{
		{"USER_PRIVILEGES", "'', '', ''"},
		{"SCHEMA_PRIVILEGES", "TABLE_SCHEMA, '', ''"},
		{"TABLE_PRIVILEGES", "TABLE_SCHEMA, TABLE_NAME, ''"},
		{"COLUMN_PRIVILEGES", "TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME"},
	} {
		query := `SELECT GRANTEE, ` + q.columns + `, PRIVILEGE_TYPE, IS_GRANTABLE = 'YES' FROM information_schema.` + q.table + ` WHERE GRANTEE IN ` + placeholders
		r.rows(ctx, "read privileges", query, func(scan func(...any) error) error {
			var who, privilege string
			var at where
			var grantable bool
			err := scan(&who, &at.pattern, &at.table, &at.column, &privilege, &grantable)
			found.add(byGrantee[who], at, privilege, grantable)
			return err
		}, arguments...)
	}
	r.routines(ctx, s, names, found)
	for name, grants := range found {
		for _, g := range grants {
			s.grants[name] = append(s.grants[name], *g)
		}
		slices.SortFunc(s.grants[name], compareGrants)
	}
}

// routines reads privileges on routines, which information_schema lacks. MariaDB encodes names twice in that table: what it writes is the name
// as if its bytes were latin1. A row of a routine that is gone is no privilege.
func (r *reader) routines(ctx context.Context, s *snapshot, names []string, found collection) {
	placeholders, arguments := in(names)
	decoded := func(column string) string {
		if !s.mariaDB {
			return column
		}
		return "CONVERT(CAST(CONVERT(" + column + " USING latin1) AS BINARY) USING utf8mb4)"
	}
	query := `SELECT IF(p.User IN ` + placeholders + `, p.User, ` + decoded("p.User") + `), r.ROUTINE_SCHEMA, r.ROUTINE_NAME, p.Routine_type, p.Proc_priv
  FROM mysql.procs_priv p JOIN information_schema.ROUTINES r ON r.ROUTINE_TYPE = p.Routine_type AND (
    r.ROUTINE_SCHEMA = p.Db AND r.ROUTINE_NAME = p.Routine_name OR r.ROUTINE_SCHEMA = ` + decoded("p.Db") + ` AND r.ROUTINE_NAME = ` + decoded("p.Routine_name") + `)
  WHERE p.Host = '%' AND (p.User IN ` + placeholders + ` OR ` + decoded("p.User") + ` IN ` + placeholders + `)`
	r.rows(ctx, "read privileges on routines", query, func(scan func(...any) error) error {
		var who, set string
		var at where
		err := scan(&who, &at.pattern, &at.routine, &at.kind, &set)
		for p := range strings.SplitSeq(set, ",") {
			if p != "Grant" {
				found.add(who, at, p, strings.Contains(set, "Grant"))
			}
		}
		return err
	}, slices.Concat(arguments, arguments, arguments)...)
}

// members reads which roles accounts have, and which roles there are.
func (r *reader) members(ctx context.Context, s *snapshot, names []string) {
	placeholders, arguments := in(names)
	query := `SELECT e.TO_USER, e.FROM_USER, e.WITH_ADMIN_OPTION = 'Y', d.USER IS NOT NULL FROM mysql.role_edges e
  LEFT JOIN mysql.default_roles d ON d.USER = e.TO_USER AND d.HOST = e.TO_HOST AND d.DEFAULT_ROLE_USER = e.FROM_USER AND d.DEFAULT_ROLE_HOST = e.FROM_HOST
  WHERE e.TO_HOST = '%' AND e.TO_USER IN ` + placeholders
	if s.mariaDB {
		query = `SELECT m.User, m.Role, m.Admin_option = 'Y', COALESCE(JSON_VALUE(g.Priv, '$.default_role'), '') = m.Role FROM mysql.roles_mapping m
  LEFT JOIN mysql.global_priv g ON g.User = m.User AND g.Host = m.Host WHERE m.Host = '%' AND m.User IN ` + placeholders
	}
	r.rows(ctx, "read memberships", query, func(scan func(...any) error) error {
		var name string
		var m membership
		err := scan(&name, &m.role, &m.admin, &m.standard)
		s.members[name] = append(s.members[name], m)
		return err
	}, arguments...)
	query = `SELECT User FROM mysql.user WHERE Host = '%' AND account_locked = 'Y' AND authentication_string = ''`
	if s.mariaDB {
		query = `SELECT User FROM mysql.global_priv WHERE JSON_VALUE(Priv, '$.is_role') IN ('1', 'true')`
	}
	r.rows(ctx, "read roles", query, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		s.roles[name] = true
		return err
	})
}

// definers reads what runs with the rights of an account, and breaks without it.
func (r *reader) definers(ctx context.Context, s *snapshot, names []string) {
	byDefiner, definers := map[string]string{}, []string{}
	for _, name := range names {
		byDefiner[name+"@%"] = name
		definers = append(definers, name+"@%")
	}
	placeholders, arguments := in(definers)
	var parts []string
	var all []any
	for _, p := range []struct{ kind, schema, name, table string }{
		{"'view'", "TABLE_SCHEMA", "TABLE_NAME", "VIEWS"}, {"LOWER(ROUTINE_TYPE)", "ROUTINE_SCHEMA", "ROUTINE_NAME", "ROUTINES"}, {"'trigger'", "TRIGGER_SCHEMA", "TRIGGER_NAME", "TRIGGERS"}, {"'event'", "EVENT_SCHEMA", "EVENT_NAME", "EVENTS"},
	} {
		parts = append(parts, "SELECT DEFINER, "+p.kind+", "+p.schema+", "+p.name+" FROM information_schema."+p.table+" WHERE DEFINER IN "+placeholders)
		all = append(all, arguments...)
	}
	r.rows(ctx, "read definers", strings.Join(parts, " UNION ALL "), func(scan func(...any) error) error {
		var who, kind, schema, name string
		err := scan(&who, &kind, &schema, &name)
		s.definers[byDefiner[who]] = append(s.definers[byDefiner[who]], kind+" "+schema+"."+name)
		return err
	}, all...)
}
