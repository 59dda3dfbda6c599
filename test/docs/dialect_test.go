package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/debt"
)

var update = flag.Bool("update", false, "lower the debts of words that have fallen, and remove those that are paid")

// dialect are words that the next owner of the code would have to learn, and the word of the field for each. They are held
// where somebody reads before the code itself: in type names, in exported comments, in titles of decisions and in subjects
// of commits. A word that is good English elsewhere, such as "seen" or "people", is not here: a list can't judge that.
var dialect = map[string]string{
	`fates?`:                               "outcome of a deletion",
	`rivals?`:                              "other claimant",
	`hiding`:                               "redaction",
	`overhear\w*|overheard`:                "recorded from the response",
	`told`:                                 "reported, recorded, released",
	`tells?`:                               "says, reports, distinguishes",
	`judges?|judged|judging`:               "validate, evaluate, classify",
	`verdicts?`:                            "result, classification",
	`vaults?`:                              "password Secret, password store",
	`keepers?`:                             "token source, certificate rotator",
	`leash\w*|tether\w*`:                   "process supervisor, lock file",
	`chronicles?|treasures?|strangers?`:    "recorder, target, foreign response",
	`bears?|bore|borne`:                    "has",
	`unsettled|settles?|settled|settling`:  "up to date, converged; within the consistency window",
	`put right|puts right`:                 "corrected",
	`waits? in line`:                       "waits in the queue",
	`gates?`:                               "concurrency limiter",
	`sightings?`:                           "observation",
	`disowns?|unbinds?`:                    "release, clear the binding",
	`overruns?|crews?|errands?|whose move`: "whose action is needed",
	`by the side door`:                     "around the rule",
}

// dialectOfTypes are words that are good English in a sentence, and say nothing as the name of a type.
var dialectOfTypes = map[string]string{
	`rooms?`:           "limit, quota",
	`hidden`:           "redacted",
	`heard`:            "recorded",
	`desks?`:           "fixture",
	`odd|bent|quieter`: "what differs about it",
	`nursery`:          "objects that are being created",
	`witness\w*`:       "recorder",
	`turns?`:           "round robin, reconciliation",
}

// dialectIn returns the words of a dialect that a text has.
func dialectIn(text string, words map[string]string) (found []string) {
	for _, word := range slices.Sorted(maps.Keys(words)) {
		for _, hit := range regexp.MustCompile(`(?i)\b(?:`+word+`)\b`).FindAllString(text, -1) {
			found = append(found, fmt.Sprintf("%q, for which the field says %q", hit, words[word]))
		}
	}
	return found
}

// TestCodeIsInWordsOfTheField holds what is read ahead of the code. What has such words today is counted by folder in
// testdata/words.txt. A count there only falls: the test fails if the real one is lower, and then -update lowers it.
func TestCodeIsInWordsOfTheField(t *testing.T) {
	repository := root(t)
	hits := map[string][]string{}
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "bin") {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		within, err := filepath.Rel(repository, path)
		if err != nil {
			return err
		}
		return dialectOfFile(hits, path, filepath.ToSlash(within), nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	owed := debt.Read(t, wordsFile)
	if *update {
		owed.Lower(counts(hits), none)
		owed.Write(t, wordsFile)
	}
	for _, complaint := range undue(hits, owed) {
		t.Error(complaint)
	}
}

// dialectOfFile adds the words in the type names and the exported comments of a file, by folder. Tests have no comments that
// others read first.
func dialectOfFile(hits map[string][]string, path, within string, source any) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	folder := folderOf(within)
	add := func(what string, at token.Pos, found []string) {
		for _, word := range found {
			key := folder + ":" + what
			hits[key] = append(hits[key], fmt.Sprintf("%s:%d: %s", within, set.Position(at).Line, word))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok {
			name := strings.Join(partOfName.FindAllString(t.Name.Name, -1), " ")
			add("types", t.Pos(), slices.Concat(dialectIn(name, dialect), dialectIn(name, dialectOfTypes)))
		}
		if comment := exportedComment(n); comment != nil && !strings.HasSuffix(within, "_test.go") {
			add("comments", comment.Pos(), dialectIn(comment.Text(), dialect))
		}
		return true
	})
	return nil
}

// partOfName is a word within a name.
var partOfName = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// folderOf returns the first two folders of a path: a package that moves within them keeps its debts.
func folderOf(within string) string {
	parts := strings.Split(within, "/")
	return strings.Join(parts[:min(2, len(parts)-1)], "/")
}

