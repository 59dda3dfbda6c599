package ci

import (
	"bytes"
	stdcmp "cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/cluster"
)

// TestEachStageRuns has a stage fail in place of another, by a make that only says what it is asked for. All others run all the same, and the
// end says what failed and how to repeat it.
func TestEachStageRuns(t *testing.T) {
	tests := map[string]struct {
		make    string // what make does, besides
		free    string // what is left of the disk; empty for enough
		fails   bool
		reports []string // the lines after "What failed"
	}{
		"nothing fails":           {},
		"the disk is nearly full": {free: "19G"},
		"a stage fails": {
			make: `[ "$1" != image ]`, fails: true,
			reports: []string{"stage image", "    make image"},
		},
		"tests fail, and a stage after them": {
			make: `case "$1" in test) printf './test/e2e: TestX\tmake test PACKAGES=./test/e2e\n' >>"$MOORING_FAILURES"; false ;; recordings) false ;; esac`, fails: true,
			reports: []string{"./test/e2e: TestX", "    make test PACKAGES=./test/e2e", "stage recordings", "    make recordings"},
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			programs := t.TempDir()
			write(t, filepath.Join(programs, "make"), "#!/bin/bash\necho \"made $1\"\n"+c.make+"\n", 0o700)
			for _, name := range []string{"gcc", "jq", "openssl", "pg_basebackup", "mariadbd"} { // so that nothing is to be installed
				write(t, filepath.Join(programs, name), "#!/bin/bash\n", 0o700)
			}
			write(t, filepath.Join(programs, "df"), "#!/bin/bash\nprintf 'Avail\n%s\n200G\n' "+stdcmp.Or(c.free, "20G")+"\n", 0o700)
			write(t, filepath.Join(programs, "go"), "#!/bin/bash\necho \"go $*\"\n", 0o700) // or a test would empty the cache that it is built with
			cmd := exec.CommandContext(t.Context(), "bash", filepath.Join(root(t), ".ci/run"))
			cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
			out, failed := output(t, cmd)
			if failed != c.fails {
				t.Errorf("it failed: %v, want %v", failed, c.fails)
			}
			if emptied := strings.Contains(out, "go clean -cache\n"); emptied != (c.free != "") {
				t.Errorf("the build cache was emptied: %v\n%s", emptied, out)
			}
			var made []string
			for line := range strings.Lines(out) {
				if target, is := strings.CutPrefix(strings.TrimSpace(line), "made "); is {
					made = append(made, target)
				}
			}
			want := []string{"lint", "unit", "controlplane", "tools", "verify", "image", "test", "recordings", "cost", "quickstart"}
			if diff := cmp.Diff(want, made); diff != "" {
				t.Errorf("stages (-want +got):\n%s\n%s", diff, out)
			}
			_, report, _ := strings.Cut(out, "=== What failed, and how to repeat it\n")
			if diff := cmp.Diff(strings.Join(c.reports, "\n"), strings.TrimRight(report, "\n")); diff != "" {
				t.Errorf("what failed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailuresCanBeRepeated runs tests of which some fail and one hangs.
func TestFailuresCanBeRepeated(t *testing.T) {
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), "module github.com/mooring-dev/mooring\n\ngo 1.26\n", 0o600)
	write(t, filepath.Join(module, "good/good_test.go"), "package good\n\nimport \"testing\"\n\nfunc TestGood(t *testing.T) {}\n", 0o600)
	write(t, filepath.Join(module, "bad/bad_test.go"), `package bad

import "testing"

func TestBad(t *testing.T) { t.Run("part", func(t *testing.T) { t.Error("it is \"bad\"") }) }

func TestWorse(t *testing.T) { t.Fatal("worse") }

func TestGood(t *testing.T) {}
`, 0o600)
	write(t, filepath.Join(module, "hangs/hangs_test.go"), `package hangs

import "testing"

func TestHangs(t *testing.T) { waitsForWhatNeverComes() }

func waitsForWhatNeverComes() { <-make(chan struct{}) }
`, 0o600)
	failures := filepath.Join(t.TempDir(), "failures")
	cmd := exec.CommandContext(t.Context(), filepath.Join(root(t), "tools/test"), "-vet=off", "./...")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off", "MOORING_STALL=5", "MOORING_FAILURES="+failures)
	out, failed := output(t, cmd)
	if !failed {
		t.Error("it did not fail")
	}
	for _, want := range []string{
		"github.com/mooring-dev/mooring/bad TestBad/part\n    bad_test.go:5: it is",
		"No test has said anything for 5 s. These run:\ngithub.com/mooring-dev/mooring/hangs TestHangs\n",
		"waitsForWhatNeverComes", // in the goroutines
		"✓  good",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	want := "./bad: TestBad, TestWorse\tmake test PACKAGES=./bad TEST_FLAGS='-run=\"^(TestBad|TestWorse)$$\"'\n" +
		"./hangs: TestHangs\tmake test PACKAGES=./hangs TEST_FLAGS='-run=\"^(TestHangs)$$\"'\n"
	got, err := os.ReadFile(failures)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
	// The commands say the same to a shell, to make, and to the shell of make.
	write(t, filepath.Join(module, "Makefile"), "test:\n\t@printf '%s ' $(PACKAGES) $(TEST_FLAGS)\n", 0o600)
	said := ""
	for line := range strings.Lines(string(got)) {
		_, command, _ := strings.Cut(strings.TrimSpace(line), "\t")
		again := exec.CommandContext(t.Context(), "bash", "-c", command)
		again.Dir = module
		again.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=") // as where a person types it, also where make runs this test
		out, _ := output(t, again)
		said += out
	}
	if want := "./bad -run=^(TestBad|TestWorse)$ ./hangs -run=^(TestHangs)$ "; said != want {
		t.Errorf("the commands test %q, want %q", said, want)
	}
}

// output runs a command, and returns what it printed and whether it failed.
func output(t *testing.T, cmd *exec.Cmd) (out string, failed bool) {
	t.Helper()
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return all.String(), err != nil
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
