package rds_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type request = table.Request[v1alpha1.DatabaseParameters]

// slow are durations long enough for every state to be seen.
var slow = localcloud.Durations{
	Create: 8 * time.Minute, Modify: 4 * time.Minute, Delete: 4 * time.Minute, Snapshot: 6 * time.Minute,
	StorageOptimization: 6 * time.Hour, ModifyOnset: 20 * time.Second,
}

// createDatabase creates an instance and waits until it is at rest, as declared.
func (w *environment) createDatabase(req *request) driver.Observation {
	w.T.Helper()
	result, err := drivertest.Databases(w.Session).Create(w.T.Context(), *req)
	if err != nil {
		w.T.Fatal(err)
	}
	req.ID = result.ID
	w.Clock.Advance(time.Hour)
	seen := w.database(*req)
	if seen.State != driver.Ready || len(seen.Changes) != 0 {
		w.T.Fatalf("after creation: state %v, changes %v", seen.State, seen.Changes)
	}
	req.Applied = seen.Applied
	w.Ledger.Reset()
	return seen
}

func (w *environment) database(req request) driver.Observation {
	w.T.Helper()
	seen, err := drivertest.Databases(w.Session).Observe(w.T.Context(), req)
	if err != nil {
		w.T.Fatal(err)
	}
	return seen
}

func (w *environment) updateDatabase(req request, changes ...driver.Change) {
	w.T.Helper()
	w.editDatabase(req, driver.Edit{Changes: changes})
}

// editDatabase makes an edit, all of which must be taken.
func (w *environment) editDatabase(req request, edit driver.Edit) {
	w.T.Helper()
	result, err := drivertest.Databases(w.Session).Update(w.T.Context(), req, edit)
	if err != nil || len(result.Failed) > 0 || result.PasswordFailed != nil {
		w.T.Fatalf("update: %v, failed %v, the password: %v", err, result.Failed, result.PasswordFailed)
	}
}

// command carries out a command, which must be taken.
func (w *environment) command(req request, command driver.Command) {
	w.T.Helper()
	if result, err := drivertest.Databases(w.Session).Do(w.T.Context(), req, command); err != nil || len(result.Failed) > 0 {
		w.T.Fatalf("%s: %v, failed %v", command.Verb, err, result.Failed)
	}
}

// modify is what somebody else does.
func (w *environment) modify(in *rds.ModifyDBInstanceInput) {
	w.T.Helper()
	awstest.Do(w.T, w.RDS.ModifyDBInstance, in)
}

func TestDatabaseLife(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	if seen := w.database(req); seen.State != driver.Absent {
		t.Fatalf("state %v before creation", seen.State)
	}
	result, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	if err != nil || result.ID == "" {
		t.Fatalf("create: id %q, %v", result.ID, err)
	}
	seen := w.database(req)
	if seen.State != driver.Pending || seen.Mark != awstest.Mark || seen.Available || seen.ID != result.ID || len(seen.Changes) != 0 {
		t.Errorf("while creating: %+v", seen)
	}
	w.Clock.Advance(7 * time.Minute)
	status := *awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].DBInstanceStatus
	if seen = w.database(req); status != "backing-up" || seen.State != driver.Ready || !seen.Available || seen.Endpoint.Port == 0 {
		t.Errorf("%s: %+v; want it Ready, as it is whenever it is backed up", status, seen)
	}
	edited := req
	edited.Spec.DeletionProtection = new(true)
	if seen = w.database(edited); seen.State != driver.Pending || len(seen.Changes) != 1 {
		t.Errorf("an edit while backing up: state %v, changes %v; want Pending", seen.State, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	w.Ledger.Reset()
	seen = w.database(req)
	if seen.State != driver.Ready || !seen.Available || len(seen.Changes) != 0 {
		t.Errorf("at rest: %+v", seen)
	}
	if w.Writes() != 0 || len(w.Operations()) != 1 {
		t.Errorf("a look at a converged instance made the calls %v, want one read", w.Operations())
	}
	if seen.Endpoint.Username != "postgres" || seen.Endpoint.Database != "postgres" || seen.Endpoint.Host == "" {
		t.Errorf("endpoint %+v", seen.Endpoint)
	}
	var mirror v1alpha1.DatabaseParameters
	if err := json.Unmarshal(seen.Mirror, &mirror); err != nil {
		t.Fatal(err)
	}
	if *mirror.Version != "16.4" || *mirror.AWS.InstanceClass != "db.t4g.micro" || *mirror.Location != awstest.Region || mirror.Tags["team"] != "shop" {
		t.Errorf("mirror %s", seen.Mirror)
	}

	req.Deletion = &driver.Deletion{Snapshot: "shop-orders-final-u1"}
	for range 2 { // a repeated request for deletion does no harm
		if _, err := drivertest.Databases(w.Session).Delete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if seen = w.database(req); seen.State != driver.Deleting || len(seen.Changes) != 0 {
		t.Errorf("while deleting: %+v", seen)
	}
	w.Clock.Advance(time.Hour)
	if seen = w.database(req); seen.State != driver.Absent || seen.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("after deletion: state %v, snapshot %v", seen.State, seen.Backup.GetFinalSnapshot())
	}
	req.Deletion.Snapshot = "shop-orders-final-u2"
	if seen = w.database(req); seen.Backup.GetFinalSnapshot() != driver.Absent {
		t.Errorf("a snapshot that nobody took is %v", seen.Backup.GetFinalSnapshot())
	}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), req); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}

