package class

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// made is the age of a snapshot, and what is special about it.
type made struct {
	name, of string
	age      int
	change   func(*v1alpha1.DatabaseSnapshot)
}

func (m made) object() *v1alpha1.DatabaseSnapshot {
	s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: m.name, CreationTimestamp: metav1.Unix(1000-int64(m.age), 0)}}
	s.Spec.Source.DatabaseRef = &v1alpha1.DatabaseReference{Name: m.of}
	if m.change != nil {
		m.change(s)
	}
	return s
}

// inCloud is for a snapshot that is in the cloud, made when its Database had a class; empty for the release that did not record it.
func inCloud(class string) func(*v1alpha1.DatabaseSnapshot) {
	return func(s *v1alpha1.DatabaseSnapshot) {
		s.Status.ExternalName, s.Status.Database.ClassName = s.Name, class
	}
}

// snapshots returns a cluster in which class standard allows two snapshots, class other one, and class open any number, with a Database of each and one without a class.
func snapshots(t *testing.T, there ...made) (*Resolver, client.Client) {
	t.Helper()
	c := cluster(t, `spec: {maxSnapshotsPerNamespace: 2}`)
	store := func(o client.Object) {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for name, limit := range map[string]*int32{"other": new(int32(1)), "open": nil} {
		class := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		class.Spec.MaxSnapshotsPerNamespace = limit
		store(class)
	}
	for name, class := range map[string]string{"orders": "standard", "users": "standard", "bills": "other", "logs": "open", "own": "", "going": "standard"} {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Finalizers: []string{"test/kept"}}}
		d.Status.ClassName = class
		store(d)
	}
	going := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "going"}}
	if err := c.Delete(t.Context(), going); err != nil {
		t.Fatal(err)
	}
	for _, m := range there {
		store(m.object())
	}
	return &Resolver{Kind: kind.DatabaseSnapshot(), Parent: kind.Database(), Client: c}, c
}

// A class limits the snapshots of its Databases in a namespace. What is in the cloud counts first, then what is older.
func TestAClassLimitsSnapshots(t *testing.T) {
	imported := func(s *v1alpha1.DatabaseSnapshot) {
		s.Spec.Source = v1alpha1.DatabaseSnapshotSource{ExternalName: "theirs"}
		s.Status.ExternalName = "theirs"
	}
	elsewhere := func(s *v1alpha1.DatabaseSnapshot) { s.Namespace = "bank"; inCloud("standard")(s) }
	for _, tt := range []struct {
		name         string
		there        []made
		of           string
		unstored     bool
		bound        bool
		crowded, now bool // by the cache, and by what the API server says
	}{
		{name: "the first one", of: "orders"},
		{name: "the second one", there: []made{{"a", "orders", 9, inCloud("standard")}}, of: "orders"},
		{name: "the third one", there: []made{{"a", "orders", 9, inCloud("standard")}, {"b", "users", 8, inCloud("standard")}}, of: "orders", crowded: true, now: true},
		{name: "the third one, and there already", there: []made{{"a", "orders", 9, inCloud("standard")}, {"b", "users", 8, inCloud("standard")}}, of: "orders", bound: true},
		{name: "younger ones that are in the cloud", there: []made{{"a", "orders", 1, inCloud("standard")}, {"b", "users", 1, inCloud("standard")}}, of: "orders", crowded: true, now: true},
		{name: "older ones that are not in the cloud yet", there: []made{{"a", "orders", 9, nil}, {"b", "users", 8, nil}}, of: "orders", crowded: true},
		{name: "younger ones that are not in the cloud yet", there: []made{{"a", "orders", 1, nil}, {"b", "users", 2, nil}}, of: "orders"},
		{name: "younger ones, and it is not stored yet", there: []made{{"a", "orders", 1, nil}, {"b", "users", 2, nil}}, of: "orders", unstored: true, crowded: true},
		{name: "imported ones", there: []made{{"a", "", 9, imported}, {"b", "", 9, imported}}, of: "orders"},
		{name: "those of another namespace", there: []made{{"a", "orders", 9, elsewhere}, {"b", "orders", 9, elsewhere}}, of: "orders"},
		{name: "those of another class", there: []made{{"a", "bills", 9, inCloud("other")}, {"b", "logs", 9, inCloud("open")}}, of: "orders"},
		{name: "the limit of the other class", there: []made{{"a", "bills", 9, inCloud("other")}}, of: "bills", crowded: true, now: true},
		{name: "its Database was of another class then", there: []made{{"a", "bills", 9, inCloud("standard")}}, of: "bills"},
		{name: "the Database is gone", there: []made{{"a", "gone", 9, inCloud("standard")}, {"b", "gone", 9, inCloud("standard")}}, of: "orders", crowded: true, now: true},
		{name: "nobody recorded the class", there: []made{{"a", "orders", 9, inCloud("")}, {"b", "users", 9, inCloud("")}}, of: "orders", crowded: true, now: true},
		{name: "no limit", there: []made{{"a", "logs", 9, inCloud("open")}, {"b", "logs", 9, inCloud("open")}}, of: "logs"},
		{name: "no class", there: []made{{"a", "own", 9, inCloud("")}, {"b", "own", 9, inCloud("")}}, of: "own"},
		{name: "a final snapshot", there: []made{{"a", "orders", 9, inCloud("standard")}, {"b", "users", 8, inCloud("standard")}}, of: "going"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, c := snapshots(t, tt.there...)
			m := made{name: "x", of: tt.of, age: 5}
			if tt.bound {
				m.change = inCloud("standard")
			}
			object := m.object()
			if tt.unstored {
				object.CreationTimestamp = metav1.Time{}
			}
			for what, is := range map[string]struct {
				want bool
				find func() (*Problem, error)
			}{
				"the cache":      {tt.crowded, func() (*Problem, error) { return r.ParentLimitReached(t.Context(), object) }},
				"the API server": {tt.now, func() (*Problem, error) { return r.ParentLimitReachedLive(t.Context(), c, object) }},
			} {
				switch got, err := is.find(); {
				case err != nil:
					t.Errorf("%s: %v", what, err)
				case (got != nil) != is.want:
					t.Errorf("%s: got %v, want a refusal: %t", what, got, is.want)
				case got != nil && (got.Reason != v1alpha1.ReasonClassNotAllowed || !strings.Contains(got.String(), "delete what is not needed")):
					t.Errorf("%s: it says %s %s", what, got.Reason, got)
				}
			}
			refusals, _, err := (&Admission{Resolver: r, Live: c}).Object(t.Context(), nil, object)
			if err != nil || (len(refusals) > 0) != tt.crowded {
				t.Errorf("at admission: %v, %v", refusals, err)
			}
		})
	}
}

