package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/family"
	"github.com/mooring-dev/mooring/test/system"
)

// usersOfDatabases has a kind with a parent served, and the policies hold for it too. It returns an editor's client.
func usersOfDatabases(t *testing.T) client.Client {
	t.Helper()
	f := fixture(t)
	_, edit, _ := policies(t)
	ensure(t, family.Definition())
	t.Cleanup(func() { _ = shared.Client.Delete(context.WithoutCancel(t.Context()), family.Definition()) })
	path, err := system.ConfigFile("admission", "consent.yaml")
	f.Must(err)
	text, err := os.ReadFile(path)
	f.Must(err)
	ofUsers := t.TempDir() + "/consent.yaml"
	text = regexp.MustCompile(`\[buckets, [a-z, ]+\]`).ReplaceAll(text, []byte("[users]"))
	f.Must(os.WriteFile(ofUsers, []byte(strings.NewReplacer("mooring-", "family-", "ClusterRole family-", "ClusterRole mooring-").Replace(string(text))), 0o600))
	objects, err := system.ReadManifest(ofUsers)
	f.Must(err)
	for _, o := range objects {
		ensure(t, o)
		t.Cleanup(func() { _ = shared.Client.Delete(context.WithoutCancel(t.Context()), o) })
	}
	ensure(t,
		&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "users"}, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"mooring.dev"}, Resources: []string{"users"}, Verbs: []string{"get", "create", "update", "patch"},
		}}},
		&rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "users"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "users"},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "with-edit"}},
		})
	system.Retry(t, "the policies of users", func() error {
		err := edit.Create(t.Context(), object(t, "User", `{spec: {adoption: IfExists, databaseRef: {name: orders}}}`), client.DryRunAll)
		switch {
		case err == nil:
			return errors.New("an editor's creation is permitted")
		case !strings.Contains(err.Error(), needsAdopt):
			return fmt.Errorf("an editor's creation: %w", err)
		}
		return nil
	})
	return edit
}

// A consent to take over or observe what is within one parent does not hold for another.
func TestConsentWithinAParent(t *testing.T) {
	edit := usersOfDatabases(t)
	const (
		adopting = `{spec: {adoption: IfExists, externalName: app, databaseRef: {name: orders}}}`
		watching = `{spec: {management: Observe, externalName: app, databaseRef: {name: orders}}}`
		plain    = `{spec: {externalName: app, databaseRef: {name: orders}}}`
		proven   = `{status: {externalName: app, firstReadyTime: "2026-01-01T00:00:00Z"}}`
		another  = `{spec: {databaseRef: {name: payments}}}`
	)
	for _, tc := range []struct{ name, object, status, edit, want string }{
		{"to adopt within another parent", adopting, "", another, needsAdopt},
		{"to adopt within another parent, once something is proven", adopting, proven, another, needsAdopt},
		{"to adopt within no parent", adopting, "", `{spec: {databaseRef: null}}`, needsAdopt},
		{"to adopt within a parent of another kind", adopting, "", `{spec: {serverRef: {name: orders}}}`, needsAdopt},
		{"to observe within another parent", watching, "", another, needsAdopt},
		{"to step back from what is proven and observe within another parent", plain, proven, `{spec: {management: Observe, databaseRef: {name: payments}}}`, needsAdopt},
		{"to step back from what is proven", plain, proven, `{spec: {management: Observe}}`, ""},
		{"the rest of the spec", adopting, "", `{spec: {role: writer}}`, ""},
		{"the same parent", adopting, "", `{spec: {databaseRef: {name: orders}, role: writer}}`, ""},
		{"another parent, and nothing is adopted", plain, "", another, ""},
		{"another account of what is proven", adopting, proven, `{spec: {providerConfigRef: {name: other}}}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := stored(t, "User", tc.object, tc.status)
			err := edit.Patch(t.Context(), o, merge(t, tc.edit), client.DryRunAll)
			answered(t, err, tc.want)
			if tc.want != "" && !apierrors.IsForbidden(err) {
				t.Errorf("%v, want it to be Forbidden", err)
			}
		})
	}
}
