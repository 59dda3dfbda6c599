package rds_test

import (
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

// deleted deletes an instance as somebody else would.
func (w *environment) deleted(name string, retains bool) {
	w.T.Helper()
	_, err := w.RDS.DeleteDBInstance(w.T.Context(), &rds.DeleteDBInstanceInput{DBInstanceIdentifier: &name, SkipFinalSnapshot: new(true), DeleteAutomatedBackups: new(!retains)})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
}

// snapshot takes one as somebody else would, with the tags of the instance, or with others.
func (w *environment) snapshot(database, name string, tags map[string]string) {
	w.T.Helper()
	in := &rds.CreateDBSnapshotInput{DBInstanceIdentifier: &database, DBSnapshotIdentifier: &name}
	for k, v := range tags {
		in.Tags = append(in.Tags, rdstypes.Tag{Key: &k, Value: &v})
	}
	if _, err := w.RDS.CreateDBSnapshot(w.T.Context(), in); err != nil {
		w.T.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
}

// left returns what RDS has of an instance that is gone.
func (w *environment) left(req request, id string) *driver.Restorable {
	w.T.Helper()
	req.Vanished = &driver.ParentRef{Name: req.Name, ID: id}
	seen := w.database(req)
	if seen.State != driver.Absent || seen.Backup.GetRestorable() == nil {
		w.T.Fatalf("got %v, %+v", seen.State, seen.Backup.GetRestorable())
	}
	return seen.Backup.GetRestorable()
}

// Of several states of an instance that vanished the newest is restored: where its automated backups were retained, their latest time.
func TestLeftOfAnInstance(t *testing.T) {
	for name, tt := range map[string]struct {
		retains bool
		tags    map[string]string // of the second snapshot
		want    string            // a snapshot; "time" for the automated backups
	}{
		"backups are retained":                      {retains: true, want: "time"},
		"snapshots alone":                           {want: "second"},
		"the newest one is another object's":        {tags: driver.Mark{Cluster: "c1", Namespace: "bank", Name: "treasure", UID: "u2"}.Labels(), want: "first"},
		"the newest one has the mark of a snapshot": {tags: map[string]string{"mooring-kind": "DatabaseSnapshot", "mooring-cluster": "c1", "mooring-namespace": "shop", "mooring-name": "nightly", "mooring-uid": "u3"}, want: "second"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&req)
			id := req.ID
			w.snapshot(req.Name, "first", nil)
			w.snapshot(req.Name, "second", tt.tags)
			at := w.Clock.Now()
			w.deleted(req.Name, tt.retains)
			req.ID = ""
			w.Ledger.Reset()
			left := w.left(req, id)
			if left.From == nil || left.Pending || left.Details.Engine != "postgres" || left.Details.SizeGiB != 50 {
				t.Fatalf("got %+v", left)
			}
			got := left.From.Snapshot
			if got == "" && left.From.Time.Equal(at) {
				got = "time"
			}
			if got != tt.want || left.From.Vanished != id {
				t.Errorf("it is %s: %+v; want %s of %s", got, left.From, tt.want, id)
			}
			if calls := w.Operations(); len(calls) != 3 { // with the one that found nothing
				t.Errorf("it took the calls %v", calls)
			}
		})
	}
}

// A later instance of the name leaves nothing of the one before, and of what has no backups nothing is left.
func TestLeftOfALaterInstance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	first := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&first)
	w.deleted(first.Name, false)
	second := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&second)
	w.snapshot(second.Name, "nightly", nil)
	w.deleted(second.Name, true)
	if left := w.left(awstest.DatabaseOf("shop-orders", nil), first.ID); left.From != nil || left.Pending {
		t.Errorf("of the first one there is %+v", left)
	}
	if left := w.left(awstest.DatabaseOf("shop-orders", nil), second.ID); left.From == nil {
		t.Error("of the second one there is nothing")
	}
}

// An instance whose disk had grown comes back, although its spec names a smaller one, and by the call that its state needs. Without that state nothing is made.
func TestInstanceComesBack(t *testing.T) {
	for name, tt := range map[string]struct {
		retains bool
		call    string
	}{
		"from its backups":  {true, "RestoreDBInstanceToPointInTime"},
		"from its snapshot": {false, "RestoreDBInstanceFromDBSnapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Storage.SizeGiB = new(int32(100)) })
			w.createDatabase(&req)
			id := req.ID
			w.snapshot(req.Name, "nightly", nil)
			w.deleted(req.Name, tt.retains)
			req.Spec.Storage.SizeGiB, req.ID, req.Login.Password = new(int32(50)), "", ""
			from := w.left(req, id).From

			req.Restore = &driver.Restore{Snapshot: from.Snapshot, Source: driver.ParentRef{Name: req.Name, ID: "db-before"}, Vanished: "db-before"}
			if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); driver.CodeOf(err) != driver.NotFound {
				t.Errorf("of another identity: got %v", err)
			}
			w.Ledger.Reset()
			req.Restore = from
			if _, err := drivertest.Databases(w.Session).Create(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if calls := w.Operations(); calls[len(calls)-1] != tt.call {
				t.Errorf("the calls are %v, want %s", calls, tt.call)
			}
			out, err := w.RDS.DescribeDBInstances(t.Context(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name})
			if err != nil || *out.DBInstances[0].AllocatedStorage != 100 {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
}
