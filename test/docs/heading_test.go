package docs

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHeadings checks the structure of every page. Merges of two versions of a page break it: they leave a heading twice, a section
// without text, or steps with wrong numbers.
func TestHeadings(t *testing.T) {
	for path, content := range documents(t) {
		for _, fault := range structureFaults(content) {
			t.Errorf("%s:%s", path, fault)
		}
	}
}

var (
	headingLine = regexp.MustCompile(`^(#+) (.+)$`)
	step        = regexp.MustCompile(`^(\d+)\. `)
	fence       = regexp.MustCompile("^ *```")
)

// A section is a heading with what is under it.
type section struct {
	level    int
	title    string
	children map[string]bool
	// steps is the number of the last heading under it that has one.
	steps int
	// text reports whether anything follows the heading.
	text bool
}

// structureFaults returns the lines of a page that break its structure, each with its number.
func structureFaults(page string) (faults []string) {
	open := []*section{{children: map[string]bool{}, text: true}}
	inCode, listed := false, 0
	for i, line := range strings.Split(page, "\n") {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%d: ", i+1)+fmt.Sprintf(format, args...))
		}
		isFence := fence.MatchString(line)
		inCode = inCode != isFence
		last := open[len(open)-1]
		h := headingLine.FindStringSubmatch(line)
		if inCode || isFence || h == nil {
			last.text = last.text || line != ""
			if number := step.FindStringSubmatch(line); number != nil && !inCode {
				if n := atoi(number[1]); n != 1 && n != listed+1 {
					fault("item %d follows item %d", n, listed)
				}
				listed = atoi(number[1])
			}
			continue
		}
		listed = 0
		if level := len(h[1]); !last.text && level <= last.level {
			fault("the section %q above has no text", last.title)
		}
		last.text = true
		for open[len(open)-1].level >= len(h[1]) {
			open = open[:len(open)-1]
		}
		parent := open[len(open)-1]
		if parent.children[h[2]] {
			fault("the heading %q is repeated", h[2])
		}
		parent.children[h[2]] = true
		if number := step.FindStringSubmatch(h[2]); number != nil && len(h[1]) > 1 { // the titles of decisions are numbered, too
			if n := atoi(number[1]); n != parent.steps+1 {
				fault("step %d follows step %d", n, parent.steps)
			}
			parent.steps = atoi(number[1])
		}
		open = append(open, &section{level: len(h[1]), title: h[2], children: map[string]bool{}})
	}
	return faults
}

func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

func TestStructureFaults(t *testing.T) {
	for _, c := range []struct {
		name, page string
		want       []string
	}{
		{"a good page", "# 4. A\n\n## 1. B\n\ntext\n\n1. x\n2. y\n\n1. x\n\n## 2. C\n\n### D\n\ntext\n\n## E\n\n### D\n\ntext\n", nil},
		{"comments in code are no headings", "# A\n\n```sh\n# B\n# B\n```\n", nil},
		{"a heading twice", "# A\n\n## B\n\ntext\n\n## B\n\ntext\n", []string{`7: the heading "B" is repeated`}},
		{"a section without text", "# A\n\n## B\n\n## C\n\ntext\n", []string{`5: the section "B" above has no text`}},
		{"a step twice", "# A\n\n## 1. B\n\ntext\n\n## 1. C\n\ntext\n", []string{`7: step 1 follows step 1`}},
		{"a step is missing", "# A\n\n## 1. B\n\ntext\n\n## 3. C\n\ntext\n", []string{`7: step 3 follows step 1`}},
		{"an item is missing", "# A\n\n1. x\n3. y\n", []string{`4: item 3 follows item 1`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, structureFaults(c.page)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
