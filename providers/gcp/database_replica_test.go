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

var promotes = driver.Command{Verb: driver.Promote}

// primary makes an instance that others can follow.
func (c *cloud) primary(t testing.TB, engine v1alpha1.Engine, edit func(*v1alpha1.DatabaseParameters)) databaseRequest {
	t.Helper()
	req := newDatabase("orders", engine)
	req.Spec.Backup = recovery(7, new(true))
	if edit != nil {
		edit(&req.Spec)
	}
	c.made(t, &req)
	return req
}

// follower returns a request for a read replica of an instance that there is.
func follower(name string, of databaseRequest, edit func(*v1alpha1.DatabaseParameters)) databaseRequest {
	req := newDatabase(name, *of.Spec.Engine)
	req.Login.Password, req.Restore = "", &driver.Restore{Follows: true, Source: driver.ParentRef{Name: of.Name, ID: of.ID}}
	if edit != nil {
		edit(&req.Spec)
	}
	return req
}

// replicate makes a read replica, which has nothing to change once it is there.
func (c *cloud) replicate(t testing.TB, req *databaseRequest) table.External[v1alpha1.DatabaseParameters] {
	t.Helper()
	x := drivertest.Databases(c.open(t))
	req.Applied = c.look(t, x, req).Applied
	x = c.made(t, req)
	if seen := c.look(t, x, req); seen.State != driver.Ready || len(seen.Changes) > 0 || seen.Replication.GetFollows() == nil {
		t.Fatalf("the replica is %v, differs in %+v and follows %+v", seen.State, seen.Changes, seen.Replication.GetFollows())
	}
	return x
}

// A replica has the disk, the version and the edition of its primary, and no backups, policy or window whatever its spec says. It gets what it lacks from its promotion on: the
// administrator of its own and the initial database among that.
func TestReplicaHasWhatItsPrimaryHas(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL} {
		t.Run(string(engine), func(t *testing.T) {
			c := newCloud(t, slow)
			of := c.primary(t, engine, func(p *v1alpha1.DatabaseParameters) { p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))} })
			req := follower("reports", of, func(p *v1alpha1.DatabaseParameters) {
				p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20)), MaxSizeGiB: new(int32(40))}
				p.Location, p.DatabaseName, p.PowerState = new("us-central1"), new("shop"), new(v1alpha1.PowerStateStopped)
				p.Availability, p.Backup = new(v1alpha1.AvailabilityMultiZone), recovery(14, new(true))
				p.Backup.StartTime = new("07:00")
				p.Maintenance = &v1alpha1.DatabaseMaintenance{Window: &v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("05:00")}}
				p.GCP.RetainBackupsOnDelete = new(true)
				p.GCP.PasswordValidationPolicy = &v1alpha1.PasswordValidationPolicy{Enabled: new(true), MinLength: new(int32(8))}
				p.GCP.DenyMaintenancePeriod = &v1alpha1.DenyMaintenancePeriod{StartDate: new("11-20"), EndDate: new("01-05"), Time: new("00:00")}
			})
			req.Login.Username = "app"
			x := c.replicate(t, &req)
			got := c.instance(t, req.Name)
			if s := got.Settings; got.Region != "us-central1" || got.MasterInstanceName != project+":orders" || s.DataDiskSizeGb != 60 || s.AvailabilityType != "REGIONAL" || s.BackupConfiguration.Enabled ||
				s.MaintenanceWindow != nil && s.MaintenanceWindow.Day != 0 || s.PasswordValidationPolicy != nil || len(s.DenyMaintenancePeriods) > 0 || s.RetainBackupsOnDelete {
				t.Errorf("the replica is %+v, with %+v", got, got.Settings)
			}
			// A change of the standby is none of backups either.
			c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{AvailabilityType: "ZONAL"}})
			if changes := c.look(t, x, &req).Changes; !slices.Equal(driver.Names(changes), []string{"availability"}) {
				t.Errorf("it differs in %+v", changes)
			} else if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 {
				t.Errorf("got %v, %+v", err, result.Failed)
			}
			c.settle(t)

			result, err := x.Do(t.Context(), req, promotes)
			if err != nil || result.Operation == "" {
				t.Fatalf("promotion: %q, %v", result.Operation, err)
			}
			c.settle(t)
			seen := c.look(t, x, &req)
			for _, field := range []string{"backup.retentionDays", "backup.startTime", "backup.pointInTimeRecovery", "maintenance.window.day", "gcp.passwordValidationPolicy.minLength", "gcp.denyMaintenancePeriod.startDate", "gcp.retainBackupsOnDelete", "databaseName", "powerState", driver.FieldUsername} {
				if !slices.Contains(driver.Names(seen.Changes), field) {
					t.Errorf("%s does not differ once it follows none", field)
				}
			}
			if seen.Replication.GetFollows() != nil || len(c.look(t, x, &of).Replication.GetFollowers()) > 0 {
				t.Errorf("it follows %+v", seen.Replication.GetFollows())
			}
		})
	}
}

