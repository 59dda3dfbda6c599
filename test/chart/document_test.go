package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/test/cluster"
)

const published = "oci://ghcr.io/mooring-dev/charts/mooring"

// TestAfterATrialWithoutHelm goes the way of docs/install.md, by its own commands: all that "Without Helm" applies is there already when
// helm installs the chart.
func TestAfterATrialWithoutHelm(t *testing.T) {
	t.Parallel()
	trial := commands(t, "Without Helm")[0]
	eachHelm(t, func(w *fixture) {
		for _, command := range trial {
			args := strings.Fields(command)
			if args[0] != "kubectl" {
				w.Fatalf("%q is no command of kubectl", command)
			}
			kubectl := exec.CommandContext(w.Context(), cluster.ProgramForTest(w, "kubectl"), args[1:]...)
			kubectl.Dir, kubectl.Env = root(w), w.env
			if out, err := kubectl.CombinedOutput(); err != nil && !strings.Contains(string(out), "(AlreadyExists)") { // the namespace
				w.Fatalf("%s: %v\n%s", command, err, out)
			}
		}
		i := slices.Index(helms, filepath.Base(w.program)) // in the order of the page
		blocks := commands(w.T, "CRDs are there already")
		if len(blocks) != len(helms) || len(blocks[i]) != 1 {
			w.Fatalf("the page has %q", blocks)
		}
		install := strings.Fields(strings.ReplaceAll(blocks[i][0], published, chartDir(w)))
		if install[0] != "helm" {
			w.Fatalf("%q is no command of helm", install)
		}
		w.run(w, install[1:]...)
		w.uninstall()
		w.loseCRDs()
		// What the trial made and the chart does not have is there until somebody deletes it.
		w.Must(w.Client.Delete(w.Context(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "mooring-catalogue"}}))
	})
}

// commands returns the commands of each block of a section of docs/install.md.
func commands(t *testing.T, section string) (blocks [][]string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(t), "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n## "+section+"\n")
	if !found {
		t.Fatalf("the page has no section %q", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	for _, block := range strings.Split(rest, "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		blocks = append(blocks, strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n"))
	}
	if len(blocks) == 0 {
		t.Fatalf("the section %q has no commands", section)
	}
	return blocks
}
