package gcp_test

import (
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// backup takes one as somebody else would.
func (c *cloud) backup(t testing.TB, instance, description string) {
	t.Helper()
	op, err := c.sql.Backups.CreateBackup("projects/"+project, &sqladmin.Backup{Instance: instance, Description: description}).Do()
	if err != nil {
		t.Fatal(err)
	}
	c.end(t, op)
}

// deleted deletes an instance as somebody else would.
func (c *cloud) deleted(t testing.TB, instance string, final bool) {
	t.Helper()
	op, err := c.sql.Instances.Delete(project, instance).EnableFinalBackup(final).Do()
	if err != nil {
		t.Fatal(err)
	}
	c.end(t, op)
}

// left returns what Cloud SQL has of an instance that is gone.
func (c *cloud) left(t testing.TB, x table.External[v1alpha1.DatabaseParameters], req databaseRequest, id string) *driver.Restorable {
	t.Helper()
	req.ID, req.Vanished = "", &driver.ParentRef{Name: req.Name, ID: id}
	seen := c.look(t, x, &req)
	if seen.State != driver.Absent || seen.Backup.GetRestorable() == nil {
		t.Fatalf("got %v, %+v", seen.State, seen.Backup.GetRestorable())
	}
	return seen.Backup.GetRestorable()
}

// What is left of an instance are the backups that outlive it: a final one, or those of an instance that retains them. Of another instance of the name they are nothing.
func TestLeftOfAnInstance(t *testing.T) {
	for name, tt := range map[string]struct {
		retains, final bool
		description    string // of the second backup
		want           int    // which backup, from 1; 0 for nothing
	}{
		"nothing outlives it":                   {},
		"a final backup":                        {final: true, want: 3},
		"its backups are retained":              {retains: true, want: 2},
		"the newest one is another namespace's": {retains: true, description: "nightly mooring/1 cluster=c object=bank/nightly uid=u9", want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, slow)
			req := newDatabase("orders", v1alpha1.EnginePostgres)
			x := c.made(t, &req)
			c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{RetainBackupsOnDelete: tt.retains}})
			var at []time.Time
			for _, description := range []string{"", tt.description} {
				at = append(at, c.clock.Now())
				c.backup(t, req.Name, description)
			}
			at = append(at, c.clock.Now())
			c.deleted(t, req.Name, tt.final)
			left := c.left(t, x, req, req.ID)
			got := 0
			for i := range at {
				if left.From != nil && left.From.Time.Equal(at[i]) {
					got = i + 1
				}
			}
			if got != tt.want || left.Pending || (left.From != nil) != (tt.want > 0) {
				t.Fatalf("got the backup %d: %+v; want %d", got, left.From, tt.want)
			}
			if earlier := c.left(t, x, req, "2025-01-01T00:00:00Z"); earlier.From != nil || earlier.Pending {
				t.Errorf("of an earlier instance there is %+v", earlier)
			}
			if left.From == nil {
				return
			}
			again := req
			again.Restore, again.ID, again.Login.Password = left.From, "", ""
			again.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(1))} // it had grown by itself
			if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), again); err != nil {
				t.Fatal(err)
			}
			c.settle(t)
			if is := c.look(t, x, &again); is.ID == req.ID || is.Mark != req.Mark {
				t.Errorf("got the id %s and the mark %+v", is.ID, is.Mark)
			}
		})
	}
}
