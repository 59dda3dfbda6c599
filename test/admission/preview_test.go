package admission

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/system"
)

const memAccount = "111111111111"

// runController runs the whole controller, with a cloud of this process, and makes the API server ask it.
func runController(t *testing.T) *mem.Cloud {
	t.Helper()
	address, cloud := system.FreeAddress(t), mem.New(mem.Options{})
	if err := admission.Apply(t.Context(), shared.Client, "https://"+address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unask(t) })
	o := controllers.Options{
		Drivers:    map[string]driver.Driver{"aws": withoutMars{cloud.Driver()}},
		SyncPeriod: time.Second, ConsistencyWindow: 50 * time.Millisecond, Workers: 4, WebhookAddress: address,
	}
	m, err := system.Start(t.Context(), shared.Cluster.Config(), &system.KillSwitch{}, o, controllers.ManagerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Kill)
	return cloud
}

// withoutMars is a driver whose cloud does not have all locations.
type withoutMars struct{ driver.Driver }

func (w withoutMars) Describe() driver.Description {
	d := w.Driver.Describe()
	for i := range d.Resources {
		if d.Resources[i].Kind == "DatabaseSnapshot" {
			continue // has no location of its own
		}
		d.Resources[i].Lacks = append(slices.Clone(d.Resources[i].Lacks), driver.Lack{Field: "location", Match: "^mars-", Values: "a region of Mars", Why: "it is too far", Instead: "set spec.location to eu-central-1"})
	}
	return d
}

// anAccount makes a team's account in the cloud of this process.
func anAccount(t *testing.T) {
	t.Helper()
	keys := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "keys"}, StringData: map[string]string{
		"AWS_ACCESS_KEY_ID": memAccount, "AWS_SECRET_ACCESS_KEY": "secret"}}
	if err := shared.Client.Create(t.Context(), keys); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	stored(t, "ProviderConfig", `{metadata: {name: preview}, spec: {`+aTeamsAccount+`}}`, "")
}

func becomesReady(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	system.Retry(t, o.GetName()+" to be ready", func() error {
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		if !slices.ContainsFunc(conditions, func(c any) bool {
			condition := c.(map[string]any)
			return condition["type"] == "Ready" && condition["status"] == "True"
		}) {
			return fmt.Errorf("it is not: %v", conditions)
		}
		return nil
	})
}

// What a deletion will do is said by the API server, in a dry run too, and is what it then does.
func TestDeletionIsPreviewed(t *testing.T) {
	cloud := runController(t)
	anAccount(t)
	db := stored(t, "Database", `{metadata: {name: previewed}, spec: {providerConfigRef: {name: preview}, engine: postgres, version: "16", connection: {secretName: previewed-db}}}`, "")
	bucket := stored(t, "Bucket", `{metadata: {name: previewed}, spec: {providerConfigRef: {name: preview}, forceDestroy: true}}`, "")
	becomesReady(t, db)
	becomesReady(t, bucket)
	name, _, _ := unstructured.NestedString(db.Object, "status", "externalName")
	snapshot := name + "-final-" + strings.ReplaceAll(string(db.GetUID()), "-", "")[:8]
	said := fmt.Sprintf("database server %s is deleted; a final snapshot %s is taken first and stays until somebody deletes it", name, snapshot)
	inBucket := "is deleted for good with its contents (forceDestroy): all objects"

	kubectl := kubectlOf(t, editor(t))
	listens, heard := listening(t)
	system.Retry(t, "the webhook to be asked", func() error {
		heard.Take()
		if err := listens.Delete(t.Context(), db.DeepCopy(), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got := heard.Take(); len(got) == 0 || !strings.HasSuffix(got[0], ": "+said) {
			return fmt.Errorf("warnings %q, want first %q", got, said)
		}
		return nil
	})
	for _, tc := range []struct{ args, want string }{
		{"delete --dry-run=server databases.mooring.dev previewed", "/previewed: " + said + "\n"},
		{"delete --dry-run=server databases.mooring.dev previewed", "/previewed: the connection Secret previewed-db is deleted with it\n"},
		{"delete --dry-run=server databases.mooring.dev previewed", "/previewed: the cloud was last observed at "},
		{"delete --dry-run=server buckets.mooring.dev previewed", inBucket},
		{"delete --dry-run=server buckets.mooring.dev --all", inBucket},
	} {
		if out, err := kubectl(tc.args); err != nil || !strings.Contains(out, tc.want) {
			t.Errorf("kubectl %s: %v; want %q in\n%s", tc.args, err, tc.want, out)
		}
	}
	for _, o := range []*unstructured.Unstructured{db, bucket} {
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil || o.GetDeletionTimestamp() != nil {
			t.Errorf("a dry run deleted %s: %v", o.GetKind(), err)
		}
	}
	heard.Take()
	if err := listens.DeleteAllOf(t.Context(), bucket.DeepCopy(), client.InNamespace(shop), client.DryRunAll); err != nil || !strings.Contains(strings.Join(heard.Take(), "\n"), inBucket) {
		t.Errorf("of all at once nothing was said: %v", err)
	}
	heard.Take()
	if err := listens.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shop}}, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if got := heard.Take(); len(got) < 2 || !strings.HasPrefix(got[0], "Namespace "+shop+": deletes what Mooring manages in it: ") || !slices.Contains(got, "Namespace "+shop+": Database previewed: "+said) {
		t.Errorf("the namespace's deletion says %q, want also %q", got, said)
	}
	unheard(t, db)

	out, err := kubectl("delete --wait=false databases.mooring.dev previewed")
	if err != nil || !strings.Contains(out, said) {
		t.Errorf("%v; want %q in\n%s", err, said, out)
	}
	system.Retry(t, "the end of the database", func() error { return stillThere(t.Context(), db) })
	if _, there := mem.Databases(cloud).Get(memAccount, name); there || cloud.Snapshot(memAccount, snapshot) != driver.Ready {
		t.Errorf("the server is there: %v; its snapshot %s is %v", there, snapshot, cloud.Snapshot(memAccount, snapshot))
	}
}

