package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

// kubectls are the newest kubectl that we support, and the oldest one, which tools/oldest pins.
var kubectls = []string{"kubectl", "kubectl-oldest"}

// TestCommandsOfPages runs the commands of all pages with each kubectl, as somebody does who reads a page from its beginning to its end: against an
// API server, Mooring and the local clouds, as in the quickstart. What does not run stands in notRun.
func TestCommandsOfPages(t *testing.T) {
	names, contents := pages(t)
	r := newReader(t)
	t.Run("sizing", func(t *testing.T) { r.on(t).verifyReads() })
	for _, program := range kubectls {
		t.Run(program, func(t *testing.T) {
			path := cluster.ProgramForTest(t, program)
			for _, page := range names {
				if blocks := blocksOf(t, page, contents[page]); len(blocks) > 0 {
					t.Run(page, func(t *testing.T) { r.on(t).read(path, blocks) })
				}
			}
		})
	}
	r.verifyTables()
}

// A reader does what pages say.
type reader struct {
	*system.Fixture
	folder     string // where commands run
	kubeconfig string
	used       map[any]bool // entries of the tables
}

// newReader makes the system that pages are about.
func newReader(t *testing.T) *reader {
	t.Helper()
	e := system.NewEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	r := &reader{Fixture: &system.Fixture{T: t, Environment: e, Namespace: "shop"}, folder: t.TempDir(), used: map[any]bool{}}
	r.kubeconfig = filepath.Join(r.folder, ".kubeconfig")
	r.Must(e.Cluster.WriteKubeconfig(r.kubeconfig))
	r.Must(os.Symlink(filepath.Join(root(t), "config"), filepath.Join(r.folder, "config")))
	for file, content := range everywhere(r) {
		write(t, filepath.Join(r.folder, file), content)
	}
	address := system.FreeAddress(t)
	r.Must(admission.Apply(t.Context(), e.Client, "https://"+address))
	e.StartManager(t, controllers.Options{WebhookAddress: address}, nil)
	for _, name := range []string{"rbac/role.yaml", "rbac/users.yaml", "admission/consent.yaml", "admission/tokens.yaml", "admission/in-use.yaml", "admission/annotations.yaml"} {
		r.apply("../" + name)
	}
	for _, sample := range base {
		r.apply(sample)
	}
	r.place(installed)
	return r
}

// on returns the reader for a test within that of the reader.
func (r *reader) on(t *testing.T) *reader {
	within := *r
	within.Fixture = &system.Fixture{T: t, Environment: r.Environment, Namespace: r.Namespace}
	return &within
}

// edits matches commands after which the system is not what the next page expects.
var edits = regexp.MustCompile(`kubectl (apply|annotate|create|delete|label|patch)\b`)

// read does what a page says, and undoes it.
func (r *reader) read(kubectl string, blocks []commandBlock) {
	r.Helper()
	edited := false
	r.apply("orders.yaml")
	r.apply("aws-bucket.yaml")
	r.awaitReady("Database", "orders")
	r.awaitReady("Bucket", "photos")
	r.prepare(blocks[0].page, "")
	for _, b := range blocks {
		var script []string
		for _, c := range b.commands {
			r.prepare(b.page, c.text)
			if !r.isLeftOut(c) {
				script = append(script, r.instead(c))
			}
		}
		if len(script) > 0 {
			r.run(kubectl, b, script)
			edited = edited || edits.MatchString(strings.Join(script, "\n"))
		}
	}
	if edited {
		r.reset()
	}
}

// prelude makes commands suit a test. A page that looks for a line says nothing wrong if there is none, and a watch ends.
const prelude = `set -euo pipefail
grep() { command grep "$@" || [ $? -eq 1 ]; }
kubectl() { case " $* " in *" -w "*) timeout 3 "$KUBECTL" "$@" || [ $? -eq 124 ] ;; *) "$KUBECTL" "$@" ;; esac; }
`

// between is printed before each command, so that it is seen what each of them prints.
const between = "\x1e"

