package preview

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The API server may cut warnings after 256 characters, and drops what exceeds 4096 in all, those of other webhooks included. A preview
// leaves a quarter of that to others.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response
const (
	warningLength  = 256
	warningsLength = 3072
	valueLength    = 40
	// valuesLength is for the parts of one change together: what they bring about has to have room beside them.
	valuesLength = 120
)

var fateWords = map[plan.Fate]string{
	plan.AtOnce: "at once", plan.AfterApproval: "after approval", plan.AfterStart: "once the database runs", plan.AfterOthers: "after the other changes", plan.AfterBackup: "after a snapshot", plan.Withheld: "withheld until you revert the Impossible change", plan.Never: "not done", plan.LeftAlone: "left as it is",
}

// changeLines says changes as warnings: the dangerous first, then those that bring something about, the others in one line for each
// time at which they are made, and at last what they were compared with.
func changeLines(changes []plan.Decided, inTheWay obstacle, last string) (lines []string) {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b plan.Decided) int { return b.Effect.Compare(a.Effect) })
	var harmless groups
	dangerous := []string{}
	for _, c := range changes {
		when := inTheWay.when(c)
		what := plan.Shown(c.Change, valuesLength, clipPair)
		if c.Effect == driver.Online && c.Why == "" {
			harmless = harmless.with(when, what)
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
	if kept == len(dangerous) {
		lines = append(lines, harmless.lines()...)
	}
	lines = append(lines, last)
	if kept < len(dangerous) {
		lines = append(lines, fmt.Sprintf("and %d more changes", len(changes)-kept))
	}
	return lines
}

// groups are harmless changes by when they are made: at once, or once the database runs, since what is harmless waits for nothing else. So they have
// two lines at most.
type groups []group

type group struct {
	when    string
	changes []string
}

// with adds a change.
func (g groups) with(when, what string) groups {
	at := slices.IndexFunc(g, func(g group) bool { return g.when == when })
	if at < 0 {
		return append(g, group{when, []string{what}})
	}
	g[at].changes = append(g[at].changes, what)
	return g
}

// lines says a group in a line.
func (g groups) lines() (lines []string) {
	for _, g := range g {
		lines = append(lines, clip("Online, "+g.when+": "+strings.Join(g.changes, ", "), warningLength))
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

// valueContext is how much of what two values share is shown before they differ.
const valueContext = 8

// clipPair cuts two values so that they are seen to differ: what they begin with in common first, and then the middle.
func clipPair(from, to string) (string, string) {
	a, b := []rune(from), []rune(to)
	if len(a) <= valueLength && len(b) <= valueLength {
		return from, to
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if cut := same - valueContext; cut > 1 {
		a, b = slices.Concat([]rune("…"), a[cut:]), slices.Concat([]rune("…"), b[cut:])
	}
	return clipMiddle(a), clipMiddle(b)
}

func clipMiddle(value []rune) string {
	if len(value) <= valueLength {
		return string(value)
	}
	return string(value[:valueLength/2]) + "…" + string(value[len(value)-valueLength/2+1:])
}