// unheard: Kubernetes' own controllers, who read no warnings, wait for none.
func unheard(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	cfg := shared.Cluster.Config()
	cfg.Impersonate.UserName = "system:serviceaccount:kube-system:namespace-controller"
	c, heard, err := system.WithWarnings(cfg, client.Options{Scheme: shared.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), o.DeepCopy(), client.DryRunAll); err != nil {
		t.Error(err)
	}
	if got := heard.Take(); len(got) > 0 {
		t.Errorf("the namespace controller was told %q", got)
	}
}

// editor returns somebody who may edit what is in the namespace.
func editor(t *testing.T) string {
	t.Helper()
	const name = "previewer"
	err := shared.Client.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	return name
}

// What a new object will not have is said when it is applied.
func TestCreationIsPreviewed(t *testing.T) {
	runController(t)
	anAccount(t)
	c, heard := listening(t)
	system.Retry(t, "the webhook to be asked", func() error {
		heard.Take()
		if err := c.Create(t.Context(), object(t, "Database", `{spec: {providerConfigRef: {name: preview}, engine: postgres}}`), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		got := heard.Take()
		for i, want := range []string{"spec.version is not set: ", "spec.connection is not set: ", "spec.backup.retentionDays is not set: "} {
			if len(got) != 3 || !strings.Contains(got[i], ": "+want) {
				return fmt.Errorf("warnings %q", got)
			}
		}
		return nil
	})
	err := c.Create(t.Context(), object(t, "Database", `{spec: {providerConfigRef: {name: preview}, management: Observe, externalName: theirs}}`), client.DryRunAll)
	if got := heard.Take(); err != nil || len(got) > 0 {
		t.Errorf("of one that only observes: %v, %q", err, got)
	}
	err = c.Create(t.Context(), object(t, "Database", `{spec: {providerConfigRef: {name: preview}, engine: postgres, location: mars-1}}`), client.DryRunAll)
	if want := "spec.location: Invalid value: a region of Mars is not supported, because it is too far: set spec.location to eu-central-1"; !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("of one that asks for what its cloud lacks: %v, want %q", err, want)
	}
}

