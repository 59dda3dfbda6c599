package driver

import (
	"cmp"
	"strings"
)

// A Budget is a class of calls that a cloud counts together when it limits how many calls an account makes in a time. How many that are
// nobody has to say: the caller learns it from the error Throttled.
type Budget struct {
	// Name is what people call the class, for example "Cloud SQL calls".
	Name string
	// Service and Operations say which calls are of it, as Call names them. An operation may end in *, and none are all of the service.
	Service    string
	Operations []string `json:",omitempty"`
	// Regional: the cloud counts the calls of each region by themselves.
	Regional bool `json:",omitempty"`
	// ByObject: the cloud counts the calls about each object by themselves, so that a refusal says nothing about calls about others.
	ByObject bool `json:",omitempty"`
}

// BudgetOf returns the class of a call that is made by a session at a location, and whether the account's calls of it are counted together. The
// first of budgets that has the call counts. A call that none has is counted with all of its service.
func BudgetOf(budgets []Budget, service, operation, location string) (name string, counts bool) {
	for _, b := range budgets {
		if b.Service != service || !b.has(operation) {
			continue
		}
		if name = cmp.Or(b.Name, service); b.Regional && location != "" {
			name += " in " + location
		}
		return name, !b.ByObject
	}
	return service + " calls", true
}

// has reports whether an operation of the service is of the class.
func (b *Budget) has(operation string) bool {
	for _, o := range b.Operations {
		start, open := strings.CutSuffix(o, "*")
		if o == operation || open && strings.HasPrefix(operation, start) {
			return true
		}
	}
	return len(b.Operations) == 0
}
