package mem_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

func init() {
	trials = append(trials, func(cloud *mem.Cloud) drivertest.Trial { return snapshotKind(cloud) })
}

func snapshotKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.DatabaseSnapshotParameters] {
	edit := func(t testing.TB, name string, change func(*mem.DatabaseSnapshot)) {
		t.Helper()
		if !mem.Snapshots(cloud).Edit(account, name, change) {
			t.Fatalf("no snapshot %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	made := 0
	return &drivertest.Kind[v1alpha1.DatabaseSnapshotParameters]{
		Name: "DatabaseSnapshot",
		Full: func() v1alpha1.DatabaseSnapshotParameters {
			return v1alpha1.DatabaseSnapshotParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop", "env": "test"}}
		},
		Minimal: func() v1alpha1.DatabaseSnapshotParameters { return v1alpha1.DatabaseSnapshotParameters{} },
		Fields:  []drivertest.Field{{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}}},
		Reads:   1, MinimalReads: 1,
		Within: func(testing.TB) driver.ParentRef {
			made++
			name := fmt.Sprintf("conform-source-%d", made)
			mem.Databases(cloud).Put(mem.Database{
				Object: mem.Object{Account: account, Name: name},
				Spec:   v1alpha1.DatabaseParameters{Location: new(region), Engine: new(v1alpha1.EnginePostgres), Version: new("16")},
			})
			d, _ := mem.Databases(cloud).Get(account, name)
			return driver.ParentRef{Name: name, ID: d.ID}
		},
		RemoveParent: func(_ testing.TB, parent driver.ParentRef) { mem.Databases(cloud).Remove(account, parent.Name) },
		HasID:        true, IDAtOnce: true, Lists: true,
		Cloud: drivertest.Backdoor{
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(s *mem.DatabaseSnapshot) { labels = maps.Clone(s.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(s *mem.DatabaseSnapshot) { s.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Snapshots(cloud).Remove(account, name) },
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
}
