// Package fieldedit holds, for each kind in each cloud, parameters that declare every field, and edits of each field that reach every effect that
// an edit can have. The conformance suite makes these edits, and the previews announce them.
package fieldedit

import (
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// A Kind is one kind in one cloud.
type Kind[S any] struct {
	// Full returns parameters that declare every field. Each call returns new values.
	Full func() S
	// Fields has an entry for each field: a value that differs from that in Full, and the effect of the edit.
	Fields []drivertest.Field
	// More are the edits that reach the effects that those of Fields do not reach.
	More []Step
}

// A Step is an edit of one field from one value to another, and its effect. If From is nil, it is the value in Full.
type Step struct {
	Field    string
	From, To any
	Effect   driver.Effect
	// Given are as in drivertest.Field.
	Given map[string]any
}

// A Subject is one kind in one cloud, by their names. Full returns a pointer to parameters.
type Subject struct {
	Kind, Cloud string
	Full        func() any
	Fields      []drivertest.Field
	More        []Step
}

var subjects []Subject

// All returns each kind in each cloud. The file of each kind adds its own.
func All() []Subject { return slices.Clone(subjects) }

func add[S any](kind, cloud string, k Kind[S]) {
	subjects = append(subjects, Subject{Kind: kind, Cloud: cloud, Full: func() any { return new(k.Full()) }, Fields: k.Fields, More: k.More})
}
