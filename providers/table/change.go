package table

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// LeftOut returns the fields of all changes that are not among those that are reported.
func LeftOut(all, reported []driver.Change) []string {
	return slices.DeleteFunc(driver.Names(all), func(field string) bool { return slices.Contains(driver.Names(reported), field) })
}
