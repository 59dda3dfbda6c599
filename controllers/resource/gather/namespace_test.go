package gather

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Before something of an earlier object is taken over or restored, the API server is asked which namespace this is: the cache may show the one before.
func TestNamespaceIsCheckedBeforeATakeover(t *testing.T) {
	const before, now = "ns-before", "ns-now"
	of := func(namespace, uid string) driver.Observation {
		return driver.Observation{State: driver.Ready, Mark: driver.Mark{Namespace: namespace, Name: "photos", UID: uid}}
	}
	for name, tt := range map[string]struct {
		seen             driver.Observation
		ready, deleting  bool
		cached           string
		asks, goes, errs bool
	}{
		"its own":                        {seen: of("shop", "uid"), cached: before, goes: true},
		"an earlier object's":            {seen: of("shop", "uid-before"), cached: now, asks: true, goes: true},
		"an earlier object's, and stale": {seen: of("shop", "uid-before"), cached: before, asks: true},
		"and nobody answers":             {seen: of("shop", "uid-before"), cached: now, asks: true, errs: true},
		"another namespace's":            {seen: of("bank", "uid-before"), cached: before, goes: true},
		"it worked before":               {seen: of("shop", "uid-before"), cached: before, ready: true, goes: true},
		"it is being deleted":            {seen: of("shop", "uid-before"), cached: before, deleting: true, goes: true},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "uid", CreationTimestamp: metav1.Now()}}
			g := (&Gatherer{Kind: kind.Bucket(), NamespaceUID: func(_ context.Context, _ string, created time.Time) (string, error) {
				if !created.IsZero() {
					return tt.cached, nil
				}
				if asked = true; tt.errs {
					return "", errors.New("no answer")
				}
				return now, nil
			}}).begin(reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
			if err := (residing{g}).find(t.Context()); err != nil || g.NamespaceUID != tt.cached {
				t.Fatalf("found %q: %v", g.NamespaceUID, err)
			}
			g.Request.Mark, g.Observation, g.WasReady, g.Deleting = driver.Mark{Namespace: "shop", Name: "photos", UID: "uid", NamespaceUID: g.NamespaceUID}, tt.seen, tt.ready, tt.deleting
			err := (residing{g}).check(t.Context(), plan.View{})
			if asked != tt.asks || (err == nil) != tt.goes || !tt.goes && !tt.errs && !errors.Is(err, outcome.ErrStale) {
				t.Errorf("asked: %t; %v", asked, err)
			}
		})
	}
}

// A mark from before Mooring wrote the uid of the namespace is the object's own, whatever else compares it.
func TestMarksAreCompleted(t *testing.T) {
	own := driver.Mark{Cluster: "c", Namespace: "shop", Name: "photos", UID: "uid", NamespaceUID: "ns"}
	before, other, part := own, own, own
	before.NamespaceUID, other.UID, part.Name, part.NamespaceUID = "", "uid-before", "", ""
	for _, tt := range []struct{ seen, want driver.Mark }{{before, own}, {own, own}, {other, other}, {part, part}, {driver.Mark{}, driver.Mark{}}} {
		if got := whole(tt.seen, own); got != tt.want {
			t.Errorf("%+v is taken for %+v", tt.seen, got)
		}
	}
}

// A mark without the uid of the namespace that has the uid of an object which lives there is of this namespace.
func TestMarkOfALivingObjectIsCompleted(t *testing.T) {
	lives := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lives", UID: "uid-lives"}}
	for name, tt := range map[string]struct {
		mark driver.Mark
		want string
	}{
		"it lives":                  {driver.Mark{Cluster: "c", Namespace: "shop", Name: "lives", UID: "uid-lives"}, "ns"},
		"another of its name lives": {driver.Mark{Cluster: "c", Namespace: "shop", Name: "lives", UID: "uid-before"}, ""},
		"none of its name lives":    {driver.Mark{Cluster: "c", Namespace: "shop", Name: "gone", UID: "uid-gone"}, ""},
		"it has one":                {driver.Mark{Cluster: "c", Namespace: "shop", Name: "lives", UID: "uid-lives", NamespaceUID: "other"}, "other"},
		"of another cluster":        {driver.Mark{Cluster: "d", Namespace: "shop", Name: "lives", UID: "uid-lives"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "uid"}}
			g := (&Gatherer{Kind: kind.Bucket(), Reader: relatives(t, lives)}).begin(reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
			g.NamespaceUID, g.Request.Mark, g.Observation.Mark = "ns", driver.Mark{Cluster: "c", Namespace: "shop", Name: "photos", UID: "uid", NamespaceUID: "ns"}, tt.mark
			if err := (residing{g}).complete(t.Context()); err != nil || g.Observation.Mark.NamespaceUID != tt.want {
				t.Errorf("the mark is %+v: %v", g.Observation.Mark, err)
			}
			g.Observation.Mark, g.gatherer.Reader = tt.mark, nil // nobody is asked about what the object showed before
			g.Object.(*v1alpha1.Bucket).Status.Observed = &v1alpha1.BucketParameters{}
			if err := (residing{g}).complete(t.Context()); err != nil || g.Observation.Mark != tt.mark {
				t.Errorf("once it was seen, the mark is %+v: %v", g.Observation.Mark, err)
			}
		})
	}
}
