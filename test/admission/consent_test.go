package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/system"
)

const (
	needsApprove = `needs the verb "approve" on `
	needsAdopt   = `needs the verb "adopt" on `
	needsOperate = `needs the verb "operate" on `
)

// policies installs policies and roles, and waits until they are in force.
func policies(t *testing.T) (view, edit, owner client.Client) {
	t.Helper()
	apply(t, "rbac", "users.yaml")
	apply(t, "admission", "consent.yaml")
	view, edit, owner = user(t, "view"), user(t, "edit"), user(t, "admin")
	for _, text := range []string{`{metadata: {annotations: {mooring.dev/approve: x}}, spec: {}}`, `{spec: {adoption: IfExists}}`} {
		system.Retry(t, "the policies", func() error {
			if err := edit.Create(t.Context(), object(t, "Bucket", text), client.DryRunAll); err == nil || !strings.Contains(err.Error(), "verb") {
				return fmt.Errorf("an editor's creation: %w", err)
			}
			return nil
		})
		system.Retry(t, "the administrator's rights", func() error {
			return owner.Create(t.Context(), object(t, "Bucket", text), client.DryRunAll)
		})
	}
	system.Retry(t, "the viewer's rights", func() error { return view.List(t.Context(), list("Bucket"), client.InNamespace(shop)) })
	return view, edit, owner
}

func list(kind string) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetAPIVersion("mooring.dev/v1alpha1")
	l.SetKind(kind + "List")
	return l
}

func TestConsentToCreate(t *testing.T) {
	view, edit, owner := policies(t)
	for _, tc := range []struct{ name, object, want string }{
		{"nothing special", `{spec: {}}`, ""},
		{"a chosen name", `{spec: {externalName: some-name}}`, ""},
		{"adoption of what is marked", `{spec: {adoption: IfMarked, externalName: some-name}}`, ""},
		{"no adoption", `{spec: {adoption: Never}}`, ""},
		{"full management", `{spec: {management: Full}}`, ""},
		{"other annotations", `{metadata: {annotations: {mooring.dev/paused: "true", mooring.dev/reconcile: now}}, spec: {}}`, ""},
		{"adoption", `{spec: {adoption: IfExists, externalName: some-name}}`, needsAdopt},
		{"adoption by a derived name", `{spec: {adoption: IfExists}}`, needsAdopt},
		{"observation", `{spec: {management: Observe, externalName: some-name}}`, needsAdopt},
		{"observation and adoption", `{spec: {management: Observe, adoption: IfExists, externalName: some-name}}`, needsAdopt},
		{"approval", `{metadata: {annotations: {mooring.dev/approve: abc}}, spec: {}}`, needsApprove},
		{"an action, which a creation does not ask for", `{metadata: {annotations: {mooring.dev/restart: one}}, spec: {}}`, ""},
		{"an empty approval", `{metadata: {annotations: {mooring.dev/approve: ""}}, spec: {}}`, needsApprove},
		{"approval in advance", `{spec: {updates: {disruptive: Always}}}`, needsApprove},
		{"approval of everything asked for", `{spec: {updates: {disruptive: OnApproval}}}`, ""},
		{"a given name", `{metadata: {name: given}, spec: {adoption: IfExists}}`, needsAdopt},
	} {
		for _, kind := range []string{"Bucket", "Database"} {
			t.Run(kind+" "+tc.name, func(t *testing.T) {
				o := object(t, kind, tc.object)
				err := edit.Create(t.Context(), o.DeepCopy(), client.DryRunAll)
				answered(t, err, tc.want)
				if tc.want != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), strings.ToLower(kind)+"s.mooring.dev, which you lack in namespace shop")) {
					t.Errorf("%v; want it to be Forbidden, and to name resource and namespace", err)
				}
				answered(t, owner.Create(t.Context(), o.DeepCopy(), client.DryRunAll), "")
				answered(t, view.Create(t.Context(), o.DeepCopy(), client.DryRunAll), "cannot create resource")
			})
		}
	}
}