// While a promotion is under way it is not asked for again: by whoever knows its operation, without a call, and by whoever does not, without an error. An operation of another kind is in its way, and
// what somebody else promoted is done.
func TestPromotionIsAskedForOnce(t *testing.T) {
	c := newCloud(t, slow)
	of := c.primary(t, v1alpha1.EnginePostgres, nil)
	req := follower("reports", of, nil)
	x := c.replicate(t, &req)
	promote := func(want driver.Code) driver.Result {
		t.Helper()
		result, err := x.Do(t.Context(), req, promotes)
		if want == 0 && err != nil || want != 0 && driver.CodeOf(err) != want {
			t.Errorf("got error %v, want code %v", err, want)
		}
		return result
	}
	if _, err := c.sql.Instances.Patch(project, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{UserLabels: map[string]string{"by": "hand"}}}).Do(); err != nil {
		t.Fatal(err)
	}
	promote(driver.Busy)
	c.settle(t)
	begun := promote(0).Operation
	promote(0)
	calls := func() int { return c.Ledger.Count(localcloud.Filter{Operation: "instances.promoteReplica"}) }
	before := calls()
	req.Operation = begun
	if again := promote(0).Operation; again != begun || calls() != before {
		t.Errorf("got the operation %q by %d calls, want %q by none", again, calls()-before, begun)
	}
	seen := c.look(t, x, &req)
	if seen.State != driver.Pending || seen.Replication.GetFollows() == nil || seen.Work.What != "promoting it" {
		t.Errorf("meanwhile: %v, %+v, it follows %+v", seen.State, seen.Work, seen.Replication.GetFollows())
	}
	c.settle(t)
	req.Operation = ""
	promote(0)

	other := follower("archive", of, nil)
	c.replicate(t, &other)
	req = other
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.get", Resource: other.Name}, Kind: localcloud.Latency, Times: 1, Hook: func(localcloud.Call) {
		if _, err := c.sql.Instances.PromoteReplica(project, other.Name).Do(); err != nil {
			t.Error(err)
		}
		c.settle(t)
	}})
	defer lift()
	promote(0)
	if seen := c.look(t, x, &other); seen.Replication.GetFollows() != nil {
		t.Errorf("it follows %+v", seen.Replication.GetFollows())
	}
}

// A primary is not deleted while it has replicas, and which these are is said. A replica takes no final backup, and a protected one is refused as such.
func TestDeletionOfReplicaAndPrimary(t *testing.T) {
	c := newCloud(t, slow)
	of := c.primary(t, v1alpha1.EnginePostgres, nil)
	protected := follower("archive", of, func(p *v1alpha1.DatabaseParameters) { p.DeletionProtection = new(true) })
	x := c.replicate(t, &protected)
	req := follower("reports", of, nil)
	c.replicate(t, &req)
	remove := func(req databaseRequest, want driver.Code, says string) {
		t.Helper()
		req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
		_, err := x.Delete(t.Context(), req)
		if want == 0 && err != nil || want != 0 && (driver.CodeOf(err) != want || !strings.Contains(err.Error(), says)) {
			t.Errorf("got %v (%v), want %v: %q", err, driver.CodeOf(err), want, says)
		}
		c.settle(t)
	}
	remove(of, driver.Conflict, "delete archive, reports first")
	remove(protected, driver.Protected, "")
	another := req
	another.ID = "2026-01-01T00:00:00Z"
	remove(another, driver.Invalid, "")
	remove(req, 0, "")
	req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
	if seen := c.look(t, x, &req); seen.State != driver.Absent || seen.Backup.GetFinalSnapshot() != driver.Absent {
		t.Errorf("after its deletion: %v, the backup is %v", seen.State, seen.Backup.GetFinalSnapshot())
	}
	if _, err := x.Do(t.Context(), protected, promotes); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	remove(of, 0, "")
	of.Deletion = &driver.Deletion{Snapshot: of.Name + "-final"}
	if seen := c.look(t, x, &of); seen.State != driver.Absent || seen.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("after its deletion: %v, the backup is %v", seen.State, seen.Backup.GetFinalSnapshot())
	}
}

// The operation that makes a replica is one of its primary, and says of the replica that it is being made and why it could not be.
func TestReplicaThatFails(t *testing.T) {
	c := newCloud(t, slow)
	of := c.primary(t, v1alpha1.EnginePostgres, nil)
	req := follower("reports", of, nil)
	x := drivertest.Databases(c.open(t))
	c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.insert"}, Kind: localcloud.FailLate, Times: 1})
	result, err := x.Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Operation = result.Operation
	if seen := c.look(t, x, &req); seen.State != driver.Pending || seen.Work.What != "creating it" || seen.Replication.GetFollows() == nil {
		t.Errorf("at first: %v, %+v, it follows %+v", seen.State, seen.Work, seen.Replication.GetFollows())
	}
	c.clock.advance(time.Hour)
	if seen := c.look(t, x, &req); seen.State != driver.Failed || seen.OperationError == nil || !strings.Contains(seen.OperationError.Message, "delete this object") {
		t.Errorf("then: %v, %v", seen.State, seen.OperationError)
	}
}
