package docs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

var contractVersion = regexp.MustCompile(`The driver contract has version \d+\.`)

// TestUpgradeNamesTheContract demands that the notes name the version of the driver contract that this release has, once.
func TestUpgradeNamesTheContract(t *testing.T) {
	path := filepath.Join(root(t), "docs", "upgrade.md")
	want := fmt.Sprintf("The driver contract has version %d.", driver.ContractVersion)
	got := contractVersion.FindAllString(files(t, path, ".md")[path], -1)
	if len(got) != 1 || got[0] != want {
		t.Errorf("docs/upgrade.md says %q, want %q once", got, want)
	}
}
