package system

import (
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
)

// TakeSnapshot implements SnapshotConsole.
func (g *gcpDatabases) TakeSnapshot(t testing.TB, database, name string) {
	t.Helper()
	op, err := g.sql.Backups.CreateBackup("projects/"+g.project, &sqladmin.Backup{Instance: database, Description: name}).Do()
	ok(t, err)
	g.end(t, op)
}

// backup returns the backup whose description begins with a name; nil if there is none.
func (g *gcpDatabases) backup(t testing.TB, name string) *sqladmin.Backup {
	t.Helper()
	out, err := g.sql.Backups.ListBackups("projects/" + g.project).Do()
	ok(t, err)
	for _, b := range out.Backups {
		if described, _, _ := strings.Cut(b.Description, " "); described == name {
			return b
		}
	}
	return nil
}

// SnapshotMark implements SnapshotConsole.
func (g *gcpDatabases) SnapshotMark(t testing.TB, name string) map[string]string {
	t.Helper()
	b := g.backup(t, name)
	if b == nil {
		return nil
	}
	mark := map[string]string{}
	for part := range strings.FieldsSeq(b.Description) {
		switch key, value, _ := strings.Cut(part, "="); key {
		case "cluster":
			mark[driver.LabelCluster] = value
		case "object":
			mark[driver.LabelNamespace], mark[driver.LabelName], _ = strings.Cut(value, "/")
		}
	}
	return mark
}

// DropSnapshot implements SnapshotConsole.
func (g *gcpDatabases) DropSnapshot(t testing.TB, name string) {
	t.Helper()
	_, err := g.sql.Backups.DeleteBackup(g.backup(t, name).Name).Do()
	ok(t, err)
	until(t, name+" is gone", func() bool { return g.backup(t, name) == nil })
}
