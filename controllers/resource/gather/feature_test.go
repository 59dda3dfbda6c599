package gather

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// A feature gathers at its step, and may end the reconciliation there: nothing later is read then. Of a paused object none is asked.
func TestFeaturesGatherAtTheirStep(t *testing.T) {
	failed := errors.New("no answer")
	for _, test := range []struct {
		name   string
		start  feature.Gather
		paused bool
		asked  bool
		err    error
	}{
		{"it stops", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) {
			return &reconciliation.Stop{Outcome: outcome.Outcome{Message: "by a feature"}}, nil
		}, false, true, nil},
		{"it fails", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) { return nil, failed }, false, true, failed},
		{"paused", func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) { return nil, failed }, true, false, nil},
	} {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
		if test.paused {
			b.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
		}
		asked := false
		g := &Gatherer{Kind: kind.Bucket(), Features: feature.Set{{Start: func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
			asked = true
			return test.start(ctx, in)
		}}}}
		_, stop := g.Gather(t.Context(), reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
		if stop == nil || asked != test.asked || !errors.Is(stop.Err, test.err) || test.err == nil && asked && stop.Outcome.Message != "by a feature" {
			t.Errorf("%s: asked: %t, %+v", test.name, asked, stop)
		}
	}
}

// What keeps an object from being destroyed in the cloud is looked for once it is being deleted, and not before.
func TestGuardsAreForDeletions(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
		asked := false
		w := &gathering{gatherer: &Gatherer{Kind: kind.Bucket(), Features: feature.Set{{}, {Guard: func(context.Context, *reconciliation.State) (*reconciliation.Stop, error) {
			asked = true
			return &reconciliation.Stop{}, nil
		}}}}, State: reconciliation.State{Object: b}}
		w.Deleting = deleting
		if stop := w.run(t.Context(), []step{{hook: (*gathering).findGuards}}); asked != deleting || (stop != nil) != deleting {
			t.Errorf("being deleted: %t; asked: %t, %+v", deleting, asked, stop)
		}
	}
}
