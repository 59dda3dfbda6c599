package mysql

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/sql"
)

// A snapshot is what a server had when it was read.
type snapshot struct {
	wanted  sql.Wanted
	mariaDB bool
	version string
	admin   string
	// kills is the procedure by which RDS ends sessions; empty for KILL.
	kills string
	// folds says that names of databases have no case.
	folds     bool
	registry  bool
	accounts  map[string]*accountRow
	shadows   []string // of other hosts
	databases map[string]*database
	grants    map[string][]grant
	members   map[string][]membership
	roles     map[string]bool
	marks     map[markKey]string
	definers  map[string][]string
}

// An accountRow is an account at %.
type accountRow struct {
	locked      bool
	plugin      string
	connections int
}

type database struct {
	charset, collation string
	tables             int
}

type membership struct {
	role     string
	admin    bool
	standard bool // active from login on
}

// A markKey is what has a mark: a database or a user, by its name.
type markKey struct{ kind, name string }

const (
	kindDatabase = "database"
	kindAccount  = "account"
)

// database returns a database by its name, in whatever case the server keeps it.
func (s *snapshot) database(name string) *database {
	if s.folds {
		name = strings.ToLower(name)
	}
	return s.databases[name]
}

// ours are the names of all accounts that are declared.
func (s *snapshot) ours() (names []string) {
	for _, u := range s.wanted.Users {
		names = append(names, accountsOf(u)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// accountsOf returns the accounts of a user: its logins. Another account of its name is a stray, if it has the mark.
func accountsOf(u sql.User) (names []string) {
	for _, l := range u.Logins {
		names = append(names, l.Name)
	}
	return names
}

// strays are accounts with the mark of a user that are none of its logins any more.
func (s *snapshot) strays(u sql.User) (names []string) {
	for key, mark := range s.marks {
		if key.kind == kindAccount && mark == u.Mark && !slices.Contains(accountsOf(u), key.name) && !u.External {
			names = append(names, key.name)
		}
	}
	slices.Sort(names)
	return names
}

func compareGrants(a, b grant) int {
	return cmp.Or(cmp.Compare(a.pattern, b.pattern), cmp.Compare(a.table, b.table), cmp.Compare(a.column, b.column), cmp.Compare(a.routine, b.routine), cmp.Compare(a.kind, b.kind))
}
