package fault

import (
	"context"
	"maps"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// each leads a lifecycle of each target, at the same time.
func each(t *testing.T, do func(t *testing.T, i int, s system.Target)) {
	var all sync.WaitGroup
	for i, s := range system.Targets {
		all.Go(func() { t.Run(s.String(), func(t *testing.T) { do(t, i, s) }) })
	}
	all.Wait()
}

// TestDefinitionsDeleted removes the CRDs from under live objects, as uninstalling does: what is in the cloud stays as it is.
func TestDefinitionsDeleted(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	lives := make([]*lifecycle, len(system.Targets))
	each(t, func(t *testing.T, i int, s system.Target) {
		lives[i] = w.prepared(t, s)
		lives[i].enterPhase(creation)
		lives[i].perform(t, creation)
		lives[i].enterPhase(deletion)
	})
	if t.Failed() {
		return
	}
	dir, err := cluster.CRDDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Cluster.UninstallCRDs(dir); err != nil {
		t.Fatal(err)
	}
	await(t, "the definitions of cloud kinds are gone", func() string {
		for _, name := range []string{"buckets.mooring.dev", "databases.mooring.dev"} {
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := w.Client.Get(t.Context(), client.ObjectKey{Name: name}, crd); !apierrors.IsNotFound(err) {
				return name
			}
		}
		return ""
	})
	for _, l := range lives {
		if n := l.committed(); len(n) > 0 {
			t.Errorf("%s: the cloud was changed: %v", l.target, n)
		}
		if here := l.console().Names(t); len(here) != 1 {
			t.Errorf("%s: the cloud has %q", l.target, here)
		}
	}
}

// TestClusterLost loses every Kubernetes object. Under the same cluster id the same YAML takes all back, by one
// write each: the mark. A password can't be read back, so a database for which one is declared costs one more.
func TestClusterLost(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	m := w.run(t, timeout)
	before := make([]*lifecycle, len(system.Targets))
	each(t, func(t *testing.T, i int, s system.Target) {
		before[i] = w.prepared(t, s)
		before[i].enterPhase(creation)
		before[i].perform(t, creation)
	})
	if t.Failed() {
		return
	}
	m.Kill()
	w = w.recovered(t)
	w.run(t, timeout)
	want := []map[string]int{
		{"PutBucketTagging": 1},
		{"buckets.patch": 1},
		{"AddTagsToResource": 1, "ModifyDBInstance": 1},
		{"instances.patch": 1, "users.update": 1},
	}
	each(t, func(t *testing.T, i int, s system.Target) {
		l := w.newLifecycleAs(s, before[i].name, before[i].account)
		l.prepare(t)
		defer l.logIfFailed(t)
		l.enterPhase(creation)
		l.perform(t, creation)
		l.verify(t, creation)
		if got := l.committed(); !maps.Equal(got, want[i]) {
			t.Errorf("the cloud was changed by %v, want %v", got, want[i])
		}
		l.enterPhase(deletion)
		l.perform(t, deletion)
		l.verify(t, deletion)
	})
}

// recovered returns an environment with another API server, the same cloud and the same cluster id.
func (w *environment) recovered(t *testing.T) *environment {
	t.Helper()
	kept := &corev1.ConfigMap{}
	if err := w.Client.Get(t.Context(), client.ObjectKey{Namespace: system.Namespace, Name: "mooring-cluster"}, kept); err != nil {
		t.Fatal(err)
	}
	c := cluster.ForTest(t, cluster.Options{})
	admin, err := client.NewWithWatch(c.Config(), client.Options{Scheme: w.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := system.EnsureNamespace(context.WithoutCancel(t.Context()), admin, system.Namespace); err != nil {
		t.Fatal(err)
	}
	again := newEnvironmentOn(t, &system.Environment{Cluster: c, Cloud: w.Cloud, Client: admin})
	again.cluster = kept.Data["clusterID"]
	return again
}