func TestConsentToUpdate(t *testing.T) {
	_, edit, owner := policies(t)
	const (
		plain    = `{spec: {}}`
		approved = `{metadata: {annotations: {mooring.dev/approve: abc}}, spec: {}}`
		acted    = `{metadata: {annotations: {mooring.dev/restart: one}}, spec: {}}`
		adopting = `{spec: {adoption: IfExists, externalName: some-name}}`
		watching = `{spec: {management: Observe, externalName: some-name}}`
		chosen   = `{spec: {externalName: some-name}}`
		proven   = `{status: {externalName: some-name, firstReadyTime: "2026-01-01T00:00:00Z"}}`
		named    = `{status: {externalName: some-name}}`
	)
	for _, tc := range []struct{ name, object, status, edit, want string }{
		{"to approve", plain, "", `{metadata: {annotations: {mooring.dev/approve: abc}}}`, needsApprove},
		{"to approve something else", approved, "", `{metadata: {annotations: {mooring.dev/approve: abd}}}`, needsApprove},
		{"to approve the same", approved, "", `{metadata: {annotations: {mooring.dev/approve: abc}}}`, ""},
		{"to take an approval back", approved, "", `{metadata: {annotations: {mooring.dev/approve: null}}}`, ""},
		{"another annotation beside an approval", approved, "", `{metadata: {annotations: {mooring.dev/paused: "true"}}}`, ""},
		{"the spec beside an approval", approved, "", `{spec: {tags: {a: b}}}`, ""},

		{"to restart", plain, "", `{metadata: {annotations: {mooring.dev/restart: one}}}`, needsOperate},
		{"to restart again", acted, "", `{metadata: {annotations: {mooring.dev/restart: two}}}`, needsOperate},
		{"to take a restart back", acted, "", `{metadata: {annotations: {mooring.dev/restart: null}}}`, needsOperate},
		{"to fail over", acted, "", `{metadata: {annotations: {mooring.dev/failover: one}}}`, needsOperate},
		{"to change the password", acted, "", `{metadata: {annotations: {mooring.dev/rotate-password: one}}}`, needsOperate},
		{"another annotation beside an action", acted, "", `{metadata: {annotations: {mooring.dev/paused: "true"}}}`, ""},
		{"the same action", acted, "", `{metadata: {annotations: {mooring.dev/restart: one}}, spec: {tags: {a: b}}}`, ""},

		{"to approve in advance", plain, "", `{spec: {updates: {disruptive: Always}}}`, needsApprove},
		{"to ask about less", `{spec: {updates: {disruptive: OnApproval}}}`, "", `{spec: {updates: {disruptive: OnSpecChange}}}`, needsApprove},
		{"to ask about less than a class might", `{spec: {className: none, updates: {disruptive: OnApproval}}}`, "", `{spec: {updates: {disruptive: Always}}}`, needsApprove},
		{"to ask about as much", `{spec: {updates: {disruptive: OnApproval}}}`, "", `{spec: {tags: {a: b}}}`, ""},
		{"to say the default while something waits", plain, `{status: {pendingChanges: [{field: tags, waitsFor: Approval}]}}`, `{spec: {updates: {disruptive: OnSpecChange}}}`, needsApprove},
		{"to say the default while something waits for the start, and then for approval", plain, `{status: {pendingChanges: [{field: tags, waitsFor: Start, needsApproval: true}]}}`, `{spec: {updates: {disruptive: OnSpecChange}}}`, needsApprove},
		{"to say the default while something waits for the start alone", plain, `{status: {pendingChanges: [{field: tags, waitsFor: Start}]}}`, `{spec: {updates: {disruptive: OnSpecChange}}}`, ""},
		{"another time for what was approved and waits for the window", plain, `{status: {pendingChanges: [{field: tags, waitsFor: MaintenanceWindow, approved: true}]}}`, `{spec: {updates: {timing: Immediate}}}`, needsApprove},
		{"another time for what was approved and waits for the start, and then for the window", plain, `{status: {pendingChanges: [{field: tags, waitsFor: Start, approved: true, dueIn: "Sunday 03:00–04:00 UTC"}]}}`, `{spec: {updates: {timing: Immediate}}}`, needsApprove},
		{"another time for what was approved and waits for the start alone", plain, `{status: {pendingChanges: [{field: tags, waitsFor: Start, approved: true}]}}`, `{spec: {updates: {timing: Immediate}}}`, ""},
		{"to say the default while nothing waits", plain, "", `{spec: {updates: {disruptive: OnSpecChange}}}`, ""},
		{"to ask about everything", plain, "", `{spec: {updates: {disruptive: OnApproval}}}`, ""},

		{"to adopt", plain, "", `{spec: {adoption: IfExists}}`, needsAdopt},
		{"to adopt, once it has a name", chosen, named, `{spec: {adoption: IfExists}}`, needsAdopt},
		{"to adopt something else", adopting, "", `{spec: {externalName: another-name}}`, needsAdopt},
		{"to adopt by a derived name", adopting, "", `{spec: {externalName: null}}`, needsAdopt},
		{"to adopt in another account", adopting, "", `{spec: {className: other}}`, needsAdopt},
		{"to adopt by another provider config", adopting, "", `{spec: {providerConfigRef: {name: other}, engine: postgres}}`, needsAdopt},
		{"to adopt in another place", adopting, "", `{spec: {location: eu-central-1}}`, needsAdopt},
		{"another class of what was adopted", adopting, proven, `{spec: {className: other}}`, ""},
		{"the rest of the spec", adopting, "", `{spec: {tags: {a: b}}}`, ""},
		{"a label", adopting, "", `{metadata: {labels: {a: b}}}`, ""},
		{"no adoption any more", adopting, "", `{spec: {adoption: null}}`, ""},
		{"no adoption any more, and another name", adopting, "", `{spec: {adoption: IfMarked, externalName: another-name}}`, ""},

		{"to observe", plain, "", `{spec: {management: Observe, externalName: some-name}}`, needsAdopt},
		{"to observe what is not proven to be ours", chosen, named, `{spec: {management: Observe}}`, needsAdopt},
		{"to observe what was ours", chosen, proven, `{spec: {management: Observe}}`, ""},
		{"to observe what was ours under a derived name", plain, proven, `{spec: {management: Observe, externalName: some-name}}`, ""},
		{"to observe something else", watching, "", `{spec: {externalName: another-name}}`, needsAdopt},
		{"to observe in another account", watching, named, `{spec: {className: other}}`, needsAdopt},
		{"to manage what was observed", watching, named, `{spec: {management: Full}}`, ""},
		{"to manage and adopt what was observed", watching, named, `{spec: {management: Full, adoption: IfExists}}`, needsAdopt},
		{"to observe and adopt what was ours", chosen, proven, `{spec: {management: Observe, adoption: IfExists}}`, needsAdopt},
		{"the rest of what is observed", watching, named, `{spec: {tags: {a: b}}}`, ""},
	} {
		for _, kind := range []string{"Bucket", "Database"} {
			t.Run(kind+" "+tc.name, func(t *testing.T) {
				o := stored(t, kind, tc.object, tc.status)
				err := edit.Patch(t.Context(), o.DeepCopy(), merge(t, tc.edit), client.DryRunAll)
				answered(t, err, tc.want)
				if tc.want != "" && !apierrors.IsForbidden(err) {
					t.Errorf("%v, want it to be Forbidden", err)
				}
				answered(t, owner.Patch(t.Context(), o.DeepCopy(), merge(t, tc.edit), client.DryRunAll), "")
			})
		}
	}
}

