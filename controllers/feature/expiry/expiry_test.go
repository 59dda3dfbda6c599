package expiry

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// of returns the feature of the kind DatabaseSnapshot, beside the objects that there are.
func of(t *testing.T, there ...client.Object) (feature.Feature, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(there...).Build()
	k := kind.DatabaseSnapshot()
	return Of(k, kind.FamilyOf(k, kind.All()), c)[0], c
}

// state is a reconciliation of a snapshot that begins at a time.
func state(s *v1alpha1.DatabaseSnapshot, now time.Time) reconciliation.State {
	in := reconciliation.Begin(s, now, reconciliation.News{}, reconciliation.Memory{})
	in.Object, in.Deleting = s, !s.DeletionTimestamp.IsZero()
	return in
}

func TestKindsWithoutExpiry(t *testing.T) {
	for _, k := range []*kind.Kind{kind.Database(), kind.Bucket()} {
		if got := Of(k, kind.Family{}, nil); got != nil {
			t.Errorf("objects of kind %s expire", k.Name)
		}
	}
}

// An object whose time has passed is deleted, but for one that is deleted already, and one that something is being restored from.
func TestExpired(t *testing.T) {
	restored := func(change func(*v1alpha1.Database)) *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "copy"}}
		d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: "x"}}
		if change != nil {
			change(d)
		}
		return d
	}
	const passed, coming = 3600, 3599
	for _, tt := range []struct {
		name    string
		now     int64
		there   *v1alpha1.Database
		deleted bool
		expires bool
	}{
		{name: "its time comes", now: coming},
		{name: "its time has passed", now: passed, expires: true},
		{name: "it is being deleted", now: passed, deleted: true},
		{name: "something is being restored from it", now: passed, there: restored(nil)},
		{name: "something was restored from it", now: passed, there: restored(func(d *v1alpha1.Database) { d.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)} }), expires: true},
		{name: "something is being restored from another", now: passed, there: restored(func(d *v1alpha1.Database) { d.Spec.RestoreFrom.SnapshotRef.Name = "y" }), expires: true},
		{name: "what was to be restored is being deleted", now: passed, there: restored(func(d *v1alpha1.Database) {
			d.DeletionTimestamp, d.Finalizers = &metav1.Time{Time: time.Unix(1, 0)}, []string{v1alpha1.FinalizerResource}
		}), expires: true},
		{name: "something is being restored in another namespace", now: passed, there: restored(func(d *v1alpha1.Database) { d.Namespace = "bank" }), expires: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", Finalizers: []string{v1alpha1.FinalizerResource}}}
			s.Spec.ExpiresAfter, s.Status.CreationTime, s.CreationTimestamp = "1h", &metav1.Time{Time: time.Unix(0, 0)}, metav1.Unix(0, 0)
			if tt.deleted {
				s.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)}
			}
			var there []client.Object
			if tt.there != nil {
				there = append(there, tt.there)
			}
			f, _ := of(t, there...)
			in := state(s, time.Unix(tt.now, 0))
			stop, err := f.Start(t.Context(), &in)
			if err != nil {
				t.Fatal(err)
			}
			if (stop != nil) != tt.expires || stop != nil && (stop.Action == nil || stop.Action.Verb != Expire || !stop.Action.Verify) {
				t.Errorf("got %+v", stop)
			}
		})
	}
}

// What expires is told and then deleted, as it was read: its finalizer does the rest.
func TestExpire(t *testing.T) {
	for _, managed := range []bool{true, false} {
		s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "x", UID: "uid-1"}}
		s.Spec.ExpiresAfter, s.Status.CreationTime = "1h", &metav1.Time{Time: time.Unix(0, 0)}
		if managed {
			s.Finalizers = []string{v1alpha1.FinalizerResource}
		}
		f, c := of(t, s)
		get := func() error { return c.Get(t.Context(), client.ObjectKeyFromObject(s), s) }
		if err := get(); err != nil {
			t.Fatal(err)
		}
		told := 0
		w := &featuretest.Work{State: state(s.DeepCopy(), time.Now())}
		w.EmitFunc = func(n outcome.Note) {
			told++
			if n.Reason != v1alpha1.EventExpired || get() != nil || s.DeletionTimestamp != nil {
				t.Errorf("it tells %+v, and the object is deleted already", n)
			}
		}
		out, err := f.Acts[Expire](t.Context(), w, plan.Action{Verb: Expire})
		if err != nil || told != 1 || out.Deleted == managed {
			t.Errorf("got %+v, %v, told %d times", out, err, told)
		}
		switch err := get(); {
		case managed && (err != nil || s.DeletionTimestamp.IsZero()):
			t.Errorf("it is not being deleted: %v", err)
		case !managed && !apierrors.IsNotFound(err):
			t.Errorf("it is still there: %v", err)
		}
	}
}

// A snapshot expires by the time at which it was taken, or its object's if that is younger: what is imported may be old. What was not taken yet does not expire.
func TestWhenASnapshotExpires(t *testing.T) {
	at := func(hour int) *metav1.Time { return &metav1.Time{Time: time.Unix(int64(hour)*3600, 0)} }
	for _, tt := range []struct {
		name    string
		after   string
		created int
		taken   *metav1.Time
		want    *metav1.Time
	}{
		{"no time", "", 10, at(11), nil},
		{"not taken yet", "5h", 10, nil, nil},
		{"taken after its object was created", "5h", 10, at(12), at(17)},
		{"imported, and old", "5h", 10, at(2), at(15)},
		{"hours and minutes", "4h60m", 10, at(10), at(15)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &v1alpha1.DatabaseSnapshot{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(tt.created)}}
			s.Spec.ExpiresAfter, s.Status.CreationTime, s.Status.DeletionTime = tt.after, tt.taken, at(99)
			f, _ := of(t)
			if f.Status(s); !s.Status.DeletionTime.Equal(tt.want) {
				t.Errorf("the status says %v, want %v", s.Status.DeletionTime, tt.want)
			}
			if got := f.Due(state(s, time.Unix(0, 0))); got.IsZero() != (tt.want == nil) || tt.want != nil && !got.Equal(tt.want.Time) {
				t.Errorf("it expires at %v, want %v", got, tt.want)
			}
		})
	}
}

// An object comes back when it expires. One that has expired and is held, or that is being deleted, comes back as ever.
func TestDue(t *testing.T) {
	now := time.Unix(0, 0)
	for _, test := range []struct {
		name     string
		after    string
		age      time.Duration
		deleting bool
		want     time.Duration
	}{
		{"it does not expire", "", 0, false, 0},
		{"it expires", "5h", time.Hour, false, 4 * time.Hour},
		{"it has expired, and is held", "5h", 6 * time.Hour, false, 0},
		{"it is being deleted", "5h", time.Hour, true, 0},
	} {
		s := &v1alpha1.DatabaseSnapshot{}
		s.Spec.ExpiresAfter, s.Status.CreationTime = test.after, &metav1.Time{Time: now.Add(-test.age)}
		in := state(s, now)
		in.Deleting = test.deleting
		f, _ := of(t)
		if got := f.Due(in); got.IsZero() != (test.want == 0) || !got.IsZero() && got.Sub(now) != test.want {
			t.Errorf("%s: it comes back at %s, want after %s", test.name, got, test.want)
		}
	}
}