// The end of a pause is previewed by what it lets happen: the deletion.
func TestEndOfAPauseIsPreviewed(t *testing.T) {
	cloud := runController(t)
	anAccount(t)
	bucket := stored(t, "Bucket", `{metadata: {name: paused}, spec: {providerConfigRef: {name: preview}}}`, "")
	becomesReady(t, bucket)
	if err := shared.Client.Patch(t.Context(), bucket, merge(t, `{metadata: {annotations: {mooring.dev/paused: "true"}}}`)); err != nil {
		t.Fatal(err)
	}
	if err := shared.Client.Delete(t.Context(), bucket.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	name, _, _ := unstructured.NestedString(bucket.Object, "status", "externalName")
	c, heard := listening(t)
	goesOn, said := merge(t, `{metadata: {annotations: {mooring.dev/paused: null}}}`), "storage bucket "+name+" is deleted if it is empty"
	system.Retry(t, "the webhook to be asked", func() error {
		heard.Take()
		if err := c.Patch(t.Context(), bucket.DeepCopy(), goesOn, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got := heard.Take(); len(got) == 0 || !strings.Contains(got[0], ": "+said) || strings.Contains(strings.Join(got, " "), "annotation") {
			return fmt.Errorf("warnings %q, want first %q", got, said)
		}
		return nil
	})
	if _, there := mem.Buckets(cloud).Get(memAccount, name); !there {
		t.Fatal("the bucket was deleted during the pause")
	}
	if err := shared.Client.Patch(t.Context(), bucket.DeepCopy(), goesOn); err != nil {
		t.Fatal(err)
	}
	system.Retry(t, "the end of the bucket", func() error { return stillThere(t.Context(), bucket) })
	if _, there := mem.Buckets(cloud).Get(memAccount, name); there {
		t.Error("the bucket is still there")
	}
}

// The platform's consent to a takeover is previewed, and what it announces is what happens.
func TestConsentToATakeoverIsPreviewed(t *testing.T) {
	cloud := runController(t)
	anAccount(t)
	ours := &corev1.Namespace{}
	if err := shared.Client.Get(t.Context(), client.ObjectKey{Name: metav1.NamespaceSystem}, ours); err != nil {
		t.Fatal(err)
	}
	mark := driver.Mark{Cluster: string(ours.UID), Namespace: "bank", Name: "ledger", UID: "1", Released: true}
	mem.Buckets(cloud).Put(mem.Bucket{
		Object: mem.Object{Account: memAccount, Name: "left", Labels: mark.Labels()}, Spec: v1alpha1.BucketParameters{Location: new("eu-central-1")},
	})
	bucket := stored(t, "Bucket", `{metadata: {name: takes}, spec: {providerConfigRef: {name: preview}, externalName: left, adoption: IfExists}}`, "")
	system.Retry(t, "the bucket to be refused", func() error {
		if err := shared.Client.Get(t.Context(), client.ObjectKeyFromObject(bucket), bucket); err != nil {
			return err
		}
		if conditions, _, _ := unstructured.NestedSlice(bucket.Object, "status", "conditions"); !strings.Contains(fmt.Sprint(conditions), "NotOwned") {
			return fmt.Errorf("it is not: %v", conditions)
		}
		return nil
	})
	c, heard := listening(t)
	consent := merge(t, `{metadata: {annotations: {mooring.dev/adopt-from: bank/ledger}}}`)
	const said = "mooring.dev/adopt-from bank/ledger: if bank/ledger released the cloud object left (deletionPolicy: Retain), Mooring takes it over"
	system.Retry(t, "the webhook to be asked", func() error {
		heard.Take()
		if err := c.Patch(t.Context(), bucket.DeepCopy(), consent, client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		if got := heard.Take(); len(got) != 1 || !strings.Contains(got[0], ": "+said) {
			return fmt.Errorf("warnings %q, want %q", got, said)
		}
		return nil
	})
	if b, _ := mem.Buckets(cloud).Get(memAccount, "left"); driver.MarkFrom(b.Labels) != mark {
		t.Errorf("a dry run changed the mark: %v", b.Labels)
	}
	if err := shared.Client.Patch(t.Context(), bucket.DeepCopy(), consent); err != nil {
		t.Fatal(err)
	}
	becomesReady(t, bucket)
	if b, _ := mem.Buckets(cloud).Get(memAccount, "left"); driver.MarkFrom(b.Labels).Name != "takes" {
		t.Errorf("it was not taken over: %v", b.Labels)
	}
}