// What is being deleted is refused nothing.
func TestConsentOfTheDoomed(t *testing.T) {
	_, edit, _ := policies(t)
	o := stored(t, "Bucket", `{metadata: {finalizers: [mooring.dev/cloud-resource]}, spec: {}}`, "")
	if err := edit.Delete(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	answered(t, edit.Patch(t.Context(), o, merge(t, `{metadata: {annotations: {mooring.dev/approve: x}}, spec: {adoption: IfExists}}`)), "")
}

// Mooring's own rights hold neither verb, and its writes need none.
func TestConsentOfTheController(t *testing.T) {
	policies(t)
	controller := fixture(t).User(system.Installed)
	o := stored(t, "Bucket", `{metadata: {annotations: {mooring.dev/approve: x}}, spec: {adoption: IfExists, management: Observe, externalName: some-name}}`, "")
	answered(t, controller.Patch(t.Context(), o, merge(t, `{metadata: {finalizers: [mooring.dev/cloud-resource]}}`)), "")
	answered(t, controller.Status().Patch(t.Context(), o, merge(t, `{status: {externalName: some-name}}`)), "")
	answered(t, controller.Patch(t.Context(), o, merge(t, `{metadata: {finalizers: null}}`)), "")
	answered(t, controller.Patch(t.Context(), o, merge(t, `{metadata: {annotations: {mooring.dev/approve: another}}}`)), needsApprove)
}

// The verbs can be granted for one object.
func TestConsentByName(t *testing.T) {
	_, edit, _ := policies(t)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "adopt-one"}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"mooring.dev"}, Resources: []string{"buckets"}, ResourceNames: []string{"one"}, Verbs: []string{"adopt"},
	}}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "with-edit"}},
	}
	for _, o := range []client.Object{role, binding} {
		if err := shared.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = shared.Client.Delete(context.WithoutCancel(t.Context()), o) })
	}
	create := func(kind, name string) error {
		return edit.Create(t.Context(), object(t, kind, `{metadata: {name: `+name+`}, spec: {adoption: IfExists}}`), client.DryRunAll)
	}
	system.Retry(t, "the role", func() error { return create("Bucket", "one") })
	answered(t, create("Bucket", "two"), needsAdopt)
	answered(t, create("Database", "one"), needsAdopt)
}

