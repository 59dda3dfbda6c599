package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A command is one of a page, with what belongs to it: further lines, a here document, a loop.
type command struct {
	page string // as docs/install.md
	line int
	text string
}

// A commandBlock is what is copied at once: the commands between two fences, or one within a sentence or a table.
type commandBlock struct {
	page     string
	line     int
	commands []command
}

var (
	fenceLine = regexp.MustCompile("^( *)```([a-z]*)$")
	inline    = regexp.MustCompile("`(kubectl [^`]+)`")
	// arguments are more than the name of a subcommand, which a sentence is only about.
	arguments = regexp.MustCompile(`^kubectl [a-z]+ .`)
	hereDoc   = regexp.MustCompile(`<<-?'?([.\w]+)'?`)
	loop      = regexp.MustCompile(`(?m)^(for|while) .*do$`)
)

// languages are those of the blocks in pages, and whether their lines are commands. Without one there is output or a drawing.
var languages = map[string]bool{"sh": true, "yaml": false, "json": false, "text": false, "promql": false, "": false}

// blocksOf returns the commands of a page, in the order in which somebody meets them who reads it.
func blocksOf(t *testing.T, page, content string) (blocks []commandBlock) {
	t.Helper()
	var (
		lines = strings.Split(content, "\n")
		open  []string // what the fence says that is open
		begun int      // the index of its line
	)
	for i, line := range lines {
		match := fenceLine.FindStringSubmatch(line)
		switch {
		case match == nil && open == nil:
			blocks = append(blocks, inlineOf(page, i+1, line)...)
		case match != nil && open == nil:
			open, begun = match, i
		case match != nil:
			commands, known := languages[open[2]]
			if !known {
				t.Errorf("%s:%d: a block of %q, of which the test does not know whether it has commands", page, begun+1, open[2])
			}
			if commands {
				blocks = append(blocks, commandBlock{page, begun + 1, commandsOf(t, page, begun+1, lines[begun+1:i], open[1])})
			}
			open = nil
		}
	}
	return blocks
}

// inlineOf returns the commands within a line of text.
func inlineOf(page string, number int, line string) (blocks []commandBlock) {
	for _, said := range inline.FindAllStringSubmatch(line, -1) {
		within := strings.ReplaceAll(said[1], `\|`, "|") // as tables have to write it
		if arguments.MatchString(within) {
			blocks = append(blocks, commandBlock{page, number, []command{{page, number, within}}})
		}
	}
	return blocks
}

// commandsOf returns the commands in the lines of a block that begins in a line and is indented.
func commandsOf(t *testing.T, page string, begun int, lines []string, indent string) (all []command) {
	t.Helper()
	text := ""
	for i, line := range lines {
		text += strings.TrimPrefix(line, indent) + "\n"
		switch {
		case strings.TrimSpace(text) == "":
			text = ""
		case isWhole(text):
			all = append(all, command{page, begun + i + 1, strings.TrimSpace(text)})
			text = ""
		}
	}
	if text != "" {
		t.Errorf("%s:%d: the command %q does not end", page, begun, text)
	}
	return all
}

// isWhole reports whether a command needs no further line.
func isWhole(text string) bool {
	if strings.HasSuffix(text, "\\\n") {
		return false
	}
	if here := hereDoc.FindStringSubmatch(text); here != nil {
		return strings.HasSuffix(text, "\n"+here[1]+"\n")
	}
	if loop.MatchString(text) && !strings.HasSuffix(text, "\ndone\n") {
		return false
	}
	unquoted, _, _ := strings.Cut(text, " #") // an apostrophe in a comment opens nothing
	return strings.Count(unquoted, "'")%2 == 0
}

// pages returns all pages by their names, in their order, but for decisions, which are about their own time.
func pages(t *testing.T) (names []string, contents map[string]string) {
	t.Helper()
	contents = map[string]string{}
	add := func(path, content string) {
		name, err := filepath.Rel(root(t), path)
		if err != nil {
			t.Fatal(err)
		}
		contents[filepath.ToSlash(name)] = content
		names = append(names, filepath.ToSlash(name))
	}
	for path, content := range documents(t) {
		if filepath.Base(filepath.Dir(path)) != "adr" {
			add(path, content)
		}
	}
	for path, content := range files(t, filepath.Join(root(t), "charts", "mooring", "README.md"), "") {
		add(path, content)
	}
	slices.Sort(names)
	return names, contents
}

func TestBlocksOf(t *testing.T) {
	const page = "To `kubectl apply` is not one. `kubectl get a \\| wc` is.\n```sh\nkubectl get a \\\n  -A   # it's all\n\nkubectl create -f - <<'.'\n{}\n.\nfor a in b; do\n  kubectl get $a\ndone\n" +
		"kubectl get a | jq '.a |\n  .b'\n```\n1. x\n   ```sh\n   kubectl get b\n   ```\n```yaml\nkubectl get c\n```\n"
	var got []string
	for _, b := range blocksOf(t, "page", page) {
		for _, c := range b.commands {
			got = append(got, c.text)
		}
	}
	want := []string{
		"kubectl get a | wc", "kubectl get a \\\n  -A   # it's all", "kubectl create -f - <<'.'\n{}\n.", "for a in b; do\n  kubectl get $a\ndone", "kubectl get a | jq '.a |\n  .b'", "kubectl get b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
}
