package execute

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

func without(changes []driver.Change, failed []driver.FieldError) []driver.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool {
		return slices.ContainsFunc(failed, func(f driver.FieldError) bool { return f.Field == c.Field })
	})
}
