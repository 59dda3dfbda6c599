package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// The removal deletes what the quickstart made, all of it, and nothing else: not what has the name of something that it makes, not what
// another installation took over, and nothing at all while objects are in real clouds.
func verifyRemoval(t *testing.T, file string) {
	logf.SetLogger(logr.Discard())
	r := &removalTest{T: t, file: file}
	r.newTarget()
	before := r.everything()
	t.Run("another quickstart was first", func(t *testing.T) {
		r.T = t
		theirs := r.make(namespaceKind, "", system.Namespace, nil)
		all, err := r.manifests()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.place(t.Context(), all); !apierrors.IsAlreadyExists(err) || r.installed {
			t.Errorf("installed %v: %v", r.installed, err)
		}
		r.remove(theirs)
	})
	t.Run("a team made its namespace meanwhile", func(t *testing.T) {
		r.T = t
		theirs := r.make(namespaceKind, "", team, nil)
		all, err := r.manifests()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.place(t.Context(), all); !apierrors.IsAlreadyExists(err) || !r.installed {
			t.Errorf("installed %v: %v", r.installed, err)
		}
		r.removes()
		r.is(theirs, true)
		r.remove(theirs)
	})
	r.T = t
	r.installs() // for all that follow
	t.Run("an installation followed", func(t *testing.T) {
		r.T = t
		for _, o := range r.everything() {
			if !slices.Contains(before, o) && !strings.Contains(o, managedByUs) {
				t.Errorf("without the label: %s", o)
			}
		}
		for _, namespace := range []string{system.Namespace, "default"} {
			deployment := r.make(deploymentKind, namespace, "mooring", func(o *unstructured.Unstructured) {
				o.SetLabels(map[string]string{"app.kubernetes.io/name": "mooring"})
				o.Object["spec"] = map[string]any{
					"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
					"template": map[string]any{
						"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
						"spec":     map[string]any{"containers": []any{map[string]any{"name": "a", "image": "a"}}},
					},
				}
			})
			r.refuses("Deployment " + namespace + "/mooring")
			r.remove(deployment)
		}
		r.relabel(definitionKind, "buckets.mooring.dev", "Helm")
		r.refuses("buckets.mooring.dev of Helm")
		r.relabel(definitionKind, "buckets.mooring.dev", managedByUs)
	})
	var photos *unstructured.Unstructured
	t.Run("objects are in a real cloud", func(t *testing.T) {
		r.T = t
		local := r.bucket("local", awsAccount)
		photos = r.bucket("photos", "999988887777")
		r.refuses("First delete these: Bucket default/photos (account 999988887777).")
		for _, bucket := range []*unstructured.Unstructured{local, photos} {
			if left := r.is(bucket, true); !slices.Equal(left.GetFinalizers(), []string{v1alpha1.FinalizerResource}) {
				t.Errorf("finalizers %q", left.GetFinalizers())
			}
		}
		r.account(photos, awsAccount)
	})
	t.Run("all else of it is removed", func(t *testing.T) {
		r.T = t
		// Of what the installation that followed took over nothing is deleted, and no object of such a kind loses its finalizer.
		class := r.make(v1alpha1.GroupVersion.WithKind("BucketClass"), "", "theirs", func(o *unstructured.Unstructured) {
			o.SetFinalizers([]string{v1alpha1.FinalizerInUse})
			o.Object["spec"] = map[string]any{"providerConfigRef": map[string]any{"name": "aws"}}
		})
		definition := r.relabel(definitionKind, "bucketclasses.mooring.dev", "somebody")
		role := r.relabel(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}, "mooring-view", "Helm")

		// Connection Secrets go with their objects, in whatever namespace.
		of := func(uid string) func(*unstructured.Unstructured) {
			return func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{v1alpha1.LabelUID: uid}) }
		}
		ours := r.make(secretKind, "default", "photos-bucket", of(string(photos.GetUID())))
		theirs := r.make(secretKind, "default", "retained", of("of-an-object-that-was-never-here"))
		// Somebody deleted Mooring's namespace by hand.
		r.remove(r.is(named(namespaceKind, "", system.Namespace), true))
		r.removes()
		r.is(ours, false)
		r.is(photos, false)
		r.is(theirs, true)
		r.is(role, true)
		r.is(definition, true)
		left := r.is(class, true)
		if !slices.Equal(left.GetFinalizers(), []string{v1alpha1.FinalizerInUse}) {
			t.Errorf("finalizers %q", left.GetFinalizers())
		}
		left.SetFinalizers(nil)
		if err := r.client.Update(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		for _, o := range []*unstructured.Unstructured{theirs, class, definition, role} {
			r.remove(o)
		}
		if after := r.everything(); !slices.Equal(after, before) {
			t.Errorf("before it was\n%s\nand now it is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}

// A removalTest is a quickstart in somebody's cluster, without clouds and without a controller.
type removalTest struct {
	*testing.T
	*target
	folder *folder
	file   string
}

// newTarget makes another quickstart, which knows nothing of the one before it.
func (r *removalTest) newTarget() {
	r.Helper()
	root, err := cluster.Repository()
	if err != nil {
		r.Fatal(err)
	}
	r.target, r.folder = &target{transcript: newTranscript(io.Discard, func(error) {}), root: root}, &folder{dir: r.TempDir()}
	if err := r.attach(r.Context(), options{kubeconfig: r.file}); err != nil {
		r.Fatal(err)
	}
	attached := r.cluster
	r.Cleanup(func() {
		if err := attached.Stop(); err != nil {
			r.Error(err)
		}
	})
}

// installs installs all but the accounts.
func (r *removalTest) installs() {
	r.Helper()
	r.newTarget()
	if err := r.install(r.Context(), options{kubeconfig: r.file}); err != nil {
		r.Fatal(err)
	}
	if err := r.admitPeople(r.Context(), r.folder); err != nil {
		r.Fatal(err)
	}
	if err := system.Grant(r.Context(), r.client, filepath.Join(r.root, "config", "rbac", "role.yaml"), controllerUser); err != nil {
		r.Fatal(err)
	}
}

func (r *removalTest) removes() {
	r.Helper()
	if err := r.remover().removeAll(); err != nil {
		r.Fatal(err)
	}
}

// refuses checks that the removal says why it removes nothing, and removes nothing.
func (r *removalTest) refuses(says string) {
	r.Helper()
	before := r.everything()
	if err := r.remover().removeAll(); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "nothing was removed") {
		r.Errorf("%v, want it refused with %q", err, says)
	}
	if after := r.everything(); !slices.Equal(after, before) {
		r.Errorf("before it was\n%s\nand now it is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// everything lists the objects of all kinds that a quickstart makes, with the label's value.
func (r *removalTest) everything() (all []string) {
	r.Helper()
	for _, kind := range slices.Concat(removalBatches...) {
		objects, err := r.remover().list(r.Context(), kind)
		if err != nil {
			r.Fatal(err)
		}
		for _, o := range objects {
			if o.GetDeletionTimestamp() == nil {
				all = append(all, o.GetKind()+" "+client.ObjectKeyFromObject(o).String()+" "+o.GetLabels()[managedByLabel])
			}
		}
	}
	return all
}

func named(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// make makes an object as somebody else does.
func (r *removalTest) make(kind schema.GroupVersionKind, namespace, name string, with func(*unstructured.Unstructured)) *unstructured.Unstructured {
	r.Helper()
	o := named(kind, namespace, name)
	if with != nil {
		with(o)
	}
	if err := r.client.(labelling).Client.Create(r.Context(), o); err != nil {
		r.Fatal(err)
	}
	return o
}

// bucket makes one that is in an account.
func (r *removalTest) bucket(name, account string) *unstructured.Unstructured {
	r.Helper()
	bucket := r.make(v1alpha1.GroupVersion.WithKind("Bucket"), "default", name, func(o *unstructured.Unstructured) {
		o.SetFinalizers([]string{v1alpha1.FinalizerResource})
		o.Object["spec"] = map[string]any{"providerConfigRef": map[string]any{"kind": "ClusterProviderConfig", "name": "aws"}}
	})
	r.account(bucket, account)
	return bucket
}

func (r *removalTest) account(o *unstructured.Unstructured, account string) {
	r.Helper()
	o.Object["status"] = map[string]any{"accountID": account}
	if err := r.client.Status().Update(r.Context(), o); err != nil {
		r.Fatal(err)
	}
}

func (r *removalTest) relabel(kind schema.GroupVersionKind, name, manager string) *unstructured.Unstructured {
	r.Helper()
	o := r.is(named(kind, "", name), true)
	o.SetLabels(map[string]string{managedByLabel: manager})
	if err := r.client.Update(r.Context(), o); err != nil {
		r.Fatal(err)
	}
	return o
}

// is checks whether an object is there, and returns it as it is now.
func (r *removalTest) is(o *unstructured.Unstructured, there bool) *unstructured.Unstructured {
	r.Helper()
	now := o.DeepCopy()
	if err := r.client.Get(r.Context(), client.ObjectKeyFromObject(o), now); client.IgnoreNotFound(err) != nil || there != (err == nil) {
		r.Errorf("%s %s: %v, want it there %v", o.GetKind(), o.GetName(), err, there)
	}
	return now
}

// remove deletes an object as somebody else does, and waits.
func (r *removalTest) remove(o *unstructured.Unstructured) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), removalPatience)
	defer cancel()
	if err := r.remover().deleteAll(ctx, []*unstructured.Unstructured{o}); err != nil {
		r.Fatal(err)
	}
}
