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

// How much the warning of a namespace's deletion says: of how many objects, and how many lines of each.
const (
	mostOfNamespace = 10
	mostOfObject    = 2
)

// namespaceDeletion says what goes with a namespace: how many objects, and what becomes of some of them, those first that would be deleted with all they have. It takes no longer
// than the preview of one deletion may.
func (w *reviewer) namespaceDeletion(ctx context.Context, namespace string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, previewDeletionFor)
	defer cancel()
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
		switch {
		case n == 1:
			counted = append(counted, "1 "+k.Name)
		case n > 1:
			counted = append(counted, fmt.Sprintf("%d %ss", n, k.Name))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	lines := []string{"deletes what Mooring manages in it: " + strings.Join(counted, ", ")}
	slices.SortStableFunc(all, func(a, b lostObject) int { return a.rank() - b.rank() })
	told := 0
	for _, o := range all[:min(len(all), mostOfNamespace)] {
		if ctx.Err() != nil {
			break
		}
		said := (safePreview{o.kind.preview, o.kind.Name, w.log}).deletion(ctx, o.object)
		for _, line := range said[:min(len(said), mostOfObject)] {
			lines = append(lines, fmt.Sprintf("%s %s: %s", o.kind.Name, o.object.GetName(), line))
		}
		told++
	}
	if more := len(all) - told; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more; kubectl delete --dry-run=server says what becomes of each", more))
	}
	return lines, nil
}

// A lostObject is one that goes with its namespace.
type lostObject struct {
	kind   addedKind
	object v1alpha1.ResourceObject
}

// rank is smaller for what is more likely to be lost, as far as its own spec tells: a cloud deletes no bucket with objects in it unless that is asked for.
func (o lostObject) rank() int {
	switch policy := o.kind.Deletion(o.object); {
	case policy == v1alpha1.DeletionDelete && (o.kind.Login || o.object.GetForceDestroy()):
		return 0
	case policy == v1alpha1.DeletionRetain:
		return 2
	}
	return 1
}
