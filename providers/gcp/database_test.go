package gcp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type databaseRequest = table.Request[v1alpha1.DatabaseParameters]

var slow = localcloud.Durations{Create: 5 * time.Minute, Modify: time.Minute, Delete: time.Minute, Snapshot: time.Minute}

func newDatabase(name string, engine v1alpha1.Engine) databaseRequest {
	return databaseRequest{
		Request: driver.Request{
			Name:     name,
			Location: location,
			Mark:     driver.Mark{Cluster: "c", Namespace: "shop", Name: name, UID: "u"},
		},
		Login: driver.Login{Password: "canary-7f3a"},
		Spec: v1alpha1.DatabaseParameters{
			Engine: &engine, GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")},
			Tags: map[string]v1alpha1.TagValue{"team": "shop"},
		},
	}
}

// made creates an instance and lets the cloud finish it.
func (c *cloud) made(t testing.TB, req *databaseRequest) table.External[v1alpha1.DatabaseParameters] {
	t.Helper()
	x := drivertest.Databases(c.open(t))
	if _, err := x.Create(t.Context(), *req); err != nil {
		t.Fatalf("Create: %v", err)
	}
	c.settle(t)
	req.ID = c.look(t, x, req).ID
	return x
}

func (c *cloud) look(t testing.TB, x table.External[v1alpha1.DatabaseParameters], req *databaseRequest) driver.Observation {
	t.Helper()
	obs, err := x.Observe(t.Context(), *req)
	if err != nil {
		t.Fatalf("Observe: %v", err)
	}
	if obs.Applied != nil {
		req.Applied = obs.Applied
	}
	return obs
}

// Backups can't be switched off while logs are kept to replay onto them, and the client drops what is false.
func TestSwitchingBackupsOffSwitchesOffTheirLogs(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for engine, logs := range map[v1alpha1.Engine]*sqladmin.BackupConfiguration{
		v1alpha1.EnginePostgres: {Enabled: true, PointInTimeRecoveryEnabled: true},
		v1alpha1.EngineMySQL:    {Enabled: true, BinaryLogEnabled: true},
	} {
		req := newDatabase("backups-"+string(engine), engine)
		x := c.made(t, &req)
		c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: logs}})
		req.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
		if err != nil || len(result.Failed) > 0 {
			t.Fatalf("%s: %v, Failed %v", engine, err, result.Failed)
		}
		c.settle(t)
		if b := c.instance(t, req.Name).Settings.BackupConfiguration; b.Enabled || b.BinaryLogEnabled || b.PointInTimeRecoveryEnabled {
			t.Errorf("%s: still on: %+v", engine, b)
		}
	}
}

// Cloud SQL upgrades minor versions whatever anybody wants.
func TestManualMinorUpgradesAreRefused(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("manual", v1alpha1.EnginePostgres)
	req.Spec.Maintenance = &v1alpha1.DatabaseMaintenance{MinorUpgrades: new(v1alpha1.MinorUpgradesManual)}
	_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.maintenance.minorUpgrades") {
		t.Errorf("create: %v", err)
	}
	if writes := c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}); len(writes) > 0 {
		t.Errorf("the refused creation made the calls %v", writes)
	}
	req.Spec.Maintenance.MinorUpgrades = new(v1alpha1.MinorUpgradesAutomatic)
	if x := c.made(t, &req); len(c.look(t, x, &req).Changes) > 0 {
		t.Error("Automatic differs from what is always so")
	}
}

