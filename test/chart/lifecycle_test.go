package chart

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// often makes re-checks come in quick succession.
const often = "syncPeriod: 5s\n"

// TestLife is an installation's: the first release is installed, upgraded to what is here, uninstalled, and installed
// again, with 40 live resources, twice as many as are worked on at once. None of it is any of the cloud's concern.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newFixture(t, "helm")
	first := firstRelease(t)
	w.install(first+"/charts/mooring", build(t, first), often)
	w.serve()
	w.Must(w.Accounts(t.Context()))
	all := objects("shop", 10)
	w.create(all)
	w.ready(all)
	w.awaitObserved(all)

	recorder, calls := w.watchReadiness(), w.calls()
	w.apply(chartDir(t), often)
	w.verifyCABundles()
	w.roll(build(t, root(t)))
	w.awaitObserved(all)
	if writes := w.writes(calls); len(writes) > 0 {
		t.Errorf("the upgrade wrote to the cloud: %q", writes)
	}
	w.test()

	said := w.uninstall()
	for _, kept := range []string{"databases.mooring.dev", "buckets.mooring.dev"} {
		if !strings.Contains(said, kept) {
			t.Errorf("helm uninstall does not say that %s remains:\n%s", kept, said)
		}
	}
	w.install(chartDir(t), build(t, root(t)), often)
	w.awaitObserved(all)
	if writes := w.writes(calls); len(writes) > 0 {
		t.Errorf("uninstalling and installing again wrote to the cloud: %q", writes)
	}
	if recorder.watches.Load() <= 2 {
		t.Error("no watch ended: the definitions were not upgraded")
	}
	if notReady := recorder.end(); len(notReady) > 0 {
		t.Errorf("%d times something was not Ready, as %s", len(notReady), notReady[0])
	}
	w.disaster(all)
}

// disaster takes all that is in the cluster away, the CustomResourceDefinitions with it. Installed again, with the same
// manifests applied, Mooring takes all back: by one write each, the mark.
func (w *fixture) disaster(all []client.Object) {
	w.Helper()
	w.uninstall()
	var names []string
	for _, o := range all {
		names = append(names, system.StatusOf(o).ExternalName)
	}
	w.loseCRDs()
	calls := w.calls()
	w.install(chartDir(w), build(w, root(w)), often)
	w.Must(w.Accounts(w.Context()))
	again := objects("shop", len(all)/4)
	w.create(again)
	// The first release wrote no uid of a namespace into the marks, so whose they were is for the platform team to say.
	w.await(again[0], "left alone without the platform's consent", func() bool {
		c := meta.FindStatusCondition(system.StatusOf(again[0]).Conditions, v1alpha1.ConditionStalled)
		return c != nil && c.Reason == string(v1alpha1.ReasonNotOwned)
	})
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	w.install(chartDir(w), build(w, root(w)), fmt.Sprintf("%srecovery: {namespaces: [shop], until: %q}\n", often, until))
	w.ready(again)
	w.awaitObserved(again)
	marks := map[string]int{}
	for _, write := range w.writes(calls) {
		marks[write]++
	}
	for i, o := range again {
		name, was := system.StatusOf(o).ExternalName, names[i]
		if mark := marking(o) + " " + name; name != was || marks[mark] != 1 {
			w.Errorf("%s was %s before, and %d marks were written to it, want 1", name, was, marks[mark])
		} else {
			delete(marks, mark)
		}
	}
	if len(marks) > 0 {
		w.Errorf("more was written than the marks: %v", marks)
	}
}

// marking returns the call that writes an object's mark.
func marking(o client.Object) string {
	cloud, _, _ := strings.Cut(o.GetName(), "-")
	return system.TargetOf(system.KindOf(o), cloud).Mark
}