// run runs the commands of a block.
func (r *reader) run(kubectl string, b commandBlock, script []string) {
	r.Helper()
	r.Logf("%s:%d: %s", b.page, b.line, strings.Join(script, "\n"))
	printed, err := r.shell(kubectl, script)
	if err != nil {
		r.Errorf("%s:%d: %v, in the last of these commands:\n%s\n%s", b.page, b.line, err, strings.Join(script[:len(printed)], "\n"), printed[len(printed)-1])
		return
	}
	for i, text := range printed {
		r.verifyAnswer(kubectl, b, script[i], text)
	}
}

// shell runs commands in one shell until one fails, and returns what each of them printed.
func (r *reader) shell(kubectl string, script []string) (printed []string, err error) {
	ctx, cancel := patience.Context(r.Context())
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", prelude+"printf '\\036'\n"+strings.Join(script, "\nprintf '\\036'\n"))
	shell.Dir = r.folder
	shell.Env = append(os.Environ(), "KUBECTL="+kubectl, "KUBECONFIG="+r.kubeconfig, "HOME="+r.folder, "CHART="+filepath.Join(root(r.T), "charts", "mooring"),
		"PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH")) // with helm
	var out bytes.Buffer
	shell.Stdout, shell.Stderr, shell.WaitDelay = &out, &out, time.Second
	err = shell.Run()
	return strings.Split(out.String(), between)[1:], err
}

// shown matches a command that is there to show something.
var shown = regexp.MustCompile(`^kubectl (get|events|explain|describe|config view) `)

// isNothing reports whether a command showed nothing.
func isNothing(printed string) bool {
	return strings.TrimSpace(printed) == "" || strings.HasPrefix(printed, "No resources found") || strings.HasPrefix(printed, "No events found")
}

// verifyAnswer demands that a command which shows something does, in the end, and that it says what its page says of it.
func (r *reader) verifyAnswer(kubectl string, b commandBlock, command, printed string) {
	r.Helper()
	if shown.MatchString(command) && !strings.Contains(command, " > ") && !r.isSilent(b.page, command) {
		for wait := patience.New(); isNothing(printed); time.Sleep(100 * time.Millisecond) {
			if wait.Over() {
				r.Errorf("%s:%d: it prints nothing: %s", b.page, b.line, command)
				break
			}
			again, err := r.shell(kubectl, []string{command})
			r.Must(err)
			printed = again[0]
		}
	}
	for i, a := range answers {
		if a.page == b.page && strings.Contains(command, a.command) {
			r.used[&answers[i]] = true
			if !regexp.MustCompile(a.says).MatchString(printed) {
				r.Errorf("%s:%d: no %q from %s:\n%s", b.page, b.line, a.says, command, printed)
			}
		}
	}
}

// isSilent reports whether a command may print nothing.
func (r *reader) isSilent(page, command string) bool {
	for i, s := range silent {
		if (s.page == "" || s.page == page) && strings.Contains(command, s.command) {
			r.used[&silent[i]] = true
			return true
		}
	}
	return false
}

// isLeftOut reports whether a command stands in notRun.
func (r *reader) isLeftOut(c command) bool {
	for i := range notRun {
		if regexp.MustCompile(notRun[i].command).MatchString(c.text) {
			r.used[&notRun[i]] = true
			return true
		}
	}
	return false
}

// instead returns a command with what stands in its place, or in that of its placeholders.
func (r *reader) instead(c command) string {
	text := c.text
	for i, p := range placeholders {
		if strings.Contains(text, p.text) {
			r.used[&placeholders[i]] = true
			text = strings.ReplaceAll(text, p.text, p.with)
		}
	}
	return text
}

// prepare makes what has to be there before a command of a page, or at its beginning.
func (r *reader) prepare(page, command string) {
	r.Helper()
	for i, p := range prepared {
		if p.page != page || (p.before == "") != (command == "") || !strings.Contains(command, p.before) {
			continue
		}
		r.used[&prepared[i]] = true
		for _, file := range p.samples {
			r.apply(file)
		}
		if p.do != nil {
			p.do(r)
		}
		for _, name := range p.ready {
			kindName, name, _ := strings.Cut(name, " ")
			r.awaitReady(kindName, name)
		}
	}
}