// Each edit is one change, and one write; all edits together still one ModifyDBInstance.
func TestDatabaseEdits(t *testing.T) {
	for name, tc := range map[string]struct {
		edit   func(*v1alpha1.DatabaseParameters)
		effect driver.Effect
		atOnce bool // it is there as soon as it was asked for
		down   bool // the instance can't be used meanwhile
	}{
		"version":               {edit: func(s *v1alpha1.DatabaseParameters) { s.Version = new("16.8") }, effect: driver.Restarts, down: true},
		"version ":              {edit: func(s *v1alpha1.DatabaseParameters) { s.Version = new("17") }, effect: driver.Irreversible, down: true},
		"storage.sizeGiB":       {edit: func(s *v1alpha1.DatabaseParameters) { s.Storage.SizeGiB = new(int32(52)) }, effect: driver.Online},
		"backup.retentionDays":  {edit: func(s *v1alpha1.DatabaseParameters) { s.Backup.RetentionDays = new(int32(9)) }, effect: driver.Online, atOnce: true},
		"backup.retentionDays ": {edit: func(s *v1alpha1.DatabaseParameters) { s.Backup.RetentionDays = new(int32(0)) }, effect: driver.LosesBackups},
		"deletionProtection":    {edit: func(s *v1alpha1.DatabaseParameters) { s.DeletionProtection = new(true) }, effect: driver.Online, atOnce: true},
		"aws.instanceClass":     {edit: func(s *v1alpha1.DatabaseParameters) { s.AWS.InstanceClass = new("db.t4g.small") }, effect: driver.Restarts},
		"tags":                  {edit: func(s *v1alpha1.DatabaseParameters) { s.Tags["team"] = "sales" }, effect: driver.Online, atOnce: true},
		"tags ":                 {edit: func(s *v1alpha1.DatabaseParameters) { delete(s.Tags, "team") }, effect: driver.Online, atOnce: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-edit", nil)
			w.createDatabase(&req)
			tc.edit(&req.Spec)
			seen := w.database(req)
			if got := driver.Names(seen.Changes); !cmp.Equal(got, []string{strings.TrimSpace(name)}) {
				t.Fatalf("changes %v", seen.Changes)
			}
			if seen.Changes[0].Effect != tc.effect {
				t.Errorf("effect %v, want %v", seen.Changes[0].Effect, tc.effect)
			}
			w.updateDatabase(req, seen.Changes...)
			if w.Writes() != 1 {
				t.Errorf("calls %v, want one write", w.Operations())
			}
			at := driver.Ready
			if !tc.atOnce {
				at = driver.Pending
			}
			for range 2 { // while RDS does not show yet that it is at work, and while it does
				if seen = w.database(req); len(seen.Changes) != 0 || seen.State != at || !seen.Available && !tc.down {
					t.Errorf("while it is applied: state %v, available %v, changes %v", seen.State, seen.Available, seen.Changes)
				}
				w.Clock.Advance(time.Minute)
			}
			w.Clock.Advance(time.Hour)
			if seen = w.database(req); len(seen.Changes) != 0 || seen.State != driver.Ready {
				t.Errorf("afterwards: state %v, changes %v", seen.State, seen.Changes)
			}
		})
	}
}

