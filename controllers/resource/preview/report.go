package preview

import (
	"slices"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A Report says in advance what a request does. It holds values: nothing in it is cut, grouped or left out. Lines puts it into words for one reader.
type Report struct {
	// Consequences are what comes of the request beside changes of fields: a sentence each, the dangerous first.
	Consequences []string
	// Regrets are what a new object will have, or will not have, that its user may regret: a sentence each, the dangerous first.
	Regrets []string
	// Changes are what differs in the cloud because of the request, the dangerous first.
	Changes []Change
	// Obstacle is what keeps Changes from being made; empty if nothing does. Compared is what they were compared with.
	Obstacle, Compared string
	// Remarks follow from the changes: a sentence each.
	Remarks []string
	// Unresolved are fields whose new names only the cloud can resolve.
	Unresolved []Unresolved
	// Released are fields that are no longer managed. The cloud keeps their values.
	Released []string
}

// A Change is a change of a cloud object, with what becomes of it.
type Change struct {
	plan.Decided
	// When says when it is made, in words: at once, after approval, not applied.
	When string
}

// reportOf reports changes, what is in their way, and what they were compared with.
func reportOf(changes []plan.Decided, inTheWay obstacle, compared string) Report {
	report := Report{Obstacle: inTheWay.says, Compared: compared}
	for _, c := range changes {
		report.Changes = append(report.Changes, Change{Decided: c, When: inTheWay.when(c)})
	}
	slices.SortStableFunc(report.Changes, func(a, b Change) int { return b.Effect.Compare(a.Effect) })
	return report
}

// Unresolved is a field that gets another name of something in the cloud, such as an alias of a key. The driver takes it for what is there, so nothing
// changes. Nobody here knows whether the two names mean the same.
type Unresolved struct {
	Field, From, To string
	// Refers says what the name is one of, such as a KMS key.
	Refers string
}
