package restore

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Of returns the feature of a kind. Every kind has it: what vanished is restored if its spec says so, and for a kind that can't be restored the feature says that. family says what
// snapshots of the kind are, cache has objects, and fresh reads from the API server.
func Of(k *kind.Kind, family kind.Family, cache, fresh client.Reader) feature.Set {
	return feature.Set{{
		Source: func(ctx context.Context, in *reconciliation.State, creation plan.Action) (*reconciliation.Stop, error) {
			return (&restoring{in, family, cache, fresh}).find(ctx, creation)
		},
		ClearBinding: func(object v1alpha1.ResourceObject) { kind.ClearRestored(k, object) },
	}}
}
