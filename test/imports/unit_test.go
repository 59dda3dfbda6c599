package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// needsPrograms are the packages that run a control plane or another built program.
var needsPrograms = []string{tests + "/cluster", tests + "/system", tests + "/node"}

// TestUnit: the packages that `make unit` tests need no control plane, since their tests import nothing that starts one.
func TestUnit(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^UNIT := (.+)$`).FindSubmatch(makefile)
	if line == nil {
		t.Fatal("the Makefile has no line that begins with UNIT :=")
	}
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-test", "-json=ImportPath,Deps"}, strings.Fields(string(line[1]))...)...)
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	tested := 0
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Deps       []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p.ImportPath, ".test") {
			tested++
		}
		for _, dep := range p.Deps {
			if name, _, _ := strings.Cut(dep, " "); slices.Contains(needsPrograms, name) {
				t.Errorf("%s imports %s, so make unit would need a control plane: move that test to a folder under test", p.ImportPath, name)
			}
		}
	}
	if tested == 0 {
		t.Error("make unit tests nothing")
	}
}
