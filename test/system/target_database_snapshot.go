package system

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	MadeOf = append(MadeOf,
		Made{Kind: "DatabaseSnapshot", Cloud: "aws", New: newSnapshot, Create: "CreateDBSnapshot", Observe: "DescribeDBSnapshots", Mark: "AddTagsToResource", Delete: "DeleteDBSnapshot", Restore: "RestoreDBInstanceFromDBSnapshot"},
		Made{Kind: "DatabaseSnapshot", Cloud: "gcp", New: newSnapshot, Create: "Backups.CreateBackup", Observe: "Backups.GetBackup", Delete: "Backups.DeleteBackup", Restore: "instances.restoreBackup"},
	)
}

func newSnapshot() v1alpha1.ResourceObject { return &v1alpha1.DatabaseSnapshot{} }

// A SnapshotConsole is what people do to snapshots of database servers. It is a part of the console of the servers.
type SnapshotConsole interface {
	// TakeSnapshot takes a snapshot of a server without a mark, and waits until it is available.
	TakeSnapshot(t testing.TB, database, name string)
	// SnapshotMark returns what a snapshot says of whose it is, in the cloud's words: tags, or a description; empty if there is no such snapshot.
	SnapshotMark(t testing.TB, name string) map[string]string
	DropSnapshot(t testing.TB, name string)
}

// Snapshots is what people do to the snapshots of the account.
func (c *Cloud) Snapshots() SnapshotConsole { return c.consoles["Database"].(SnapshotConsole) }