func TestDatabaseEditsShareACall(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-edits", nil)
	w.createDatabase(&req)
	req.Spec.Storage.SizeGiB = new(int32(100))
	req.Spec.AWS.InstanceClass = new("db.t4g.small")
	req.Spec.DeletionProtection = new(true)
	req.Login.Password = "Another-Horse-2"
	seen := w.database(req)
	w.Ledger.Reset()
	w.editDatabase(req, driver.Edit{Changes: seen.Changes, Password: driver.SetPassword})
	if got := w.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}); len(got) != 1 {
		t.Errorf("calls %v, want one write", w.Operations())
	}
}

func TestDatabaseImpossible(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-impossible", nil)
	w.createDatabase(&req)
	req.Spec.Engine = new(v1alpha1.EngineMySQL)
	req.Spec.Version = new("15")
	req.Spec.DatabaseName = new("orders")
	req.Spec.Location = new("eu-west-1")
	req.Login.Username = "somebody"
	seen := w.database(req)
	want := []string{"location", "engine", "version", "databaseName", driver.FieldUsername}
	if got := driver.Names(seen.Changes); !cmp.Equal(got, want) {
		t.Fatal(cmp.Diff(want, got))
	}
	for _, c := range seen.Changes {
		if c.Effect != driver.Impossible || c.Why == "" {
			t.Errorf("%s: effect %v, why %q", c.Field, c.Effect, c.Why)
		}
	}
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || len(result.Failed) != len(want) {
		t.Errorf("update: %v, failed %v", err, result.Failed)
	}
	if w.Writes() != 0 {
		t.Errorf("calls %v, want no write", w.Operations())
	}
}

// What someone else leaves for the maintenance window counts as asked for: if it is what is wanted nothing is to be
// done but to wait, and if not it is taken back, which disturbs nobody unless RDS then applies something else that waits.
func TestDatabasePendingValues(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	name := "shop-pending"
	req := awstest.DatabaseOf(name, nil)
	w.createDatabase(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, DBInstanceClass: new("db.t4g.large"), EngineVersion: new("16.8")})

	seen := w.database(req)
	if got := driver.Names(seen.Changes); seen.State != driver.Ready || !cmp.Equal(got, []string{"aws.instanceClass"}) || seen.Changes[0].Effect != driver.Restarts {
		t.Fatalf("state %v, changes %v; want the class to be taken back, with the restart for the version", seen.State, seen.Changes)
	}
	wanting := req
	wanting.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.large")}
	if seen := w.database(wanting); len(seen.Changes) != 0 || seen.State != driver.Pending || !seen.Available {
		t.Errorf("state %v, available %v, changes %v; want it to wait, as what is wanted is pending", seen.State, seen.Available, seen.Changes)
	}
	wanting.Spec.DeletionProtection = new(true)
	if seen := w.database(wanting); seen.State != driver.Ready || len(seen.Changes) != 1 {
		t.Errorf("state %v, changes %v; want an edit to be made meanwhile", seen.State, seen.Changes)
	}
	wanting.Spec.DeletionProtection, wanting.Mark.UID = nil, "u2"
	if seen := w.database(wanting); seen.State != driver.Ready {
		t.Errorf("state %v; want the mark to be written meanwhile", seen.State)
	}
	wanting.Spec, wanting.Mark = v1alpha1.DatabaseParameters{}, awstest.Mark
	if seen := w.database(wanting); seen.State != driver.Ready || len(seen.Changes) != 0 {
		t.Errorf("state %v, changes %v; want what is not declared to be let alone", seen.State, seen.Changes)
	}
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, EngineVersion: new("16.4")})
	if seen = w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Online {
		t.Fatalf("the class alone: changes %v; want it to be taken back, online", seen.Changes)
	}
	w.updateDatabase(req, seen.Changes...)
	seen = w.database(req)
	if seen.State != driver.Ready || len(seen.Changes) != 0 {
		t.Errorf("after taking it back: state %v, changes %v", seen.State, seen.Changes)
	}
	if got := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name}).DBInstances[0]; *got.DBInstanceClass != "db.t4g.micro" {
		t.Errorf("class %s", *got.DBInstanceClass)
	}
}

