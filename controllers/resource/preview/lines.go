package preview

import (
	"cmp"
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

// mostRegrets is how many lines a creation is worth, before one that says how many more there are: who applies many objects reads no more.
const mostRegrets = 3

// Lines says a report in lines for warnings of the API server, the dangerous first. They are cut to what that shows. This is the one place that does so.
func (r Report) Lines() []string {
	return slices.Concat(r.Consequences, r.regretLines(), r.changeLines(), r.Remarks, r.unresolvedLines(), r.releaseLine())
}

func (r Report) regretLines() []string {
	if n := len(r.Regrets) - mostRegrets; n > 0 {
		return append(slices.Clone(r.Regrets[:mostRegrets]), fmt.Sprintf("and %d more", n))
	}
	return r.Regrets
}

// changeLines says changes: what is in their way, those that bring something about, the others in one line for each time at which they are made, and
// at last what they were compared with.
func (r Report) changeLines() (lines []string) {
	if len(r.Changes) == 0 {
		return nil
	}
	var harmless groups
	dangerous := []string{}
	for _, c := range r.Changes {
		what := plan.Shown(c.Change, valuesLength, clipPair)
		if c.Effect == driver.Online && c.Why == "" {
			harmless = harmless.with(c.When, what)
			continue
		}
		why := cmp.Or(c.Why, c.Effect.Meaning())
		dangerous = append(dangerous, clip(fmt.Sprintf("%s: %s, %s: %s", c.Effect, what, c.When, why), warningLength))
	}
	if r.Obstacle != "" {
		lines = append(lines, clip(r.Obstacle, warningLength))
	}
	kept := fitting(dangerous, warningsLength-4*warningLength)
	lines = append(lines, dangerous[:kept]...)
	if kept == len(dangerous) {
		lines = append(lines, harmless.lines()...)
	}
	lines = append(lines, "Compared with "+r.Compared)
	if kept < len(dangerous) {
		lines = append(lines, fmt.Sprintf("and %d more changes", len(r.Changes)-kept))
	}
	return lines
}

func (r Report) unresolvedLines() (lines []string) {
	for _, u := range r.Unresolved {
		lines = append(lines, clip(fmt.Sprintf("%s %s -> %s: nothing changes in the cloud. Only the cloud knows which %s the new name stands for: if it is another one, the cloud object keeps the one that it has",
			u.Field, plan.OrNone(u.From), u.To, u.Refers), warningLength))
	}
	return lines
}

func (r Report) releaseLine() []string {
	if len(r.Released) == 0 {
		return nil
	}
	return []string{clip("No longer managed, and kept in the cloud as it is: "+strings.Join(r.Released, ", "), warningLength)}
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
