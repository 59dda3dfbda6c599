package imports

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// What is measured and tested is what is shipped.
func TestBuildTagsAreTheSame(t *testing.T) {
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Makefile", "tools/image/main.go", "test/upstream/load.go"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), "-tags="+cluster.BuildTags) {
			t.Errorf("%s does not build with -tags=%s", name, cluster.BuildTags)
		}
	}
	// make takes a variable that there is not for an empty one.
	for _, target := range []string{"build", "unit"} {
		out, err := exec.CommandContext(t.Context(), "make", "-C", root, "--dry-run", target).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "-tags="+cluster.BuildTags) {
			t.Errorf("make %s does not build with -tags=%s: %v\n%s", target, cluster.BuildTags, err, out)
		}
	}
}