// A disk that just grew can't grow again for six hours; other changes are made meanwhile.
func TestDatabaseStorageOptimization(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-growing", nil)
	w.createDatabase(&req)
	req.Spec.Storage.SizeGiB = new(int32(60))
	w.updateDatabase(req, w.database(req).Changes...)
	w.Clock.Advance(10 * time.Minute)
	if seen := w.database(req); seen.State != driver.Ready || !seen.Available || len(seen.Changes) != 0 {
		t.Errorf("grown: state %v, available %v, changes %v", seen.State, seen.Available, seen.Changes)
	}
	req.Spec.Storage.SizeGiB = new(int32(90))
	if seen := w.database(req); seen.State != driver.Pending || !seen.Available || len(seen.Changes) != 1 {
		t.Errorf("storage alone: state %v, changes %v; want Pending with the change shown", seen.State, seen.Changes)
	}
	req.Spec.DeletionProtection = new(true)
	seen := w.database(req)
	if got := driver.Names(seen.Changes); seen.State != driver.Ready || !cmp.Equal(got, []string{"deletionProtection"}) || !cmp.Equal(seen.LeftOut, []string{"storage.sizeGiB"}) {
		t.Errorf("with another change: state %v, changes %v, left out %v; want the other one first", seen.State, got, seen.LeftOut)
	}
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "storage.sizeGiB"}, {Field: "deletionProtection"}}})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "storage.sizeGiB" {
		t.Fatalf("update: %v, failed %v; want the storage alone to fail", err, result.Failed)
	}
	awstest.WantCode(t, result.Failed[0].Err, driver.Busy)
	req.Spec.PowerState = new(v1alpha1.PowerStateStopped)
	w.updateDatabase(req, seen.Changes...)
	w.Clock.Advance(10 * time.Minute)
	if seen = w.database(req); seen.State != driver.Ready || !cmp.Equal(driver.Names(seen.Changes), []string{driver.FieldPowerState}) {
		t.Fatalf("with a stop: state %v, changes %v; want the stop, for which people may have to be asked", seen.State, seen.Changes)
	}
	w.Ledger.Reset()
	if result, err = drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) != 1 || w.Writes() != 0 {
		t.Fatalf("a stop: %v, failed %v, %d writes; want it to wait without a call", err, result.Failed, w.Writes())
	}
	awstest.WantCode(t, result.Failed[0].Err, driver.Busy)
	w.Clock.Advance(7 * time.Hour)
	seen = w.database(req)
	if got := driver.Names(seen.Changes); seen.State != driver.Ready || !cmp.Equal(got, []string{"storage.sizeGiB", driver.FieldPowerState}) {
		t.Fatalf("hours later: state %v, changes %v", seen.State, got)
	}
	w.updateDatabase(req, seen.Changes[0])
}

// What the cloud did by itself is no drift: a larger disk, a newer minor version.
func TestDatabaseNoDrift(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	name := "shop-nodrift"
	req := awstest.DatabaseOf(name, nil)
	w.createDatabase(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, ApplyImmediately: new(true), EngineVersion: new("16.9"), AllocatedStorage: new(int32(200))})
	w.Clock.Advance(7 * time.Hour)
	for _, version := range []string{"16.4", "16", "16.9"} {
		req.Spec.Version = &version
		if seen := w.database(req); len(seen.Changes) != 0 {
			t.Errorf("version %s: changes %v", version, seen.Changes)
		}
	}
	req.Spec = v1alpha1.DatabaseParameters{}
	req.Login = driver.Login{}
	if seen := w.database(req); len(seen.Changes) != 0 {
		t.Errorf("unset fields differ: %v", seen.Changes)
	}
}

