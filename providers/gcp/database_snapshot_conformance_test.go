package gcp_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

func init() {
	trials = append(trials, func(c *cloud) drivertest.Trial { return snapshotKind(c) })
}

func snapshotKind(c *cloud) *drivertest.Kind[v1alpha1.DatabaseSnapshotParameters] {
	made := 0
	none := func() v1alpha1.DatabaseSnapshotParameters { return v1alpha1.DatabaseSnapshotParameters{} }
	return &drivertest.Kind[v1alpha1.DatabaseSnapshotParameters]{
		Name:     "DatabaseSnapshot",
		OddNames: []string{"o", "shop--orders"},
		HasID:    true,
		Full:     none, Minimal: none,
		Reads: 1, MinimalReads: 1,
		Within: func(t testing.TB) driver.ParentRef {
			t.Helper()
			made++
			name := fmt.Sprintf("conform-source-%d", made)
			op, err := c.sql.Instances.Insert(project, &sqladmin.DatabaseInstance{
				Name: name, Region: location, DatabaseVersion: "POSTGRES_16", RootPassword: "somebody-elses",
				Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", RetainBackupsOnDelete: true},
			}).Do()
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, op)
			return driver.ParentRef{Name: name, ID: c.instance(t, name).CreateTime}
		},
		RemoveParent: func(t testing.TB, parent driver.ParentRef) {
			op, err := c.sql.Instances.Delete(project, parent.Name).Do()
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, op)
		},
		Lists: true,
		Cloud: drivertest.Backdoor{
			Remove: func(t testing.TB, name string) {
				all, err := c.sql.Backups.ListBackups("projects/" + project).Do()
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range all.Backups {
					if strings.HasPrefix(b.Description, name+" ") {
						op, err := c.sql.Backups.DeleteBackup(b.Name).Do()
						if err != nil {
							t.Fatal(err)
						}
						c.end(t, op)
					}
				}
			},
		},
	}
}
