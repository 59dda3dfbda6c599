package gcp_test

import (
	"slices"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A deletion ends, and the backups of DatabaseSnapshots outlive the server, whatever Cloud SQL asks for before. A server without such backups is deleted as it is.
func TestDeletionKeepsTheBackupsOfDatabaseSnapshots(t *testing.T) {
	const marked = "nightly mooring/1 cluster=c object=shop/nightly uid=u9"
	const patch, remove = "instances.patch", "instances.delete"
	never := &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: "NEVER"}}
	for name, tt := range map[string]struct {
		description string
		edits       []*sqladmin.DatabaseInstance
		want        []string
		left        int
	}{
		"a server that runs":                             {marked, nil, []string{patch, remove}, 1},
		"one that retains its backups":                   {marked, []*sqladmin.DatabaseInstance{{Settings: &sqladmin.Settings{RetainBackupsOnDelete: true}}}, []string{remove}, 1},
		"a stopped server":                               {marked, []*sqladmin.DatabaseInstance{never}, []string{patch, patch, remove}, 1},
		"a stopped server that retains its backups":      {marked, []*sqladmin.DatabaseInstance{{Settings: &sqladmin.Settings{RetainBackupsOnDelete: true}}, never}, []string{remove}, 1},
		"a stopped server without a DatabaseSnapshot":    {"by hand", []*sqladmin.DatabaseInstance{never}, []string{remove}, 0},
		"a server that runs, without a DatabaseSnapshot": {"by hand", nil, []string{remove}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, slow)
			req := newDatabase("orders", v1alpha1.EnginePostgres)
			x := c.made(t, &req)
			c.backup(t, req.Name, tt.description)
			for _, edit := range tt.edits {
				c.patchInstance(t, req.Name, edit)
				c.settle(t)
			}
			c.forget()
			req.Deletion = &driver.Deletion{}
			for range 4 {
				done, err := x.Delete(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if done.Operation == "" || done.Unfinished != (done.Did != "") {
					t.Errorf("it says %+v", done)
				}
				if req.Operation = done.Operation; !done.Unfinished {
					break
				}
				if obs := c.look(t, x, &req); obs.State != driver.Pending {
					t.Errorf("while Cloud SQL does that, the server is %v", obs.State)
				}
				c.settle(t)
			}
			c.settle(t)
			if got := c.writes("sqladmin"); !slices.Equal(got, tt.want) {
				t.Errorf("calls %v, want %v", got, tt.want)
			}
			if obs := c.look(t, x, &req); obs.State != driver.Absent {
				t.Errorf("the server is %v", obs.State)
			}
			all, err := c.sql.Backups.ListBackups("projects/" + project).Do()
			if err != nil || len(all.Backups) != tt.left {
				t.Errorf("%d backups are left, want %d: %v", len(all.Backups), tt.left, err)
			}
		})
	}
}

// What Cloud SQL accepts and then does not do is said, and the server stays: to go on would take the backups.
func TestDeletionWaitsForWhatKeepsBackups(t *testing.T) {
	c := newCloud(t, slow)
	req := newDatabase("orders", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	c.backup(t, req.Name, "nightly mooring/1 cluster=c object=shop/nightly uid=u9")
	req.Deletion = &driver.Deletion{}
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.patch"}, Kind: localcloud.FailLate})
	done, err := x.Delete(t.Context(), req)
	if err != nil || !done.Unfinished {
		t.Fatalf("got %+v, %v", done, err)
	}
	c.settle(t)
	req.Operation = done.Operation
	if obs := c.look(t, x, &req); obs.State != driver.Ready || obs.OperationError == nil {
		t.Errorf("the server is %v, and the operation failed with %v", obs.State, obs.OperationError)
	}
	lift()
}