// The disk of an instance with 400 GiB or more grows only if its IOPS are named again.
func TestDatabaseLargeDisk(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-large", func(s *v1alpha1.DatabaseParameters) { s.Storage.SizeGiB = new(int32(500)) })
	w.createDatabase(&req)
	req.Spec.Storage.SizeGiB = new(int32(510))
	w.updateDatabase(req, w.database(req).Changes...)
	w.Clock.Advance(10 * time.Minute)
	var mirror v1alpha1.DatabaseParameters
	if err := json.Unmarshal(w.database(req).Mirror, &mirror); err != nil || *mirror.Storage.SizeGiB != 550 {
		t.Errorf("size %d, want 550, a tenth more (%v)", *mirror.Storage.SizeGiB, err)
	}
}

// A disk changes its type in one call, together with its size, and then not again for six hours. From 400 GiB on RDS wants the IOPS of gp3 named.
func TestDatabaseStorageType(t *testing.T) {
	for _, size := range []int32{100, 500} {
		w := newEnvironment(t, localcloud.Options{Durations: slow})
		req := awstest.DatabaseOf("shop-disk", func(s *v1alpha1.DatabaseParameters) { s.AWS.StorageType, s.Storage.SizeGiB = new("gp2"), new(size) })
		w.createDatabase(&req)
		req.Spec.AWS.StorageType, req.Spec.Storage.SizeGiB = new("gp3"), new(size*2)
		w.updateDatabase(req, w.database(req).Changes...)
		if w.Writes() != 1 {
			t.Errorf("calls %v, want one write", w.Operations())
		}
		if seen := w.database(req); seen.State != driver.Pending || !seen.Available || len(seen.Changes) != 0 {
			t.Errorf("%d GiB, asked: state %v, available %v, changes %v; want it to wait", size, seen.State, seen.Available, seen.Changes)
		}
		w.Clock.Advance(10 * time.Minute)
		if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) != 0 {
			t.Errorf("%d GiB, changed: state %v, changes %v", size, seen.State, seen.Changes)
		}
		req.Spec.AWS.StorageType = new("gp2")
		if seen := w.database(req); seen.State != driver.Pending || len(seen.Changes) != 1 {
			t.Errorf("%d GiB, back at once: state %v, changes %v; want Pending with the change shown", size, seen.State, seen.Changes)
		}
		w.Clock.Advance(7 * time.Hour)
		w.updateDatabase(req, w.database(req).Changes...)
		w.Clock.Advance(10 * time.Minute)
		if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) != 0 {
			t.Errorf("%d GiB, back later: state %v, changes %v", size, seen.State, seen.Changes)
		}
	}
}

// A disk gets IOPS with its type in one call, keeps them when it grows, and goes back to general purpose.
func TestDatabaseIOPS(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-iops", func(s *v1alpha1.DatabaseParameters) { s.Storage.SizeGiB = new(int32(100)) })
	w.createDatabase(&req)
	for i, change := range []func(*v1alpha1.DatabaseParameters){
		func(s *v1alpha1.DatabaseParameters) { s.AWS.StorageType, s.AWS.IOPS = new("io1"), new(int32(3000)) },
		func(s *v1alpha1.DatabaseParameters) { s.Storage.SizeGiB = new(int32(200)) },
		func(s *v1alpha1.DatabaseParameters) { s.AWS.IOPS = new(int32(5000)) },
		func(s *v1alpha1.DatabaseParameters) { s.AWS.StorageType = new("io2") },
		func(s *v1alpha1.DatabaseParameters) { s.AWS.StorageType, s.AWS.IOPS = new("gp3"), nil },
		func(s *v1alpha1.DatabaseParameters) {
			s.Storage.SizeGiB, s.AWS.IOPS, s.AWS.ThroughputMiBps = new(int32(400)), new(int32(13000)), new(int32(600))
		},
		func(s *v1alpha1.DatabaseParameters) { s.AWS.ThroughputMiBps = new(int32(700)) },
	} {
		w.Clock.Advance(7 * time.Hour)
		change(&req.Spec)
		before := w.Writes()
		w.updateDatabase(req, w.database(req).Changes...)
		if n := w.Writes() - before; n != 1 {
			t.Errorf("step %d: %d writes, want one; calls %v", i, n, w.Operations())
		}
		w.Clock.Advance(10 * time.Minute)
		if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) != 0 {
			t.Errorf("step %d: state %v, changes %v", i, seen.State, seen.Changes)
		}
	}
}

