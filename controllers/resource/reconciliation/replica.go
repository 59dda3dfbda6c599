package reconciliation

import (
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Primary is what is known of the object that one follows, or is to follow. It is zero for an object that follows none.
type Primary struct {
	// Parent is what it says of itself: the same as parents say.
	Parent
	// Object is the object; nil if there is none.
	Object v1alpha1.ResourceObject
	// Itself: the spec names the object itself.
	Itself bool
}

// PrimaryServer returns where the server of an object's primary is. It is zero if that is not known, or if it is in another account than the object. Its Location is empty if it is where the object is.
func PrimaryServer(s State) (at driver.Following) {
	p := s.Primary
	if p.Provider != s.Provider || p.Account != string(s.Account) {
		return at
	}
	if at.Primary = p.Ref.Name; p.Location != s.Request.Location {
		at.Location = p.Location
	}
	return at
}

// FollowsPrimary reports whether what an object is seen to follow is the server of the primary that its spec names. Not every cloud says where that is.
func FollowsPrimary(s State, followed *driver.Following) bool {
	at := PrimaryServer(s)
	return strings.EqualFold(at.Primary, followed.Primary) && (followed.Location == "" || strings.EqualFold(at.Location, followed.Location))
}
