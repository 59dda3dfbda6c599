package kind

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What no cloud makes of a snapshot is refused before anything is created, with what would be right.
func TestUnfitSnapshots(t *testing.T) {
	taken := driver.SnapshotDetails{Engine: "postgres", Version: "16.3", SizeGiB: 50, Username: "keeper", Encrypted: true}
	for _, tt := range []struct {
		name  string
		spec  func(*v1alpha1.DatabaseSpec)
		taken func(*driver.SnapshotDetails)
		want  string // empty: it fits
	}{
		{name: "as it was"},
		{name: "the very version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("16.3") }},
		{name: "a newer minor version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("16.4") }},
		{name: "any version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = nil }},
		{name: "a larger disk", spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))} }},
		{name: "its administrator", spec: func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Username: new("keeper")}
		}},
		{name: "not encrypted", taken: func(s *driver.SnapshotDetails) { s.Encrypted = false }, want: "copy the snapshot with a key"},
		{name: "of which little is known", taken: func(s *driver.SnapshotDetails) { *s = driver.SnapshotDetails{Encrypted: true} }},
		{name: "another engine", spec: func(s *v1alpha1.DatabaseSpec) { s.Engine = new(v1alpha1.EngineMySQL) }, want: "set spec.engine to postgres"},
		{name: "a newer major version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("17") }, want: "set spec.version to 16, and upgrade"},
		{name: "an older major version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("15") }, want: "set spec.version to 16"},
		{name: "an older minor version", spec: func(s *v1alpha1.DatabaseSpec) { s.Version = new("16.2") }},
		{name: "a smaller disk", spec: func(s *v1alpha1.DatabaseSpec) { s.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))} },
			want: "set spec.storage.sizeGiB to 50 or more"},
		{name: "another administrator", spec: func(s *v1alpha1.DatabaseSpec) {
			s.Credentials = &v1alpha1.DatabaseCredentials{Username: new("other")}
		}, want: "set spec.credentials.username to keeper"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &v1alpha1.Database{}
			d.Spec.Engine, d.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
			if tt.spec != nil {
				tt.spec(&d.Spec)
			}
			is := taken
			if tt.taken != nil {
				tt.taken(&is)
			}
			got := Database().Restoring.Mismatch(d, &is)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A name may have passed to another snapshot since the object was last looked at.
func TestSameSnapshot(t *testing.T) {
	at := time.Date(2026, 11, 27, 3, 0, 0, 500, time.UTC)
	object := func(id string) *v1alpha1.DatabaseSnapshot {
		s := &v1alpha1.DatabaseSnapshot{}
		s.Status.ExternalID, s.Status.SourceServer, s.Status.CreationTime = id, "shop-orders", &metav1.Time{Time: at.Truncate(time.Second)}
		return s
	}
	seen := func(id, source string, taken time.Time) driver.Observation {
		return driver.Observation{ID: id, SnapshotDetails: &driver.SnapshotDetails{Source: source, Taken: taken}}
	}
	for name, tt := range map[string]struct {
		object *v1alpha1.DatabaseSnapshot
		seen   driver.Observation
		want   bool
	}{
		"by its id":                {object("one"), seen("one", "shop-orders", at), true},
		"of another id":            {object("one"), seen("two", "shop-orders", at), false},
		"without an id":            {object(""), seen("", "shop-orders", at), true},
		"of another time":          {object(""), seen("", "shop-orders", at.Add(time.Minute)), false},
		"of another server":        {object(""), seen("", "billing-orders", at), false},
		"of which nothing is said": {object(""), driver.Observation{}, false},
	} {
		if got := Database().Restoring.Same(tt.object, tt.seen); got != tt.want {
			t.Errorf("%s: it counts as the same: %t, want %t", name, got, tt.want)
		}
	}
}
