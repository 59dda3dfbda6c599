package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/third"
	"github.com/mooring-dev/mooring/test/system"
)

// recorded is the ledger of the third cloud, and what people did beside Mooring, which that does not have.
var recorded = &journal{}

type journal struct {
	mu     sync.Mutex
	people []third.Call
}

func (j *journal) add(op third.Op, name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.people = append(j.people, third.Call{Time: time.Now(), Op: op, Name: name})
}

// Observations implements system.Journal.
func (j *journal) Observations(name string) (times []time.Time) {
	for _, call := range memory.Calls(third.Filter{Name: name, Op: third.OpObserve}) {
		times = append(times, call.Time)
	}
	return times
}

// Writes implements system.Journal.
func (j *journal) Writes(name string) (operations []string) {
	calls := memory.Calls(third.Filter{Name: name, Access: third.Writes})
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, call := range j.people {
		if call.Name == name {
			calls = append(calls, call)
		}
	}
	slices.SortStableFunc(calls, func(a, b third.Call) int { return a.Time.Compare(b.Time) })
	for _, call := range calls {
		operations = append(operations, string(call.Op))
	}
	return operations
}

// RefuseWrites implements system.Journal.
func (j *journal) RefuseWrites(name string) (lift func()) {
	return memory.Fail(third.Fault{Filter: third.Filter{Name: name, Access: third.Writes}, Kind: third.Refused, Code: driver.Busy})
}

// A console is what people do to the objects of one kind.
type console[T any] struct {
	objects *third.Objects[T]
	object  func(*T) *third.Object
	made    func(third.Object) T
}

// Names implements system.Console.
func (c console[T]) Names(testing.TB) (names []string) {
	for _, o := range c.objects.All() {
		names = append(names, c.object(&o).Name)
	}
	return names
}

// Make implements system.Console.
func (c console[T]) Make(_ testing.TB, name string, tags map[string]string) {
	recorded.add(third.OpCreate, name)
	c.objects.Put(c.made(third.Object{Account: account, Name: name, Labels: tags}))
}

// Tags implements system.Console.
func (c console[T]) Tags(_ testing.TB, name string) map[string]string {
	o, ok := c.objects.Get(account, name)
	switch labels := c.object(&o).Labels; {
	case !ok:
		return nil
	case labels == nil:
		return map[string]string{}
	default:
		return labels
	}
}

// Tag implements system.Console.
func (c console[T]) Tag(t testing.TB, name string, tags map[string]string) {
	c.edit(t, name, func(o *T) {
		of := c.object(o)
		if of.Labels == nil {
			of.Labels = map[string]string{}
		}
		for key, value := range tags {
			if of.Labels[key] = value; value == "" {
				delete(of.Labels, key)
			}
		}
	})
}

// Delete implements system.Console.
func (c console[T]) Delete(t testing.TB, name string) {
	recorded.add(third.OpDelete, name)
	if !c.objects.Remove(account, name) {
		t.Fatalf("there is no %s to delete", name)
	}
}

func (c console[T]) edit(t testing.TB, name string, change func(*T)) {
	t.Helper()
	recorded.add(third.OpUpdate, name)
	if !c.objects.Edit(account, name, change) {
		t.Fatalf("there is no %s to edit", name)
	}
}

type buckets struct{ console[third.Bucket] }

func newBuckets(*system.Cloud) system.Console {
	return buckets{console[third.Bucket]{
		third.Buckets(memory), func(b *third.Bucket) *third.Object { return &b.Object },
		func(o third.Object) third.Bucket {
			return third.Bucket{Object: o, Spec: v1alpha1.BucketParameters{Location: new(region), PublicAccess: new(v1alpha1.PublicAccessBlocked)}}
		},
	}}
}

// MakeIn implements system.BucketConsole.
func (b buckets) MakeIn(t testing.TB, name, location string) {
	b.Make(t, name, nil)
	b.edit(t, name, func(b *third.Bucket) { b.Spec.Location = &location })
}

// Location implements system.BucketConsole.
func (b buckets) Location(_ testing.TB, name string) string {
	there, _ := b.objects.Get(account, name)
	return *there.Spec.Location
}

// SetVersioning implements system.BucketConsole.
func (b buckets) SetVersioning(t testing.TB, name string, on bool) {
	b.edit(t, name, func(b *third.Bucket) {
		b.Spec.Versioning = new(map[bool]v1alpha1.Versioning{true: v1alpha1.VersioningEnabled, false: v1alpha1.VersioningSuspended}[on])
	})
}

// SetPublic implements system.BucketConsole.
func (b buckets) SetPublic(t testing.TB, name string, on bool) {
	b.edit(t, name, func(b *third.Bucket) {
		b.Spec.PublicAccess = new(map[bool]v1alpha1.PublicAccess{true: v1alpha1.PublicAccessAllowed, false: v1alpha1.PublicAccessBlocked}[on])
	})
}

// SetEncryption implements system.BucketConsole.
func (b buckets) SetEncryption(t testing.TB, name, key string) {
	b.edit(t, name, func(b *third.Bucket) { b.Spec.Encryption = &v1alpha1.Encryption{Key: &key} })
}

