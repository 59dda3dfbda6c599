package rds_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func inVersion(engine v1alpha1.Engine, version string, tls *v1alpha1.TLS) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) {
		s.Engine, s.Version, s.TLS = &engine, &version, tls
	}
}

var optional, required = new(v1alpha1.TLSOptional), new(v1alpha1.TLSRequired)

// An upgrade to a version that requires TLS by itself keeps what the spec says, in the call that upgrades, and nothing differs after it. A spec that says
// nothing of TLS gets no group for it. Nor does a version in which nothing changes.
func TestUpgradeKeepsTLS(t *testing.T) {
	for name, tt := range map[string]struct {
		engine   v1alpha1.Engine
		from, to string
		tls      *v1alpha1.TLS
		also     parameters
		want     map[string]map[string]string
		attached string
	}{
		"PostgreSQL": {v1alpha1.EnginePostgres, "14", "15", optional, nil, map[string]map[string]string{"shop-up-a": {"rds.force_ssl": "0"}}, "shop-up-a"},
		"MariaDB":    {v1alpha1.EngineMariaDB, "11.4", "11.8", optional, nil, map[string]map[string]string{"shop-up-a": {"require_secure_transport": "0"}}, "shop-up-a"},
		"in a group of its own": {v1alpha1.EngineMariaDB, "10.11", "11.8", optional, parameters{"long_query_time": "2"}, map[string]map[string]string{
			"shop-up-a": {"long_query_time": "2"}, "shop-up-b": {"long_query_time": "2", "require_secure_transport": "0"},
		}, "shop-up-b"},
		"required": {v1alpha1.EnginePostgres, "14", "16", required, nil, map[string]map[string]string{
			"shop-up-a": {"rds.force_ssl": "1"}, "shop-up-b": {"rds.force_ssl": "1"},
		}, "shop-up-b"},
		"unset":             {v1alpha1.EnginePostgres, "14", "15", nil, nil, map[string]map[string]string{}, "default.postgres15"},
		"between two that":  {v1alpha1.EngineMariaDB, "10.6", "11.4", optional, nil, map[string]map[string]string{}, "default.mariadb11.4"},
		"it becomes so too": {v1alpha1.EngineMySQL, "8.0", "8.4", optional, nil, map[string]map[string]string{}, "default.mysql8.4"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-up", inVersion(tt.engine, tt.from, tt.tls))
			req.Spec.Parameters = tt.also
			w.createDatabase(&req)
			req.Spec.Version = &tt.to
			if effects := w.settle(&req); !slices.Equal(effects, []driver.Effect{driver.Irreversible}) {
				t.Errorf("made %v, want the upgrade alone", effects)
			}
			w.wantGroups("upgraded", req.Name, tt.want)
			w.wantAttached(&req, tt.attached)
			w.deleteWithGroups(&req)
		})
	}
}

// An upgrade changes nothing of TLS that somebody else set, and that is a change of its own.
func TestUpgradeBesideOtherTLS(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-beside", inVersion(v1alpha1.EngineMariaDB, "11.4", optional))
	req.Spec.Parameters = parameters{"long_query_time": "2"}
	w.createDatabase(&req)
	w.setIn("shop-beside-a", "require_secure_transport", "1")
	req.Spec.Version = new("11.8")
	seen := w.database(req)
	req.Applied = seen.Applied
	if about("tls", seen.Changes).Field == "" {
		t.Fatalf("tls does not differ: %v", seen.Changes)
	}
	w.updateDatabase(req, about("version", seen.Changes))
	w.wantGroups("upgraded", req.Name, map[string]map[string]string{
		"shop-beside-a": {"long_query_time": "2", "require_secure_transport": "1"}, "shop-beside-b": {"long_query_time": "2", "require_secure_transport": "1"},
	})
}

// Nothing is upgraded whose TLS could not be read: the upgrade could change it.
func TestNoUpgradeOfUnreadTLS(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-unread", inVersion(v1alpha1.EngineMariaDB, "11.4", optional))
	w.createDatabase(&req)
	w.moveTo(req.Name, "pay-mariadb")
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DescribeDBParameters"}, Kind: localcloud.ServerError})
	req.Spec.Version = new("11.8")
	change := about("version", w.database(req).Changes)
	w.Ledger.Reset()
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{change}})
	if failed := err != nil || len(result.Failed) > 0; !failed || change.Field == "" || slices.Contains(w.Operations(), "ModifyDBInstance") {
		t.Errorf("%+v: %v, %v, calls %q", change, result.Failed, err, w.Operations())
	}
}

