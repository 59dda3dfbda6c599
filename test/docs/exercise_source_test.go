package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The exercises of CONTRIBUTING.md, in the order in which they are done: each edits a copy of the source, and returns the files that it
// edits or writes by hand. What is generated of an exercise names what it adds.
var exercises = []struct {
	section string
	do      func(t *testing.T, copied string) (byHand []string)
	adds    *regexp.Regexp
	does    *regexp.Regexp // of what is listed as written by hand, what the exercise does not leave out
}{
	{"Add a field", addField, regexp.MustCompile(`(?i)tdeCredential`), regexp.MustCompile(``)},
	{"Add a kind", addKind, regexp.MustCompile(`(?i)topic`), regexp.MustCompile(`^(apis|controllers)/`)},
	{"Add a cloud", addCloud, regexp.MustCompile(`ThirdAccount|third is an account`), regexp.MustCompile(`^cmd/`)},
}

// newTree names the folders that an exercise may make, in place of those that CONTRIBUTING.md lists of another cloud.
var newTree = regexp.MustCompile(`^(providers/third/|test/e2e/third)`)

// sharedCopy holds the copy in which the three exercises are done. It is made once for all tests of the process, since every package has
// to be compiled anew after a change of the API, and every test linked.
var sharedCopy struct {
	sync.Once
	dir  string
	done bool
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(sharedCopy.dir)
	os.Exit(code)
}

// exercised returns the copy of the source in which the three exercises are done, one after the other, and what follows from them is
// generated. A newcomer does the one that is asked for in a copy of its own. What follows from a kind is generated there by make generate.
func exercised(t *testing.T, section string) string {
	t.Helper()
	if os.Getenv(newcomer) != "" {
		dir := t.TempDir()
		copySource(t, dir)
		byHand := doExercises(t, dir, section)
		if section == "Add a kind" {
			run(t, dir, "tools/generate")
			verifyGenerated(t, dir, section, byHand)
		}
		return dir
	}
	shareBuilds(t)
	sharedCopy.Do(func() {
		var err error
		if sharedCopy.dir, err = os.MkdirTemp("", "exercises-"); err != nil { // it outlives the test that makes it
			t.Fatal(err)
		}
		copySource(t, sharedCopy.dir)
		byHand := doExercises(t, sharedCopy.dir, "")
		generateAll(t, sharedCopy.dir)
		verifyGenerated(t, sharedCopy.dir, "", byHand)
		sharedCopy.done = true
	})
	if !sharedCopy.done {
		t.Fatal("the exercises are not done: the first test that asked for them says why")
	}
	return sharedCopy.dir
}

// doExercises does an exercise, or all, in a copy of the source.
func doExercises(t *testing.T, copied, section string) (byHand []string) {
	t.Helper()
	for _, e := range exercises {
		if section == "" || section == e.section {
			edited := e.do(t, copied)
			verifyEdited(t, e.section, e.does, edited)
			byHand = append(byHand, edited...)
		}
	}
	return byHand
}

// verifyEdited checks that CONTRIBUTING.md lists each file that an exercise edits, and that the exercise edits each file there that it does
// not leave out.
func verifyEdited(t *testing.T, section string, does *regexp.Regexp, edited []string) {
	t.Helper()
	list := exercise(t, section)["by hand"]
	for _, file := range edited {
		if !isListed(list, file) && !newTree.MatchString(file) {
			t.Errorf("%s: CONTRIBUTING.md does not list %s, which the exercise writes", section, file)
		}
	}
	for _, pattern := range list {
		if does.MatchString(pattern) && !slices.ContainsFunc(edited, func(file string) bool { return isListed([]string{pattern}, file) }) {
			t.Errorf("%s: CONTRIBUTING.md lists %s, which the exercise does without", section, pattern)
		}
	}
}

// verifyGenerated checks that each file that is generated of an exercise, or of all, is in its list, that what is in the list is generated,
// and that nothing else differs. The reference takes half a minute of processor time to generate, and is not looked at.
func verifyGenerated(t *testing.T, copied, section string, byHand []string) {
	t.Helper()
	differ := slices.DeleteFunc(changed(t, root(t), copied), func(file string) bool { return slices.Contains(byHand, file) })
	left := map[string]bool{}
	for _, file := range differ {
		left[file] = true
	}
	for _, e := range exercises {
		if section != "" && section != e.section {
			continue
		}
		list := exercise(t, e.section)["generated"]
		var found []string
		for _, file := range differ {
			if !e.adds.MatchString(file + read(t, filepath.Join(copied, file))) {
				continue
			}
			if found = append(found, file); !isListed(list, file) {
				t.Errorf("%s: %s differs after the exercise, and CONTRIBUTING.md lists it neither as written by hand nor as generated", e.section, file)
			}
			delete(left, file)
		}
		for _, pattern := range list {
			switch {
			case strings.HasPrefix(pattern, "docs/reference/"):
			case strings.HasSuffix(pattern, "_bucketclasses.yaml"): // the added kind has no class
			case !slices.ContainsFunc(found, func(file string) bool { return isListed([]string{pattern}, file) }):
				t.Errorf("%s: CONTRIBUTING.md lists %s as generated, and the exercise does not change it", e.section, pattern)
			}
		}
	}
	for file := range left {
		t.Errorf("%s differs after the exercises, and names nothing that they add", file)
	}
}

// generateAll generates what follows from the exercises, but for the reference.
func generateAll(t *testing.T, copied string) {
	t.Helper()
	run(t, copied, "tools/tool", "controller-gen", "object", "crd", "paths=./apis/...", "output:crd:dir=config/crd")
	run(t, copied, "tools/tool", "controller-gen", "rbac:roleName=mooring", "paths=./controllers/...", "output:rbac:dir=config/rbac")
	run(t, copied, "go", "run", "./config/generate", ".")
	run(t, copied, "go", "generate", "./charts/generate")
}

// copySource copies what git has, or could have, to a folder.
func copySource(t *testing.T, to string) {
	t.Helper()
	from := root(t)
	names := run(t, from, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.Trim(names, "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(from, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted and not committed yet, or a link
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(read(t, filepath.Join(from, name))), info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

// changed returns the files of a copy that are not as they were, or that were not there.
func changed(t *testing.T, source, copied string) (differ []string) {
	t.Helper()
	err := filepath.WalkDir(copied, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := filepath.Rel(copied, path)
		if before, readErr := os.ReadFile(filepath.Join(source, file)); err == nil && (readErr != nil || string(before) != read(t, path)) {
			differ = append(differ, filepath.ToSlash(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return differ
}
