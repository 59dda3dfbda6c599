package plan

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// sending returns the action that sends changes to the cloud. If a command makes the first of them, it sends that one alone.
func (a Action) sending(v View, changes ...driver.Change) Action {
	a.Verb, a.Changes = Update, changes
	if t := v.treatment(changes[0]); t.Command != "" { // which inOrder puts first
		a.Changes, a.Command = changes[:1], &driver.Command{Verb: t.Command}
	}
	return a
}

// Commanding returns the action that has a command make a change.
func (a Action) Commanding(verb driver.Verb, c driver.Change) Action {
	a.Verb, a.Changes, a.Command = Update, []driver.Change{c}, &driver.Command{Verb: verb}
	return a
}

// WritingMark returns the action with the command that writes the mark.
func (a Action) WritingMark() Action {
	a.Changes = []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}}
	a.Command = &driver.Command{Verb: driver.WriteMark}
	return a
}

// Does reports whether the action is to carry out a command with a verb.
func (a Action) Does(verb driver.Verb) bool { return a.Command != nil && a.Command.Verb == verb }
