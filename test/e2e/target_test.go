package e2e

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// onAll runs a test for each kind in each cloud.
func onAll(t *testing.T, test func(*fixture, *system.Cloud, system.Target)) {
	t.Parallel()
	clouds := providersFor(t)
	for _, target := range system.Targets {
		if !slices.ContainsFunc(clouds, func(p system.Provider) bool { return p.Name == target.Cloud }) {
			continue
		}
		t.Run(target.Kind+"/"+target.Cloud, func(t *testing.T) {
			w := newFixture(t)
			test(w, w.cloud(target.Cloud), target)
		})
	}
}

// declare declares the least that the cloud demands.
func (w *fixture) declare(c *system.Cloud, k system.Target, name string) client.Object {
	return k.Minimal(c, w.Meta(name))
}

// mark is the mark of this cluster on an object of that namespace and name.
func (w *fixture) mark(namespace, name string) driver.Mark {
	w.Helper()
	system := &corev1.Namespace{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: "kube-system"}, system))
	m := driver.Mark{Cluster: string(system.UID), Namespace: namespace, Name: name, UID: "of-an-earlier-life", NamespaceUID: "of-another"}
	if namespace == w.Namespace {
		own := &corev1.Namespace{}
		w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: namespace}, own))
		m.NamespaceUID = string(own.UID)
	}
	return m
}

// marked reports whether a cloud object bears the mark of an object, as it is now.
func (w *fixture) marked(c *system.Cloud, k system.Target, name string, o client.Object) bool {
	w.Helper()
	want := w.mark(o.GetNamespace(), o.GetName())
	want.UID = string(o.GetUID())
	return driver.MarkFrom(k.Tags(c, w.T, name)) == want
}

func (w *fixture) untouched(c *system.Cloud, name string, mark int, o client.Object) {
	w.Helper()
	w.expectWrites(c, name, mark)
	if s := w.States(system.KindOf(o), o.GetName(), 0); slices.Contains(s[len(s)-1].Finalizers, v1alpha1.FinalizerResource) {
		w.Error("an object that owns nothing has a finalizer")
	}
}
