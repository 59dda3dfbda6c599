package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestClusterOfSomebody runs what is done to somebody's cluster in one: each part leaves it as it was.
func TestClusterOfSomebody(t *testing.T) {
	t.Parallel()
	c := cluster.ForTest(t, cluster.Options{Bare: true, ControllerManager: true})
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := c.WriteKubeconfig(file); err != nil {
		t.Fatal(err)
	}
	t.Run("removal", func(t *testing.T) { verifyRemoval(t, file) })
	t.Run("installation", func(t *testing.T) { verifyInstallation(t, file, kubernetes.NewForConfigOrDie(c.Config())) })
}

// Into a cluster that one has Mooring is installed when a flag says so, works there as in a cluster of the quickstart's own, and is
// removed to the last object when the quickstart ends, or later if it was killed.
func verifyInstallation(t *testing.T, file string, core kubernetes.Interface) {
	before := inventory(t, file)

	r := start(t, false, "--kubeconfig="+file)
	r.await("kubeconfig", func() bool { return r.exists("kept/kubeconfig") })
	if len(r.processes("/kube-apiserver")) > 0 {
		t.Error("it runs an API server of its own")
	}
	r.kubectl("apply", "-f", "config/samples/classes/aws.yaml", "-f", "config/samples/aws-bucket.yaml")
	r.kubectl("wait", "bucket/photos", "-n", team, "--for=condition=Ready", "--timeout=2m")
	as := exec.Command(filepath.Join(r.root, "bin", "kubectl"), "--kubeconfig="+r.path("kept", "developer.kubeconfig"), "auth", "whoami", "-o", "jsonpath={.status.userInfo.username} {.status.userInfo.groups}")
	if out, err := as.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "developer ") || !strings.Contains(string(out), "shop-developers") {
		t.Errorf("the developer is %s: %v", out, err)
	}
	elsewhere(r)
	r.signal(syscall.SIGINT)
	if status := r.wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	for _, name := range credentialFiles() {
		if r.exists(filepath.Join("kept", name)) {
			t.Errorf("%s is left, with somebody's credentials", name)
		}
	}
	if after := inventory(t, file); after != before {
		t.Errorf("before it was\n%s\nand now it is\n%s", before, after)
	}

	killed := start(t, false, "--kubeconfig="+file)
	killed.await("kubeconfig", func() bool { return killed.exists("kept/kubeconfig") })
	killed.kubectl("apply", "-f", "config/samples/classes/aws.yaml", "-f", "config/samples/aws-bucket.yaml")
	killed.kubectl("wait", "bucket/photos", "-n", team, "--for=condition=Ready", "--timeout=2m")
	elsewhere(killed)
	killed.signal(syscall.SIGKILL)
	killed.wait()
	killed.await("no process", func() bool { return len(killed.processes("")) == 0 })
	refused(t, "--context=mooring --remove", "--kubeconfig="+file)
	if status := start(t, false, "--kubeconfig="+file, "--context=mooring", "--remove").wait(); status != 0 {
		t.Errorf("to remove: exit status %d", status)
	}
	if after := inventory(t, file); after != before {
		t.Errorf("before it was\n%s\nand now it is\n%s", before, after)
	}
	refused(t, "no quickstart left anything", "--kubeconfig="+file, "--remove")

	// What somebody else made is left alone.
	theirs := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system.Namespace}}
	if _, err := core.CoreV1().Namespaces().Create(t.Context(), theirs, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	refused(t, "already, and the quickstart overwrites nothing", "--kubeconfig="+file)
	refused(t, "no quickstart left anything", "--kubeconfig="+file, "--remove")
	if _, err := core.CoreV1().Namespaces().Get(t.Context(), system.Namespace, metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// elsewhere makes a bucket in another namespace than the team's, and waits until it has a connection Secret.
func elsewhere(r *running) {
	r.t.Helper()
	manifest := r.path("elsewhere.yaml")
	bucket := strings.NewReplacer("namespace: shop", "namespace: default", "spec: {", "spec: {connection: {secretName: photos-bucket}, ").Replace(photos)
	if err := os.WriteFile(manifest, []byte(bucket), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.kubectl("apply", "-f", manifest)
	r.kubectl("wait", "bucket/photos", "-n", "default", "--for=condition=Ready", "--timeout=2m")
	r.kubectl("get", "secret", "photos-bucket", "-n", "default")
}

// refused starts a quickstart, which has to end at once and say why.
func refused(t *testing.T, says string, flags ...string) {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "quickstart"), append([]string{"--samples=false"}, flags...)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), says) {
		t.Errorf("%q: %v, want it refused with %q:\n%s", flags, err, says, out)
	}
}

