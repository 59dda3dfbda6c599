package prose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// How much a message says. A spec may hold thousands of problems, and a condition takes 32,768 characters.
const (
	// MostListed is how many problems a message lists. It counts the others, and names at most mostFields of their fields.
	MostListed = 5
	mostFields = 20
	// longestListed is how long each problem is at most, in bytes. The cut is in the middle, so that the field and the advice stay.
	longestListed = 700
)

// List returns all problems as one message. It lists the first problems in words, counts the others, and names the fields of those. line
// returns the words of a problem. field returns the path that the problem is about, as people read it, and nothing if it is about none.
// The time depends on the number of problems, and the memory on those that are listed.
func List[P any](problems []P, line, field func(P) string) string {
	lines := make([]string, 0, MostListed+1)
	for _, p := range problems[:min(MostListed, len(problems))] {
		lines = append(lines, Shorten(line(p), longestListed))
	}
	if len(problems) > MostListed {
		lines = append(lines, more(problems[MostListed:], field))
	}
	return strings.Join(lines, "; ")
}

// more says how many problems are not listed, and of which fields.
func more[P any](problems []P, field func(P) string) string {
	var fields []string
	for _, p := range problems {
		if name := field(p); name != "" && len(fields) <= mostFields && !slices.Contains(fields, name) {
			fields = append(fields, Shorten(name, longestListed/mostFields*4))
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

// Join is List for problems that are words already. The field of a line is what stands before its first colon.
func Join(lines []string) string {
	return List(lines, func(line string) string { return line }, fieldOf)
}

var (
	pathAlone  = regexp.MustCompile(`^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$`)
	pathInside = regexp.MustCompile(`spec\.[A-Za-z0-9]+(\.[A-Za-z0-9]+)*`)
)

// fieldOf returns the field that a line is about; empty if it names none.
func fieldOf(line string) string {
	head, _, _ := strings.Cut(line[:min(len(line), longestListed)], ": ")
	if pathAlone.MatchString(head) {
		return head
	}
	return pathInside.FindString(head)
}

// Shorten returns a text of at most so many bytes: of a longer one the beginning and the end, and how many bytes are left out between them.
func Shorten(text string, longest int) string {
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
