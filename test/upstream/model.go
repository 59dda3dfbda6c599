package main

import (
	"maps"
	"slices"
	"strings"
)

// A model is what SDKs know of the calls that drivers make.
type model struct {
	// calls are the owners at which a driver begins: the inputs and outputs of operations.
	calls []string
	// owners are those and all types within them, by name, each with its members. A name is of a service and an operation or type, such as "rds DBInstance".
	owners map[string][]member
	// sent are the owners that can be sent to the cloud.
	sent map[string]bool
}

// A member is a field of an owner, or a value of an enumeration.
type member struct {
	name string
	// kind is in, out or value. In and out of a type follow from where it is used.
	kind string
	// had is whether the driver, or its API types, name it.
	had bool
	// within are the owners that the field leads to.
	within []string
}

// The kinds of members.
const (
	in    = "in"
	out   = "out"
	value = "value"
)

func newModel() *model { return &model{owners: map[string][]member{}, sent: map[string]bool{}} }

// line says what a member is, in four words.
func (m *model) line(owner string, of member) string {
	kind := of.kind
	if kind == "" {
		kind = out
		if m.sent[owner] {
			kind = in
		}
	}
	return owner + " " + kind + " " + of.name
}

// text returns all lines, in order.
func (m *model) text() string {
	var lines []string
	for owner, members := range m.owners {
		for _, of := range members {
			lines = append(lines, m.line(owner, of))
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}

// A class is what becomes of a line.
type class string

const (
	had     class = "had"
	leftOut class = "left out"
	// follows is for what is within a field that is not had: what is said of the field is said of it.
	follows class = "within what is not had"
	neither class = "neither had nor left out"
)

// classify returns a class on each line. It goes from the calls through the fields that are had.
func (m *model) classify(isLeftOut func(line string) bool) map[string]class {
	classes := map[string]class{}
	reached := map[string]bool{}
	for queue := slices.Clone(m.calls); len(queue) > 0; queue = queue[1:] {
		owner := queue[0]
		if reached[owner] {
			continue
		}
		reached[owner] = true
		for _, of := range m.owners[owner] {
			line := m.line(owner, of)
			switch {
			case of.had:
				classes[line] = had
				queue = append(queue, of.within...)
			case isLeftOut(line):
				classes[line] = leftOut
			default:
				classes[line] = neither
			}
		}
	}
	for _, owner := range slices.Sorted(maps.Keys(m.owners)) {
		for _, of := range m.owners[owner] {
			if line := m.line(owner, of); classes[line] == "" {
				classes[line] = follows
			}
		}
	}
	return classes
}
