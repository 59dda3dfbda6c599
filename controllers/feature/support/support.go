package support

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Of returns the feature of a kind; nothing if its status does not say until when it is supported.
func Of(k *kind.Kind) feature.Set {
	if k.Support == nil {
		return nil
	}
	return feature.Set{{
		Mirror: func(in reconciliation.State, object v1alpha1.ResourceObject) {
			if seen := in.Observation.Support; seen != nil {
				k.Support.Set(object, seen)
			}
		},
		Clear: func(in *reconciliation.State) bool {
			k.Support.Set(in.Object, nil)
			return false // the mirror alone shows it
		},
	}}
}