func TestDatabasePassword(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-password", nil)
	w.createDatabase(&req)
	req.Spec.DeletionProtection = new(false)
	req.Spec.Backup.RetentionDays = new(int32(3))
	w.updateDatabase(req, w.database(req).Changes...)
	if seen := w.database(req); seen.State != driver.Ready {
		t.Errorf("state %v: a password was sent that had not changed", seen.State)
	}
	req.Login.Password = "Another-Horse-2"
	w.editDatabase(req, driver.Edit{Password: driver.SetPassword})
	edited := req
	edited.Spec.DeletionProtection = new(true)
	for range 2 { // while RDS does not show yet that it is at work, and while it does
		if seen := w.database(req); seen.State != driver.Pending || !seen.Available {
			t.Errorf("state %v, available %v while the password is set", seen.State, seen.Available)
		}
		if seen := w.database(edited); seen.State != driver.Pending {
			t.Errorf("state %v with an edit while the password is set: it would count as taken", seen.State)
		}
		w.Clock.Advance(time.Minute)
	}
	w.Clock.Advance(time.Hour)

	for _, bad := range []string{"short", "with spaces and @ in it", "\x00\x01binary-password", strings.Repeat("x", 200)} {
		req.Login.Password = bad
		result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Password: driver.SetPassword})
		if err != nil || result.PasswordFailed == nil {
			t.Fatalf("password %q: %v, failed %+v", bad, err, result)
		}
		awstest.WantCode(t, result.PasswordFailed, driver.Invalid)
		if strings.Contains(result.PasswordFailed.Error(), bad) {
			t.Errorf("the error quotes the password: %v", result.PasswordFailed)
		}
	}
}

// A password that RDS took and then could not set shows until another is sent.
func TestDatabasePasswordRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-refused-password", nil)
	w.createDatabase(&req)
	req.Login.Password = "Another-Horse-2"
	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "ModifyDBInstance"}, Kind: localcloud.FailLate})
	w.editDatabase(req, driver.Edit{Password: driver.SetPassword})
	lift()
	if seen := w.database(req); seen.Login.GetPasswordRefused() || seen.State != driver.Pending {
		t.Errorf("just sent: state %v, refused %v", seen.State, seen.Login.GetPasswordRefused())
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); !seen.Login.GetPasswordRefused() || seen.State != driver.Ready || seen.Available || seen.Problem == "" || len(seen.Changes) != 0 {
		t.Errorf("refused: %+v; want it said, and the instance to take changes", seen)
	}
	w.editDatabase(req, driver.Edit{Password: driver.SetPassword})
	for range 2 { // while RDS does not show yet that it is at work, and while it does
		if seen := w.database(req); seen.Login.GetPasswordRefused() || seen.State != driver.Pending {
			t.Errorf("sent again: state %v, refused %v", seen.State, seen.Login.GetPasswordRefused())
		}
		w.Clock.Advance(time.Minute)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); seen.Login.GetPasswordRefused() || seen.State != driver.Ready || !seen.Available || seen.Problem != "" {
		t.Errorf("taken: %+v", seen)
	}
}

func TestDatabaseMark(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-mark", nil)
	w.createDatabase(&req)
	req.Mark.Released = true
	w.command(req, driver.Command{Verb: driver.WriteMark})
	if w.Writes() != 1 || w.database(req).Mark != req.Mark {
		t.Errorf("calls %v, mark %v", w.Operations(), w.database(req).Mark)
	}
	req.Mark.Released, req.Mark.UID = false, "u2"
	w.command(req, driver.Command{Verb: driver.WriteMark})
	if got := w.database(req).Mark; got != req.Mark {
		t.Errorf("mark %v, want %v", got, req.Mark)
	}
}