// verifyTables demands that each entry of each table was of use.
func (r *reader) verifyTables() {
	r.Helper()
	for i := range notRun {
		if !r.used[&notRun[i]] {
			r.Errorf("no page has a command like %q: take it out of notRun", notRun[i].command)
		}
	}
	for i := range placeholders {
		if !r.used[&placeholders[i]] {
			r.Errorf("no command has %q: take it out of placeholders", placeholders[i].text)
		}
	}
	for i := range prepared {
		if !r.used[&prepared[i]] {
			r.Errorf("%s has no command %q: take it out of prepared", prepared[i].page, prepared[i].before)
		}
	}
	for i := range answers {
		if !r.used[&answers[i]] {
			r.Errorf("%s has no command %q: take it out of answers", answers[i].page, answers[i].command)
		}
	}
	for i := range silent {
		if !r.used[&silent[i]] {
			r.Errorf("no command %q prints nothing: take it out of silent", silent[i].command)
		}
	}
}

// apply applies a file of config/samples.
func (r *reader) apply(file string) {
	r.Helper()
	r.place(read(r.T, filepath.Join(root(r.T), "config", "samples", filepath.FromSlash(file))))
}

// place applies the objects of a manifest. A kind may be a moment old.
func (r *reader) place(manifest string) {
	r.Helper()
	for _, o := range decode(r.T, manifest) {
		system.Retry(r.T, "apply "+o.GetKind()+" "+o.GetName(), func() error {
			return r.Client.Apply(r.Context(), client.ApplyConfigurationFromUnstructured(o.DeepCopy()), client.FieldOwner("pages"), client.ForceOwnership)
		})
	}
}

// remove deletes the objects of a manifest that are there, and waits until they are gone.
func (r *reader) remove(manifest string) {
	r.Helper()
	for _, o := range decode(r.T, manifest) {
		r.Must(client.IgnoreNotFound(r.Client.Delete(r.Context(), o)))
		r.Eventually(o.GetKind()+" "+o.GetName()+" is gone", func() bool {
			err := r.Client.Get(r.Context(), client.ObjectKeyFromObject(o), o)
			r.Must(client.IgnoreNotFound(err))
			return err != nil
		})
	}
}

// awaitReady waits until an object of Mooring's in the namespace is Ready, for this generation of it.
func (r *reader) awaitReady(kindName, name string) {
	r.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kindName))
	defer func() {
		if r.Failed() {
			r.Logf("%s %s has the status %v", kindName, name, o.Object["status"])
		}
	}()
	r.Eventually(kindName+" "+name+" is Ready", func() bool {
		r.Must(r.Client.Get(r.Context(), client.ObjectKey{Namespace: r.Namespace, Name: name}, o))
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(c any) bool {
			has := c.(map[string]any)
			return has["type"] == "Ready" && has["status"] == "True" && has["observedGeneration"] == o.GetGeneration()
		})
	})
}

// reset deletes the objects of Mooring's in the namespace, in the cloud, too.
func (r *reader) reset() {
	r.Helper()
	for _, k := range kind.All() {
		list := r.list(k.Name)
		for _, o := range list.Items {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":null},"spec":{"deletionPolicy":"Delete"}}`))
			r.Must(client.IgnoreNotFound(r.Client.Patch(r.Context(), &o, patch)))
			r.Must(client.IgnoreNotFound(r.Client.Delete(r.Context(), &o)))
		}
	}
	for _, k := range kind.All() {
		r.Eventually("no "+k.Name+" is left", func() bool { return len(r.list(k.Name).Items) == 0 })
	}
}

func (r *reader) list(kindName string) *unstructured.UnstructuredList {
	r.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Kind: kindName + "List"})
	r.Must(r.Client.List(r.Context(), list, client.InNamespace(r.Namespace)))
	return list
}