// inventory lists what a quickstart installs in a cluster, and what of it is there.
func inventory(t *testing.T, kubeconfig string) string {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "kubectl"), "--kubeconfig="+kubeconfig, "get", "-A", "-o", "name", "--ignore-not-found",
		"namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,roles,rolebindings,secrets,configmaps,"+
			"validatingadmissionpolicies,validatingadmissionpolicybindings,validatingwebhookconfigurations")
	cmd.Stdout, cmd.Stderr = &all, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A cluster on another machine is used only if a second flag says so.
func TestReadKubeconfig(t *testing.T) {
	const local = "https://127.0.0.1:6443"
	for _, tc := range []struct {
		name, server, proxy, cluster, context string
		remote                                bool
		refused                               string // what the error says; empty: none
	}{
		{name: "loopback", server: local},
		{name: "localhost", server: "https://localhost:6443"},
		{name: "IPv6", server: "https://[::1]:6443"},
		{name: "k3d", server: "https://0.0.0.0:6443"},
		{name: "looks like loopback", server: "https://127.0.0.1.example.com", refused: "--remote"},
		{name: "a host", server: "https://production.example.com", refused: `https://production.example.com (context "a" of `},
		{name: "an address", server: "https://10.0.0.1", refused: "--remote"},
		{name: "remote is wanted", server: "https://production.example.com", remote: true},
		{name: "a proxy", server: local, proxy: "socks5://127.0.0.1:1080", refused: "behind a proxy"},
		{name: "a proxy is wanted", server: local, proxy: "socks5://127.0.0.1:1080", remote: true},
		{name: "a context without a cluster", server: local, cluster: "none", refused: "names no cluster"},
		{name: "a context without a cluster, remote", server: local, cluster: "none", remote: true, refused: "names no cluster"},
		{name: "another context", server: local, context: "other", refused: "https://other.example.com"},
		{name: "no such context", server: local, context: "missing", refused: "missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubeconfig")
			if tc.cluster == "" {
				tc.cluster = "c"
			}
			content := fmt.Sprintf("{apiVersion: v1, kind: Config, current-context: a, users: [{name: u, user: {token: t}}], "+
				"contexts: [{name: a, context: {cluster: %s, user: u}}, {name: other, context: {cluster: other, user: u}}], "+
				"clusters: [{name: c, cluster: {server: %q, proxy-url: %q}}, {name: other, cluster: {server: 'https://other.example.com'}}]}",
				strings.TrimPrefix(tc.cluster, "none"), tc.server, tc.proxy)
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			config, err := readKubeconfig(options{kubeconfig: file, context: tc.context, remote: tc.remote})
			if (tc.refused != "") != (err != nil) || (err != nil && !strings.Contains(err.Error(), tc.refused)) {
				t.Errorf("%v, %v", config, err)
			}
		})
	}
}

// What is printed about somebody's cluster is true there: nothing keeps its owner from leading Mooring to a real cloud, and the
// files of the people hold the owner's credentials.
func TestWordsAboutAClusterOfSomebody(t *testing.T) {
	cloud, err := localcloud.Start(localcloud.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Close() })
	const promise, warning = "Nothing here reaches a real cloud", "contain your own credentials"
	for _, installed := range []bool{false, true} {
		o, q := options{}, &quickstart{clouds: &clouds{cloud}, folder: &folder{}, target: &target{installed: installed}, controller: &controller{}}
		if installed {
			o.kubeconfig = "/a"
		}
		if strings.Contains(opening(o), promise) == installed {
			t.Errorf("installed %v: %s", installed, opening(o))
		}
		if strings.Contains(q.next(false), warning) != installed {
			t.Errorf("installed %v: %s", installed, q.next(false))
		}
	}
}
