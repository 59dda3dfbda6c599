package system

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
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

// TestAwaitReadsAfresh: what the second read does not have is not left over from the first, which decoding into what is there would do.
func TestAwaitReadsAfresh(t *testing.T) {
	answers := []string{`{"items": [{"metadata": {"name": "a"}, "data": {"says": "no"}}]}`, `{"items": [{"metadata": {"name": "a"}}]}`}
	c := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(_ context.Context, _ client.WithWatch, list client.ObjectList, _ ...client.ListOption) error {
			answer := answers[0]
			answers = answers[min(1, len(answers)-1):]
			return json.Unmarshal([]byte(answer), list)
		},
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			w := watch.NewFake()
			w.Stop()
			return w, nil
		},
	}).Build()
	reads, o := 0, saying("")
	Await(t, c, o, "it says nothing", func(bool) bool {
		reads++
		return len(o.Data) == 0 || reads > 3
	})
	if len(o.Data) > 0 {
		t.Errorf("the second answer has no data, and the object has %q", o.Data)
	}
}

// TestAwaitOutlastsErrors: a call that fails in passing is made again, whether it reads or watches.
func TestAwaitOutlastsErrors(t *testing.T) {
	server := scripted{reads: []string{"no", "yes"}}
	passing := []error{errors.New("etcdserver: request timed out"), apierrors.NewInternalError(errors.New("busy")), io.ErrUnexpectedEOF}
	c := interceptor.NewClient(server.client(), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if len(passing) > 1 {
				defer func() { passing = passing[1:] }()
				return passing[0]
			}
			return c.List(ctx, list, opts...)
		},
		Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
			defer func() { passing = nil }()
			return nil, passing[0]
		},
	})
	o := saying("")
	Await(t, c, o, "it says yes", func(exists bool) bool { return exists && o.Data["says"] == "yes" })
	if len(passing) > 0 || len(server.reads) > 0 {
		t.Errorf("not answered: %v; not read: %q", passing, server.reads)
	}
}

// TestLastingErrors: what the API server answers again and again ends a wait at once.
func TestLastingErrors(t *testing.T) {
	things := schema.GroupResource{Group: "shop", Resource: "things"}
	for _, err := range []error{
		apierrors.NewNotFound(things, "a"), apierrors.NewForbidden(things, "a", nil), apierrors.NewInvalid(schema.GroupKind{}, "a", nil),
	} {
		if !lasting(err) {
			t.Errorf("%v is waited for", err)
		}
	}
	for _, err := range []error{apierrors.NewTimeoutError("etcdserver: request timed out", 1), apierrors.NewTooManyRequests("busy", 1), io.EOF} {
		if lasting(err) {
			t.Errorf("%v ends a wait", err)
		}
	}
}

// TestNoSecretInWhatIsTold: a failed wait tells a Secret's keys and none of its values.
func TestNoSecretInWhatIsTold(t *testing.T) {
	s := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string][]byte{"password": []byte("tell-no-one")}}
	for _, text := range []string{describe(&s), describeList(&corev1.SecretList{Items: []corev1.Secret{s}})} {
		if !strings.Contains(text, "password") || strings.Contains(text, "tell-no-one") || strings.Contains(text, fmt.Sprintf("%d", s.Data["password"])) {
			t.Errorf("it tells %s", text)
		}
	}
}
