package portable

import (
	"encoding/json"
	"strconv"
)

// A Growth says up to which size in GiB a disk grows by itself, and which size it has or is to have. Max is at most Size for a disk that does
// not grow by itself.
type Growth struct{ Max, Size int32 }

// GrowthOf returns what a spec or a mirror says of a disk; nil if it does not say how far the disk may grow.
func GrowthOf(most, size *int32) *Growth {
	if most == nil {
		return nil
	}
	g := &Growth{Max: *most}
	if size != nil {
		g.Size = *size
	}
	return g
}

// Limit returns the limit to ask for: 0 for a disk that does not grow by itself. The size that says so may be refused, or be left for a later
// call, and then the number alone would have a smaller disk grow up to it.
func (g Growth) Limit() int32 {
	if g.Max <= g.Size {
		return 0
	}
	return g.Max
}

// String returns the limit.
func (g Growth) String() string { return strconv.Itoa(int(g.Max)) }

// MarshalJSON returns the limit: the mirror reads as the spec does.
func (g Growth) MarshalJSON() ([]byte, error) { return json.Marshal(g.Max) }

// Serves reports whether a disk that may grow as have says does what is wanted. A disk that is as large as it may become does not grow,
// whatever the cloud has for a limit.
func (g Growth) Serves(have Growth) bool {
	size := max(g.Size, have.Size)
	if g.Max <= size {
		return have.Max <= have.Size
	}
	return have.Max == g.Max
}
