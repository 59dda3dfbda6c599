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

var promotes = driver.Command{Verb: driver.Promote}

// follower returns a request for a read replica of an instance that there is.
func follower(name string, of request, edit func(*v1alpha1.DatabaseParameters)) request {
	req := awstest.DatabaseOf(name, edit)
	req.Mark.Name, req.Login.Password = name, ""
	req.Restore = &driver.Restore{Follows: true, Source: driver.ParentRef{Name: of.Name, ID: of.ID}}
	return req
}

// replicate makes a read replica and brings it to rest.
func (w *environment) replicate(req *request) {
	w.T.Helper()
	req.Applied = w.database(*req).Applied
	result, err := drivertest.Databases(w.Session).Create(w.T.Context(), *req)
	if err != nil {
		w.T.Fatal(err)
	}
	req.ID = result.ID
	w.Clock.Advance(time.Hour)
	w.settle(req)
}

// promote asks for a promotion, and waits until it is done.
func (w *environment) promote(req *request) {
	w.T.Helper()
	w.command(*req, promotes)
	w.Clock.Advance(time.Hour)
	if seen := w.database(*req); seen.Replication.GetFollows() != nil {
		w.T.Fatalf("after its promotion it follows %+v", seen.Replication.GetFollows())
	}
}

// A replica has the mark of its own, no backups before they are asked for, and the days and the window of the spec from its promotion on: those that it had where the spec says nothing.
func TestReplicaKeepsBackupsOnceItIsPromoted(t *testing.T) {
	for name, tt := range map[string]struct {
		backup *v1alpha1.DatabaseBackup
		days   int32
		window string // its beginning
	}{
		"days and window":      {&v1alpha1.DatabaseBackup{RetentionDays: new(int32(9)), StartTime: new("04:30")}, 9, "04:30-"},
		"no backups":           {&v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}, 0, ""},
		"nobody says anything": {nil, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			primary := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&primary)
			req := follower("shop-reports", primary, func(p *v1alpha1.DatabaseParameters) { p.Backup = tt.backup })
			w.replicate(&req)
			if got := w.instance(req.Name); *got.DBInstanceClass != "db.t4g.micro" || *got.PubliclyAccessible || !*got.StorageEncrypted || !*got.CopyTagsToSnapshot {
				t.Errorf("the replica is %+v", got)
			}
			w.promote(&req)
			got := w.instance(req.Name)
			if *got.BackupRetentionPeriod != tt.days || !strings.HasPrefix(*got.PreferredBackupWindow, tt.window) {
				t.Errorf("it keeps backups for %d days from %s, want %d from %q", *got.BackupRetentionPeriod, *got.PreferredBackupWindow, tt.days, tt.window)
			}
			if seen := w.database(req); len(seen.Changes) > 0 || len(w.database(primary).Replication.GetFollowers()) > 0 {
				t.Errorf("after its promotion it differs in %+v", seen.Changes)
			}
		})
	}
}

// Days that somebody gave a replica stay where the spec says nothing of them.
func TestReplicaKeepsDaysThatNobodyDeclares(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&primary)
	req := follower("shop-reports", primary, func(p *v1alpha1.DatabaseParameters) { p.Backup = nil })
	w.replicate(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, BackupRetentionPeriod: new(int32(5)), ApplyImmediately: new(true)})
	w.Clock.Advance(time.Hour)
	w.promote(&req)
	if days := *w.instance(req.Name).BackupRetentionPeriod; days != 5 {
		t.Errorf("it keeps backups for %d days, want 5", days)
	}
}

