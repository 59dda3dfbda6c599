package execute

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// fullPart is how many things the deletion of a part takes away at least, if it gets on. A part of fewer is the last one, or somebody puts things in meanwhile.
const fullPart = 100

// repetition tells a step that is made again from the first.
type repetition struct{ of *work }

// again says of an outcome whether the step that led to it was made before, since the object was at rest. Whatever the step is: one that the cloud accepts
// and that changes nothing would else be made for ever, as often as the cloud answers.
func (r repetition) again(a plan.Action, out outcome.Outcome) outcome.Outcome {
	switch {
	case out.Next == outcome.AtSync, out.GotOn:
		r.of.Memory.Cloud.Steps = nil
	case out.Next == outcome.Soon:
		var before int
		r.of.Memory.Cloud, before = r.of.Memory.Cloud.Made(stepOf(a) + r.of.part)
		out.Repeated = before > 0
		if before >= inVainAfter && a.Verb == plan.Delete && r.of.part != anyPart {
			out.Message += r.why()
		}
	}
	return out
}

// inVainAfter is how often a deletion was asked for before people are told: some take more than one call.
const inVainAfter = 2

// anyPart is the part of a deletion that took away what the object holds.
const anyPart = "; it took a part away"

// why says why a deletion is asked for again.
func (r repetition) why() string {
	if r.of.part != "" {
		return "; " + r.of.part + ", and the cloud does not show it; Mooring tries again from time to time"
	}
	return fmt.Sprintf("; %s accepted it before, and did not carry it out; Mooring tries again from time to time", r.of.Provider)
}

// stepOf tells a step from others.
func stepOf(a plan.Action) string {
	var step strings.Builder
	step.WriteString(string(a.Verb))
	for _, c := range a.Changes {
		writeChange(&step, c)
	}
	if a.Part != nil {
		step.WriteString(" " + a.Part.String())
	}
	sum := sha256.Sum256([]byte(step.String())) // values may be long, and many steps are remembered
	return hex.EncodeToString(sum[:6])
}

func writeChange(step *strings.Builder, c driver.Change) {
	fmt.Fprintf(step, "\n%s: %q -> %q", c.Field, c.From, c.To)
}
