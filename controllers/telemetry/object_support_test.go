package telemetry

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// databases is a cache of databases beside another one.
type databases struct {
	client.Reader
	all []v1alpha1.Database
}

func (d databases) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if into, ok := list.(*v1alpha1.DatabaseList); ok {
		into.Items = slices.Clone(d.all)
		return nil
	}
	return d.Reader.List(ctx, list, options...)
}

// withDatabases adds databases to what metrics are shown of.
func withDatabases(m *Metrics, all ...v1alpha1.Database) {
	m.sources.Cache = databases{m.sources.Cache, all}
	m.sources.Kinds = append(m.sources.Kinds, Kind{Kind: kind.Database()})
}

// supported is a database whose support ends so many days after noon; 0 for a time that the cloud does not say.
func supported(name string, standard, extended, certificate int) v1alpha1.Database {
	var d v1alpha1.Database
	in := func(days int) *metav1.Time {
		if days == 0 {
			return nil
		}
		return &metav1.Time{Time: noon.AddDate(0, 0, days)}
	}
	d.Namespace, d.Name = "shop", name
	d.Status.Provider, d.Status.ClassName = "aws", "standard"
	d.Status.Support = &v1alpha1.DatabaseSupport{EngineVersion: "16", EngineEndOfStandardSupport: in(standard), EngineEndOfExtendedSupport: in(extended), CertificateExpires: in(certificate)}
	return d
}

// Each time that a status has is a series, in seconds. The limit keeps the objects whose first end is nearest, and the earliest of all is always shown.
func TestEndsOfSupport(t *testing.T) {
	none, going := supported("none", 0, 0, 0), supported("going", 1, 2, 3)
	none.Status.Support, going.DeletionTimestamp = nil, &metav1.Time{Time: noon}
	all := []v1alpha1.Database{supported("late", 900, 1900, 400), none, going, supported("past", -30, 1000, 300), supported("soon", 800, 0, 20)}
	earliest := map[string]int{"earliest EngineStandardSupport": -30, "earliest EngineExtendedSupport": 1000, "earliest Certificate": 20}
	objects := []map[string]int{
		{"past EngineStandardSupport": -30, "past EngineExtendedSupport": 1000, "past Certificate": 300},
		{"soon EngineStandardSupport": 800, "soon Certificate": 20},
		{"late EngineStandardSupport": 900, "late EngineExtendedSupport": 1900, "late Certificate": 400},
	}
	for limit := range len(objects) + 1 {
		want := maps.Clone(earliest)
		for _, o := range objects[:limit] {
			maps.Copy(want, o)
		}
		m := New(Options{Now: func() time.Time { return noon }})
		s := sources(nil)
		s.Kinds, s.ObjectLimit, s.Cache = nil, limit, &shelf{}
		m.Watch(s)
		withDatabases(m, all...)
		got := map[string]int{}
		for series, value := range values(t, m) {
			days := int(time.Unix(int64(value), 0).Sub(noon).Hours() / 24)
			if labels, ok := strings.CutPrefix(series, objectSupportEnd.Name+"{"); ok { // class, kind, name, namespace, provider, what
				l := strings.Split(strings.TrimSuffix(labels, "}"), ",")
				if l[0] != "standard" || l[1] != "Database" || l[3] != "shop" || l[4] != "aws" {
					t.Errorf("the labels are %v", l)
				}
				got[l[2]+" "+l[5]] = days
			} else if labels, ok := strings.CutPrefix(series, supportEnd.Name+"{Database,aws,"); ok {
				got["earliest "+strings.TrimSuffix(labels, "}")] = days
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with a limit of %d objects (-want +got):\n%s", limit, diff)
		}
	}
}
