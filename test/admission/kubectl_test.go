package admission

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// A developer sees all that is theirs by one word, and hears of nothing that is the platform's; the short names are our own.
func TestKubectlOfADeveloper(t *testing.T) {
	policies(t)
	stored(t, "Bucket", `{metadata: {name: photos}, spec: {}}`, "")
	stored(t, "Database", `{metadata: {name: orders}, spec: {}}`, `{status: {endpoint: "orders.example.com:5432"}}`)
	stored(t, "ProviderConfig", `{metadata: {name: team}, spec: {`+aTeamsAccount+`}}`, "")
	const name = "with-kubectl"
	err := shared.Client.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	kubectl := kubectlOf(t, name)
	for _, tc := range []struct {
		args string
		want []string
	}{
		{"get mooring -o name", []string{"bucket.mooring.dev/photos", "database.mooring.dev/orders", "providerconfig.mooring.dev/team"}},
		{"get mpc -o name", []string{"providerconfig.mooring.dev/team"}},
		{"get databases.mooring.dev,buckets.mooring.dev -o name", []string{"bucket.mooring.dev/photos", "database.mooring.dev/orders"}},
		{"get databases.mooring.dev orders -o jsonpath={.status.endpoint}", []string{"orders.example.com:5432"}},
		{"get databases.mooring.dev --field-selector status.className=none -o name", nil},
	} {
		system.Retry(t, "kubectl "+tc.args, func() error {
			out, err := kubectl(tc.args)
			for _, want := range tc.want {
				if err == nil && !strings.Contains(out, want) {
					t.Fatalf("kubectl %s: no %s in\n%s", tc.args, want, out)
				}
			}
			return err
		})
	}
	// What Kubernetes and others have of that name is theirs.
	if out, err := kubectl("get pc"); err == nil || !strings.Contains(out, "priorityclasses") {
		t.Errorf("pc: %v\n%s", err, out)
	}
}

// kubectlOf returns what runs kubectl as a user, in the namespace.
func kubectlOf(t *testing.T, user string) func(args string) (string, error) {
	t.Helper()
	program, err := cluster.Program("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	config, err := shared.Cluster.UserKubeconfig(user)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	return func(args string) (string, error) {
		fixed := []string{"--kubeconfig=" + file, "--cache-dir=" + filepath.Join(dir, "cache"), "-n", shop}
		out, err := exec.CommandContext(t.Context(), program, append(fixed, strings.Fields(args)...)...).CombinedOutput()
		return string(out), err
	}
}
