// Package fieldedit holds, for each kind in each cloud, parameters that declare every field, and edits of each field that reach every effect that
// an edit can have. The conformance suite makes these edits, and the previews announce them.
package fieldedit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/portable"
)

// A Kind is one kind in one cloud.
type Kind[S any] struct {
	// Full returns parameters that declare every field, except for one that excludes others and is Given its own value. Each call returns new values.
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

// A Subject is one kind in one cloud, by their names. Full returns a pointer to parameters, and With a pointer to those in which a field has a value:
// the same, unless it excludes a field that they declare.
type Subject struct {
	Kind, Cloud string
	Full        func() any
	With        func(field string) any
	Fields      []drivertest.Field
	More        []Step
}

var subjects []Subject

// All returns each kind in each cloud. The file of each kind adds its own.
func All() []Subject { return slices.Clone(subjects) }

func add[S any](kind, cloud string, k Kind[S]) {
	subjects = append(subjects, Subject{
		Kind: kind, Cloud: cloud, Fields: k.Fields, More: k.More,
		Full: func() any { return new(k.Full()) },
		With: func(field string) any { return new(k.with(field)) },
	})
}

func (k Kind[S]) with(field string) S {
	full := k.Full()
	i := slices.IndexFunc(k.Fields, func(f drivertest.Field) bool { return f.Name == field && f.Given[field] != nil })
	if i < 0 {
		return full
	}
	for path, value := range k.Fields[i].Given {
		tree := value
		for _, step := range slices.Backward(strings.Split(path, ".")) {
			tree = map[string]any{step: tree}
		}
		raw, err := json.Marshal(tree)
		if err == nil {
			err = json.Unmarshal(raw, &full)
		}
		if err != nil {
			panic(fmt.Sprintf("%s is given a value of %s that its type can't hold: %v", field, path, err))
		}
	}
	return full
}

// newer reports whether a server has a version that a spec asks for, or a newer minor one.
func newer(engine v1alpha1.Engine) func(want, have string) bool {
	return func(want, have string) bool { return portable.VersionServes(engine, want, have) }
}

// larger reports whether a disk has the size that a spec asks for at least.
func larger(want, have string) bool {
	least, err := strconv.Atoi(want)
	if err != nil {
		return false
	}
	size, err := strconv.Atoi(have)
	return err == nil && size >= least
}

// noGrowth reports whether a limit of automatic growth is below what a disk has: then it reads as the size of the disk.
func noGrowth(want, have string) bool {
	return want != have && larger(want, have) && !larger("1000", have)
}

// moved reports whether a server is in a zone that the cloud itself gave it after its creation, such as by a failover: any does.
func moved(_, have string) bool { return have != "" }
