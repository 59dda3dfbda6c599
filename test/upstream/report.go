package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A report is how the SDKs compare with what is recorded, and with what is left out.
type report struct {
	classes map[string]class
	why     map[string]string // of what is left out
	added   []string
	removed []string
	neither []string
	stale   []string // patterns that leave out nothing
}

func newReport(have *model, recorded string, patterns []*pattern) *report {
	r := &report{why: map[string]string{}}
	r.classes = have.classify(func(line string) bool {
		for _, p := range patterns {
			if p.matches(line) {
				p.used = true
				r.why[line] = p.reason
			}
		}
		return r.why[line] != ""
	})
	before, now := lines(recorded), lines(have.text())
	r.added, r.removed = without(now, before), without(before, now)
	for _, line := range slices.Sorted(maps.Keys(r.classes)) {
		if r.classes[line] == neither {
			r.neither = append(r.neither, line)
		}
	}
	for _, p := range patterns {
		if !p.used {
			r.stale = append(r.stale, p.String())
		}
	}
	return r
}

// changed reports whether the recorded state is not that of the SDKs.
func (r *report) changed() bool { return len(r.added)+len(r.removed) > 0 }

// String returns what people read.
func (r *report) String() string {
	var b strings.Builder
	section(&b, "New since the recorded state", r.added, func(line string) string {
		if why := r.why[line]; why != "" {
			return string(leftOut) + ": " + why
		}
		return string(r.classes[line])
	})
	section(&b, "Gone since the recorded state", r.removed, nil)
	section(&b, "Neither had nor left out", r.neither, nil)
	count := map[class]int{}
	for _, v := range r.classes {
		count[v]++
	}
	fmt.Fprintf(&b, "%d fields and values: %d had, %d left out, %d within what is not had, %d neither; %d new, %d gone.\n",
		len(r.classes), count[had], count[leftOut], count[follows], count[neither], len(r.added), len(r.removed))
	return b.String()
}

// section writes lines under a title, each with what is to be said of it.
func section(b *strings.Builder, title string, lines []string, say func(string) string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	for _, line := range lines {
		b.WriteString("  " + line)
		if say != nil {
			b.WriteString(" (" + say(line) + ")")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// lines returns the lines of a text that say something.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// without returns the lines of some that are not among others.
func without(some, others []string) (rest []string) {
	there := map[string]bool{}
	for _, line := range others {
		there[line] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(line string) bool { return there[line] })
}
