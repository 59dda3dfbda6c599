package admission

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// To restore a snapshot by its name in the cloud copies data that may be anybody's, so it takes the verb by which somebody takes over what exists. A snapshot
// of the namespace takes none.
func TestConsentToRestore(t *testing.T) {
	_, edit, owner := policies(t)
	const (
		ours    = `{spec: {restoreFrom: {snapshotRef: {name: nightly}}}}`
		byName  = `{spec: {restoreFrom: {externalSnapshotName: shop-orders-final}}}`
		another = `{spec: {restoreFrom: {externalSnapshotName: billing-orders-final}}}`
		worked  = `{status: {externalName: orders, firstReadyTime: "2026-01-01T00:00:00Z"}}`
	)
	for _, tc := range []struct{ name, object, want string }{
		{"a snapshot of the namespace", ours, ""},
		{"a snapshot by its name", byName, needsAdopt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := object(t, "Database", tc.object)
			answered(t, edit.Create(t.Context(), o.DeepCopy(), client.DryRunAll), tc.want)
			answered(t, owner.Create(t.Context(), o.DeepCopy(), client.DryRunAll), "")
		})
	}
	for _, tc := range []struct{ name, object, status, edit, want string }{
		{"another snapshot by its name", byName, "", another, needsAdopt},
		{"a snapshot by its name in place of one of the namespace", ours, "", `{spec: {restoreFrom: {snapshotRef: null, externalSnapshotName: shop-orders-final}}}`, needsAdopt},
		{"the same name in another account", byName, "", `{spec: {className: other}}`, needsAdopt},
		{"another class once it was restored", byName, worked, `{spec: {className: other}}`, ""},
		{"the rest of the spec", byName, "", `{spec: {tags: {a: b}}}`, ""},
		{"a snapshot of the namespace in its place", byName, "", `{spec: {restoreFrom: {snapshotRef: {name: nightly}, externalSnapshotName: null}}}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := stored(t, "Database", tc.object, tc.status)
			answered(t, edit.Patch(t.Context(), o, merge(t, tc.edit), client.DryRunAll), tc.want)
		})
	}
}
