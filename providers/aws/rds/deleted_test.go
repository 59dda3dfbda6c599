package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// retire deletes an instance with a final snapshot, which retains its automated backups.
func (w *environment) retire(req request) driver.Result {
	w.T.Helper()
	req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final-" + strings.ToLower(req.ID[len(req.ID)-4:])}
	result, err := drivertest.Databases(w.Session).Delete(w.T.Context(), req)
	if err != nil {
		w.T.Fatal(err)
	}
	return result
}

// deletedOf returns what RDS has of deleted instances of the name and of the mark of a request.
func (w *environment) deletedOf(of request) []driver.SavedState {
	w.T.Helper()
	asks := awstest.DatabaseOf("shop-asks", nil)
	asks.Vanished, asks.VanishedMark = &driver.ParentRef{Name: of.Name}, driver.Mark{Cluster: of.Mark.Cluster, Namespace: of.Mark.Namespace, Name: of.Mark.Name}
	seen := w.database(asks)
	if seen.Backup.GetRestorable() == nil {
		w.T.Fatal("RDS says nothing of deleted instances")
	}
	return seen.Backup.GetRestorable().Backups
}

// The automated backups of an instance that is deleted get its mark first, once. They have the times to which they can be restored, of each instance of the name.
func TestBackupsOfTheDeletedHaveItsMark(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	var ids []string
	for range 2 {
		req := awstest.DatabaseOf("shop-orders", nil)
		w.createDatabase(&req)
		ids = append(ids, req.ID)
		w.Ledger.Reset()
		if left := w.retire(req).Left; left != "" {
			t.Errorf("something stays: %s", left)
		}
		if calls := w.Operations(); !slices.Equal(calls, []string{"DescribeDBInstanceAutomatedBackups", "AddTagsToResource", "DeleteDBInstance"}) {
			t.Errorf("the deletion took the calls %v", calls)
		}
		w.Clock.Advance(time.Hour)
	}
	left := w.deletedOf(awstest.DatabaseOf("shop-orders", nil))
	if len(left) != 2 {
		t.Fatalf("there are backups of %d, want of both", len(left))
	}
	for i, is := range left {
		if !slices.Contains(ids, is.From.Source.ID) || !is.Mark.SameOwner(awstest.DatabaseOf("shop-orders", nil).Mark) || !is.Complete || is.Since.IsZero() || is.Details.SizeGiB != 50 || !is.Details.Encrypted {
			t.Errorf("%d: got %+v", i, is)
		}
	}
	w.Clock.Advance(40 * 24 * time.Hour)
	if left := w.deletedOf(awstest.DatabaseOf("shop-orders", nil)); len(left) != 0 {
		t.Errorf("once they expired, there are %+v", left)
	}
}

// A deletion that may not write the mark on backups goes on, and says what that means. One that could not ask does not.
func TestBackupsThatGetNoMark(t *testing.T) {
	for kind, goesOn := range map[localcloud.FaultKind]bool{localcloud.Denied: true, localcloud.Throttled: false} {
		for _, operation := range []string{"AddTagsToResource", "DescribeDBInstanceAutomatedBackups"} {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&req)
			lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Kind: kind})
			deletion := req
			deletion.Deletion = &driver.Deletion{Snapshot: "shop-orders-final-1"}
			result, err := drivertest.Databases(w.Session).Delete(t.Context(), deletion)
			if (err == nil) != goesOn || strings.Contains(result.Left, "the mark could not be written on the automated backups") != goesOn {
				t.Errorf("%s, %v: got %+v, %v", operation, kind, result, err)
			}
			lift()
			if !goesOn {
				continue
			}
			w.Clock.Advance(time.Hour)
			left := w.deletedOf(req)
			if len(left) != 1 || !left[0].Mark.Zero() || left[0].From.Source.ID != req.ID {
				t.Errorf("%s: by its name there are %+v, want the backups without a mark", operation, left)
			}
		}
	}
}

// An instance without a final snapshot leaves nothing, and takes no call for its backups.
func TestBackupsThatAreNotKeptGetNoMark(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	w.Ledger.Reset()
	req.Deletion = &driver.Deletion{}
	if _, err := drivertest.Databases(w.Session).Delete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if calls := w.Operations(); !slices.Equal(calls, []string{"DeleteDBInstance"}) {
		t.Errorf("the deletion took the calls %v", calls)
	}
	w.Clock.Advance(time.Hour)
	if left := w.deletedOf(req); len(left) > 0 {
		t.Errorf("there are %+v", left)
	}
}

// Of an instance of the name that is there nothing is left, whoever's it is; of one that RDS is deleting there will be.
func TestBackupsOfWhatIsThere(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	if left := w.deletedOf(req); len(left) > 0 {
		t.Errorf("of an instance that is there, there are %+v", left)
	}
	w.retire(req)
	if left := w.deletedOf(req); len(left) != 1 || left[0].Complete {
		t.Errorf("of an instance that is being deleted, there are %+v, want backups that are not complete", left)
	}
	w.Clock.Advance(time.Hour)
	another := awstest.DatabaseOf("shop-orders", nil)
	another.Mark.Namespace = "bank"
	w.createDatabase(&another)
	left := w.deletedOf(req)
	if len(left) != 1 || left[0].From.Source.ID != req.ID || !left[0].Complete {
		t.Errorf("beside another instance of the name, there are %+v, want those of %s", left, req.ID)
	}
}

// An instance is made of the backups of another one by its identity, also under the name of that one, with the settings of its own spec.
func TestInstanceOfDeletedBackups(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	was := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&was)
	w.Clock.Advance(2 * time.Hour)
	w.retire(was)
	w.Clock.Advance(time.Hour)
	is := w.deletedOf(was)[0]
	for _, name := range []string{"shop-restored", "shop-orders"} {
		at := is.From.Time.Add(-time.Hour)
		req := awstest.DatabaseOf(name, func(p *v1alpha1.DatabaseParameters) { p.DeletionProtection = new(true) })
		req.Login.Password, req.Restore = "", &driver.Restore{Source: is.From.Source, Time: at}
		w.Ledger.Reset()
		result, err := drivertest.Databases(w.Session).Create(t.Context(), req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if calls := w.Operations(); calls[len(calls)-1] != "RestoreDBInstanceToPointInTime" {
			t.Errorf("%s: the calls are %v", name, calls)
		}
		out, err := w.RDS.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &name})
		if err != nil {
			t.Fatal(err)
		}
		db := out.DBInstances[0]
		marked := slices.ContainsFunc(db.TagList, func(tag rdstypes.Tag) bool { return *tag.Key == "mooring-uid" && *tag.Value == req.Mark.UID })
		if *db.DbiResourceId != result.ID || result.ID == was.ID || !*db.DeletionProtection || *db.PubliclyAccessible || !marked {
			t.Errorf("%s: got %+v", name, db)
		}
	}
}
