package telemetry

import (
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// Each replica whose lag is known is a series, in seconds. The limit keeps those that lag most.
func TestLagsOfReplicas(t *testing.T) {
	lag := func(name string, seconds float64) LastObservation {
		by := time.Duration(seconds * float64(time.Second))
		return LastObservation{Name: types.NamespacedName{Namespace: "shop", Name: name}, Provider: "aws", At: noon, Class: "standard", Lag: &by}
	}
	primary := lag("orders", 0)
	primary.Lag = nil
	all := []LastObservation{lag("near", 0), primary, lag("far", 4000.5), lag("next", 30)}
	for limit, want := range []map[string]float64{{}, {"far": 4000.5}, {"far": 4000.5, "next": 30}, {"far": 4000.5, "next": 30, "near": 0}} {
		m := New(Options{Now: func() time.Time { return noon }})
		s := sources(&shelf{})
		s.Kinds, s.ObjectLimit, s.Cache = []Kind{{Kind: kind.Database(), LastObserved: func() []LastObservation { return all }}}, limit, databases{&shelf{}, nil}
		m.Watch(s)
		got := map[string]float64{}
		for series, value := range values(t, m) {
			if labels, ok := strings.CutPrefix(series, replicaLag.Name+"{"); ok { // class, kind, name, namespace, provider
				l := strings.Split(strings.TrimSuffix(labels, "}"), ",")
				if l[0] != "standard" || l[1] != "Database" || l[3] != "shop" || l[4] != "aws" {
					t.Errorf("the series has the labels %q", l)
				}
				got[l[2]] = value
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("with a limit of %d: got %v, want %v", limit, got, want)
		}
	}
}
