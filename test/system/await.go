package system

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Await waits until an object is as wanted, by a watch: so is asked about the object as it is, and again after each change of it. exists is
// false while the object is not there, and o is then what it was last.
func Await(t testing.TB, c client.WithWatch, o client.Object, what string, so func(exists bool) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), Patience, errOverdue)
	defer cancel()
	switch err := await(ctx, c, o, so); {
	case err != nil && context.Cause(ctx) == errOverdue:
		t.Fatalf("not so after %v: %s; %T %s is %s", Patience, what, o, client.ObjectKeyFromObject(o), describe(o))
	case err != nil:
		t.Fatalf("wait until %s: %v", what, err)
	}
}

// errOverdue ends a wait that lasts for longer than Patience.
var errOverdue = errors.New("not so in time")

// AwaitObject waits until an object is there and as wanted; see Await.
func (f *Fixture) AwaitObject(o client.Object, what string, so func() bool) {
	f.Helper()
	Await(f.T, f.Client, o, what, func(exists bool) bool { return exists && so() })
}

// await reads an object, then watches it from there on. A watch that the API server ends, as it does when a definition changes, is followed by
// another read.
func await(ctx context.Context, c client.WithWatch, o client.Object, so func(exists bool) bool) error {
	list, err := listFor(c, o)
	if err != nil {
		return err
	}
	its := &client.ListOptions{Namespace: o.GetNamespace()}
	client.MatchingFields{metav1.ObjectNameField: o.GetName()}.ApplyToList(its)
	for {
		its.Raw = nil
		if err := c.List(ctx, list, its); err != nil {
			return err
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			return err
		}
		for _, item := range items {
			become(o, item)
		}
		if so(len(items) > 0) {
			return nil
		}
		its.Raw = &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}
		w, err := c.Watch(ctx, list, its)
		if err != nil {
			return err
		}
		done := follow(w, o, so)
		w.Stop()
		switch {
		case done:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// follow reports whether an object became as wanted before the watch of it ended.
func follow(w watch.Interface, o client.Object, so func(exists bool) bool) bool {
	for e := range w.ResultChan() {
		switch e.Type {
		case watch.Added, watch.Modified:
			become(o, e.Object)
			if so(true) {
				return true
			}
		case watch.Deleted:
			if so(false) {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// become makes an object what another of its type is.
func become(o client.Object, other any) {
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(other).Elem())
}

// listFor returns an empty list of an object's kind.
func listFor(c client.Client, o client.Object) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(o, c.Scheme())
	if err != nil {
		return nil, err
	}
	gvk.Kind += "List"
	if _, ok := o.(*unstructured.Unstructured); ok {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		return list, nil
	}
	list, err := c.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	return list.(client.ObjectList), nil
}

// describe says what a failed test tells of an object: of a resource its conditions, of any other all.
func describe(o client.Object) string {
	if r, ok := o.(v1alpha1.ResourceObject); ok {
		return fmt.Sprintf("at generation %d with %+v", r.GetGeneration(), r.GetResourceStatus().Conditions)
	}
	return fmt.Sprintf("%+v", o)
}
