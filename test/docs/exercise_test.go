package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An edit puts text before or after the one place in a file that says where.
type edit struct {
	file, where string
	before      bool
	text        string
}

// A list of an exercise in CONTRIBUTING.md: its name, and an item for each file, with its path first.
var (
	listName = regexp.MustCompile(`(?m)^([A-Z][^\n]*):\n\n((?:- .*\n(?:  .*\n)*)+)`)
	listItem = regexp.MustCompile("(?m)^- `([^`]+)`")
	// listCount is how many files the name of a list says that it has.
	listCount = regexp.MustCompile(`\d+`)
)

// exercise returns the files that a section of CONTRIBUTING.md lists, by the list's name in lower case.
func exercise(t *testing.T, section string) map[string][]string {
	t.Helper()
	_, text, found := strings.Cut(read(t, filepath.Join(root(t), "CONTRIBUTING.md")), "\n### "+section+"\n")
	if !found {
		t.Fatalf("CONTRIBUTING.md has no section %q", section)
	}
	if next := regexp.MustCompile(`(?m)^##`).FindStringIndex(text); next != nil {
		text = text[:next[0]]
	}
	lists := map[string][]string{}
	for _, list := range listName.FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(strings.ToLower(list[1]), ",")
		items := listItem.FindAllStringSubmatch(list[2], -1)
		for _, item := range items {
			lists[name] = append(lists[name], item[1])
		}
		if said := listCount.FindString(list[1]); said != "" && said != strconv.Itoa(len(items)) {
			t.Errorf("%s: the list %q has %d files; correct the number", section, list[1], len(items))
		}
	}
	return lists
}

// most is how many files an exercise may take by hand, where a pattern counts as one.
var most = map[string]int{"Add a field": 6, "Add a kind": 15}

// TestExercises holds the lists of CONTRIBUTING.md to the tree: each file is there, or there is one like it. It also holds them to their
// length.
func TestExercises(t *testing.T) {
	for _, section := range []string{"Add a field", "Add a kind", "Add a cloud"} {
		t.Run(section, func(t *testing.T) {
			lists := exercise(t, section)
			for _, name := range []string{"by hand", "generated"} {
				if len(lists[name]) == 0 {
					t.Errorf("no list of what is written %s", name)
				}
				for _, file := range lists[name] {
					if found, err := filepath.Glob(filepath.Join(root(t), file)); err != nil || len(found) == 0 {
						t.Errorf("%s: there is no such file (%v)", file, err)
					}
				}
			}
			if n, limited := len(lists["by hand"]), most[section]; limited > 0 && n > limited {
				t.Errorf("%d files are written by hand, and may be %d: derive one of them from the others", n, limited)
			}
			for _, file := range lists["generated"] {
				if slices.Contains(lists["by hand"], file) {
					t.Errorf("%s is said to be generated, and to be written by hand", file)
				}
			}
		})
	}
}

func (e edit) apply(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, e.file)
	content := read(t, path)
	if n := strings.Count(content, e.where); n != 1 {
		t.Fatalf("%s has %d places like %q; the exercise needs one: change it in exercise_test.go", e.file, n, e.where)
	}
	with := e.where + e.text
	if e.before {
		with = e.text + e.where
	}
	if err := os.WriteFile(path, []byte(strings.Replace(content, e.where, with, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
