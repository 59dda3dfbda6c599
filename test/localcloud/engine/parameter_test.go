package engine

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// A server has the parameters that it is started with; others reach it at once where its engine can, and with a restart where it cannot. What is taken back is as it was.
func TestServerParameters(t *testing.T) {
	t.Parallel()
	type values = map[string]string
	type ofEngine struct {
		dynamic, static             string // the latter empty for none
		standard, first, last       values
		standardIs, firstIs, lastIs values
	}
	postgres := ofEngine{
		"work_mem", "max_connections", nil, values{"work_mem": "8192", "max_connections": "57"}, values{"work_mem": "1024", "max_connections": "61"},
		values{"work_mem": "4MB", "max_connections": "20"}, values{"work_mem": "8MB", "max_connections": "57"}, values{"work_mem": "1MB", "max_connections": "61"},
	}
	mysql := ofEngine{
		"max_connections", "", nil, values{"long_query_time": "2", "max_connections": "57"}, values{"long_query_time": "0.5", "max_connections": "61"},
		values{"long_query_time": "10.000000", "max_connections": "20"}, values{"long_query_time": "2.000000", "max_connections": "57"},
		values{"long_query_time": "0.500000", "max_connections": "61"},
	}
	for _, w := range wantEngines {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			check.Available(t, Available(w.name))
			of := mysql
			if w.name == "postgres" {
				of = postgres
			}
			e := testEngines(t, false)
			got := mustStart(t, e, Spec{ID: "db", Engine: w.name, Username: w.admin, Password: password, Parameters: of.first})
			has := func(when string, want values, names ...string) {
				t.Helper()
				for _, name := range names {
					value, err := w.query(t, at(got), w.admin, password, "", check.ShowParameter[w.name](name))
					if err != nil || value != want[name] {
						t.Errorf("%s: %s is %q, %v, want %s", when, name, value, err, want[name])
					}
				}
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			all := slices.Collect(maps.Keys(of.first))
			has("started", of.firstIs, all...)
			must(e.SetParameters("db", of.last))
			has("changed", of.lastIs, of.dynamic)
			if of.static != "" {
				has("changed, and not restarted", of.firstIs, of.static)
			}
			must(e.Restart("db"))
			has("restarted", of.lastIs, all...)
			must(e.ChangeParameters("db", map[string]*string{of.dynamic: nil}))
			has("taken back", of.standardIs, of.dynamic)
			must(e.Suspend("db"))
			must(e.SetParameters("db", of.standard))
			must(e.Resume("db"))
			has("all taken back while it was stopped", of.standardIs, all...)
		})
	}
}

// A server leaves alone what is the cloud's own and what it needs as it is, takes less than machines here can give, and starts whatever the values are. Its log says so.
func TestServerParametersAreBounded(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("postgres"))
	e := testEngines(t, false)
	got := mustStart(t, e, Spec{ID: "db", Engine: "postgres", Username: "postgres", Password: password, Parameters: map[string]string{
		"rds.force_ssl": "1", "cloudsql.iam_authentication": "on", "fsync": "on", "max_connections": "5000", "shared_buffers": "1000000",
		"timezone": "Mars/Olympus", "log_timezone": "Europe/Zurich", "no_such_parameter": "1", "application_name": `it's a \ name`,
	}})
	for name, want := range map[string]string{
		"fsync": "off", "max_connections": "500", "shared_buffers": "16MB", "log_timezone": "Europe/Zurich", "application_name": `it's a \ name`,
	} {
		value, err := check.QueryPostgres(t, at(got), "postgres", password, "", check.ShowParameter["postgres"](name))
		if err != nil || value != want {
			t.Errorf("%s is %q, %v, want %s", name, value, err, want)
		}
	}
	if _, err := check.QueryPostgres(t, at(got), "postgres", password, "", check.ShowParameter["postgres"]("rds.force_ssl")); err == nil {
		t.Error("the server has a parameter of the cloud's own")
	}
	logs, _ := filepath.Glob(filepath.Join(e.dir, "*", "*", "log"))
	if len(logs) != 1 {
		t.Fatalf("the logs are %v", logs)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"fsync stays as it is", "max_connections is set to 500, and not to 5000", "shared_buffers is set to 2048", "no_such_parameter is not set", "timezone is not set",
	} {
		if !strings.Contains(string(log), "local cloud: "+line) {
			t.Errorf("the log does not say %q", line)
		}
	}
}

// A replica has as many connections as its source has, or more: it would not follow otherwise.
func TestServerParametersOfReplicas(t *testing.T) {
	t.Parallel()
	check.Available(t, Available("postgres"))
	e := testEngines(t, false)
	mustStart(t, e, Spec{ID: "source", Engine: "postgres", Username: "postgres", Password: password, Parameters: map[string]string{"max_connections": "57"}})
	for name, want := range map[string]string{"": "57", "40": "57", "80": "80"} {
		values := map[string]string{"max_connections": name}
		if name == "" {
			values = nil
		}
		replica := mustStart(t, e, Spec{ID: "replica" + name, Engine: "postgres", Follows: "source", Parameters: values})
		if got, err := check.QueryPostgres(t, at(replica), "postgres", password, "", "SHOW max_connections"); err != nil || got != want {
			t.Errorf("with %q of its own the replica has %q, %v, want %s", name, got, err, want)
		}
	}
}
