package system

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// gcpConsole is Google Cloud as people use it beside Mooring.
type gcpConsole struct {
	project string
	storage *storage.Service
	sql     *sqladmin.Service
}

func newGCPConsole(local *localcloud.Cloud, project string) Console {
	config, err := google.JWTConfigFromJSON(local.GCPKey(project), storage.CloudPlatformScope)
	if err != nil {
		panic(err)
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{})
	client := option.WithHTTPClient(config.Client(ctx))
	g := &gcpConsole{project: project}
	if g.sql, err = sqladmin.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/")); err != nil {
		panic(err)
	}
	if g.storage, err = storage.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/storage/v1/")); err != nil {
		panic(err)
	}
	return g
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for the cloud.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(Patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after %v: %s", Patience, what)
		}
	}
}

func missing(err error) bool {
	e, is := errors.AsType[*googleapi.Error](err)
	return is && e.Code == http.StatusNotFound
}

// MakeBucket implements Console.
func (g *gcpConsole) MakeBucket(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	_, err := g.storage.Buckets.Insert(g.project, &storage.Bucket{Name: name, Location: GCPRegion, Labels: tags}).Do()
	ok(t, err)
}

// Names implements Console.
func (g *gcpConsole) Names(t testing.TB) (names []string) {
	t.Helper()
	buckets, err := g.storage.Buckets.List(g.project).Do()
	ok(t, err)
	for _, b := range buckets.Items {
		names = append(names, b.Name)
	}
	instances, err := g.sql.Instances.List(g.project).Do()
	ok(t, err)
	for _, i := range instances.Items {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return names
}

// MakeBucketIn implements Console.
func (g *gcpConsole) MakeBucketIn(t testing.TB, name, location string) {
	t.Helper()
	_, err := g.storage.Buckets.Insert(g.project, &storage.Bucket{Name: name, Location: location}).Do()
	ok(t, err)
}

// BucketLocation implements Console.
func (g *gcpConsole) BucketLocation(t testing.TB, name string) string {
	t.Helper()
	b, err := g.storage.Buckets.Get(name).Do()
	ok(t, err)
	return b.Location
}

// BucketTags implements Console.
func (g *gcpConsole) BucketTags(t testing.TB, name string) map[string]string {
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

func (g *gcpConsole) patchBucket(t testing.TB, name string, patch *storage.Bucket) {
	t.Helper()
	_, err := g.storage.Buckets.Patch(name, patch).Do()
	ok(t, err)
}

// TagBucket implements Console.
func (g *gcpConsole) TagBucket(t testing.TB, name string, tags map[string]string) {
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

// SetVersioning implements Console.
func (g *gcpConsole) SetVersioning(t testing.TB, name string, on bool) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: on, ForceSendFields: []string{"Enabled"}}})
}

// SetPublic implements Console.
func (g *gcpConsole) SetPublic(t testing.TB, name string, on bool) {
	t.Helper()
	prevention := "enforced"
	if on {
		prevention = "inherited"
	}
	g.patchBucket(t, name, &storage.Bucket{IamConfiguration: &storage.BucketIamConfiguration{PublicAccessPrevention: prevention}})
}

// SetEncryption implements Console.
func (g *gcpConsole) SetEncryption(t testing.TB, name, key string) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Encryption: &storage.BucketEncryption{DefaultKmsKeyName: key}})
}

// DeleteBucket implements Console.
func (g *gcpConsole) DeleteBucket(t testing.TB, name string) {
	t.Helper()
	ok(t, g.storage.Buckets.Delete(name).Do())
}

// PutObject implements Console.
func (g *gcpConsole) PutObject(t testing.TB, bucket, key string) {
	t.Helper()
	_, err := g.storage.Objects.Insert(bucket, &storage.Object{Name: key}).Media(strings.NewReader("content")).Do()
	ok(t, err)
}

