package support

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of returns the feature of a kind; nothing if its status does not say until when it is supported.
func Of(k *kind.Kind) feature.Set {
	if k.Support == nil {
		return nil
	}
	return feature.Set{{
		Mirror: func(object v1alpha1.ResourceObject, seen driver.Observation) {
			if seen.Support != nil {
				k.Support.Set(object, seen.Support)
			}
		},
		Clear: func(in *reconciliation.State) { k.Support.Set(in.Object, nil) },
	}}
}