// MariaDB has two numbers in its major versions, a password as MySQL's, and an administrator of the same name. A newer minor version is no drift, and
// another major version, which has the same first number, is an upgrade to a group of its own family.
func TestMariaDB(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-maria", func(s *v1alpha1.DatabaseParameters) {
		inVersion(v1alpha1.EngineMariaDB, "10.11.11", nil)(s)
		s.Parameters, s.IAMAuthentication = parameters{"slow_query_log": "on"}, new(true)
		s.AWS.CloudwatchLogsExports = []string{"audit", "slowquery"}
	})
	seen := w.createDatabase(&req)
	if seen.Endpoint.Username != "admin" || seen.Endpoint.Port != 3306 || seen.Endpoint.Database != "" {
		t.Errorf("the endpoint is %+v", seen.Endpoint)
	}
	if !strings.Contains(string(seen.Mirror), `"version":"10.11.11"`) {
		t.Errorf("the mirror shows %s", seen.Mirror)
	}
	w.wantGroups("created", req.Name, map[string]map[string]string{"shop-maria-a": {"slow_query_log": "1"}})
	for _, step := range []struct {
		to      string
		effects []driver.Effect
	}{
		{"10.11", nil}, {"10.11.13", []driver.Effect{driver.Restarts}}, {"10.11.11", nil}, {"11.4", []driver.Effect{driver.Irreversible}}, {"11.4.5", nil},
		{"11.8", []driver.Effect{driver.Irreversible}},
	} {
		req.Spec.Version = &step.to
		if effects := w.settle(&req); !slices.Equal(effects, step.effects) {
			t.Errorf("to %s: made %v, want %v", step.to, effects, step.effects)
		}
	}
	req.Spec.Version = new("11.4")
	if c := about("version", w.database(req).Changes); c.Effect != driver.Impossible {
		t.Errorf("back to 11.4: %+v", c)
	}
	w.wantAttached(&req, "shop-maria-a")
}

// What MariaDB does not have in RDS is known before a call, with the way out.
func TestWhatMariaDBLacks(t *testing.T) {
	for name, tt := range map[string]struct {
		edit  func(*v1alpha1.DatabaseParameters)
		field string
	}{
		"one number":                     {inVersion(v1alpha1.EngineMariaDB, "11", nil), "version"},
		"TLS in 10.4":                    {inVersion(v1alpha1.EngineMariaDB, "10.4.29", required), "tls"},
		"no TLS in 10.4":                 {inVersion(v1alpha1.EngineMariaDB, "10.4", optional), ""},
		"TLS in 10.6":                    {inVersion(v1alpha1.EngineMariaDB, "10.6", required), ""},
		"one of PostgreSQL":              {inVersion(v1alpha1.EnginePostgres, "16", required), ""},
		"tokens in 10.6":                 {withTokens("10.6.21"), "iamAuthentication"},
		"tokens in 10.11":                {withTokens("10.11"), ""},
		"tokens in 11.4":                 {withTokens("11.4"), ""},
		"Extended Support":               {extended(v1alpha1.EngineMariaDB), "aws.engineLifecycleSupport"},
		"Extended Support of MySQL":      {extended(v1alpha1.EngineMySQL), ""},
		"Extended Support of PostgreSQL": {extended(v1alpha1.EnginePostgres), ""},
		"tokens in no version": {func(s *v1alpha1.DatabaseParameters) {
			s.Engine, s.IAMAuthentication = new(v1alpha1.EngineMariaDB), new(true)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lacks := allLacks(t, awstest.DatabaseOf("x", tt.edit).Spec)
			switch {
			case tt.field == "" && len(lacks) > 0:
				t.Errorf("lacks %v", lacks)
			case tt.field != "" && (len(lacks) != 1 || lacks[0].Field != tt.field || !strings.Contains(lacks[0].String(), "set spec.version to") && !strings.Contains(lacks[0].String(), "remove spec."+tt.field)):
				t.Errorf("lacks %v, want %s", lacks, tt.field)
			}
		})
	}
}

func extended(engine v1alpha1.Engine) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) {
		s.Engine, s.AWS.EngineLifecycleSupport = &engine, new("open-source-rds-extended-support-disabled")
	}
}

func withTokens(version string) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) {
		inVersion(v1alpha1.EngineMariaDB, version, nil)(s)
		s.IAMAuthentication = new(true)
	}
}

// allLacks returns what RDS lacks of what a spec asks for.
func allLacks(t *testing.T, spec v1alpha1.DatabaseParameters) []driver.Lack {
	t.Helper()
	description := aws.New(aws.Options{}).Describe()
	resource, _ := description.Resource("Database")
	written, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var says map[string]any
	if err := json.Unmarshal(written, &says); err != nil {
		t.Fatal(err)
	}
	return driver.Lacking(resource.Lacks, says)
}

// RDS keeps automatic backups for 35 days at most.
func TestDaysOfBackupsThatRDSLacks(t *testing.T) {
	for days, lacks := range map[int32]bool{0: false, 7: false, 35: false, 36: true, 39: true, 40: true, 99: true, 100: true, 365: true} {
		if got := allLacks(t, v1alpha1.DatabaseParameters{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &days}}); (len(got) > 0) != lacks {
			t.Errorf("%d days: %+v", days, got)
		}
	}
}
