package table

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Words map a message of a cloud about an invalid value to a field of the spec. The message itself may name a parameter
// of the call, but never a field of the spec.
type Words struct {
	// Field is the path of a row, or of a struct that several rows belong to: gcp.denyMaintenancePeriod.
	Field string
	// Match is a regular expression for the message.
	Match *regexp.Regexp
	// Advice says which values the cloud accepts; it may be empty.
	Advice string
}

// Refusals map a cloud's messages about invalid values to the fields of a kind.
type Refusals struct {
	// Cloud is what people call the service that refuses a value.
	Cloud string
	Words []Words
}

// Together returns refusals as one error that lists them (see prose.List), each once; nil if there are none. If one of
// the errors is not about the spec, it returns only that one.
func Together(problems ...error) error {
	var lines []string
	told := map[string]bool{}
	for _, p := range problems {
		if p == nil {
			continue
		}
		e := driver.ErrorOf(p)
		if e.Code != driver.Invalid {
			return p
		}
		if !told[e.Message] {
			told[e.Message] = true
			lines = append(lines, e.Message)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return invalid("%s", prose.Join(lines))
}

// ofCreation returns the refusal of a creation with the fields ahead that the cloud's words are about, of those that were sent. A cloud gives one
// cause an answer, whatever else is wrong.
func (r Refusals) ofCreation(err error, sent []string) error {
	e, ok := r.unexplained(err)
	if !ok {
		return err
	}
	var lines []string
	for _, w := range r.Words {
		isSent := slices.ContainsFunc(sent, func(row string) bool { return of(w.Field, row) })
		if isSent && w.Match.MatchString(e.Message) {
			lines = append(lines, w.line(w.Field))
		}
	}
	return r.explained(e, lines)
}

// ofChange returns the refusal of one change with its field ahead.
func (r Refusals) ofChange(err error, c driver.Change) error {
	e, ok := r.unexplained(err)
	if !ok {
		return err
	}
	about := Words{}
	for _, w := range r.Words {
		if of(w.Field, c.Field) && (about.Match == nil || w.Match.MatchString(e.Message)) {
			about = w
		}
	}
	return r.explained(e, []string{about.line(c.Field)})
}

// names reports whether a refusal of values names the field of a change: by its path in the spec, or in the cloud's own words.
func (r Refusals) names(err error, c driver.Change) bool {
	e, inOwnWords := r.unexplained(err)
	if !inOwnWords {
		return e.Code == driver.Invalid && slices.ContainsFunc(pathsIn(e.Message), func(path string) bool { return of(path, c.Field) })
	}
	return slices.ContainsFunc(r.Words, func(w Words) bool { return of(w.Field, c.Field) && w.Match.MatchString(e.Message) })
}

var pathInText = regexp.MustCompile(`spec\.([A-Za-z]+(\.[A-Za-z]+)*)`)

// pathsIn returns the fields of which a message says, as spec.field, that something is wrong with them. What comes behind a colon is what to do next,
// which may name fields that nothing is wrong with. Several problems are in one message with a semicolon between them.
func pathsIn(message string) (paths []string) {
	for problem := range strings.SplitSeq(message, "; ") {
		wrong, _, _ := strings.Cut(problem, ": ")
		for _, match := range pathInText.FindAllStringSubmatch(wrong, -1) {
			paths = append(paths, match[1])
		}
	}
	return paths
}

// unexplained returns a refusal of values that names no field of the spec yet, and is in the cloud's own words.
func (r Refusals) unexplained(err error) (*driver.Error, bool) {
	e := driver.ErrorOf(err)
	return e, r.Cloud != "" && e.Code == driver.Invalid && e.Err != nil && !strings.Contains(e.Message, "spec.")
}

func (r Refusals) explained(e *driver.Error, lines []string) error {
	if len(lines) == 0 {
		return e
	}
	with := *e
	with.Message = fmt.Sprintf("correct %s. %s says: %s", strings.Join(lines, ", and "), r.Cloud, e.Message)
	return &with
}

func (w Words) line(field string) string {
	if w.Advice == "" {
		return "spec." + field
	}
	return fmt.Sprintf("spec.%s (%s)", field, w.Advice)
}

// of reports whether a row is a field, or a part of it.
func of(field, row string) bool { return row == field || strings.HasPrefix(row, field+".") }
