package plan

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// Unfinished reports whether the object was restored and never yet was both usable and as its spec says. Until then it is as what it was restored from, nobody is told
// to use it, and what differs belongs to its creation. That it works alone does not end this: earlier releases noted that it worked although it stalled.
func (v View) Unfinished() bool {
	return v.Restored && v.Origin == v1alpha1.OriginCreated && (!v.WasReady || !v.WasApplied)
}

// RestoreUnfinished reports the same of an object as it is stored.
func RestoreUnfinished(k *kind.Kind, object v1alpha1.ResourceObject) bool {
	v := StoredView(object, object.GetResourceStatus())
	v.Restored = k.Restored(object)
	return v.Unfinished()
}