// Set implements system.BucketConsole.
func (b buckets) Set(t testing.TB, name, field string, value any) {
	b.edit(t, name, func(b *third.Bucket) { fieldpath.Set(&b.Spec, field, value) })
}

// PutObject implements system.BucketConsole.
func (b buckets) PutObject(t testing.TB, bucket, _ string) {
	b.edit(t, bucket, func(b *third.Bucket) { b.Objects++ })
}

// DeleteObject implements system.BucketConsole.
func (b buckets) DeleteObject(t testing.TB, bucket, _ string) {
	b.edit(t, bucket, func(b *third.Bucket) { b.Objects-- })
}

type databases struct{ console[third.Database] }

func newDatabases(*system.Cloud) system.Console {
	return databases{console[third.Database]{
		third.Databases(memory), func(d *third.Database) *third.Object { return &d.Object },
		func(o third.Object) third.Database {
			return third.Database{
				Object: o, Username: "postgres", Password: "somebody-elses",
				Spec: v1alpha1.DatabaseParameters{
					Location: new(region), Engine: new(v1alpha1.EnginePostgres), Version: new("16"),
					Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}, Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(1))},
					AWS: &v1alpha1.DatabaseAWS{InstanceClass: new(system.Sizes["third"][0])},
				},
			}
		},
	}}
}

// MakeMySQL implements system.DatabaseConsole.
func (d databases) MakeMySQL(t testing.TB, name string) {
	d.Make(t, name, nil)
	d.edit(t, name, func(d *third.Database) { d.Spec.Engine = new(v1alpha1.EngineMySQL) })
}

// Lose implements system.DatabaseConsole: a snapshot without a mark is left.
func (d databases) Lose(t testing.TB, name string) {
	lost, _ := third.Databases(memory).Get(account, name)
	third.Snapshots(memory).Put(third.DatabaseSnapshot{
		Object: third.Object{Account: account, Name: name + "-left"}, Location: region, Source: driver.ParentRef{Name: name, ID: lost.ID}, Of: *lost.Spec.DeepCopy(),
		Username: lost.Username, Password: lost.Password, Taken: time.Now(),
	})
	d.Delete(t, name)
}

// SetRetention implements system.DatabaseConsole.
func (d databases) SetRetention(t testing.TB, name string, days int) {
	d.edit(t, name, func(d *third.Database) { d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(days))} })
}

// SetPublicAccess implements system.DatabaseConsole.
func (d databases) SetPublicAccess(t testing.TB, name string, on bool) {
	access := map[bool]v1alpha1.PublicAccess{true: v1alpha1.PublicAccessAllowed, false: v1alpha1.PublicAccessBlocked}[on]
	d.edit(t, name, func(d *third.Database) { d.Spec.Network = &v1alpha1.DatabaseNetwork{PublicAccess: &access} })
}

// SetBackupStart implements system.DatabaseConsole.
func (d databases) SetBackupStart(t testing.TB, name, start string) {
	d.edit(t, name, func(d *third.Database) { d.Spec.Backup.StartTime = &start })
}

// SetMaintenance implements system.DatabaseConsole.
func (d databases) SetMaintenance(t testing.TB, name string, hour, _ int) {
	start := fmt.Sprintf("%02d:00", hour)
	d.edit(t, name, func(d *third.Database) { d.Spec.Maintenance.Window.StartTime = &start })
}

// SetProtection implements system.DatabaseConsole.
func (d databases) SetProtection(t testing.TB, name string, on bool) {
	d.edit(t, name, func(d *third.Database) { d.Spec.DeletionProtection = &on })
}

// SetSize implements system.DatabaseConsole.
func (d databases) SetSize(t testing.TB, name, size string) {
	d.edit(t, name, func(d *third.Database) { system.SizeSetters["third"](&d.Spec, size) })
}

// SetStorage implements system.DatabaseConsole.
func (d databases) SetStorage(t testing.TB, name string, gib int) {
	d.edit(t, name, func(d *third.Database) { d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(gib))} })
}

// SetPower implements system.DatabaseConsole.
func (d databases) SetPower(t testing.TB, name string, on bool) {
	d.edit(t, name, func(d *third.Database) { d.Stopped = !on })
}

// FailOver implements system.DatabaseConsole: the cloud has no zones.
func (d databases) FailOver(t testing.TB, name string) { d.edit(t, name, func(*third.Database) {}) }

// Promote implements system.DatabaseConsole.
func (d databases) Promote(t testing.TB, name string) {
	d.edit(t, name, func(d *third.Database) { d.Follows = driver.ParentRef{} })
}

// SetVersion implements system.DatabaseConsole.
func (d databases) SetVersion(t testing.TB, name, version string) {
	d.edit(t, name, func(d *third.Database) { d.Spec.Version = &version })
}

// Snapshots implements system.DatabaseConsole. A snapshot that was never looked for is none of Mooring's.
func (d databases) Snapshots(_ testing.TB, database string) (names []string) {
	for _, call := range memory.Calls(third.Filter{Op: third.OpSnapshot}) {
		if strings.HasPrefix(call.Name, database+"-") && memory.Snapshot(account, call.Name) == driver.Ready && !slices.Contains(names, call.Name) {
			names = append(names, call.Name)
		}
	}
	return names
}
