package table

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// LeftOut returns the fields of all changes that are not in reported; nil if there are none.
func LeftOut(all, reported []driver.Change) (fields []string) {
	for _, field := range driver.Names(all) {
		if !slices.Contains(driver.Names(reported), field) {
			fields = append(fields, field)
		}
	}
	return fields
}
