package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mention is a test that a document names, after its package.
var mention = regexp.MustCompile("`([a-z/]+)` ((?:Test|Fuzz)\\w+)")

// TestMentionedTestsExist demands that whoever looks for a test that a document names finds it.
func TestMentionedTestsExist(t *testing.T) {
	found := 0
	for path, content := range documents(t) {
		for _, named := range mention.FindAllStringSubmatch(content, -1) {
			dir := filepath.Join(root(t), filepath.FromSlash(named[1]))
			found++
			if !declares(files(t, dir, "_test.go"), named[2]) {
				t.Errorf("%s: %s has no %s", path, named[1], named[2])
			}
		}
	}
	if found == 0 {
		t.Error("no document names a test")
	}
}

func declares(sources map[string]string, test string) bool {
	for _, source := range sources {
		if strings.Contains(source, "\nfunc "+test+"(") {
			return true
		}
	}
	return false
}
