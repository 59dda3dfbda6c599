package e2e

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/system"
)

// googleCloud is Google Cloud in other people's hands.
type googleCloud struct {
	storage *storage.Service
	sql     *sqladmin.Service
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for the cloud.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after %v: %s", patience, what)
		}
	}
}

func missing(err error) bool {
	e, is := errors.AsType[*googleapi.Error](err)
	return is && e.Code == http.StatusNotFound
}

func (g *googleCloud) makeBucket(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	_, err := g.storage.Buckets.Insert(system.GCPProject, &storage.Bucket{Name: name, Location: system.GCPRegion, Labels: tags}).Do()
	ok(t, err)
}

func (g *googleCloud) bucketTags(t *testing.T, name string) map[string]string {
	t.Helper()
	b, err := g.storage.Buckets.Get(name).Do()
	if missing(err) {
		return nil
	}
	ok(t, err)
	if b.Labels == nil {
		return map[string]string{}
	}
	return b.Labels
}

func (g *googleCloud) patchBucket(t *testing.T, name string, patch *storage.Bucket) {
	t.Helper()
	_, err := g.storage.Buckets.Patch(name, patch).Do()
	ok(t, err)
}

func (g *googleCloud) tagBucket(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	patch := &storage.Bucket{Labels: map[string]string{}}
	for k, v := range tags {
		if v == "" {
			patch.NullFields = append(patch.NullFields, "Labels."+k)
		} else {
			patch.Labels[k] = v
		}
	}
	g.patchBucket(t, name, patch)
}

func (g *googleCloud) version(t *testing.T, name string, on bool) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: on, ForceSendFields: []string{"Enabled"}}})
}

func (g *googleCloud) publish(t *testing.T, name string, on bool) {
	t.Helper()
	prevention := "enforced"
	if on {
		prevention = "inherited"
	}
	g.patchBucket(t, name, &storage.Bucket{IamConfiguration: &storage.BucketIamConfiguration{PublicAccessPrevention: prevention}})
}

func (g *googleCloud) encrypt(t *testing.T, name, key string) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Encryption: &storage.BucketEncryption{DefaultKmsKeyName: key}})
}

func (g *googleCloud) dropBucket(t *testing.T, name string) {
	t.Helper()
	ok(t, g.storage.Buckets.Delete(name).Do())
}

func (g *googleCloud) putObject(t *testing.T, bucket, key string) {
	t.Helper()
	_, err := g.storage.Objects.Insert(bucket, &storage.Object{Name: key}).Media(strings.NewReader("content")).Do()
	ok(t, err)
}

func (g *googleCloud) dropObject(t *testing.T, bucket, key string) {
	t.Helper()
	ok(t, g.storage.Objects.Delete(bucket, key).Do())
}

func (g *googleCloud) makeDatabase(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	op, err := g.sql.Instances.Insert(system.GCPProject, &sqladmin.DatabaseInstance{
		Name: name, Region: system.GCPRegion, DatabaseVersion: "POSTGRES_16", RootPassword: "somebody-elses",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", UserLabels: tags},
	}).Do()
	ok(t, err)
	g.end(t, op)
}

// end waits for the end of an operation.
func (g *googleCloud) end(t *testing.T, op *sqladmin.Operation) {
	t.Helper()
	until(t, op.OperationType+" ends", func() bool {
		now, err := g.sql.Operations.Get(system.GCPProject, op.Name).Do()
		ok(t, err)
		if now.Error != nil {
			t.Fatalf("%s: %+v", op.OperationType, now.Error.Errors)
		}
		return now.Status == "DONE"
	})
}

func (g *googleCloud) databaseTags(t *testing.T, name string) map[string]string {
	t.Helper()
	in, err := g.sql.Instances.Get(system.GCPProject, name).Do()
	if missing(err) {
		return nil
	}
	ok(t, err)
	if in.Settings.UserLabels == nil {
		return map[string]string{}
	}
	return in.Settings.UserLabels
}

// patch changes an instance. Cloud SQL refuses while another operation is under way.
func (g *googleCloud) patch(t *testing.T, name string, patch *sqladmin.DatabaseInstance) {
	t.Helper()
	var op *sqladmin.Operation
	until(t, name+" takes a patch", func() bool {
		var err error
		op, err = g.sql.Instances.Patch(system.GCPProject, name, patch).Do()
		if e, is := errors.AsType[*googleapi.Error](err); is && e.Code == http.StatusConflict {
			return false
		}
		ok(t, err)
		return true
	})
	g.end(t, op)
}

func (g *googleCloud) set(t *testing.T, name string, settings *sqladmin.Settings) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

func (g *googleCloud) tagDatabase(t *testing.T, name string, tags map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{UserLabels: g.databaseTags(t, name)}
	for k, v := range tags {
		if v == "" {
			delete(settings.UserLabels, k)
			settings.NullFields = append(settings.NullFields, "UserLabels."+k)
		} else {
			settings.UserLabels[k] = v
		}
	}
	g.set(t, name, settings)
}

func (g *googleCloud) retain(t *testing.T, name string, days int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{
		Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: int64(days)},
		TransactionLogRetentionDays: min(7, int64(days)),
	}})
}

func (g *googleCloud) protect(t *testing.T, name string, on bool) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DeletionProtectionEnabled: on, ForceSendFields: []string{"DeletionProtectionEnabled"}})
}

func (g *googleCloud) resize(t *testing.T, name, size string) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{Tier: size})
}

func (g *googleCloud) grow(t *testing.T, name string, gib int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DataDiskSizeGb: int64(gib)})
}

func (g *googleCloud) upgrade(t *testing.T, name, version string) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_" + version})
}

func (g *googleCloud) dropDatabase(t *testing.T, name string) {
	t.Helper()
	op, err := g.sql.Instances.Delete(system.GCPProject, name).Do()
	ok(t, err)
	g.end(t, op)
}

func (g *googleCloud) snapshots(t *testing.T, database string) []string {
	t.Helper()
	out, err := g.sql.Backups.ListBackups("projects/" + system.GCPProject).Do()
	ok(t, err)
	var names []string
	for _, b := range out.Backups {
		if b.Instance == database && b.State == "SUCCESSFUL" {
			names = append(names, b.Description)
		}
	}
	return names
}