// To take over what another namespace left behind reaches beyond the namespace: its administrator may not, unless somebody with a
// right on the account lets it.
func TestConsentBeyondTheNamespace(t *testing.T) {
	_, edit, owner := policies(t)
	const (
		left      = `{metadata: {annotations: {mooring.dev/adopt-from: bank/ledger}}, spec: {adoption: IfExists, `
		byClass   = left + `className: shared}}`
		byConfig  = left + `providerConfigRef: {kind: ClusterProviderConfig, name: shared}, engine: postgres}}`
		byOwn     = left + `providerConfigRef: {kind: ProviderConfig, name: shared}, engine: postgres}}`
		byDefault = left + `externalName: some-name}}`
	)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "adopt-from-shared"}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"mooring.dev"}, Resources: []string{"bucketclasses", "databaseclasses", "clusterproviderconfigs"},
		ResourceNames: []string{"shared"}, Verbs: []string{"adopt"},
	}}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "with-admin"}},
	}
	create := func(c client.Client, kind, text string) error {
		if kind == "Bucket" {
			text = strings.ReplaceAll(text, ", engine: postgres", "")
		}
		return c.Create(t.Context(), object(t, kind, text), client.DryRunAll)
	}
	for _, kind := range []string{"Bucket", "Database"} {
		for _, text := range []string{byClass, byConfig, byOwn, byDefault} {
			for _, by := range []client.Client{edit, owner} {
				if err := create(by, kind, text); !apierrors.IsForbidden(err) || by == owner && !strings.Contains(err.Error(), "ask your platform team") {
					t.Errorf("%s %s: %v, want it to be Forbidden", kind, text, err)
				}
			}
			if err := create(shared.Client, kind, text); err != nil {
				t.Errorf("%s %s: an administrator of the cluster: %v", kind, text, err)
			}
		}
	}
	for _, o := range []client.Object{role, binding} {
		if err := shared.Client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = shared.Client.Delete(context.WithoutCancel(t.Context()), o) })
	}
	system.Retry(t, "the role", func() error { return create(owner, "Bucket", byClass) })
	for _, kind := range []string{"Bucket", "Database"} {
		answered(t, create(owner, kind, byClass), "")
		answered(t, create(owner, kind, byConfig), "")
		answered(t, create(owner, kind, byOwn), needsAdopt)
		answered(t, create(owner, kind, byDefault), needsAdopt)
		o := stored(t, kind, `{metadata: {annotations: {mooring.dev/adopt-from: bank/ledger}}, spec: {className: other}}`, "")
		answered(t, owner.Patch(t.Context(), o.DeepCopy(), merge(t, `{spec: {tags: {a: b}}}`), client.DryRunAll), "")
		answered(t, owner.Patch(t.Context(), o.DeepCopy(), merge(t, `{spec: {externalName: another-name}}`), client.DryRunAll), needsAdopt)
		answered(t, owner.Patch(t.Context(), o.DeepCopy(), merge(t, `{metadata: {annotations: {mooring.dev/adopt-from: bank/vault}}}`), client.DryRunAll), needsAdopt)
		answered(t, owner.Patch(t.Context(), o.DeepCopy(), merge(t, `{metadata: {annotations: {mooring.dev/adopt-from: null}}}`), client.DryRunAll), "")
	}
}

