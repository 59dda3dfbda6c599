package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// mostOfNamespace is how many objects the warning of a namespace's deletion names.
const mostOfNamespace = 10

// namespaceDeletion says what the deletion of a namespace takes along: how many objects, and of those that lose most what becomes of what they have in the cloud.
func (w *reviewer) namespaceDeletion(ctx context.Context, namespace string) ([]string, error) {
	var counted []string
	var all []lostObject
	for _, k := range w.kinds {
		list := k.NewList()
		if err := w.reader.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("list objects of the kind %s: %w", k.Name, err)
		}
		n := 0
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			if object := item.(v1alpha1.ResourceObject); object.GetDeletionTimestamp() == nil {
				all = append(all, lostObject{k, object})
				n++
			}
			return nil
		})
		if n > 0 {
			counted = append(counted, fmt.Sprintf("%d %s", n, k.Name))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	lines := []string{"takes along what Mooring has there: " + strings.Join(counted, ", ")}
	slices.SortStableFunc(all, func(a, b lostObject) int { return a.loss() - b.loss() })
	for _, o := range all[:min(len(all), mostOfNamespace)] {
		if said := (safePreview{o.kind.preview, o.kind.Name, w.log}).deletion(ctx, o.object); len(said) > 0 {
			lines = append(lines, fmt.Sprintf("%s %s: %s", o.kind.Name, o.object.GetName(), said[0]))
		}
	}
	if more := len(all) - mostOfNamespace; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, of which kubectl delete --dry-run=server says the same one by one", more))
	}
	return lines, nil
}

// A lostObject is one that goes with its namespace.
type lostObject struct {
	kind   addedKind
	object v1alpha1.ResourceObject
}

// loss is how little is left of it: the less, the smaller.
func (o lostObject) loss() int {
	return slices.Index([]v1alpha1.DeletionPolicy{v1alpha1.DeletionDelete, v1alpha1.DeletionSnapshot, v1alpha1.DeletionRetain}, o.kind.Deletion(o.object))
}
