package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func withOptions(engine v1alpha1.Engine, version, group string) func(*v1alpha1.DatabaseParameters) {
	return func(s *v1alpha1.DatabaseParameters) {
		inVersion(engine, version, nil)(s)
		if s.AWS.OptionGroupName = &group; group == "" {
			s.AWS.OptionGroupName = nil
		}
	}
}

// options returns the option groups of an instance, with their states.
func (w *environment) options(name string) (all []string) {
	w.T.Helper()
	for _, m := range awstest.Do(w.T, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}).DBInstances[0].OptionGroupMemberships {
		all = append(all, *m.OptionGroupName+" "+*m.Status)
	}
	return all
}

func (w *environment) wantOptions(when, name string, want ...string) {
	w.T.Helper()
	if got := w.options(name); !slices.Equal(got, want) {
		w.T.Errorf("%s: option groups %q, want %q", when, got, want)
	}
}

// An option group is exchanged by one call, without a restart, and the server is as declared once RDS says so and not before.
func TestOptionGroup(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-options", withOptions(v1alpha1.EngineMySQL, "8.4", "Audit"))
	seen := w.createDatabase(&req)
	if !strings.Contains(string(seen.Mirror), `"optionGroupName":"audit"`) {
		t.Errorf("the mirror shows %s", seen.Mirror)
	}
	req.Spec.AWS.OptionGroupName = new("audit-queries")
	changes := w.database(req).Changes
	if len(changes) != 1 || changes[0].Effect != driver.Online || !strings.Contains(changes[0].Why, "if option group audit has MARIADB_AUDIT_PLUGIN") {
		t.Errorf("%+v", changes)
	}
	w.Ledger.Reset()
	w.updateDatabase(req, changes...)
	if got := w.writing(); !slices.Equal(got, []string{"ModifyDBInstance"}) {
		t.Errorf("calls %q", got)
	}
	for _, states := range [][2]string{{"pending-removal", "pending-apply"}, {"removing", "applying"}} {
		w.wantOptions("on the way", req.Name, "audit "+states[0], "audit-queries "+states[1])
		if seen := w.database(req); seen.State != driver.Pending || len(seen.Changes) > 0 || !seen.Available || !strings.Contains(string(seen.Mirror), `"optionGroupName":"audit"`) {
			t.Errorf("%s: %v, changes %v, mirror %s", states[1], seen.State, seen.Changes, seen.Mirror)
		}
		w.Clock.Advance(slow.ModifyOnset)
	}
	w.Clock.Advance(time.Hour)
	w.wantOptions("at last", req.Name, "audit-queries in-sync")
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 {
		t.Errorf("%v, %v", seen.State, seen.Changes)
	}
	req.Spec.AWS.OptionGroupName = nil
	if seen := w.database(req); len(seen.Changes) > 0 {
		t.Errorf("released: %v", seen.Changes)
	}
}

// What somebody leaves for the maintenance window is drift, and is taken back without it. Where it is what the spec asks for by now, it waits.
func TestOptionGroupOfOthers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-theirs", withOptions(v1alpha1.EngineMySQL, "8.4", "audit"))
	w.createDatabase(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, OptionGroupName: new("audit-queries")})
	w.wantOptions("theirs", req.Name, "audit pending-maintenance-removal", "audit-queries pending-maintenance-apply")
	asked := req
	asked.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: req.Spec.AWS.InstanceClass, OptionGroupName: new("audit-queries")}
	if seen := w.database(asked); seen.State != driver.Pending || len(seen.Changes) > 0 {
		t.Errorf("as asked: %v, %v", seen.State, seen.Changes)
	}
	if effects := w.settle(&req); !slices.Equal(effects, []driver.Effect{driver.Online}) {
		t.Errorf("made %v", effects)
	}
	w.wantOptions("ours", req.Name, "audit in-sync")
}

