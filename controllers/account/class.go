package account

import (
	"cmp"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// classOf returns the class of a call that is made by a session at a location, and whether the account's calls of it are counted together. The
// first of budgets that has the call counts. A call that none has is counted with all of its service.
func classOf(budgets []driver.Budget, service, operation, location string) (name string, counts bool) {
	for _, b := range budgets {
		if b.Service != service || !has(b, operation) {
			continue
		}
		if name = cmp.Or(b.Name, service); b.Regional && location != "" {
			name += " in " + location
		}
		return name, !b.ByObject
	}
	return service + " calls", true
}

// has reports whether an operation of the service is of the class b.
func has(b driver.Budget, operation string) bool {
	for _, o := range b.Operations {
		start, open := strings.CutSuffix(o, "*")
		if o == operation || open && strings.HasPrefix(operation, start) {
			return true
		}
	}
	return len(b.Operations) == 0
}