// An instance that took the place of another is not touched.
func TestDatabaseReplaced(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-replaced", nil)
	w.createDatabase(&req)
	req.ID = "db-SOMEOTHERINSTANCE"
	_, err := drivertest.Databases(w.Session).Do(t.Context(), req, driver.Command{Verb: driver.WriteMark})
	awstest.WantCode(t, err, driver.Conflict)
	if w.Writes() != 0 {
		t.Errorf("calls %v, want no write", w.Operations())
	}
}

func TestDatabaseRefusedCreation(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	for name, edit := range map[string]func(*request){
		"no class":      func(r *request) { r.Spec.AWS = nil },
		"no engine":     func(r *request) { r.Spec.Engine = nil },
		"gcp":           func(r *request) { r.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")} },
		"no password":   func(r *request) { r.Login.Password = "" },
		"bad password":  func(r *request) { r.Login.Password = "a@b c" },
		"unknown class": func(r *request) { r.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.q1.mega")} },
		"unknown authority": func(r *request) {
			r.Spec.AWS.CACertificateIdentifier = new("rds-ca-2015")
		},
		"unknown version": func(r *request) { r.Spec.Version = new("99.1") },
		"another region":  func(r *request) { r.Location = "eu-west-1" },
	} {
		t.Run(name, func(t *testing.T) {
			req := awstest.DatabaseOf("shop-refused", nil)
			edit(&req)
			_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
			awstest.WantCode(t, err, driver.Invalid)
		})
	}
	req := awstest.DatabaseOf("shop-twice", func(s *v1alpha1.DatabaseParameters) { s.Storage.SizeGiB = new(int32(10)) })
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); err != nil {
		t.Fatalf("less than gp3 takes is met with its least: %v", err)
	}
	_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
	awstest.WantCode(t, err, driver.Conflict)
}

func TestDatabaseProtected(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-protected", func(s *v1alpha1.DatabaseParameters) { s.DeletionProtection = new(true) })
	if seen := w.createDatabase(&req); !seen.Protected {
		t.Error("not seen to be protected")
	}
	req.Deletion = &driver.Deletion{}
	_, err := drivertest.Databases(w.Session).Delete(t.Context(), req)
	awstest.WantCode(t, err, driver.Protected)
}

// An instance that failed can't take a snapshot: a person decides.
func TestDatabaseFailed(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "CreateDBInstance"}, Kind: localcloud.FailLate, Times: 1})
	req := awstest.DatabaseOf("shop-failed", nil)
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); seen.State != driver.Failed || seen.Problem == "" || seen.Available {
		t.Fatalf("a failed creation looks like %+v", seen)
	}
	req.Deletion = &driver.Deletion{Snapshot: "shop-failed-final"}
	_, err := drivertest.Databases(w.Session).Delete(t.Context(), req)
	awstest.WantCode(t, err, driver.Conflict)
	req.Deletion.Snapshot = ""
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestDatabaseSystemTags(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-tags", nil)
	w.createDatabase(&req)
	arn := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0].DBInstanceArn
	awstest.Do(t, w.RDS.AddTagsToResource, &rds.AddTagsToResourceInput{ResourceName: arn, Tags: []rdstypes.Tag{{Key: new("Cost Centre"), Value: new("42")}}})
	req.Spec.Tags = map[string]v1alpha1.TagValue{}
	seen := w.database(req)
	w.updateDatabase(req, seen.Changes...)
	var mirror v1alpha1.DatabaseParameters
	if err := json.Unmarshal(w.database(req).Mirror, &mirror); err != nil {
		t.Fatal(err)
	}
	if want := map[string]v1alpha1.TagValue{"Cost Centre": "42"}; !cmp.Equal(mirror.Tags, want) {
		t.Error(cmp.Diff(want, mirror.Tags))
	}
}

func TestDatabaseStopped(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-stopped", nil)
	w.createDatabase(&req)
	awstest.Do(t, w.RDS.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: &req.Name})
	w.Clock.Advance(time.Hour)
	if seen := w.database(req); !seen.Stopped || seen.Available || seen.State != driver.Ready {
		t.Errorf("stopped: %+v", seen)
	}
}