// An upgrade to another major version takes an option group of it, both in one call and with one effect. Without one it is refused with the field to set, and
// the server stays as it was. From the default group RDS goes to the next default group by itself.
func TestOptionGroupOfAnUpgrade(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-next", withOptions(v1alpha1.EngineMariaDB, "11.4", "audit-maria"))
	w.createDatabase(&req)
	req.Spec.Version = new("11.8")
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid ||
		!strings.Contains(result.Failed[0].Err.Error(), "set spec.aws.optionGroupName to an option group of the server's engine and major version") {
		t.Errorf("%v, %v", result.Failed, err)
	}
	w.wantOptions("refused", req.Name, "audit-maria in-sync")
	req.Spec.AWS.OptionGroupName = new("audit-maria-next")
	if effects := w.settle(&req); !slices.Equal(effects, []driver.Effect{driver.Irreversible, driver.Irreversible}) {
		t.Errorf("made %v, want both at once", effects)
	}
	w.wantOptions("upgraded", req.Name, "audit-maria-next in-sync")

	plain := awstest.DatabaseOf("shop-plain", withOptions(v1alpha1.EngineMariaDB, "11.4", ""))
	w.createDatabase(&plain)
	plain.Spec.Version = new("11.8")
	w.settle(&plain)
	w.wantOptions("of the default group", plain.Name, "default:mariadb-11-8 in-sync")
	plain.Spec.AWS.OptionGroupName = new("default:mariadb-11-8")
	if seen := w.database(plain); len(seen.Changes) > 0 {
		t.Errorf("the default group, written out: %v", seen.Changes)
	}
}

// A group that there is not, or of another engine or version, is refused by name, at creation and later.
func TestOptionGroupRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	there := awstest.DatabaseOf("shop-there", withOptions(v1alpha1.EngineMySQL, "8.4", ""))
	w.createDatabase(&there)
	for _, group := range []string{"nowhere", "audit-before", "audit-maria", "default:mysql-8-0"} {
		req := awstest.DatabaseOf("shop-refused", withOptions(v1alpha1.EngineMySQL, "8.4", group))
		_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
		awstest.WantCode(t, err, driver.Invalid)
		if err == nil || !strings.Contains(err.Error(), "set spec.aws.optionGroupName to an option group of") {
			t.Errorf("%s: created: %v", group, err)
		}
		there.Spec.AWS.OptionGroupName = &group
		result, err := drivertest.Databases(w.Session).Update(t.Context(), there, driver.Edit{Changes: w.database(there).Changes})
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.optionGroupName" || !strings.Contains(result.Failed[0].Err.Error(), "set spec.aws.optionGroupName to") {
			t.Errorf("%s: changed: %v, %v", group, result.Failed, err)
		}
	}
	w.wantOptions("after all", there.Name, "default:mysql-8-4 in-sync")
}

// PostgreSQL has no options: a group is refused with what it has in their place, and the default group that RDS reports is nothing that a mirror shows.
func TestNoOptionsOfPostgreSQL(t *testing.T) {
	lacks := allLacks(t, awstest.DatabaseOf("x", withOptions(v1alpha1.EnginePostgres, "16", "audit")).Spec)
	if len(lacks) != 1 || lacks[0].Field != "aws.optionGroupName" || !strings.Contains(lacks[0].String(), "create extensions with SQL") {
		t.Errorf("lacks %v", lacks)
	}
	for _, engine := range []v1alpha1.Engine{v1alpha1.EngineMySQL, v1alpha1.EngineMariaDB} {
		if lacks := allLacks(t, awstest.DatabaseOf("x", withOptions(engine, "11.4", "audit")).Spec); len(lacks) > 0 {
			t.Errorf("%s lacks %v", engine, lacks)
		}
	}
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-none", nil)
	if seen := w.createDatabase(&req); strings.Contains(string(seen.Mirror), "optionGroupName") {
		t.Errorf("the mirror shows %s", seen.Mirror)
	}
	w.wantOptions("of PostgreSQL", req.Name, "default:postgres-16 in-sync")
}
