package snapshot

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of returns the feature of a kind; nothing if its objects stand for no snapshots.
func Of(k *kind.Kind) feature.Set {
	if k.SetSnapshotDetails == nil {
		return nil
	}
	return feature.Set{{
		Mirror: func(object v1alpha1.ResourceObject, seen driver.Observation) {
			k.SetSnapshotDetails(object, seen.SnapshotDetails, seen.Available)
		},
		Clear: func(in *reconciliation.State) { k.SetSnapshotDetails(in.Object, nil, false) },
	}}
}
