package recordings

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	// variable names the folder of the recordings.
	variable = "MOORING_RECORDINGS"
	// beside is where they are without it, seen from the top of the repository.
	beside = "../shared/recordings"
)

// The directions of a test.
const (
	replayed = "replayed to the drivers"
	driven   = "driven through the stand-ins"

	asideSuffix = ", set aside with a reason"
)

func TestMain(m *testing.M) {
	code := m.Run()
	fmt.Println(ran.summary())
	for _, file := range ran.unclaimed() {
		if reason := notYet(file); reason != "" {
			fmt.Printf("recordings: %s: NOT TESTED YET: %s\n", file, reason)
			continue
		}
		fmt.Printf("recordings: %s: NOT TESTED: no test takes this file\n", file)
		if allTests() {
			code = 1
		}
	}
	if at, err := folder(); err == nil && at != "" && allTests() {
		for _, entry := range staleUnsaid() {
			fmt.Printf("recordings: no mirror of a recorded answer is refused so any more: %s\n", entry)
			code = 1
		}
	}
	os.Exit(code)
}

// later are the folders of recordings that no test takes yet, each with the reason. Their files are printed, and fail nothing.
var later = map[string]string{}

// notYet returns why no test takes a file yet; nothing where one has to.
func notYet(file string) string { return later[filepath.ToSlash(filepath.Dir(file))] }

// allTests reports whether no flag chose some of the tests.
func allTests() bool {
	return !slices.ContainsFunc([]string{"test.run", "test.skip", "test.list"}, func(name string) bool {
		chosen := flag.Lookup(name)
		return chosen != nil && chosen.Value.String() != ""
	})
}

// folder returns the folder of the recordings; an empty one if there is none.
func folder() (string, error) {
	named := os.Getenv(variable)
	at := named
	if at == "" {
		at = filepath.Join("..", "..", beside)
	}
	_, err := os.Stat(at)
	switch {
	case err == nil:
		return at, nil
	case errors.Is(err, fs.ErrNotExist) && named == "":
		return "", nil
	}
	return "", fmt.Errorf("%s: %w", variable, err)
}

// casesOf returns the cases of a file of recordings. They are no part of the repository: without them nothing can be compared, and the test says so.
func casesOf[S any](t *testing.T, file string) (cases map[string][]S) {
	t.Helper()
	at, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	if at == "" {
		t.Skip("recordings: NOT TESTED: there is no folder " + beside + "; set " + variable)
	}
	raw, err := os.ReadFile(filepath.Join(at, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	return cases
}

// each runs a test for every case of a file of recordings, in order of their names. It reports whether all of them ran and passed.
func each[S any](t *testing.T, file, direction string, test func(t *testing.T, name string, steps []S)) bool {
	t.Helper()
	cases := casesOf[S](t, file)
	count, aside, passed := 0, 0, true
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		passed = t.Run(name, func(t *testing.T) {
			defer func() {
				if t.Skipped() {
					aside++
				} else {
					count++
				}
			}()
			test(t, name, cases[name])
		}) && passed
	}
	ran.add(file, direction, count)
	ran.add(file, direction+asideSuffix, aside)
	return passed && count+aside == len(cases)
}

// A tally counts the cases that ran.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

var ran = tally{counts: map[string]int{}}

func (c *tally) add(file, direction string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if count > 0 {
		c.counts[file+" "+direction] += count
	}
}

// unclaimed returns the files of the folder, and of those in it, that no test took.
func (c *tally) unclaimed() []string {
	at, err := folder()
	if err != nil || at == "" {
		return nil
	}
	var names []string
	err = fs.WalkDir(os.DirFS(at), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != "README.md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	return c.without(names)
}

// without returns the files of which no case ran.
func (c *tally) without(files []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(files, func(file string) bool {
		for what := range c.counts {
			if strings.HasPrefix(what, file+" ") {
				return true
			}
		}
		return false
	})
}

func (c *tally) summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := 0
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(c.counts)) {
		if !strings.HasSuffix(what, asideSuffix) {
			total += c.counts[what]
		}
		parts = append(parts, fmt.Sprintf("%d of %s", c.counts[what], what))
	}
	if total == 0 {
		return "recordings: NOT TESTED"
	}
	return fmt.Sprintf("recordings: %d cases ran: %s", total, strings.Join(parts, ", "))
}

func TestUnclaimed(t *testing.T) {
	c := tally{counts: map[string]int{}}
	c.add("a.json", replayed, 3)
	if left := c.without([]string{"a.json", "b.json", "sub/a.json"}); !slices.Equal(left, []string{"b.json", "sub/a.json"}) {
		t.Errorf("without a test: %v", left)
	}
	for file, waits := range map[string]bool{"a.json": false, "sub/a.json": false, "more/a.json": false} {
		if got := notYet(file) != ""; got != waits {
			t.Errorf("%s may wait for its test: %t, want %t", file, got, waits)
		}
	}
}
