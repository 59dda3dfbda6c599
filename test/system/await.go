package system

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/patience"
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
	about := func() string { return describeList(list) }
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

// await reads a list, then watches it from there on, and asks after each change. A watch that the API server ends, as it does when a definition
// changes, is followed by another read, and so is a call that failed and may succeed later. about says what there is when it has taken too long.
func await(
	t testing.TB, c client.WithWatch, list client.ObjectList, what string, about func() string, so func([]runtime.Object) bool, opts ...client.ListOption,
) {
	t.Helper()
	ctx, cancel := patience.ForTest(t)
	defer cancel()
	var failed error // the last call that failed
	for {
		done, err := look(ctx, c, list.DeepCopyObject().(client.ObjectList), so, opts)
		switch {
		case done:
			return
		case errors.Is(context.Cause(ctx), patience.ErrOver):
			t.Fatalf("not so, %v: %s; %s; the last call that failed: %v", context.Cause(ctx), what, about(), failed)
		case ctx.Err() != nil || err != nil && lasting(err):
			t.Fatalf("wait until %s: %v", what, cmp.Or(err, ctx.Err()))
		case err != nil:
			failed = err
			time.Sleep(poll)
		}
	}
}

// lasting reports whether the API server answers the same however often it is called. What ended a connection, or was too slow, does not last.
func lasting(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		meta.IsNoMatchError(err) || runtime.IsNotRegisteredError(err)
}

// look reads a list, which is empty before, and follows one watch of it. It reports whether so was satisfied.
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
	return false, nil
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

// describe says what a failed test tells of an object: of a resource its conditions, of a Secret its keys, of any other all.
func describe(o runtime.Object) string {
	switch o := o.(type) {
	case v1alpha1.ResourceObject:
		return fmt.Sprintf("at generation %d with %+v", o.GetGeneration(), o.GetResourceStatus().Conditions)
	case *corev1.Secret:
		return fmt.Sprintf("%+v with the keys %q", o.ObjectMeta, slices.Sorted(maps.Keys(o.Data)))
	default:
		return fmt.Sprintf("%+v", o)
	}
}

// describeList says what a failed test tells of a list.
func describeList(list client.ObjectList) string {
	var all []string
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		all = append(all, describe(o))
		return nil
	})
	return fmt.Sprintf("there are %d in the %T: %q", len(all), list, all)
}
