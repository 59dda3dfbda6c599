package driver

import "slices"

// An Effect is what a change does to the users of an object.
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

// Effects are all effects, from harmless to impossible.
var Effects = []Effect{Online, Interrupts, Restarts, LosesBackups, Irreversible, Impossible}

// Disruptive reports whether a change with this effect may require approval.
func (e Effect) Disruptive() bool {
	return e == Interrupts || e == Restarts || e == LosesBackups || e == Irreversible
}

// Meaning describes, for people, what the effect does to the users of the object.
func (e Effect) Meaning() string { return meanings[e] }

var meanings = map[Effect]string{
	Online: "nobody notices", Interrupts: "connections break for a moment", Restarts: "the server is away while it restarts",
	LosesBackups: "restore points are deleted, and nobody can bring them back", Irreversible: "it can never be taken back",
	Impossible: "the cloud can't change it",
}

// Compare orders effects by danger. It is negative if e is less dangerous than other.
func (e Effect) Compare(other Effect) int {
	return slices.Index(Effects, e) - slices.Index(Effects, other)
}

// A PossibleEffect is one of the effects that a change of a field can have.
type PossibleEffect struct {
	Effect Effect
	// When is the condition for this effect, as a clause that follows "when". It is empty if every change of the field
	// has the effect.
	When string
	// Instead says what to do in place of an Impossible change; empty for other effects.
	Instead string
	// Cost says how long the object is unavailable. It is set for Interrupts and Restarts, and for other effects that
	// make the object unavailable.
	Cost Cost `json:",omitzero"`
}

// A Field describes a field of a spec in one cloud. It is a line of the generated reference.
type Field struct {
	// Field is the path of the field in the spec.
	Field string
	// Effects are the possible effects of a change, from harmless to impossible.
	Effects []PossibleEffect
	// Equal describes, for people, when different values are equal. It is empty if only identical values are.
	Equal string
	// Safe is the value that the field returns to when the spec does not have it any more. If it is empty, the field
	// keeps its value.
	Safe string
	// Secret: the values of the field are secret.
	Secret bool
	// Refers is the sort of other cloud object that the field names; empty if it names none.
	Refers Reference
	// ReferredIn is, for a list of objects, the field of each entry that holds the name: arn, or destination.bucket. It
	// is empty if the value itself is the name.
	ReferredIn string `json:",omitempty"`
	// Further are other fields of each entry that name cloud objects, in addition to ReferredIn.
	Further []Referrer `json:",omitempty"`
	// Indirect is a regular expression for values that name a cloud object indirectly, such as the alias of a key. The
	// driver can't resolve such a value, so it counts as equal to the present one. It is empty if there are no such
	// values, or without Refers.
	Indirect string `json:",omitempty"`
	// StandsFor is another field with the same meaning in this cloud's own terms; nil if there is none.
	StandsFor *Alternative `json:",omitempty"`
}

// Immutable reports whether the field can't be changed once the cloud object exists.
func (f Field) Immutable() bool {
	return len(f.Effects) > 0 && !slices.ContainsFunc(f.Effects, func(e PossibleEffect) bool { return e.Effect != Impossible })
}

// An Alternative is a field that has the meaning of a portable field in one cloud's own terms, and that may be more
// specific.
type Alternative struct {
	Field string
	// Agree has, for each value of the other field, the values of Field that agree with it. All other values contradict
	// it.
	Agree map[string][]string
}

// AgreesWith reports whether a value of the other field and one of Field agree.
func (a *Alternative) AgreesWith(other, value string) bool {
	return slices.Contains(a.Agree[other], value)
}
