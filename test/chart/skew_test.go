package chart

import (
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestSkew: for one release, the controller and the CustomResourceDefinitions may be of different ones, as they are in the
// course of an upgrade. Whoever runs Helm 3 has the same of it.
func TestSkew(t *testing.T) {
	t.Parallel()
	first := firstRelease(t)
	old := filepath.Join(first, "charts", "mooring")
	t.Run("the controller is older", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t, "helm3")
		w.install(old, build(t, first), often)
		w.Must(w.Accounts(t.Context()))
		before := w.begin("before")
		// Who keeps their values has none of those that are new.
		w.run(w, "upgrade", release, chartDir(t), "--namespace", namespace, "--reuse-values")
		w.apply(chartDir(t), often) // and nobody has come to run the new Pods yet
		w.verifyCABundles()
		w.goesOn(before)
		w.goesOn(w.begin("after"))
	})
	t.Run("the definitions are older", func(t *testing.T) {
		t.Parallel()
		w := newFixture(t, "helm3")
		w.install(old, build(t, first), often)
		w.Must(w.Accounts(t.Context()))
		before := w.begin("before")
		calls := w.calls()
		w.install(chartDir(t), build(t, root(t)), often+"crds: {install: false}\n")
		w.verifyCABundles()
		w.awaitObserved(before)
		if writes := w.writes(calls); len(writes) > 0 {
			t.Errorf("the upgrade wrote to the cloud: %q", writes)
		}
		w.goesOn(before)
		w.goesOn(w.begin("after"))
		w.uninstall()
	})
}

// begin makes one object of each kind on each cloud.
func (w *fixture) begin(namespace string) []client.Object {
	w.Helper()
	all := objects(namespace, 1)
	w.create(all)
	w.ready(all)
	return all
}

// goesOn edits objects, and deletes them.
func (w *fixture) goesOn(all []client.Object) {
	w.Helper()
	calls := w.calls()
	for _, o := range all {
		before := o.DeepCopyObject().(client.Object)
		switch o := o.(type) {
		case *v1alpha1.Bucket:
			o.Spec.Tags = map[string]v1alpha1.TagValue{"team": "bank"}
		case *v1alpha1.Database:
			o.Spec.Tags = map[string]v1alpha1.TagValue{"team": "bank"}
			o.Spec.DeletionProtection, o.Spec.DeletionPolicy = new(false), v1alpha1.DeletionDelete
		}
		w.Must(w.Client.Patch(w.Context(), o, client.MergeFrom(before)))
	}
	w.ready(all)
	if len(w.writes(calls)) < len(all) {
		w.Errorf("the edits came to %q", w.writes(calls))
	}
	for _, o := range all {
		w.Must(w.Client.Delete(w.Context(), o))
	}
	for _, o := range all {
		system.Await(w.T, w.Client, o, o.GetName()+" is gone", func(exists bool) bool { return !exists })
		for _, operation := range []string{"CreateBucket", "CreateDBInstance", "buckets.insert", "instances.insert"} {
			if n := w.Cloud.Ledger.Count(localcloud.Filter{Operation: operation, Resource: system.StatusOf(o).ExternalName}); n > 1 {
				w.Errorf("%d times %s of %s", n, operation, system.StatusOf(o).ExternalName)
			}
		}
	}
}
