package rds_test

import (
	"strings"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const finalSnapshot = "shop-orders-final-1"

// An ending is how often a deletion is tried, and what comes of it.
type ending struct {
	Codes     []driver.Code // of each refused try
	Says      string        // the last refusal, or what stays beside the instance
	Instances int
	Taken     int // final snapshots that RDS began to take
}

// failLate has RDS accept a deletion that fails later.
func (w *environment) failLate(req request, code string) {
	w.T.Helper()
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DeleteDBInstance"}, Kind: localcloud.FailLate, Times: 1, Code: code})
	if _, err := drivertest.Databases(w.Session).Delete(w.T.Context(), req); err != nil {
		w.T.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if obs := w.database(req); obs.State != driver.Ready {
		w.T.Fatalf("after a deletion that failed the instance is %v", obs.State)
	}
}

// byHand takes a snapshot of an instance that has the name of the final one.
func (w *environment) byHand(of string, tags ...rdstypes.Tag) {
	w.T.Helper()
	if _, err := w.RDS.CreateDBSnapshot(w.T.Context(), &rds.CreateDBSnapshotInput{DBInstanceIdentifier: &of, DBSnapshotIdentifier: awssdk.String(finalSnapshot), Tags: tags}); err != nil {
		w.T.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
}

// ends tries a deletion until RDS takes it, three times at most.
func (w *environment) ends(req request) (is ending) {
	w.T.Helper()
	for range 3 {
		done, err := drivertest.Databases(w.Session).Delete(w.T.Context(), req)
		w.Clock.Advance(time.Hour)
		if is.Says = done.Left; err == nil {
			break
		}
		is.Codes, is.Says = append(is.Codes, driver.CodeOf(err)), err.Error()
	}
	is.Instances = len(w.instances())
	for _, c := range w.Ledger.Calls(localcloud.Filter{Operation: "DeleteDBInstance"}) {
		if c.Status < 300 && c.Fault != "" { // the tries that failed later
			is.Taken++
		}
	}
	return is
}

// A deletion that RDS refuses because of a snapshot of the name of the final one goes on if that is the final one, of this very instance, from an earlier try. Any other stays.
func TestDeletionMeetsASnapshot(t *testing.T) {
	const others = "copy it under another name if it is needed, and delete it"
	refused := []driver.Code{driver.Conflict, driver.Conflict, driver.Conflict}
	for name, test := range map[string]struct {
		before func(w *environment, req *request)
		want   ending
	}{
		"of an earlier try": {func(w *environment, req *request) { w.failLate(*req, "") },
			ending{Says: "; the automated backups of the instance, which stay until they expire, have what was written after that", Taken: 1}},
		"of an earlier try, where the region keeps no more automated backups": {func(w *environment, req *request) {
			first := awstest.DatabaseOf("shop-first", nil)
			w.createDatabase(&first)
			w.retire(first)
			w.Clock.Advance(time.Hour)
			w.failLate(*req, "")
			w.LimitRDS(awstest.Account, localcloud.RDSLimits{Instances: 1})
		}, ending{Says: "it lacks what was written after that, because RDS keeps no automated backups of the instance", Taken: 1}},
		"of a try of days ago, where the region keeps no more automated backups": {func(w *environment, req *request) {
			first := awstest.DatabaseOf("shop-first", nil)
			w.createDatabase(&first)
			w.retire(first)
			w.failLate(*req, "")
			w.Clock.Advance(48 * time.Hour)
			w.LimitRDS(awstest.Account, localcloud.RDSLimits{Instances: 1})
		}, ending{Codes: refused, Says: "nothing would have what was written since; delete that snapshot", Instances: 1, Taken: 1}},
		"of a try of days ago, without automated backups": {func(w *environment, req *request) {
			if _, err := w.RDS.ModifyDBInstance(w.T.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, BackupRetentionPeriod: new(int32(0)), ApplyImmediately: new(true)}); err != nil {
				w.T.Fatal(err)
			}
			w.Clock.Advance(time.Hour)
			w.failLate(*req, "")
			w.Clock.Advance(48 * time.Hour)
		}, ending{Codes: refused, Says: "nothing would have what was written since; delete that snapshot", Instances: 1, Taken: 1}},
		"of an earlier try that copied no tags": {func(w *environment, req *request) {
			if _, err := w.RDS.ModifyDBInstance(w.T.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, CopyTagsToSnapshot: new(false)}); err != nil {
				w.T.Fatal(err)
			}
			w.Clock.Advance(time.Hour)
			w.failLate(*req, "")
		}, ending{Says: "have what was written after that", Taken: 1}},
		"of an earlier try, before the id was stored": {func(w *environment, req *request) {
			w.failLate(*req, "")
			req.ID = ""
		}, ending{Says: "have what was written after that", Taken: 1}},
		"that failed": {func(w *environment, req *request) { w.failLate(*req, "failed") },
			ending{Codes: []driver.Code{driver.Busy}, Taken: 1}},
		"of another instance": {func(w *environment, _ *request) {
			other := awstest.DatabaseOf("shop-others", nil)
			w.createDatabase(&other)
			w.byHand(other.Name)
		}, ending{Codes: refused, Says: others, Instances: 2}},
		"of an earlier instance of the name": {func(w *environment, req *request) {
			drop(w, *req)
			w.createDatabase(req)
		}, ending{Codes: refused, Says: others, Instances: 1}},
		"without a mark, by hand": {func(w *environment, req *request) {
			w.byHand(req.Name, rdstypes.Tag{Key: awssdk.String("by"), Value: awssdk.String("hand")})
		}, ending{Codes: refused, Says: others, Instances: 1}},
		"of a DatabaseSnapshot": {func(w *environment, req *request) {
			tags := []rdstypes.Tag{{Key: awssdk.String("mooring-kind"), Value: awssdk.String("DatabaseSnapshot")}}
			for key, value := range req.Mark.Labels() {
				tags = append(tags, rdstypes.Tag{Key: &key, Value: &value})
			}
			w.byHand(req.Name, tags...)
		}, ending{Codes: refused, Says: others, Instances: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			w.Now = w.Clock.Now
			w.Session = w.Open(awstest.Account, awstest.Region)
			req := awstest.DatabaseOf("shop-orders", nil)
			w.createDatabase(&req)
			req.Deletion = &driver.Deletion{Snapshot: finalSnapshot}
			test.before(w, &req)
			got := w.ends(req)
			if !strings.Contains(got.Says, test.want.Says) {
				t.Errorf("it says %q, want %q in it", got.Says, test.want.Says)
			}
			if got.Says = test.want.Says; !cmp.Equal(got, test.want) {
				t.Error(cmp.Diff(test.want, got))
			}
			if obs := w.database(req); test.want.Instances == 0 && obs.Backup.GetFinalSnapshot() != driver.Ready {
				t.Errorf("the instance is %v, and the final snapshot %v", obs.State, obs.Backup.GetFinalSnapshot())
			}
		})
	}
}

// drop deletes an instance with the final snapshot.
func drop(w *environment, req request) {
	if _, err := drivertest.Databases(w.Session).Delete(w.T.Context(), req); err != nil {
		w.T.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
}

// The snapshot of another instance is not the final one of an instance that somebody else deleted.
func TestFinalSnapshotIsOfTheInstance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req, other := awstest.DatabaseOf("shop-orders", nil), awstest.DatabaseOf("shop-others", func(*v1alpha1.DatabaseParameters) {})
	w.createDatabase(&req)
	w.createDatabase(&other)
	w.byHand(other.Name)
	for id, want := range map[string]driver.State{req.ID: driver.Absent, other.ID: driver.Ready} {
		gone := req
		gone.Name, gone.ID, gone.Deletion = "shop-gone", id, &driver.Deletion{Snapshot: finalSnapshot}
		if obs := w.database(gone); obs.Backup.GetFinalSnapshot() != want {
			t.Errorf("the final snapshot is %v, want %v", obs.Backup.GetFinalSnapshot(), want)
		}
	}
}
