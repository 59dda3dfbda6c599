package plan

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Source is what a cloud object is made of, or was made of, such as another server. It is zero for a cloud object that is made empty.
type Source struct {
	// Creating is what the conditions say while the cloud makes the object of its source. Another is what is created if that has to be done again, such as: a new read replica of Database orders.
	Creating, Another string
	// Refusal is why nothing is created; it is nothing if its Reason is empty.
	Refusal Refusal
	// HasData: the source had all data of the cloud object when that was last observed, so nothing is lost with it.
	HasData bool
	// AsThere: before the object first works, whatever differs is as it is in the source.
	AsThere bool
	// Contents are fields that say what is in the source. What is not in there is not created: an empty one would look like what was lost. Named is how messages call the source.
	Contents []string
	Named    string
}

// Withhold returns changes without the creation of what had to be in the source.
func (s Source) Withhold(changes []driver.Change) []driver.Change {
	if len(s.Contents) == 0 {
		return changes
	}
	changes = slices.Clone(changes)
	for i, c := range changes {
		if slices.Contains(s.Contents, c.Field) {
			changes[i].Effect = driver.Impossible
			changes[i].Why = fmt.Sprintf("%s has no such thing, and an empty one would look like what was lost: set spec.%s to what %s has, or remove it", s.Named, c.Field, s.Named)
		}
	}
	return changes
}
