// Command cost says what a change really costs: it reads the last commits that add a field or a kind to the API, and prints how many
// files that people write each of them touched, by folder. Generated files do not count.
//
//	go run ./test/cost [--changes 40]
//
// A commit adds a field if it adds a name to the types of apis and takes none of that name away, and a kind if it adds the marker of a
// resource. Work that was spread over several commits counts as several cheap ones; a commit that does other things beside counts as an
// expensive one. So the median says more than any one line.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	log.SetFlags(0)
	changes := flag.Int("changes", 40, "how many of the newest changes of each sort are counted")
	flag.Parse()
	all, err := history()
	switch {
	case errors.Is(err, errShallow):
		log.Printf("cost: %v", err)
		return
	case err != nil:
		log.Fatalf("cost: %v", err)
	}
	if err := report(os.Stdout, all, *changes); err != nil {
		log.Fatalf("cost: %v", err)
	}
}

// errShallow: there is no history to count in, as in an archive of the source and in the clones of some CI systems.
var errShallow = errors.New("there is no history here to count in; in a shallow clone, run git fetch --unshallow")

// history returns the commits that change the API, the newest first.
func history() ([]commit, error) {
	shallow, err := git("rev-parse", "--is-shallow-repository")
	if err != nil || strings.TrimSpace(string(shallow)) == "true" { // an archive of the source, or a clone of the newest commits
		return nil, errShallow
	}
	patches, err := git("log", "--no-merges", "--unified=0", "--patch", "--no-color", "--format="+header+"%h\t%s", "--", "apis")
	if err != nil {
		return nil, err
	}
	all := parse(string(patches))
	for i := range all {
		if len(all[i].fields) == 0 && len(all[i].kinds) == 0 {
			continue
		}
		files, err := git("show", "--no-renames", "--name-only", "--format=", all[i].hash)
		if err != nil {
			return nil, err
		}
		all[i].files = byHand(strings.Fields(string(files)))
	}
	return all, nil
}

func git(args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// report prints a table of the changes that add fields, and one of those that add kinds.
func report(w io.Writer, all []commit, most int) error {
	for _, sort := range []struct {
		name string
		adds func(commit) []string
	}{
		{"kind", func(c commit) []string { return c.kinds }},
		{"field", func(c commit) []string {
			if len(c.kinds) > 0 {
				return nil // all fields of a kind are new
			}
			return c.fields
		}},
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(c commit) bool { return len(sort.adds(c)) == 0 })
		found = found[:min(most, len(found))]
		if len(found) == 0 {
			continue
		}
		table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		_, _ = fmt.Fprintf(table, "files\tcommit\tadds\tby folder\n")
		for _, c := range found {
			_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", len(c.files), c.hash, shortened(sort.adds(c)), folders(c.files))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		low, median, high := spread(found)
		if _, err := fmt.Fprintf(w, "The last %d commits that add a %s touch %d files that people write at the median (%d to %d).\n\n", len(found), sort.name, median, low, high); err != nil {
			return err
		}
	}
	return nil
}

// shortened returns the first of some names, and how many there are beside.
func shortened(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], " "), len(names)-shown)
}

// spread returns the fewest files of a change, those of the one in the middle, and the most.
func spread(all []commit) (low, median, high int) {
	var counts []int
	for _, c := range all {
		counts = append(counts, len(c.files))
	}
	slices.Sort(counts)
	return counts[0], counts[len(counts)/2], counts[len(counts)-1]
}
