package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// manyKinds are several kinds in one command of kubectl.
var manyKinds = regexp.MustCompile(`kubectl get ((?:[a-z]+\.mooring\.dev)(?:,[a-z]+\.mooring\.dev)+)`)

// Who looks for all objects of Mooring sees those of all kinds. Whoever removes the kinds removes all of them, or what is left keeps finalizers that nobody takes away.
func TestCommandsOverAllKinds(t *testing.T) {
	var all []string
	for _, k := range kind.All() {
		all = append(all, strings.ToLower(k.Name)+"s.mooring.dev")
	}
	slices.Sort(all)
	found := 0
	for path, content := range files(t, root(t), ".md") {
		for _, match := range manyKinds.FindAllStringSubmatch(content, -1) {
			named := strings.Split(match[1], ",")
			named = slices.DeleteFunc(named, func(name string) bool {
				return strings.Contains(name, "class") || strings.Contains(name, "providerconfig")
			})
			if len(named) < 2 {
				continue
			}
			found++
			if slices.Sort(named); !slices.Equal(named, all) {
				t.Errorf("%s: %q leaves out some of %q", path, match[0], all)
			}
		}
		for line := range strings.SplitSeq(content, "\n") {
			if !strings.HasPrefix(line, "kubectl delete crd ") || !strings.Contains(line, " databases.mooring.dev") {
				continue
			}
			for _, name := range all {
				if !strings.Contains(line, " "+name) {
					t.Errorf("%s: %q leaves %s behind", path, line, name)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d commands are over several kinds: the test reads them no more", found)
	}
}

// Each class that a page or a sample names is one of the samples, or of the page itself.
func TestClassesThatAreNamedExist(t *testing.T) {
	named := regexp.MustCompile(`(?m)^\s*className: ([a-z0-9-]+)\s*(?:#.*)?$`)
	declared := regexp.MustCompile(`(?m)^kind: (?:Database|Bucket)Class\n(?:metadata:\n\s+|metadata: \{)name: ([a-z0-9-]+)`)
	everywhere := map[string]bool{}
	for _, content := range files(t, root(t)+"/config/samples", ".yaml") {
		for _, match := range declared.FindAllStringSubmatch(content, -1) {
			everywhere[match[1]] = true
		}
	}
	found := 0
	for _, ext := range []string{".md", ".yaml"} {
		for path, content := range files(t, root(t), ext) {
			if !strings.Contains(path, "/docs/") && !strings.Contains(path, "/config/samples/") && !strings.HasSuffix(path, "/README.md") || strings.Contains(path, "/testdata/") || strings.Contains(path, "/test/") {
				continue
			}
			for _, match := range named.FindAllStringSubmatch(content, -1) {
				found++
				if !everywhere[match[1]] && !strings.Contains(content, "name: "+match[1]) {
					t.Errorf("%s names the class %s, which is nowhere", path, match[1])
				}
			}
		}
	}
	if len(everywhere) < 4 || found < 8 {
		t.Errorf("classes %v, and %d names: too few to be all", everywhere, found)
	}
}