// DeleteObject implements Console.
func (g *gcpConsole) DeleteObject(t testing.TB, bucket, key string) {
	t.Helper()
	ok(t, g.storage.Objects.Delete(bucket, key).Do())
}

// MakeDatabase implements Console.
func (g *gcpConsole) MakeDatabase(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	op, err := g.sql.Instances.Insert(g.project, &sqladmin.DatabaseInstance{
		Name: name, Region: GCPRegion, DatabaseVersion: "POSTGRES_16", RootPassword: "somebody-elses",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", UserLabels: tags},
	}).Do()
	ok(t, err)
	g.end(t, op)
}

// end waits for the end of an operation.
func (g *gcpConsole) end(t testing.TB, op *sqladmin.Operation) {
	t.Helper()
	until(t, op.OperationType+" ends", func() bool {
		now, err := g.sql.Operations.Get(g.project, op.Name).Do()
		ok(t, err)
		if now.Error != nil {
			t.Fatalf("%s: %+v", op.OperationType, now.Error.Errors)
		}
		return now.Status == "DONE"
	})
}

// DatabaseTags implements Console.
func (g *gcpConsole) DatabaseTags(t testing.TB, name string) map[string]string {
	t.Helper()
	in, err := g.sql.Instances.Get(g.project, name).Do()
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
func (g *gcpConsole) patch(t testing.TB, name string, patch *sqladmin.DatabaseInstance) {
	t.Helper()
	var op *sqladmin.Operation
	until(t, name+" takes a patch", func() bool {
		var err error
		op, err = g.sql.Instances.Patch(g.project, name, patch).Do()
		if e, is := errors.AsType[*googleapi.Error](err); is && e.Code == http.StatusConflict {
			return false
		}
		ok(t, err)
		return true
	})
	g.end(t, op)
}

func (g *gcpConsole) set(t testing.TB, name string, settings *sqladmin.Settings) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

// TagDatabase implements Console.
func (g *gcpConsole) TagDatabase(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{UserLabels: g.DatabaseTags(t, name)}
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

// SetRetention implements Console.
func (g *gcpConsole) SetRetention(t testing.TB, name string, days int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{
		Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: int64(days)},
		TransactionLogRetentionDays: min(7, int64(days)),
	}})
}

// SetProtection implements Console.
func (g *gcpConsole) SetProtection(t testing.TB, name string, on bool) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DeletionProtectionEnabled: on, ForceSendFields: []string{"DeletionProtectionEnabled"}})
}

// SetSize implements Console.
func (g *gcpConsole) SetSize(t testing.TB, name, size string) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{Tier: size})
}

// SetStorage implements Console.
func (g *gcpConsole) SetStorage(t testing.TB, name string, gib int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DataDiskSizeGb: int64(gib)})
}

// SetVersion implements Console.
func (g *gcpConsole) SetVersion(t testing.TB, name, version string) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_" + version})
}

// DeleteDatabase implements Console.
func (g *gcpConsole) DeleteDatabase(t testing.TB, name string) {
	t.Helper()
	op, err := g.sql.Instances.Delete(g.project, name).Do()
	ok(t, err)
	g.end(t, op)
}

// Snapshots implements Console.
func (g *gcpConsole) Snapshots(t testing.TB, database string) []string {
	t.Helper()
	out, err := g.sql.Backups.ListBackups("projects/" + g.project).Do()
	ok(t, err)
	var names []string
	for _, b := range out.Backups {
		if b.Instance == database && b.State == "SUCCESSFUL" {
			names = append(names, b.Description)
		}
	}
	return names
}

// MakeMySQL implements Console.
func (g *gcpConsole) MakeMySQL(t testing.TB, name string) {
	t.Helper()
	op, err := g.sql.Instances.Insert(g.project, &sqladmin.DatabaseInstance{
		Name: name, Region: GCPRegion, DatabaseVersion: "MYSQL_8_0", RootPassword: "somebody-elses",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE"},
	}).Do()
	ok(t, err)
	g.end(t, op)
}
