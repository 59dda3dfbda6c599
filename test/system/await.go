package system

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Await waits until an object is as wanted, by a watch: so is asked about the object as it is, and again after each change of it. exists is
// false while the object is not there, and o is then what it was last.
func Await(t testing.TB, c client.WithWatch, o client.Object, what string, so func(exists bool) bool) {
	t.Helper()
	list, err := listFor(c, o)
	if err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
	about := func() string {
		return fmt.Sprintf("%T %s is %s", o, client.ObjectKeyFromObject(o), describe(o))
	}
	become := func(items []runtime.Object) bool {
		for _, item := range items {
			reflect.ValueOf(o).Elem().Set(reflect.ValueOf(item).Elem())
		}
		return so(len(items) > 0)
	}
	its := []client.ListOption{client.InNamespace(o.GetNamespace()), client.MatchingFields{metav1.ObjectNameField: o.GetName()}}
	await(t, c, list, what, about, become, its...)
}

// AwaitList waits until what there is of a kind is as wanted, by a watch: so is asked about the list as it is, and again after each change.
func AwaitList(t testing.TB, c client.WithWatch, list client.ObjectList, what string, so func() bool, opts ...client.ListOption) {
	t.Helper()
	about := func() string { return fmt.Sprintf("there are %d in the %T: %+v", meta.LenList(list), list, list) }
	read := list.DeepCopyObject().(client.ObjectList)
	become := func(items []runtime.Object) bool {
		if err := meta.SetList(list, items); err != nil {
			t.Fatalf("wait until %s: %v", what, err)
		}
		return so()
	}
	await(t, c, read, what, about, become, opts...)
}

// AwaitObject waits until an object is there and as wanted; see Await.
func (f *Fixture) AwaitObject(o client.Object, what string, so func() bool) {
	f.Helper()
	Await(f.T, f.Client, o, what, func(exists bool) bool { return exists && so() })
}

// AwaitSecret waits until the data of a Secret of the test's namespace is as wanted; nil if there is none.
func (f *Fixture) AwaitSecret(name, what string, so func(data map[string][]byte) bool) {
	f.Helper()
	s := &corev1.Secret{ObjectMeta: f.Meta(name)}
	Await(f.T, f.Client, s, "Secret "+name+" is "+what, func(exists bool) bool { return exists && so(s.Data) || !exists && so(nil) })
}

// AwaitList waits until what there is of a kind in the fixture's namespace is as wanted.
func (f *Fixture) AwaitList(list client.ObjectList, what string, so func() bool) {
	f.Helper()
	AwaitList(f.T, f.Client, list, what, so, client.InNamespace(f.Namespace))
}

// errOverdue ends a wait that lasts for longer than Patience.
var errOverdue = errors.New("not so in time")

// await reads a list, then watches it from there on, and asks after each change. A watch that the API server ends, as it does when a definition
// changes, is followed by another read. about says what there is when it has taken too long.
func await(
	t testing.TB, c client.WithWatch, list client.ObjectList, what string, about func() string, so func([]runtime.Object) bool, opts ...client.ListOption,
) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), Patience, errOverdue)
	defer cancel()
	for done := false; !done; {
		var err error
		if done, err = look(ctx, c, list, so, opts); errors.Is(context.Cause(ctx), errOverdue) && !done {
			t.Fatalf("not so after %v: %s; %s", Patience, what, about())
		} else if err != nil {
			t.Fatalf("wait until %s: %v", what, err)
		}
	}
}

// look reads a list and follows one watch of it. It reports whether so was satisfied.
func look(ctx context.Context, c client.WithWatch, list client.ObjectList, so func([]runtime.Object) bool, opts []client.ListOption) (bool, error) {
	if err := c.List(ctx, list, opts...); err != nil {
		return false, err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return false, err
	}
	if so(items) {
		return true, nil
	}
	from := &client.ListOptions{}
	from.ApplyOptions(opts)
	from.Raw = &metav1.ListOptions{ResourceVersion: list.GetResourceVersion()}
	w, err := c.Watch(ctx, list, from)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		if e.Type != watch.Added && e.Type != watch.Modified && e.Type != watch.Deleted {
			return false, nil
		}
		if items = changed(items, e); so(items) {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// changed returns objects after an event.
func changed(items []runtime.Object, e watch.Event) []runtime.Object {
	key := client.ObjectKeyFromObject(e.Object.(client.Object))
	at := slices.IndexFunc(items, func(o runtime.Object) bool { return client.ObjectKeyFromObject(o.(client.Object)) == key })
	switch {
	case e.Type == watch.Deleted && at >= 0:
		return slices.Delete(items, at, at+1)
	case e.Type == watch.Deleted:
		return items
	case at >= 0:
		items[at] = e.Object
		return items
	default:
		return append(items, e.Object)
	}
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