// One in another region names its source by its ARN and has a key of its own region: that of the spec, or that of AWS. It keeps its disk if the spec asks for a smaller one.
func TestReplicaInAnotherRegion(t *testing.T) {
	const key = "arn:aws:kms:us-east-1:111111111111:key/0b3c1a5e-1111-2222-3333-444455556666"
	for name, encryption := range map[string]*v1alpha1.Encryption{"a key": {Key: new(key)}, "no key": nil} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			primary := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&primary)
			home, near := w.Session, w.RDS
			w.Session = w.Open(awstest.Account, "us-east-1")
			_, w.RDS = w.Clients(awstest.Account, "us-east-1")
			req := follower("shop-reports", primary, func(p *v1alpha1.DatabaseParameters) {
				p.Encryption, p.Storage.SizeGiB = encryption, new(int32(30))
			})
			req.Location = "us-east-1"
			missing := req
			if _, err := drivertest.Databases(w.Session).Create(t.Context(), missing); driver.CodeOf(err) != driver.NotFound {
				t.Errorf("in the region of the replica: got %v, want NotFound", err)
			}
			req.Restore.SourceLocation = awstest.Region
			w.replicate(&req)
			seen := w.database(req)
			if seen.Replication.GetFollows() == nil || seen.Replication.GetFollows().Primary != primary.Name || seen.Replication.GetFollows().Location != awstest.Region || seen.Location != "us-east-1" {
				t.Errorf("it follows %+v, and is in %s", seen.Replication.GetFollows(), seen.Location)
			}
			got := w.instance(req.Name)
			if *got.AllocatedStorage != 50 || encryption != nil && *got.KmsKeyId != key || !strings.Contains(*got.KmsKeyId, ":us-east-1:") {
				t.Errorf("the replica has %d GiB and the key %s", *got.AllocatedStorage, *got.KmsKeyId)
			}
			w.Session, w.RDS = home, near
			if followers := w.database(primary).Replication.GetFollowers(); !slices.Equal(followers, []string{*got.DBInstanceArn}) {
				t.Errorf("the primary is followed by %v, want %s", followers, *got.DBInstanceArn)
			}
		})
	}
}

// A promotion is asked for once: not while RDS is at it, and a refusal counts only if nobody else asked for it since.
func TestPromotionIsAskedForOnce(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&primary)
	req := follower("shop-reports", primary, nil)
	w.replicate(&req)
	w.Ledger.Reset()
	w.command(req, promotes)
	if seen := w.database(req); seen.State != driver.Pending || seen.Replication.GetFollows() == nil {
		t.Errorf("while RDS is at it: %v, it follows %+v", seen.State, seen.Replication.GetFollows())
	}
	w.command(req, promotes)
	w.Clock.Advance(time.Hour)
	w.command(req, promotes)
	if asked := w.Ledger.Count(localcloud.Filter{Operation: "PromoteReadReplica"}); asked != 1 {
		t.Errorf("it was asked for %d times, want once", asked)
	}

	// Between the read and the call somebody else is quicker, or RDS begins something else.
	for name, tt := range map[string]struct {
		acts func(name string)
		want driver.Code // 0: no error
	}{
		"somebody-promotes-it": {func(name string) {
			awstest.Do(t, w.RDS.PromoteReadReplica, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: &name})
			w.Clock.Advance(time.Hour)
		}, 0},
		"somebody-is-promoting-it": {func(name string) {
			awstest.Do(t, w.RDS.PromoteReadReplica, &rds.PromoteReadReplicaInput{DBInstanceIdentifier: &name})
		}, 0},
		"a-backup-begins": {func(name string) {
			awstest.Do(t, w.RDS.CreateDBSnapshot, &rds.CreateDBSnapshotInput{DBInstanceIdentifier: &name, DBSnapshotIdentifier: new("by-hand")})
		}, driver.Busy},
	} {
		t.Run(name, func(t *testing.T) {
			req := follower(name, primary, nil)
			w.replicate(&req)
			lift := w.Faults.Add(localcloud.Fault{
				Filter: localcloud.Filter{Operation: "DescribeDBInstances", Resource: req.Name}, Times: 1, Kind: localcloud.Latency, Hook: func(localcloud.Call) { tt.acts(req.Name) },
			})
			defer lift()
			_, err := drivertest.Databases(w.Session).Do(t.Context(), req, promotes)
			if tt.want == 0 && err != nil || tt.want != 0 && driver.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A deletion that asks for a final snapshot takes none of a replica, which RDS would refuse, and that of a protected one is refused as ever. What followed a deleted server in its region follows none
// any more.
func TestDeletionOfReplicaAndPrimary(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&primary)
	protected := follower("shop-reports", primary, func(p *v1alpha1.DatabaseParameters) { p.DeletionProtection = new(true) })
	w.replicate(&protected)
	protected.Deletion = &driver.Deletion{Snapshot: "shop-reports-final"}
	_, err := drivertest.Databases(w.Session).Delete(t.Context(), protected)
	awstest.WantCode(t, err, driver.Protected)

	going := follower("shop-archive", primary, nil)
	w.replicate(&going)
	going.Deletion = &driver.Deletion{Snapshot: "shop-archive-final"}
	another := going
	another.ID = "db-before"
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), another); err == nil {
		t.Error("a replica of another identity was deleted without its final snapshot")
	}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), going); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(going); seen.State != driver.Absent || seen.Backup.GetFinalSnapshot() != driver.Absent {
		t.Errorf("after its deletion: %v, the snapshot is %v", seen.State, seen.Backup.GetFinalSnapshot())
	}
	if followers := w.database(primary).Replication.GetFollowers(); !slices.Equal(followers, []string{"shop-reports"}) {
		t.Errorf("the primary is followed by %v", followers)
	}

	primary.Deletion = &driver.Deletion{Snapshot: "shop-orders-final"}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), primary); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if seen := w.database(primary); seen.State != driver.Absent || seen.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("after its deletion: %v, the snapshot is %v", seen.State, seen.Backup.GetFinalSnapshot())
	}
	w.Clock.Advance(time.Hour)
	w.instance("shop-reports") // RDS looks after it
	w.Clock.Advance(time.Hour)
	protected.Deletion = nil
	if seen := w.database(protected); seen.Replication.GetFollows() != nil {
		t.Errorf("it follows %+v, which is gone", seen.Replication.GetFollows())
	}
}

