package reconciliation

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// A Primary is what is known of the object that one follows, or is to follow. It is zero for an object that follows none.
type Primary struct {
	// Parent is what it says of itself: the same as parents say.
	Parent
	// Object is the object; nil if there is none.
	Object v1alpha1.ResourceObject
	// Itself: the spec names the object itself.
	Itself bool
}

// Followers are the objects whose specs have them follow one that is being deleted.
type Followers struct {
	// Held names those that keep it from being deleted: somebody wants them, and they follow it in the cloud, or are about to.
	Held []string
	// Leaving are the names in the cloud of those that are being deleted.
	Leaving []string
}