// What counts can't stay in the cloud without its object, or the limit would be none. What the limit does not count may, and nothing keeps a namespace from being deleted.
func TestWhatCountsIsNotReleased(t *testing.T) {
	for _, tt := range []struct {
		name   string
		object made
		ending bool
		stalls bool
	}{
		{name: "it counts", object: made{name: "x", of: "orders", change: inCloud("standard")}, stalls: true},
		{name: "its Database is gone", object: made{name: "x", of: "gone", change: inCloud("standard")}, stalls: true},
		{name: "nobody recorded the class", object: made{name: "x", of: "orders", change: inCloud("")}, stalls: true},
		{name: "nobody recorded the class, and its Database is gone", object: made{name: "x", of: "gone", change: inCloud("")}},
		{name: "no limit", object: made{name: "x", of: "logs", change: inCloud("open")}},
		{name: "no class", object: made{name: "x", of: "own", change: inCloud("")}},
		{name: "the class is gone", object: made{name: "x", of: "gone", change: inCloud("former")}},
		{name: "it is imported", object: made{name: "x", change: func(s *v1alpha1.DatabaseSnapshot) {
			s.Spec.Source = v1alpha1.DatabaseSnapshotSource{ExternalName: "theirs"}
		}}},
		{name: "the namespace is being deleted", object: made{name: "x", of: "orders", change: inCloud("standard")}, ending: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, c := snapshots(t)
			if tt.ending {
				namespace := &corev1.Namespace{}
				for _, step := range []func() error{
					func() error { return c.Get(t.Context(), types.NamespacedName{Name: "shop"}, namespace) },
					func() error { namespace.Finalizers = []string{"test/kept"}; return c.Update(t.Context(), namespace) },
					func() error { return c.Delete(t.Context(), namespace) },
				} {
					if err := step(); err != nil {
						t.Fatal(err)
					}
				}
			}
			object := tt.object.object()
			object.DeletionTimestamp = &metav1.Time{Time: time.Unix(2000, 0)}
			got, err := r.RetainForbidden(t.Context(), object)
			if err != nil || (got != nil) != tt.stalls || got != nil && !strings.Contains(got.String(), "set spec.deletionPolicy: Delete") {
				t.Errorf("got %v, %v; want a stall: %t", got, err, tt.stalls)
			}
		})
	}
}
