package controllers

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
)

// policyPreview is a preview that says what becomes of an object by its policy.
type policyPreview struct{ said }

func (policyPreview) Deletion(_ context.Context, o v1alpha1.ResourceObject) (preview.Report, error) {
	return preview.Report{Consequences: []string{"server " + o.GetName() + ": " + string(o.GetDeletionPolicy()), "its Secret", "and more"}}, nil
}

// The deletion of a namespace says how many objects go with it, and what becomes of those that lose most. Without objects it says nothing.
func TestNamespaceDeletionIsPreviewed(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme)
	for i := range 11 {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("kept-%02d", i)}}
		d.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		builder.WithObjects(d)
	}
	lost := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "lost"}}
	lost.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	going := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "going", Finalizers: []string{"mooring.dev/finalizer"}, DeletionTimestamp: &metav1.Time{Time: metav1.Now().Time}}}
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	bucket.Spec.DeletionPolicy = v1alpha1.DeletionRetain
	r := validating(nil)
	r.kinds[0].preview = policyPreview{}
	r.kinds = append(r.kinds, addedKind{Kind: kind.Bucket(), preview: policyPreview{}})
	r.reader = builder.WithObjects(lost, going, bucket).Build()
	said := func(namespace string) []string {
		result, err := r.validate(t.Context(), admission.Review{Old: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}})
		if err != nil || len(result.Refusals) > 0 {
			t.Fatal(err, result.Refusals)
		}
		return result.Warnings
	}
	want := []string{"deletes what Mooring manages in it: 12 Databases, 1 Bucket", "Database lost: server lost: Delete", "Database lost: its Secret"}
	for i := range 9 {
		want = append(want, fmt.Sprintf("Database kept-%02d: server kept-%02[1]d: Retain", i), fmt.Sprintf("Database kept-%02d: its Secret", i))
	}
	want = append(want, "and 3 more; kubectl delete --dry-run=server says what becomes of each")
	if got := said("shop"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := said("pay"); len(got) > 0 {
		t.Errorf("of a namespace without objects %q", got)
	}
}