// Who changes settings between our look and our write wins, and nothing of it is lost.
func TestLostRaceOfSettings(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("raced", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.Spec.Tags["team"] = "pay"
	changes := c.look(t, x, &req).Changes
	raced := false
	c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "instances.get", Resource: req.Name}, Kind: localcloud.Latency, Times: 1,
		Hook: func(localcloud.Call) {
			raced = true
			_, err := c.sql.Instances.Patch(project, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{UserLabels: map[string]string{"owner": "them"}}}).Do()
			if err != nil {
				t.Errorf("the other's patch: %v", err)
			}
			if _, err := c.sql.Instances.Get(project, req.Name).Do(); err != nil { // which ends the operation
				t.Errorf("the other's look: %v", err)
			}
		},
	})
	_, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
	if !raced || driver.CodeOf(err) != driver.Busy {
		t.Fatalf("got %v (%v), raced %t; want Busy", err, driver.CodeOf(err), raced)
	}
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil {
		t.Fatalf("the next Update: %v", err)
	}
	c.settle(t)
	labels := c.instance(t, req.Name).Settings.UserLabels
	if labels["owner"] != "them" || labels["team"] != "pay" || driver.MarkFrom(labels) != req.Mark {
		t.Errorf("labels are %v", labels)
	}
}

// Cloud SQL takes one operation at a time: what needs calls of its own has its turn later, and is not
// said to be done before.
func TestUpdateTakesTurns(t *testing.T) {
	c := newCloud(t, slow)
	req := newDatabase("turns", v1alpha1.EngineMySQL)
	req.Login.Username = "boss"
	req.Spec.DatabaseName = new("orders")
	x := c.made(t, &req)
	req.Spec.DeletionProtection = new(true)
	c.forget()
	for turn, want := range []struct {
		changes []string
		write   string
	}{
		{[]string{"databaseName", "deletionProtection", driver.FieldUsername}, "instances.patch"},
		{[]string{"databaseName", driver.FieldUsername}, "databases.insert"},
		{[]string{driver.FieldUsername}, "users.insert"},
	} {
		changes := c.look(t, x, &req).Changes
		if got := driver.Names(changes); !slices.Equal(got, want.changes) {
			t.Fatalf("turn %d: changes %v, want %v", turn, got, want.changes)
		}
		result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes})
		if err != nil || len(result.Failed) != len(changes)-1 {
			t.Fatalf("turn %d: %v, Failed %v", turn, err, result.Failed)
		}
		for _, f := range result.Failed {
			if driver.CodeOf(f.Err) != driver.Busy {
				t.Errorf("turn %d: %s failed with %v, want Busy", turn, f.Field, f.Err)
			}
		}
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: changes[:1]}); driver.CodeOf(err) != driver.Busy {
			t.Errorf("turn %d: an Update while the operation runs: %v, want Busy", turn, err)
		}
		if got := c.writes("sqladmin"); !slices.Equal(got, []string{want.write}) {
			t.Errorf("turn %d: wrote %v, want %s", turn, got, want.write)
		}
		c.settle(t)
		c.forget()
	}
	if obs := c.look(t, x, &req); len(obs.Changes) > 0 || obs.Endpoint.Username != "boss" || obs.Endpoint.Database != "orders" {
		t.Errorf("in the end: changes %v, endpoint %+v", obs.Changes, obs.Endpoint)
	}
	c.forget()
	c.look(t, x, &req)
	if reads := c.count(localcloud.Reads); reads != 1 {
		t.Errorf("a look at what converged cost %d reads, want 1", reads)
	}
}

// A password of MySQL's root is set for root@%, the only one there is.
func TestPasswordOfMySQL(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("mysql", v1alpha1.EngineMySQL)
	x := c.made(t, &req)
	c.forget()
	result, err := x.Update(t.Context(), req, driver.Edit{Password: driver.SetPassword})
	if err != nil || result.PasswordFailed != nil || result.Operation != "" { // done with the answer
		t.Errorf("got %+v, %v", result, err)
	}
	if got := c.writes("sqladmin"); !slices.Equal(got, []string{"users.update"}) {
		t.Errorf("wrote %v", got)
	}
}

