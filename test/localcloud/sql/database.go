package sql

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

var sqlDatabaseNames = regexp.MustCompile(`^[A-Za-z0-9_$-]{1,63}$`)

var errSQLNoDatabase = google.Err(http.StatusNotFound, "notFound", "Not Found")

// databasesFor returns the databases that a request is to see.
func (in *sqlInstance) databasesFor(r *sqlRequest) []*sqladmin.Database {
	if r.Stale {
		return in.pastDatabases
	}
	return in.databases
}

// furnish gives a new instance the databases and users that Cloud SQL puts there.
func (in *sqlInstance) furnish() {
	if !in.mysql() {
		in.databases = []*sqladmin.Database{in.database("postgres", "UTF8", "en_US.UTF8")}
		in.users = []*sqladmin.User{in.user("postgres", "")}
		return
	}
	for _, name := range []string{"information_schema", "mysql", "performance_schema", "sys"} {
		in.databases = append(in.databases, in.database(name, "utf8mb4", "utf8mb4_0900_ai_ci"))
	}
	in.users = []*sqladmin.User{in.user("root", "%")}
}

func (in *sqlInstance) database(name, charset, collation string) *sqladmin.Database {
	return &sqladmin.Database{
		Kind: "sql#database", Name: name, Charset: charset, Collation: collation, Instance: in.Name, Project: in.project,
		SelfLink: fmt.Sprintf("%v/databases/%s", in.resource["selfLink"], name), Etag: sqlETag(in.version),
	}
}

func (in *sqlInstance) databaseIndex(name string) int { return indexOfDatabase(in.databases, name) }

func indexOfDatabase(all []*sqladmin.Database, name string) int {
	return slices.IndexFunc(all, func(d *sqladmin.Database) bool { return d.Name == name })
}

func (s *Service) insertDatabase(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[sqladmin.Database](r.Body)
	if err != nil {
		return nil, err
	}
	switch {
	case !sqlDatabaseNames.MatchString(want.Name) || strings.HasPrefix(want.Name, "pg_") || want.Name == "template0" || want.Name == "template1":
		return nil, sqlInvalid("invalid database name: " + want.Name)
	case want.Instance != "" && want.Instance != in.Name, want.Project != "" && want.Project != in.project:
		return nil, sqlInvalid("instance or project of the database differs from the request's.")
	case in.databaseIndex(want.Name) >= 0:
		return nil, sqlInvalid(fmt.Sprintf("failed to create database %s. Detail: database %q already exists.", want.Name, want.Name))
	}
	charset, collation := "UTF8", "en_US.UTF8"
	if in.mysql() {
		charset, collation = "utf8mb4", "utf8mb4_0900_ai_ci"
	}
	if want.Charset != "" {
		charset = want.Charset
	}
	if want.Collation != "" {
		collation = want.Collation
	}
	return s.begin(r, in, sqlWork{
		kind: "CREATE_DATABASE", takes: s.cloud.Options.Durations.Modify, atOnce: true,
		server: func() error { return s.cloud.Engines.CreateDatabase(in.engineID, want.Name) },
		succeed: func() {
			in.replicate(func(x *sqlInstance) { x.databases = append(x.databases, x.database(want.Name, charset, collation)) })
		},
	}), nil
}

func (s *Service) getDatabase(r *sqlRequest) (any, error) {
	in, err := r.running()
	if err != nil {
		return nil, err
	}
	all := in.databasesFor(r)
	i := indexOfDatabase(all, r.PathValue("database"))
	if i < 0 {
		return nil, errSQLNoDatabase
	}
	return all[i], nil
}

func (s *Service) listDatabases(r *sqlRequest) (any, error) {
	in, err := r.running()
	if err != nil {
		return nil, err
	}
	return &sqladmin.DatabasesListResponse{Kind: "sql#databasesList", Items: in.databasesFor(r)}, nil
}

func (s *Service) deleteDatabase(r *sqlRequest) (any, error) {
	in, err := r.writable()
	if err != nil {
		return nil, err
	}
	name := r.PathValue("database")
	if in.databaseIndex(name) < 0 {
		return nil, errSQLNoDatabase
	}
	return s.begin(r, in, sqlWork{
		kind: "DELETE_DATABASE", takes: s.cloud.Options.Durations.Modify, atOnce: true,
		server: func() error { return s.cloud.Engines.DropDatabase(in.engineID, name) },
		succeed: func() {
			in.replicate(func(x *sqlInstance) {
				x.databases = slices.DeleteFunc(x.databases, func(d *sqladmin.Database) bool { return d.Name == name })
			})
		},
	}), nil
}
