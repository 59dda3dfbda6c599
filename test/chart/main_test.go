package chart

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain lets more tests run at once than there are processors: they wait most of the time, for leases that expire and for re-checks. Each has
// a control plane, of which there are as many as tests at once.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(logr.Discard())
	var err error
	if scratch, err = os.MkdirTemp("", "mooring-chart-"); err != nil {
		panic(err)
	}
	code := cluster.Run(m)
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// scratch is a folder for what all tests share.
var scratch string

const (
	release   = "mooring"
	namespace = system.Namespace
)

// root is the top of the repository.
func root(t testing.TB) string {
	t.Helper()
	dir, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// chartDir is the chart as it is now.
func chartDir(t testing.TB) string { return filepath.Join(root(t), "charts", "mooring") }

// helms are the programs that people have.
var helms = []string{"helm", "helm3"}

// A helm is one of them, with a home of its own.
type helm struct {
	program string
	env     []string
}

func newHelm(t testing.TB, name, kubeconfig string) *helm {
	t.Helper()
	home := t.TempDir()
	return &helm{cluster.ProgramForTest(t, name), []string{
		"HOME=" + home, "HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home,
		"KUBECONFIG=" + kubeconfig, "PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"), // it runs for a moment
	}}
}

// try runs helm.
func (h *helm) try(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), h.program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = h.env, &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// run runs helm, which must succeed, and returns what it said.
func (h *helm) run(t testing.TB, args ...string) string {
	t.Helper()
	out, errs, err := h.try(t, args...)
	if err != nil {
		t.Fatalf("helm %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out
}

// rendered is what charts were rendered to, by helm's program, the chart and the values: tests look at the same from different sides.
var rendered sync.Map

// template renders a chart, once. values are a file's content.
func (h *helm) template(t testing.TB, chart, values string) string {
	t.Helper()
	key := [3]string{h.program, chart, values}
	if before, ok := rendered.Load(key); ok {
		return before.(string)
	}
	now := h.run(t,
		"template", release, chart, "--namespace", namespace, "--values", valuesFile(t, values),
		"--api-versions", "monitoring.coreos.com/v1/ServiceMonitor", "--api-versions", "monitoring.coreos.com/v1/PrometheusRule",
	)
	rendered.Store(key, now)
	return now
}

func valuesFile(t testing.TB, values string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(path, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