// A replica that shares the parameter group of its primary gets one of its own as soon as its parameters differ, and that of the primary stays as it is.
func TestReplicaHasParametersOfItsOwn(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary := awstest.DatabaseOf("shop-orders", withParameters(parameters{"work_mem": "4096"}))
	w.createDatabase(&primary)
	same := follower("shop-reports", primary, withParameters(parameters{"work_mem": "4096"}))
	w.replicate(&same)
	w.wantAttached(&same, "shop-orders-a")
	other := follower("shop-archive", primary, withParameters(parameters{"work_mem": "8192"}))
	w.replicate(&other)
	w.wantAttached(&other, "shop-archive-a")
	w.wantGroups("one differs", "shop", map[string]map[string]string{"shop-orders-a": {"work_mem": "4096"}, "shop-archive-a": {"work_mem": "8192"}})
}

// What a replica can't have as the spec says is no difference while it follows another server, nor does anything wait for it, and it is one afterwards.
func TestReplicaWithheldFromItsSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&primary)
	req := follower("shop-reports", primary, nil)
	w.replicate(&req)
	w.modify(&rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DBInstanceClass: new("db.t4g.small")}) // which waits for the window
	w.Clock.Advance(time.Minute)
	req.Spec.Version, req.Spec.PowerState, req.Spec.AWS.InstanceClass = new("17"), new(v1alpha1.PowerStateStopped), nil
	if seen := w.database(req); seen.State != driver.Ready || len(seen.Changes) > 0 {
		t.Errorf("got %v and %+v, want Ready without changes", seen.State, seen.Changes)
	}
	w.promote(&req)
	if got := driver.Names(w.database(req).Changes); !slices.Equal(got, []string{"version", "powerState"}) {
		t.Errorf("once it follows none it differs in %v", got)
	}
}
