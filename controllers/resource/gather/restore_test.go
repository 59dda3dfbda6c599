package gather

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A copy that was asked for without an answer may come late: a later refusal does not say that there is nothing.
func TestACopyMayComeLate(t *testing.T) {
	for name, tt := range map[string]struct {
		of   *v1alpha1.RestoredFrom
		want bool
	}{
		"a copy":               {&v1alpha1.RestoredFrom{Database: "orders", DatabaseUID: "uid"}, false},
		"born with its mark":   {&v1alpha1.RestoredFrom{Snapshot: "nightly"}, true},
		"made of nothing else": {nil, true},
	} {
		d := parent()
		d.Status.RestoredFrom = tt.of
		w := gatheringOf(d, nil)
		w.Memory.Cloud.CreationRefused, w.Memory.Cloud.CreationUnclear = true, true
		if got := neverCreated(w.State); got != tt.want {
			t.Errorf("%s: that nothing was created is sure: %t, want %t", name, got, tt.want)
		}
	}
}

// The password of a server that was made of a snapshot is known to others, so it is looked at although nobody asked for one. That of a server which was taken back is
// in use: its spec alone, in which restoreFrom stays for good, does not make it new.
func TestOnlyARestoredServerGetsAPasswordUnasked(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*v1alpha1.Database)
		want   bool
	}{
		"it was restored":   {func(d *v1alpha1.Database) { d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"} }, true},
		"it was taken back": {func(*v1alpha1.Database) {}, false},
		"it was restored, and has worked": {func(d *v1alpha1.Database) {
			d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"}
			d.Status.FirstReadyTime, d.Status.AppliedGeneration = &metav1.Time{Time: time.Now()}, 1
		}, false},
		"it was restored, works, and never was as declared": {func(d *v1alpha1.Database) {
			d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"}
			d.Status.FirstReadyTime = &metav1.Time{Time: time.Now()}
		}, true},
	} {
		d, _ := withPassword(nil)
		d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{ExternalSnapshotName: "nightly"}
		d.Status.Origin = v1alpha1.OriginCreated
		tt.change(d)
		g := gatheringOf(d, nil)
		g.WasReady = d.Status.FirstReadyTime != nil
		g.Observation = driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: g.Request.Mark}
		if got := g.login().concernsPassword(); got != tt.want {
			t.Errorf("%s: its password is looked at: %t, want %t", name, got, tt.want)
		}
	}
}