// exportedComment returns the comment of a package, or of something that is exported; nil for all else.
func exportedComment(n ast.Node) *ast.CommentGroup {
	switch n := n.(type) {
	case *ast.File:
		return n.Doc
	case *ast.FuncDecl:
		if n.Name.IsExported() {
			return n.Doc
		}
	case *ast.GenDecl:
		if len(n.Specs) > 0 && exportedSpec(n.Specs[0]) {
			return n.Doc
		}
	case *ast.TypeSpec:
		if n.Name.IsExported() {
			return n.Doc
		}
	case *ast.ValueSpec:
		if exportedSpec(n) {
			return n.Doc
		}
	case *ast.Field:
		if slices.ContainsFunc(n.Names, (*ast.Ident).IsExported) {
			return n.Doc
		}
	}
	return nil
}

func exportedSpec(spec ast.Spec) bool {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.IsExported()
	case *ast.ValueSpec:
		return slices.ContainsFunc(spec.Names, (*ast.Ident).IsExported)
	}
	return false
}

// TestTitlesAreInWordsOfTheField holds the titles of decisions.
func TestTitlesAreInWordsOfTheField(t *testing.T) {
	for path, text := range files(t, filepath.Join(root(t), "docs", "adr"), ".md") {
		title, _, _ := strings.Cut(text, "\n")
		for _, word := range dialectIn(title, dialect) {
			t.Errorf("%s: the title says %s: %s", filepath.Base(path), word, title)
		}
	}
}

// published are subjects of commits that were on the main branch before somebody noticed their words.
var published = []string{
	"Tell the period without maintenance updates that is Mooring's also once it was edited, and hide none",
}

// TestSubjectsAreInWordsOfTheField holds the subjects of the last commits. Whoever wrote one can still amend it.
func TestSubjectsAreInWordsOfTheField(t *testing.T) {
	git := exec.CommandContext(t.Context(), "git", "log", "-30", "--no-merges", "--format=%s")
	git.Dir = root(t)
	log, err := git.Output()
	if err != nil {
		t.Skipf("there is no history of commits here: %v", err)
	}
	for subject := range strings.Lines(string(log)) {
		if slices.Contains(published, strings.TrimSpace(subject)) {
			continue
		}
		for _, word := range dialectIn(subject, dialect) {
			t.Errorf("the subject of a commit says %s: %s", word, subject)
		}
	}
}

const wordsFile = "testdata/words.txt"

// none is how many words of the dialect are allowed.
func none(string) int { return 0 }

// undue returns a sentence for each folder with more words of the dialect, or fewer, than are recorded.
func undue(hits map[string][]string, owed debt.Debts) (complaints []string) {
	for _, name := range slices.Sorted(maps.Keys(hits)) {
		if most := owed.Most(name, 0); len(hits[name]) > most {
			complaints = append(complaints, fmt.Sprintf("%s: %d words of our own dialect, and there may be %d. Say these in words of the field, or fewer others:\n%s",
				name, len(hits[name]), most, strings.Join(hits[name], "\n")))
		}
	}
	return append(complaints, owed.Fallen(counts(hits), none)...)
}

func counts(hits map[string][]string) map[string]int {
	count := map[string]int{}
	for name, found := range hits {
		count[name] = len(found)
	}
	return count
}

// TestDialectIsFound shows what counts, and what the debts do.
func TestDialectIsFound(t *testing.T) {
	const source = `// Package p tells fates.
package p

// Read is told.
func Read() {}

// read is told.
func read() {}

// A Room is a rival.
type Room struct {
	// Done is judged.
	Done bool
	// other is told.
	other bool
}

type overheardKey struct{}

// Mirrors and rooms are good words here.
const Mirrors = 1

type (
	// Kept bears a mark.
	Kept int
)
`
	hits := map[string][]string{}
	if err := dialectOfFile(hits, "p.go", "providers/p/q/p.go", source); err != nil {
		t.Fatal(err)
	}
	// tells, fates, told, rival, judged, bears; Room, overheard
	if diff := cmp.Diff(map[string]int{"providers/p:comments": 6, "providers/p:types": 2}, counts(hits)); diff != "" {
		t.Errorf("words (-want +got):\n%s\n%q", diff, hits)
	}
	for name, tt := range map[string]struct {
		owed       debt.Debts
		complaints int
	}{
		"as recorded": {debt.Debts{"providers/p:comments": {Figure: 6}, "providers/p:types": {Figure: 2}}, 0},
		"more":        {debt.Debts{"providers/p:comments": {Figure: 5}}, 2},
		"fewer":       {debt.Debts{"providers/p:comments": {Figure: 7}, "providers/p:types": {Figure: 2}, "gone:types": {Figure: 1}}, 2},
	} {
		if got := undue(hits, tt.owed); len(got) != tt.complaints {
			t.Errorf("%s: got complaints %q, want %d", name, got, tt.complaints)
		}
	}
}
