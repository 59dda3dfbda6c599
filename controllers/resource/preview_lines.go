package resource

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mooring-dev/mooring/providers/field"
)

// The API server may cut warnings after 256 characters, and drops what exceeds 4096 in all, those of other webhooks included. A preview
// leaves a quarter of that to others.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response
const (
	warningLength  = 256
	warningsLength = 3072
	valueLength    = 40
)

var fateWords = map[Fate]string{
	AtOnce: "at once", AfterApproval: "after approval", Withheld: "withheld until you revert the Impossible change", Never: "not done",
}

// previewLines says changes as warnings: the dangerous first, the harmless in one line, and at last what they were compared with.
func previewLines(changes []Decided, inTheWay obstacle, last string) (lines []string) {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Decided) int { return b.Effect.Compare(a.Effect) })
	var harmless []string
	dangerous := []string{}
	for _, c := range changes {
		when := inTheWay.when(c.Fate)
		what := fmt.Sprintf("%s %s -> %s", c.Field, clip(orNone(c.From), valueLength), clip(orNone(c.To), valueLength))
		if c.Effect == field.Online {
			harmless = append(harmless, what)
			continue
		}
		why := c.Why
		if why == "" {
			why = c.Effect.Meaning()
		}
		dangerous = append(dangerous, clip(fmt.Sprintf("%s: %s, %s: %s", c.Effect, what, when, why), warningLength))
	}
	if inTheWay.says != "" {
		lines = append(lines, clip(inTheWay.says, warningLength))
	}
	kept := fitting(dangerous, warningsLength-4*warningLength)
	lines = append(lines, dangerous[:kept]...)
	if len(harmless) > 0 && kept == len(dangerous) {
		lines = append(lines, clip("Online, "+inTheWay.when(AtOnce)+": "+strings.Join(harmless, ", "), warningLength))
	}
	lines = append(lines, last)
	if kept < len(dangerous) {
		lines = append(lines, fmt.Sprintf("and %d more changes", len(changes)-kept))
	}
	return lines
}

// fitting returns how many of the lines have room within a number of characters.
func fitting(lines []string, room int) int {
	for i, line := range lines {
		if room -= utf8.RuneCountInString(line); room < 0 {
			return i
		}
	}
	return len(lines)
}

// clip cuts a text to a number of characters.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
