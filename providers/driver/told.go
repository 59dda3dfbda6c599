package driver

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// How much a message tells. What it is made of may be as long as a spec, and a condition takes 32,768 characters.
const (
	// MostTold is how many problems a message tells. It counts the others, and names as many of their fields as mostFields.
	MostTold   = 5
	mostFields = 20
	// longestTold is how long each of them is, in bytes: what is cut out is in the middle, so that the field and the advice stay.
	longestTold = 700
)

// Told returns what is wrong in one message: the first problems in words, and of how many more there are the fields. line returns the words of a
// problem, and field the path that it is about, as people read it; empty if it is about none. It takes time by how many problems there are, and memory
// for those that it tells.
func Told[P any](problems []P, line, field func(P) string) string {
	lines := make([]string, 0, MostTold+1)
	for _, p := range problems[:min(MostTold, len(problems))] {
		lines = append(lines, Shortened(line(p), longestTold))
	}
	if len(problems) > MostTold {
		lines = append(lines, more(problems[MostTold:], field))
	}
	return strings.Join(lines, "; ")
}

// more says how many problems are not told, and of which fields.
func more[P any](problems []P, field func(P) string) string {
	var fields []string
	for _, p := range problems {
		if name := field(p); name != "" && len(fields) <= mostFields && !slices.Contains(fields, name) {
			fields = append(fields, Shortened(name, longestTold/mostFields*4))
		}
	}
	says, others := fmt.Sprintf("and %d more", len(problems)), ""
	if len(fields) > mostFields {
		fields, others = fields[:mostFields], " and others"
	}
	if len(fields) > 0 {
		says += " of " + strings.Join(fields, ", ") + others
	}
	return says
}

// ToldLines is Told for problems that are words already. Their fields are what stands ahead of a colon.
func ToldLines(lines []string) string {
	return Told(lines, func(line string) string { return line }, fieldOf)
}

var (
	pathAlone  = regexp.MustCompile(`^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$`)
	pathInside = regexp.MustCompile(`spec\.[A-Za-z0-9]+(\.[A-Za-z0-9]+)*`)
)

// fieldOf returns the field that a line is about; empty if it names none.
func fieldOf(line string) string {
	head, _, _ := strings.Cut(line[:min(len(line), longestTold)], ": ")
	if pathAlone.MatchString(head) {
		return head
	}
	return pathInside.FindString(head)
}

// Shortened returns a text of at most so many bytes: of a longer one the beginning and the end, and how many bytes are left out between them.
func Shortened(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	const gap = len(" … (1234567890 bytes left out) … ")
	room := max(longest-gap, 0)
	tail := room / 3
	head := strings.ToValidUTF8(text[:room-tail], "")
	begins := len(text) - tail
	for begins < len(text) && !utf8.RuneStart(text[begins]) {
		begins++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", head, begins-len(head), text[begins:])
}
