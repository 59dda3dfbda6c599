package system

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/patience"
)

// poll is how often a test looks for what no watch tells.
const poll = 20 * time.Millisecond

// A Fixture is what one test has of an environment: what it makes there, it makes by these methods, and waits by them.
type Fixture struct {
	*testing.T
	*Environment
	// Namespace is the test's own, if it has just one.
	Namespace string
}

// With returns the fixture as a sub-test has it.
func (f *Fixture) With(t *testing.T) *Fixture {
	sub := *f
	sub.T = t
	return &sub
}

// Must fails the test because of an error.
func (f *Fixture) Must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// Create makes objects.
func (f *Fixture) Create(objects ...client.Object) {
	f.Helper()
	for _, o := range objects {
		f.Must(f.Client.Create(f.Context(), o))
	}
}

// Eventually waits until something is so.
func (f *Fixture) Eventually(what string, so func() bool) {
	f.Helper()
	Eventually(f.T, what, so)
}

// Eventually waits until something is so.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for wait := patience.New(); !so(); time.Sleep(poll) {
		if wait.Over() {
			t.Fatalf("not so after %s: %s", wait, what)
		}
	}
}

// Retry waits until something succeeds, and fails with its last error.
func Retry(t testing.TB, what string, try func() error) {
	t.Helper()
	for wait := patience.New(); ; time.Sleep(poll) {
		err := try()
		if err == nil {
			return
		}
		if wait.Over() {
			t.Fatalf("not so after %s: %s: %v", wait, what, err)
		}
	}
}

// Meta is the metadata of an object in the test's namespace.
func (f *Fixture) Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: f.Namespace, Name: name}
}

// Refresh reads an object, and returns the part of its status that all kinds share.
func (f *Fixture) Refresh(o v1alpha1.ResourceObject) *v1alpha1.ResourceStatus {
	f.Helper()
	f.Must(f.Client.Get(f.Context(), client.ObjectKeyFromObject(o), o))
	return o.GetResourceStatus()
}

// AwaitCondition waits until a condition of an object has a status and a reason, for this generation of its spec. An empty reason is
// any.
func (f *Fixture) AwaitCondition(o v1alpha1.ResourceObject, condition string, status metav1.ConditionStatus, reason v1alpha1.Reason) *v1alpha1.ResourceStatus {
	f.Helper()
	what := fmt.Sprintf("%s is %s=%s %s", o.GetName(), condition, status, reason)
	f.AwaitObject(o, what, func() bool {
		c := meta.FindStatusCondition(o.GetResourceStatus().Conditions, condition)
		return c != nil && c.Status == status && (reason == "" || c.Reason == string(reason)) && c.ObservedGeneration == o.GetGeneration()
	})
	return o.GetResourceStatus()
}

// AwaitReady waits until an object is Ready, for this generation of its spec, because it is usable and up to date: one that is paused, or
// only observed, is Ready for another reason.
func (f *Fixture) AwaitReady(o v1alpha1.ResourceObject) *v1alpha1.ResourceStatus {
	f.Helper()
	return f.AwaitCondition(o, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonReady)
}

// AwaitDeleted waits until an object has left the API server.
func (f *Fixture) AwaitDeleted(o client.Object) {
	f.Helper()
	Await(f.T, f.Client, o, o.GetName()+" is deleted", func(exists bool) bool { return !exists })
}

// Edit changes an object as a person does, beside whatever Mooring writes.
func Edit[T client.Object](f *Fixture, o T, change func(T)) {
	f.Helper()
	for {
		f.Must(f.Client.Get(f.Context(), client.ObjectKeyFromObject(o), o))
		change(o)
		err := f.Client.Update(f.Context(), o)
		if !apierrors.IsConflict(err) {
			f.Must(err)
			return
		}
	}
}

// Secret returns the data of a Secret of the test's namespace; nil if there is none.
func (f *Fixture) Secret(name string) map[string][]byte {
	f.Helper()
	s := &corev1.Secret{}
	err := f.Client.Get(f.Context(), client.ObjectKey{Namespace: f.Namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil
	}
	f.Must(err)
	return s.Data
}

// Apply makes what is in a file of config/.
func (f *Fixture) Apply(elem ...string) {
	f.Helper()
	path, err := ConfigFile(elem...)
	f.Must(err)
	objects, err := ReadManifest(path)
	f.Must(err)
	for _, o := range objects {
		f.Create(o)
	}
}

// User returns the client of a user, whose rights are what RBAC and its groups grant.
func (f *Fixture) User(name string, groups ...string) client.Client {
	f.Helper()
	cfg, err := f.Cluster.User(name, groups...)
	f.Must(err)
	c, err := client.New(cfg, client.Options{Scheme: f.Client.Scheme()})
	f.Must(err)
	return c
}

// ConfigFile returns the path of a file in config/ of the repository.
func ConfigFile(elem ...string) (string, error) {
	root, err := cluster.Repository()
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{root, "config"}, elem...)...), nil
}
