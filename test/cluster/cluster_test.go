package cluster

import (
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const user = "system:serviceaccount:mooring-system:mooring"

// TestCluster goes through the life of one cluster, since a start costs seconds.
func TestCluster(t *testing.T) {
	c := ForTest(t, Options{Audit: true, ControllerManager: true, Log: t.Output()})
	config, err := c.User(user, Administrators)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}

	t.Run("the audit log holds a request once it is answered", func(t *testing.T) { auditHolds(t, c, kube) })
	t.Run("no secret value is in the audit log", func(t *testing.T) { auditIsDiscreet(t, c, kube) })
	t.Run("a user without groups may do nothing", func(t *testing.T) { rbacHolds(t, c) })
	t.Run("a namespace that is deleted ends, with what is in it", func(t *testing.T) { namespaceEnds(t, kube) })
	t.Run("its kubeconfig works", func(t *testing.T) { kubeconfigWorks(t, c) })
	t.Run("its folder is not taken by another", func(t *testing.T) { folderIsGuarded(t, c) })
	t.Run("only loopback is listened on", func(t *testing.T) { loopbackOnly(t, c) })
	t.Run("after Stop nothing listens and nothing is left", func(t *testing.T) { stopEndsAll(t, c) })
}

func auditHolds(t *testing.T, c *Cluster, kube client.Client) {
	mark, err := c.Audit().Mark()
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "audited"}}
	if err := kube.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if err := kube.Create(t.Context(), object.DeepCopy()); err == nil {
		t.Fatal("created twice")
	}
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	object.Data = map[string]string{"k": "v"}
	if err := kube.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	all, err := c.Audit().Since(mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		filters []Filter
		want    int
	}{
		{"all", []Filter{By(user)}, 4},
		{"writes, tried", []Filter{By(user), Writes}, 3},
		{"writes, done", []Filter{By(user), Writes, Succeeded}, 2},
		{"on its resource", []Filter{By(user), On("configmaps")}, 4},
		{"on either resource", []Filter{By(user), On("secrets", "configmaps/*")}, 4},
		{"on another", []Filter{By(user), On("secrets", "configmaps/status")}, 0},
		{"of the object", []Filter{By(user), Of("default", "audited"), Not(Writes)}, 1},
		{"of nobody", []Filter{By("nobody")}, 0},
	} {
		if got := all.Count(tc.filters...); got != tc.want {
			t.Errorf("%s: %d requests, want %d of\n%v", tc.name, got, tc.want, all)
		}
	}
}

func auditIsDiscreet(t *testing.T, c *Cluster, kube client.Client) {
	const canary = "canary-7f3b"
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "discreet"},
		StringData: map[string]string{"password": canary},
	}
	if err := kube.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(c.path("audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), `"resource":"secrets"`) {
		t.Error("the request is not in the log, so the test proves nothing")
	}
	if strings.Contains(string(content), canary) {
		t.Error("the value is in the log")
	}
}

func rbacHolds(t *testing.T, c *Cluster) {
	const nobody = "nobody-in-particular"
	config, err := c.User(nobody)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := kube.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Errorf("list secrets: %v, want forbidden", err)
	}
	all, err := c.Audit().Since(0)
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Count(By(nobody), Unauthorized); got != 1 {
		t.Errorf("%d requests of theirs were unauthorized, want 1 of\n%v", got, all.Where(By(nobody)))
	}
	if refused := all.Where(By(user), Unauthorized); len(refused) > 0 || all.Count(By(user), func(r Request) bool { return r.Decision == Allowed }) == 0 {
		t.Errorf("who may do everything was refused\n%v", refused)
	}
}

func namespaceEnds(t *testing.T, kube client.Client) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ends"}}
	if err := kube.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	inside := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ends", Name: "inside"}}
	if err := kube.Create(t.Context(), inside); err != nil {
		t.Fatal(err)
	}
	if err := kube.Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func() bool {
		return apierrors.IsNotFound(kube.Get(t.Context(), client.ObjectKeyFromObject(ns), &corev1.Namespace{}))
	})
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(inside), inside); !apierrors.IsNotFound(err) {
		t.Errorf("get what was in it: %v, want not found", err)
	}
}

func kubeconfigWorks(t *testing.T, c *Cluster) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := c.WriteKubeconfig(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %o, want 600", got)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := kube.Get(t.Context(), client.ObjectKey{Name: "default"}, &corev1.Namespace{}); err != nil {
		t.Error(err)
	}
}

func folderIsGuarded(t *testing.T, c *Cluster) {
	if other, err := Start(t.Context(), Options{Dir: c.dir}); err == nil {
		t.Error("a second cluster started in the folder of the first", other.Stop())
	}
	if _, err := os.Stat(c.path("audit.log")); err != nil {
		t.Errorf("the refused start touched the folder: %v", err)
	}
}

func stopEndsAll(t *testing.T, c *Cluster) {
	addresses := addresses(t, c)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			t.Errorf("%s is still listened on", address)
			_ = conn.Close()
		}
	}
	if _, err := os.Stat(c.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary folder is still there: %v", err)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("stopped again: %v", err)
	}
}

// addresses are those that etcd and the API server were told to listen on.
func addresses(t *testing.T, c *Cluster) []string {
	t.Helper()
	server, err := url.Parse(c.Config().Host)
	if err != nil {
		t.Fatal(err)
	}
	return []string{server.Host, c.env.ControlPlane.Etcd.URL.Host}
}

// eventually polls for ten minutes at most: what it waits for happens in other processes.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 10 minutes still not: %s", what)
		}
	}
}
