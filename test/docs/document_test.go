package docs

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// root is the top of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// files returns the content of all files in a folder, or of one file, whose name ends like that, by path.
func files(t *testing.T, path, ending string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ending) {
			return err
		}
		content, err := os.ReadFile(path)
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no %s in %q", ending, path)
	}
	return found
}

func documents(t *testing.T) map[string]string {
	all := files(t, filepath.Join(root(t), "docs"), ".md")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"} {
		maps.Copy(all, files(t, filepath.Join(root(t), name), ".md"))
	}
	return all
}

var block = regexp.MustCompile("(?ms)^```(yaml|json)\n(.*?)^```$")

// TestBlocksAreThoseOfSamples demands that what people copy is what tests have applied or read: whole lines of a sample,
// without a gap.
func TestBlocksAreThoseOfSamples(t *testing.T) {
	folder := filepath.Join(root(t), "config", "samples")
	samples := map[string]map[string]string{"yaml": files(t, folder, ".yaml"), "json": files(t, folder, ".json")}
	seen := map[string]int{}
	for path, content := range documents(t) {
		for _, match := range block.FindAllStringSubmatch(content, -1) {
			language, text := match[1], match[2]
			seen[language]++
			if !partOfAny(text, samples[language]) {
				t.Errorf("%s: this %s is in no file of config/samples:\n%s", path, language, text)
			}
		}
	}
	if seen["yaml"] == 0 || seen["json"] == 0 {
		t.Errorf("documents have %v blocks, want some of each", seen)
	}
}

func partOfAny(block string, samples map[string]string) bool {
	for _, sample := range samples {
		if strings.Contains("\n"+sample, "\n"+block) {
			return true
		}
	}
	return false
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// code is text in which brackets are no link.
	code = regexp.MustCompile("`[^`\n]+`")
)

// TestLinksLeadSomewhere demands that what a link within the repository names is there, the heading or row in a page too.
func TestLinksLeadSomewhere(t *testing.T) {
	for path, content := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(content, "code"), -1) {
			target, err := url.Parse(match[1])
			if err != nil || target.IsAbs() {
				continue
			}
			file := path
			if target.Path != "" {
				file = filepath.Join(filepath.Dir(path), target.Path)
			}
			page, err := os.Stat(file)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if target.Fragment == "" || page.IsDir() {
				continue
			}
			if !slices.Contains(anchors(files(t, file, "")[file]), target.Fragment) {
				t.Errorf("%s: %s has no heading or row #%s", path, file, target.Fragment)
			}
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	row     = regexp.MustCompile(`<a id="([^"]+)">`)
	unsaid  = regexp.MustCompile(`[^\pL\pN _-]`)
)

// anchors returns what a link to a part of a page may name, as GitHub makes it from headings.
func anchors(page string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		all = append(all, strings.ReplaceAll(unsaid.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	for _, r := range row.FindAllStringSubmatch(page, -1) {
		all = append(all, r[1])
	}
	return all
}

// TestEveryPageIsListed demands that the index names every page, or the README.md of a folder which names those in it.
// Decisions come one by one, and have none.
func TestEveryPageIsListed(t *testing.T) {
	docs := filepath.Join(root(t), "docs")
	pages := files(t, docs, ".md")
	for path := range pages {
		page, err := filepath.Rel(docs, path)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(filepath.Dir(path), "README.md")
		if page == "README.md" || filepath.Dir(page) == "adr" ||
			strings.Contains(pages[filepath.Join(docs, "README.md")], "]("+filepath.ToSlash(page)) ||
			strings.Contains(pages[folder], "]("+filepath.Base(page)) {
			continue
		}
		t.Errorf("neither docs/README.md nor %s lists %s", folder, page)
	}
}

// file is a file of the repository that a command or a text names.
var file = regexp.MustCompile(`\bconfig/[\w./-]+\.(?:yaml|json|lua)\b`)

// TestNamedFilesExist demands that what people are told to apply is there.
func TestNamedFilesExist(t *testing.T) {
	for path, content := range documents(t) {
		for _, name := range file.FindAllString(content, -1) {
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(name))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}
