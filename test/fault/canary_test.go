package fault

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// verifyHidden checks that no secret of any life so far shows in a log at the most verbose level, an event, a
// metric, or an object that is still there. Statuses of objects that are gone were checked phase by phase.
func (w *world) verifyHidden(t *testing.T) {
	t.Helper()
	shown := map[string]string{"a log": logs.String(), "a metric": metricsText(t)}
	events := &eventsv1.EventList{}
	buckets, databases, configs := &v1alpha1.BucketList{}, &v1alpha1.DatabaseList{}, &v1alpha1.ProviderConfigList{}
	for what, list := range map[string]any{"an event": events, "a bucket": buckets, "a database": databases, "a provider config": configs} {
		var err error
		switch list := list.(type) {
		case *eventsv1.EventList:
			err = w.Client.List(t.Context(), list)
		case *v1alpha1.BucketList:
			err = w.Client.List(t.Context(), list)
		case *v1alpha1.DatabaseList:
			err = w.Client.List(t.Context(), list)
		case *v1alpha1.ProviderConfigList:
			err = w.Client.List(t.Context(), list)
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		shown[what] = string(text)
	}
	// A check of nothing would pass: there must be logs of failed turns and events.
	if !strings.Contains(shown["a log"], "turn failed") || len(events.Items) == 0 {
		t.Errorf("%d bytes of logs and %d events: too little to look through", len(shown["a log"]), len(events.Items))
	}
	for _, l := range w.everyLife() {
		for what, text := range shown {
			l.hides(t, what, text)
		}
	}
}

// everyLife returns the lives that were led, each once.
func (w *world) everyLife() (all []*life) {
	w.wire.mu.Lock()
	defer w.wire.mu.Unlock()
	for id, l := range w.wire.lives {
		if id == l.name {
			all = append(all, l)
		}
	}
	return all
}

func metricsText(t *testing.T) string {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(families)
}
