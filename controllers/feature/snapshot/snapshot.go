package snapshot

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Of returns the feature of a kind; nothing if its objects stand for no snapshots.
func Of(k *kind.Kind) feature.Set {
	if k.SetSnapshotDetails == nil {
		return nil
	}
	return feature.Set{{
		Mirror: func(in reconciliation.State, object v1alpha1.ResourceObject) {
			k.SetSnapshotDetails(object, in.Observation.SnapshotDetails, in.Observation.Available)
		},
		Clear: func(in *reconciliation.State) bool {
			k.SetSnapshotDetails(in.Object, nil, false)
			return false // the mirror alone shows it
		},
	}}
}
