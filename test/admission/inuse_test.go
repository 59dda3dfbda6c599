package admission

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

const (
	aTeamsAccount = `aws: {region: eu-central-1}, credentials: {secretRef: {name: keys}}`
	aClass        = `providerConfigRef: {name: aws}`
	held          = `finalizers: [mooring.dev/in-use]`
	override      = `annotations: {mooring.dev/allow-deletion: "true"}`
)

// guard installs the policies that keep what is in use, and waits until they are in force.
func guard(t *testing.T) {
	t.Helper()
	apply(t, "admission", "in-use.yaml")
	for kind, o := range map[string]*unstructured.Unstructured{
		"ProviderConfig": stored(t, "ProviderConfig", `{metadata: {generateName: a-, `+held+`}, spec: {`+aTeamsAccount+`}}`, ""),
		"BucketClass":    stored(t, "BucketClass", `{spec: {`+aClass+`}}`, `{status: {users: 1}}`),
	} {
		system.Retry(t, "the policy about "+kind, func() error {
			if err := shared.Client.Delete(t.Context(), o.DeepCopy(), client.DryRunAll); !apierrors.IsForbidden(err) {
				return fmt.Errorf("a deletion: %w", err)
			}
			return nil
		})
	}
}

// What is in use is not deleted by mistake: that could not be taken back.
func TestDeletionOfWhatIsInUse(t *testing.T) {
	guard(t)
	const instead = `mooring.dev/allow-deletion: "true"`
	for _, tc := range []struct{ name, kind, object, status, want string }{
		{"a team's account", "ProviderConfig", `{metadata: {` + held + `}, spec: {` + aTeamsAccount + `}}`, ``, " is in use. Delete the objects"},
		{"a team's account, users named", "ProviderConfig", `{metadata: {` + held + `}, spec: {` + aTeamsAccount + `}}`, `{status: {inUseBy: "Database shop/orders and others"}}`, " is in use by Database shop/orders and others. "},
		{"the platform's account", "ClusterProviderConfig", `{metadata: {` + held + `}, spec: {` + aTeamsAccount + `}}`, `{status: {inUseBy: Bucket shop/photos}}`, " is in use by Bucket shop/photos. "},
		{"an account without users", "ProviderConfig", `{spec: {` + aTeamsAccount + `}}`, "", ""},
		{"an account with a finalizer of another's", "ClusterProviderConfig", `{metadata: {finalizers: [example.com/other]}, spec: {` + aTeamsAccount + `}}`, "", ""},
		{"an account, allowed", "ClusterProviderConfig", `{metadata: {` + held + `, ` + override + `}, spec: {` + aTeamsAccount + `}}`, "", ""},
		{"an account, allowed in other words", "ClusterProviderConfig", `{metadata: {` + held + `, annotations: {mooring.dev/allow-deletion: "yes"}}, spec: {` + aTeamsAccount + `}}`, "", " is in use. "},

		{"a class of buckets", "BucketClass", `{spec: {` + aClass + `}}`, `{status: {users: 1}}`, " is in use by 1 object. This lists them: kubectl get buckets.mooring.dev -A -o jsonpath="},
		{"a class of databases", "DatabaseClass", `{spec: {` + aClass + `}}`, `{status: {users: 12}}`, " is in use by 12 objects. This lists them: kubectl get databases.mooring.dev -A -o jsonpath="},
		{"a class without users", "DatabaseClass", `{spec: {` + aClass + `}}`, `{status: {users: 0}}`, ""},
		{"a class that was never counted", "BucketClass", `{spec: {` + aClass + `}}`, "", ""},
		{"a class, allowed", "BucketClass", `{metadata: {` + override + `}, spec: {` + aClass + `}}`, `{status: {users: 1}}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := stored(t, tc.kind, tc.object, tc.status)
			err := shared.Client.Delete(t.Context(), o.DeepCopy(), client.DryRunAll)
			answered(t, err, tc.want)
			if tc.want == "" {
				return
			}
			if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), instead) || !strings.Contains(err.Error(), tc.kind+" "+o.GetName()) {
				t.Errorf("%v; want it to be Forbidden, to name the object and to say %s", err, instead)
			}
			// Nor with all others of its kind.
			if err := shared.Client.DeleteAllOf(t.Context(), o.DeepCopy(), client.InNamespace(o.GetNamespace()), client.DryRunAll); !apierrors.IsForbidden(err) {
				t.Errorf("of all at once: %v", err)
			}
		})
	}
}

// The command in the refusal lists the users of a class, as it is printed, with field selectors or without (Kubernetes 1.30).
func TestUsersOfAClassAreListed(t *testing.T) {
	guard(t)
	class := stored(t, "DatabaseClass", `{spec: {`+aClass+`}}`, `{status: {users: 2}}`)
	stored(t, "Database", `{metadata: {name: used-a}, spec: {className: `+class.GetName()+`}}`, `{status: {className: `+class.GetName()+`}}`)
	stored(t, "Database", `{metadata: {name: used-b}, spec: {}}`, `{status: {className: `+class.GetName()+`}}`)
	stored(t, "Database", `{metadata: {name: used-not}, spec: {}}`, `{status: {className: another}}`)
	err := shared.Client.Delete(t.Context(), class.DeepCopy(), client.DryRunAll)
	if err == nil {
		t.Fatal("not refused")
	}
	_, command, found := strings.Cut(err.Error(), "This lists them: ")
	command, _, ended := strings.Cut(command, " . Delete them")
	if !found || !ended || strings.Contains(command, "--field-selector") {
		t.Fatalf("no command in %v", err)
	}
	kubectl, err := cluster.Program("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	config, err := shared.Cluster.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "/bin/sh", "-c", command)
	shell.Env = []string{"KUBECONFIG=" + file, "PATH=" + filepath.Dir(kubectl), "HOME=" + t.TempDir()}
	out, err := shell.CombinedOutput()
	if want := "shop/used-a\nshop/used-b\n"; err != nil || string(out) != want {
		t.Errorf("%s: %v, it lists %q, want %q", command, err, out, want)
	}
}

// A deletion that was allowed once is not refused when it is asked for again.
func TestDeletionUnderWay(t *testing.T) {
	guard(t)
	o := stored(t, "ClusterProviderConfig", `{metadata: {`+held+`, `+override+`}, spec: {`+aTeamsAccount+`}}`, "")
	answered(t, shared.Client.Delete(t.Context(), o.DeepCopy()), "")
	answered(t, shared.Client.Patch(t.Context(), o, merge(t, `{metadata: {annotations: null}}`)), "")
	answered(t, shared.Client.Delete(t.Context(), o.DeepCopy()), "")
}

// A namespace is deleted in any order, and ends.
func TestNamespaceWithWhatIsInUse(t *testing.T) {
	guard(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "leaving-"}}
	if err := shared.Client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	o := object(t, "ProviderConfig", `{metadata: {name: team, `+held+`}, spec: {`+aTeamsAccount+`}}`)
	o.SetNamespace(ns.Name)
	if err := shared.Client.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := shared.Client.Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	answered(t, shared.Client.Delete(t.Context(), o.DeepCopy(), client.DryRunAll), "") // by a person, too
	letGo(t, o)
	system.Retry(t, "the namespace's end", func() error { return stillThere(t.Context(), ns) })
}

// What belongs to something goes with it.
func TestGarbageInUse(t *testing.T) {
	guard(t)
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: shop, GenerateName: "owner-"}}
	if err := shared.Client.Create(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	o := stored(t, "ProviderConfig", `{metadata: {`+held+`}, spec: {`+aTeamsAccount+`}}`, "")
	answered(t, shared.Client.Patch(t.Context(), o, merge(t, `{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: `+owner.Name+`, uid: `+string(owner.UID)+`}]}}`)), "")
	if err := shared.Client.Delete(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	letGo(t, o)
}

// Where controllers of Kubernetes have ServiceAccounts of their own, as in most clusters, they are let through too.
func TestControllersDeleteWhatIsInUse(t *testing.T) {
	guard(t)
	o := stored(t, "ProviderConfig", `{metadata: {`+held+`}, spec: {`+aTeamsAccount+`}}`, "")
	class := stored(t, "BucketClass", `{spec: {`+aClass+`}}`, `{status: {users: 1}}`)
	for _, name := range []string{"namespace-controller", "generic-garbage-collector"} {
		controller := fixture(t).User("system:serviceaccount:kube-system:" + name)
		answered(t, controller.Delete(t.Context(), o.DeepCopy(), client.DryRunAll), "")
		answered(t, controller.Delete(t.Context(), class.DeepCopy(), client.DryRunAll), "")
	}
}

// The definitions can be removed whatever is in use.
func TestDefinitionsOfWhatIsInUse(t *testing.T) {
	guard(t)
	removeAll(t, "ClusterProviderConfig") // what earlier tests' controllers protected would stay for ever
	stored(t, "BucketClass", `{spec: {`+aClass+`}}`, `{status: {users: 3}}`)
	o := stored(t, "ClusterProviderConfig", `{metadata: {`+held+`}, spec: {`+aTeamsAccount+`}}`, "")
	dir, err := cluster.CRDDir()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := shared.Cluster.InstallCRDs(dir); err != nil {
			t.Fatal(err)
		}
	}()
	var definitions []*unstructured.Unstructured
	for _, name := range []string{"bucketclasses.mooring.dev", "clusterproviderconfigs.mooring.dev"} {
		d := &unstructured.Unstructured{}
		d.SetAPIVersion("apiextensions.k8s.io/v1")
		d.SetKind("CustomResourceDefinition")
		d.SetName(name)
		if err := shared.Client.Delete(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		definitions = append(definitions, d)
	}
	letGo(t, o)
	for _, d := range definitions {
		system.Retry(t, "the end of "+d.GetName(), func() error { return stillThere(t.Context(), d) })
	}
}

// removeAll removes what earlier tests left of a kind.
func removeAll(t *testing.T, kind string) {
	t.Helper()
	left := &unstructured.UnstructuredList{}
	left.SetAPIVersion("mooring.dev/v1alpha1")
	left.SetKind(kind + "List")
	if err := shared.Client.List(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	for i := range left.Items {
		t.Logf("removing %s %s", kind, left.Items[i].GetName())
		remove(t, &left.Items[i])
	}
}

// letGo waits until an object is being deleted, and takes its finalizers away, as the controller does after the last user.
func letGo(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	system.Retry(t, "the deletion of "+o.GetName(), func() error {
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		if o.GetDeletionTimestamp() == nil {
			return fmt.Errorf("it is not being deleted")
		}
		return nil
	})
	if err := shared.Client.Patch(t.Context(), o, merge(t, `{metadata: {finalizers: null}}`)); err != nil {
		t.Fatal(err)
	}
}

// stillThere returns nil once an object is no longer there.
func stillThere(ctx context.Context, o client.Object) error {
	err := shared.Client.Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("it is there still, or can't be read: %w", err)
}
