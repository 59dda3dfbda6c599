package sql

import (
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var errSQLNoUser = google.Err(http.StatusNotFound, "userDoesNotExist", "The specified user does not exist.")

func (in *sqlInstance) user(name, host string) *sqladmin.User {
	return &sqladmin.User{
		Kind: "sql#user", Name: name, Host: host, Instance: in.Name, Project: in.project, Type: "BUILT_IN", Etag: sqlETag(in.version),
	}
}

// host is what identifies a user beside its name: something with MySQL, nothing with PostgreSQL.
func (in *sqlInstance) host(asked string) string {
	if in.mysql() && asked == "" {
		return "%"
	}
	return asked
}

func (in *sqlInstance) userIndex(name, host string) int { return indexOfUser(in.users, name, host) }

// usersFor returns the users that a request is to see.
func (in *sqlInstance) usersFor(r *sqlRequest) []*sqladmin.User {
	if r.Stale {
		return in.pastUsers
	}
	return in.users
}

func indexOfUser(all []*sqladmin.User, name, host string) int {
	return slices.IndexFunc(all, func(u *sqladmin.User) bool { return u.Name == name && u.Host == host })
}

func (s *Service) insertUser(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[sqladmin.User](r.Body)
	if err != nil {
		return nil, err
	}
	host := in.host(want.Host)
	switch {
	case want.Name == "" || len(want.Name) > 63 || in.mysql() && len(want.Name) > 32,
		strings.HasPrefix(want.Name, "cloudsql"), !in.mysql() && strings.HasPrefix(want.Name, "pg_"):
		return nil, sqlInvalid("invalid user name: " + want.Name)
	case want.Type != "" && want.Type != "BUILT_IN":
		return nil, sqlInvalid("users of type " + want.Type + " are not served here.")
	case !in.mysql() && want.Host != "":
		return nil, sqlInvalid("host is not supported for PostgreSQL users.")
	case in.mysql() && host != "%":
		return nil, sqlInvalid("hosts other than % are not served here.")
	case in.userIndex(want.Name, host) >= 0:
		return nil, google.Err(http.StatusConflict, "userAlreadyExists", "The specified user already exists.")
	}
	if err := in.mayHave(r, want.Name, want.Password); err != nil {
		return nil, err
	}
	in.remember(r, want.Name, want.Password)
	return s.begin(r, in, sqlWork{
		kind: "CREATE_USER", takes: s.cloud.Options.Durations.Modify, atOnce: true,
		server: func() error { return s.cloud.Engines.SetPassword(in.engineID, want.Name, want.Password) },
		succeed: func() {
			in.replicate(func(x *sqlInstance) {
				if x.userIndex(want.Name, host) < 0 { // a replica may have kept the user
					x.users = append(x.users, x.user(want.Name, host))
				}
			})
		},
	}), nil
}

// named returns the user that a request names in its query.
func (r *sqlRequest) named(in *sqlInstance) (name, host string, err error) {
	name, host = r.URL.Query().Get("name"), in.host(r.URL.Query().Get("host"))
	if name == "" {
		return "", "", sqlInvalid("user name is required.")
	}
	if in.userIndex(name, host) < 0 {
		return "", "", errSQLNoUser
	}
	return name, host, nil
}

func (s *Service) updateUser(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[sqladmin.User](r.Body)
	if err != nil {
		return nil, err
	}
	name, _, err := r.named(in)
	if err != nil {
		return nil, err
	}
	if want.Name != "" && want.Name != name {
		return nil, sqlInvalid("the name of a user can't be changed.")
	}
	work := sqlWork{kind: "UPDATE_USER", takes: s.cloud.Options.Durations.Modify, atOnce: true, succeed: func() {}}
	if want.Password != "" {
		if err := in.mayHave(r, name, want.Password); err != nil {
			return nil, err
		}
		in.remember(r, name, want.Password)
		work.server = func() error { return s.cloud.Engines.SetPassword(in.engineID, name, want.Password) }
	}
	return s.begin(r, in, work), nil
}

// deleteUser deletes a user, of a replica of MySQL too, as the recording shows. PostgreSQL replicates its users.
func (s *Service) deleteUser(r *sqlRequest) (any, error) {
	in, err := r.free()
	switch {
	case err != nil:
		return nil, err
	case in.replica() && !in.mysql():
		return nil, errSQLOfReplica
	}
	name, host, err := r.named(in)
	if err != nil {
		return nil, err
	}
	return s.begin(r, in, sqlWork{
		kind: "DELETE_USER", takes: s.cloud.Options.Durations.Modify, atOnce: true,
		server: func() error { return s.cloud.Engines.DropUser(in.engineID, name) },
		succeed: func() {
			in.replicate(func(x *sqlInstance) {
				x.users = slices.DeleteFunc(x.users, func(u *sqladmin.User) bool { return u.Name == name && u.Host == host })
			})
		},
	}), nil
}

func (s *Service) getUser(r *sqlRequest) (any, error) {
	in, err := r.running()
	if err != nil {
		return nil, err
	}
	all := in.usersFor(r)
	i := indexOfUser(all, r.PathValue("user"), in.host(r.URL.Query().Get("host")))
	if i < 0 {
		return nil, errSQLNoUser
	}
	return all[i], nil
}

func (s *Service) listUsers(r *sqlRequest) (any, error) {
	in, err := r.running()
	if err != nil {
		return nil, err
	}
	return &sqladmin.UsersListResponse{Kind: "sql#usersList", Items: in.usersFor(r)}, nil
}
