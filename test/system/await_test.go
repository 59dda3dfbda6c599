package system

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// A scripted API server answers reads of one ConfigMap, and watches of it, one after the other.
type scripted struct {
	reads   []string        // what the ConfigMap says; empty if there is none
	watches [][]watch.Event // each ends after its events
	from    []string        // the resource versions that watches began at
}

func saying(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a"}, Data: map[string]string{"says": text}}
}

func (s *scripted) client() client.WithWatch {
	return fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			found := list.(*corev1.ConfigMapList)
			found.Items, found.ResourceVersion = nil, "after "+s.reads[0]
			if s.reads[0] != "" {
				found.Items = append(found.Items, *saying(s.reads[0]))
			}
			s.reads = s.reads[1:]
			return nil
		},
		Watch: func(_ context.Context, _ client.WithWatch, _ client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
			o := &client.ListOptions{}
			o.ApplyOptions(opts)
			s.from = append(s.from, o.Raw.ResourceVersion)
			w := watch.NewFakeWithChanSize(len(s.watches[0]), false)
			for _, e := range s.watches[0] {
				w.Action(e.Type, e.Object)
			}
			s.watches = s.watches[1:]
			w.Stop()
			return w, nil
		},
	}).Build()
}

// TestAwait: a wait sees the object as it was first, each change, its end, and what happened between two watches.
func TestAwait(t *testing.T) {
	changed := func(text string) watch.Event { return watch.Event{Type: watch.Modified, Object: saying(text)} }
	for _, c := range []struct {
		name    string
		server  scripted
		watches int
		gone    bool // what is waited for: that it is gone, or else that it says "yes"
	}{
		{"at once", scripted{reads: []string{"yes"}}, 0, false},
		{"a change", scripted{reads: []string{"no"}, watches: [][]watch.Event{{changed("no"), changed("yes")}}}, 1, false},
		{"only for a moment", scripted{reads: []string{"no"}, watches: [][]watch.Event{{changed("yes"), changed("no")}}}, 1, false},
		{"made", scripted{reads: []string{""}, watches: [][]watch.Event{{{Type: watch.Added, Object: saying("yes")}}}}, 1, false},
		{"while no watch ran", scripted{reads: []string{"no", "yes"}, watches: [][]watch.Event{{changed("no")}}}, 1, false},
		{"after an error of the watch", scripted{reads: []string{"no", "no"}, watches: [][]watch.Event{
			{{Type: watch.Error, Object: &metav1.Status{}}, changed("yes")}, {changed("yes")},
		}}, 2, false},
		{"gone", scripted{reads: []string{"no"}, watches: [][]watch.Event{{{Type: watch.Deleted, Object: saying("no")}}}}, 1, true},
		{"gone before", scripted{reads: []string{""}}, 0, true},
		{"gone while no watch ran", scripted{reads: []string{"no", ""}, watches: [][]watch.Event{{}}}, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := saying("")
			Await(t, c.server.client(), o, c.name, func(exists bool) bool {
				return c.gone && !exists || !c.gone && exists && o.Data["says"] == "yes"
			})
			if len(c.server.reads) > 0 || len(c.server.from) != c.watches {
				t.Errorf("%d watches, want %d; reads left: %q", len(c.server.from), c.watches, c.server.reads)
			}
			for _, from := range c.server.from {
				if from == "" {
					t.Error("a watch did not begin where the read ended")
				}
			}
		})
	}
}
