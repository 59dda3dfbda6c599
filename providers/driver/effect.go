package driver

import "slices"

// An Effect is what making a change does to those who use the object.
type Effect string

// The effects, from harmless to impossible.
const (
	Online       Effect = "Online"       // nobody notices
	Interrupts   Effect = "Interrupts"   // connections break for a moment
	Restarts     Effect = "Restarts"     // the server is away while it restarts
	LosesBackups Effect = "LosesBackups" // restore points are deleted
	Irreversible Effect = "Irreversible" // can never be taken back
	Impossible   Effect = "Impossible"   // the cloud can't do it to what exists
)

// Effects are all effects, the harmless first.
var Effects = []Effect{Online, Interrupts, Restarts, LosesBackups, Irreversible, Impossible}

// Disruptive reports whether a person may want to be asked first.
func (e Effect) Disruptive() bool {
	return e == Interrupts || e == Restarts || e == LosesBackups || e == Irreversible
}

// Meaning says what an effect does to those who use the object.
func (e Effect) Meaning() string { return meanings[e] }

var meanings = map[Effect]string{
	Online: "nobody notices", Interrupts: "connections break for a moment", Restarts: "the server is away while it restarts",
	LosesBackups: "restore points are deleted, and nobody can bring them back", Irreversible: "it can never be taken back",
	Impossible: "the cloud can't change it",
}

// Compare orders effects: it is negative if e is less dangerous than other.
func (e Effect) Compare(other Effect) int {
	return slices.Index(Effects, e) - slices.Index(Effects, other)
}

// A PossibleEffect is one of the effects that a change of a field can have.
type PossibleEffect struct {
	Effect Effect
	// When is the condition, as a clause that follows "when"; empty if every change of the field has this effect.
	When string
	// Instead is what to do in place of a change that is Impossible; empty for other effects.
	Instead string
	// Cost is how long users do without the object. Interrupts and Restarts have one, and others where they keep users away as well.
	Cost Cost `json:",omitzero"`
}

// A Field is what a driver says of a field of a spec: a line of the generated reference.
type Field struct {
	Field   string
	Effects []PossibleEffect // of changing the field, the harmless first
	Equal   string           // when a difference is none, for people; "" if only equal values are
	Safe    string           // the value that a released field returns to; "" if it is left as it is
	Secret  bool
	// Refers says what other cloud object the field names; empty if it names none.
	Refers Reference
	// ReferredIn is the field of each object in a list that names it, such as arn or destination.bucket; empty if the value of Field does.
	ReferredIn string `json:",omitempty"`
	// Further are other fields of each object in a list that name cloud objects, beside ReferredIn; nil if there are none.
	Further []Referrer `json:",omitempty"`
	// Indirect is a regular expression for values that stand for a cloud object without naming it, such as an alias of a key: only the cloud knows for which
	// one, and the driver takes such a value for the one that is there. Empty if there are none, and without Refers.
	Indirect string `json:",omitempty"`
	// StandsFor is another field that says the same in this cloud's own words; nil if there is none.
	StandsFor *Alternative `json:",omitempty"`
}

// Immutable reports whether nothing changes the field once the cloud object exists.
func (f Field) Immutable() bool {
	return len(f.Effects) > 0 && !slices.ContainsFunc(f.Effects, func(e PossibleEffect) bool { return e.Effect != Impossible })
}

// An Alternative is a field that says the same as another in a cloud's own words, and may say more.
type Alternative struct {
	Field string
	// Agree are the values of Field that agree with each value of the other field. All others contradict it.
	Agree map[string][]string
}

// AgreesWith reports whether a value of the other field and one of Field agree.
func (a *Alternative) AgreesWith(other, value string) bool {
	return slices.Contains(a.Agree[other], value)
}
