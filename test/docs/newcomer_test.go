package docs

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// newcomer names a variable. If it is set, TestAddAField runs `make unit` in its copy, as a newcomer does who added a field, and
// prints how long that took. CONTRIBUTING.md says so.
const newcomer = "MOORING_NEWCOMER"

// testField tests a copy of the source to which a field was added: what the field can break or, if newcomer is set, all of `make unit`.
func testField(t *testing.T, copied string) {
	t.Helper()
	if os.Getenv(newcomer) == "" {
		// How a call fails is the same for every field.
		run(t, copied, "go", "test", "-count=1", "-skip=TestConformance/.*/.*/error", "./apis/...", "./providers/mem")
		return
	}
	cmd := exec.CommandContext(t.Context(), "make", "unit")
	cmd.Dir, cmd.Env = copied, append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	began := time.Now()
	out, err := cmd.CombinedOutput()
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.Logf("make unit took %s, and %s of CPU time, on %d processors:\n%s",
		time.Since(began).Round(time.Second), used.Round(time.Second), runtime.NumCPU(), out)
	// The exercise here is that of the reference driver. RDS is as a newcomer leaves it who forgets its row, and is told so.
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "✖") && !strings.Contains(line, "providers/aws ") {
			t.Error(line)
		}
	}
	if err == nil || !strings.Contains(string(out), `there is no row for "aws.autoMinorVersionUpgrade"`) {
		t.Errorf("%v; want the conformance suite to say that RDS lacks the row", err)
	}
}

// shareBuilds makes Go compile what copies of the source have in common once, wherever they are: the cache knows packages
// without their folder then. Most of it is what test/chart builds, too. A newcomer's checkout shares nothing.
func shareBuilds(t *testing.T) {
	t.Helper()
	if os.Getenv(newcomer) != "" {
		return
	}
	t.Setenv("CGO_ENABLED", "0")
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
}