// A restart that forgot the operation, or a name of old, must not mislead.
func TestOperationIsAHint(t *testing.T) {
	c := newCloud(t, slow)
	req := newDatabase("hint", v1alpha1.EnginePostgres)
	x := drivertest.Databases(c.open(t))
	created, err := x.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for name, operation := range map[string]string{"remembered": created.Operation, "forgotten": "", "unknown": "no-such-operation"} {
		req.Operation = operation
		if obs := c.look(t, x, &req); obs.State != driver.Pending || obs.Available {
			t.Errorf("%s: got %v, available %t, want Pending", name, obs.State, obs.Available)
		}
	}
	c.settle(t)
	for name, operation := range map[string]string{"remembered": created.Operation, "forgotten": "", "unknown": "no-such-operation"} {
		req.Operation = operation
		if obs := c.look(t, x, &req); obs.State != driver.Ready || obs.Operation != "" || obs.OperationError != nil {
			t.Errorf("%s: got %v, operation %q, error %v, want Ready", name, obs.State, obs.Operation, obs.OperationError)
		}
	}
}

func TestFailedOperationSaysWhy(t *testing.T) {
	c := newCloud(t, slow)
	req := newDatabase("fails", v1alpha1.EnginePostgres)
	x := drivertest.Databases(c.open(t))
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.insert"}, Kind: localcloud.FailLate})
	created, err := x.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	lift()
	c.settle(t)
	req.Operation = created.Operation
	obs := c.look(t, x, &req)
	if obs.State != driver.Failed || obs.OperationError == nil || !strings.Contains(obs.Problem, "injected") {
		t.Errorf("got %v, problem %q, error %v", obs.State, obs.Problem, obs.OperationError)
	}
}

func TestWritesOnlyToTheInstanceThatWasSeen(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("replaced", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	req.ID = "2001-01-01T00:00:00Z"
	c.forget()
	_, err := x.Do(t.Context(), req, driver.Command{Verb: driver.WriteMark})
	if driver.CodeOf(err) != driver.Conflict || len(c.writes("sqladmin")) > 0 {
		t.Errorf("got %v, wrote %v; want Conflict and nothing", err, c.writes("sqladmin"))
	}
}

func TestCreateRefusesWhatCanNotWork(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	x := drivertest.Databases(c.open(t))
	for name, tt := range map[string]struct {
		edit   func(*v1alpha1.DatabaseParameters)
		advice string
	}{
		"settings for AWS": {func(p *v1alpha1.DatabaseParameters) { p.AWS = &v1alpha1.DatabaseAWS{} }, "spec.aws"},
		"no tier":          {func(p *v1alpha1.DatabaseParameters) { p.GCP = nil }, "spec.gcp.tier"},
		"no engine":        {func(p *v1alpha1.DatabaseParameters) { p.Engine = nil }, "spec.engine"},
		"half a version":   {func(p *v1alpha1.DatabaseParameters) { p.Engine, p.Version = new(v1alpha1.EngineMySQL), new("8") }, "8.4"},
	} {
		req := newDatabase("refused", v1alpha1.EnginePostgres)
		tt.edit(&req.Spec)
		_, err := x.Create(t.Context(), req)
		if driver.CodeOf(err) != driver.Invalid || err == nil || !strings.Contains(err.Error(), tt.advice) {
			t.Errorf("%s: got %v (%v), want Invalid that names %s", name, err, driver.CodeOf(err), tt.advice)
		}
	}
	if got := c.writes("sqladmin"); len(got) > 0 {
		t.Errorf("wrote %v", got)
	}
}

func TestMinorVersionOfPostgresIsGooglesChoice(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("minor", v1alpha1.EnginePostgres)
	req.Spec.Version = new("16.9") // 16.4 is what one gets
	x := c.made(t, &req)
	changes := c.look(t, x, &req).Changes
	if len(changes) != 1 || changes[0].Effect != driver.Impossible || !strings.Contains(changes[0].Why, "major version only") {
		t.Errorf("got %+v, want one that is Impossible", changes)
	}
}
