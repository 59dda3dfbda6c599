package telemetry

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

// The objects whose drift recurred are named for an hour, those with most recurrences first, and no more than the limit.
func TestObjectDriftRecurrences(t *testing.T) {
	const (
		photos   = "mooring_object_drift_recurrences{Bucket,photos,shop,aws}"
		invoices = "mooring_object_drift_recurrences{Bucket,invoices,shop,aws}"
	)
	for _, tc := range []struct {
		name  string
		after time.Duration
		limit int
		want  map[string]float64
	}{
		{"at once", 0, 10, map[string]float64{photos: 2, invoices: 1}},
		{"the first is older than an hour", 31 * time.Minute, 10, map[string]float64{photos: 1, invoices: 1}},
		{"all are older than an hour", 2 * time.Hour, 10, map[string]float64{}},
		{"with a limit", 0, 1, map[string]float64{photos: 2}},
		{"switched off", 0, 0, map[string]float64{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := noon
			m := New(Options{SyncPeriod: time.Minute, Now: func() time.Time { return now }})
			s := sources(&shelf{})
			s.ObjectLimit = tc.limit
			m.Watch(s)
			drift := func(name string, d Drift) {
				m.Drift(Subject{"Bucket", "aws"}, types.NamespacedName{Namespace: "shop", Name: name}, d)
			}
			drift("photos", Drift{Detected: true, Recurred: true})
			now = now.Add(30 * time.Minute)
			drift("photos", Drift{Detected: true, Recurred: true})
			drift("invoices", Drift{Detected: true, Recurred: true})
			drift("others", Drift{Detected: true, Corrected: true})
			now = now.Add(tc.after)
			got := values(t, m)
			maps.DeleteFunc(got, func(series string, _ float64) bool {
				return !strings.HasPrefix(series, "mooring_object_drift_recurrences{")
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s\nof %q", diff, slices.Sorted(maps.Keys(got)))
			}
		})
	}
}