func TestRoles(t *testing.T) {
	view, edit, owner := policies(t)
	provider := `{spec: {aws: {region: eu-central-1}, credentials: {secretRef: {name: team}}}}`
	for _, tc := range []struct {
		name              string
		try               func(client.Client) error
		view, edit, admin bool
	}{
		{"read buckets", lists(t, "Bucket"), true, true, true},
		{"read databases", lists(t, "Database"), true, true, true},
		{"read provider configs", lists(t, "ProviderConfig"), true, true, true},
		{"read cluster provider configs", lists(t, "ClusterProviderConfig"), false, false, false},
		{"make buckets", creates(t, "Bucket", `{spec: {}}`), false, true, true},
		{"make databases", creates(t, "Database", `{spec: {}}`), false, true, true},
		{"make provider configs", creates(t, "ProviderConfig", provider), false, false, true},
		{"make classes", creates(t, "BucketClass", `{spec: {providerConfigRef: {name: a}}}`), false, false, false},
		{"write status", func(c client.Client) error {
			return c.Status().Patch(t.Context(), stored(t, "Bucket", `{spec: {}}`, ""), merge(t, `{status: {externalName: x}}`), client.DryRunAll)
		}, false, false, false},
		{"delete all buckets at once", func(c client.Client) error {
			o := object(t, "Bucket", `{spec: {}}`)
			return c.DeleteAllOf(t.Context(), o, client.InNamespace(shop), client.DryRunAll)
		}, false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for role, by := range map[string]struct {
				client client.Client
				want   bool
			}{"view": {view, tc.view}, "edit": {edit, tc.edit}, "admin": {owner, tc.admin}} {
				if err := tc.try(by.client); (err == nil) != by.want || err != nil && !apierrors.IsForbidden(err) {
					t.Errorf("%s: %v; want it allowed: %v", role, err, by.want)
				}
			}
		})
	}
}

func lists(t *testing.T, kind string) func(client.Client) error {
	return func(c client.Client) error { return c.List(t.Context(), list(kind), client.InNamespace(shop)) }
}

func creates(t *testing.T, kind, text string) func(client.Client) error {
	return func(c client.Client) error { return c.Create(t.Context(), object(t, kind, text), client.DryRunAll) }
}
