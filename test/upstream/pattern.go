package main

import (
	"fmt"
	"path"
	"strings"
)

// A pattern names lines that are left out: each of its four words is a pattern of path.Match.
// The last word of a line may be several, with | between them. Each of those is a pattern of its own, so that each has to leave something out.
type pattern struct {
	words  []string
	reason string
	used   bool // it leaves something out
}

// parsePatterns reads the patterns of a text: one a line, "service owner kind member: reason". A line that begins with # says something to people.
func parsePatterns(text string) (patterns []*pattern, err error) {
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, reason, _ := strings.Cut(line, ": ")
		p := &pattern{words: strings.Fields(words), reason: strings.TrimSpace(reason)}
		if len(p.words) != 4 || p.reason == "" {
			return nil, fmt.Errorf("line %d: %q: write service, owner, kind and member, then a colon and the reason", i+1, line)
		}
		for _, word := range p.words {
			if _, err := path.Match(word, ""); err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", i+1, word, err)
			}
		}
		for name := range strings.SplitSeq(p.words[3], "|") {
			patterns = append(patterns, &pattern{words: []string{p.words[0], p.words[1], p.words[2], name}, reason: p.reason})
		}
	}
	return patterns, nil
}

// matches reports whether a line is one that the pattern names.
func (p *pattern) matches(line string) bool {
	words := strings.Fields(line)
	if len(words) != len(p.words) {
		return false
	}
	for i, word := range p.words {
		if ok, err := path.Match(word, words[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// String returns the words of the pattern.
func (p *pattern) String() string { return strings.Join(p.words, " ") }
