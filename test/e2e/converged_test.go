package e2e

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Converged is silent. This test has the environment for itself, so that whatever is written meanwhile counts:
// Leases, Events, and Secrets of Mooring's own.
func TestConvergedIsSilent(t *testing.T) {
	onEachAlone(t, func(w *fixture, c *system.Cloud) {
		reads := w.converged(c)
		w.allObservedAgain(c, reads, 2) // what was still under way is done by then
		mark, err := w.Cluster.Audit().Mark()
		w.Must(err)
		before, written := len(w.Cloud.Ledger.Calls(localcloud.Filter{})), map[string]int{}
		for name := range reads {
			written[name] = len(c.Writes(name))
		}
		w.allObservedAgain(c, reads, 3)
		requests, err := w.Cluster.Audit().Since(mark)
		w.Must(err)
		calls := w.Cloud.Ledger.Calls(localcloud.Filter{})[before:]

		if writes := requests.Where(cluster.By(system.Installed), cluster.Writes); len(writes) > 0 {
			w.Errorf("writes to Kubernetes:\n%v", writes)
		}
		for name, n := range written {
			if writes := c.Writes(name)[n:]; len(writes) > 0 {
				w.Errorf("writes to %s: %q", name, writes)
			}
		}
		if system.ProviderOf(c.Name).Journal == nil { // else the stand-in keeps no ledger, and drivertest counts the reads of an observation
			w.expectReads(calls, reads)
		}
	})
}

// converged creates objects of all kinds in a cloud, with all that can be declared and with nothing. It returns what each observation of one
// reads, by the object's name in the cloud.
func (w *fixture) converged(c *system.Cloud) map[string][]string {
	w.Helper()
	reads := map[string][]string{}
	declared := map[client.Object][]string{}
	for _, k := range system.Targets {
		if k.Cloud != c.Name {
			continue
		}
		full, bare := throughOpenClass(w, c, k.Full(c, w.Meta(strings.ToLower(k.Kind)+"-full"))), k.Minimal(c, w.Meta(strings.ToLower(k.Kind)+"-bare"))
		k.Connect(full, full.GetName())
		if d, is := full.(*v1alpha1.Database); is {
			d.Spec.DeletionProtection = new(false)
		}
		declared[full], declared[bare] = slices.Concat([]string{k.Observe}, k.ObserveMore), []string{k.Observe}
		w.create(full)
		w.create(bare)
	}
	for o, operations := range declared {
		reads[w.ready(o).Status.ExternalName] = operations
	}
	return reads
}

// expectReads checks that a cloud's calls are the reads of whole observations, of each object equally many, and nothing else.
func (w *fixture) expectReads(calls []localcloud.Call, reads map[string][]string) {
	w.Helper()
	counts := map[string]map[string]int{}
	for _, call := range calls {
		if call.Write {
			w.Errorf("a write to the cloud: %+v", call)
		}
		if counts[call.Resource] == nil {
			counts[call.Resource] = map[string]int{}
		}
		counts[call.Resource][call.Operation]++
	}
	most := 0 // looks at one object; how many there are in a day is for TestADay
	for name, operations := range reads {
		looks := counts[name][operations[0]]
		most = max(most, looks)
		for _, operation := range operations {
			if n := counts[name][operation]; n < 2 || n < looks-1 || n > looks+1 { // the first and the last look may be seen in part
				w.Errorf("%s of %s was called %d times in %d looks", operation, name, n, looks)
			}
			delete(counts[name], operation)
		}
	}
	// Each config of AWS asks once a sync period whose its keys are. A token of Google's lasts for an hour, and
	// credentials that are read again and are the same are no reason to ask.
	checks := w.awsConfigs() * (most + 1)
	if n := counts[""]["GetCallerIdentity"]; n > checks {
		w.Errorf("AWS was asked %d times whose the keys are, want at most %d times", n, checks)
	}
	delete(counts[""], "GetCallerIdentity")
	for name, operations := range counts {
		if len(operations) > 0 {
			w.Errorf("calls about %q that a re-check has no need of: %v", name, operations)
		}
	}
}

// allObservedAgain waits until each of some cloud objects, by name, was looked at n times more.
func (w *fixture) allObservedAgain(c *system.Cloud, objects map[string][]string, n int) {
	w.Helper()
	before := map[string]int{}
	for name := range objects {
		before[name] = c.Observations(name)
	}
	for name := range objects {
		w.Eventually(name+" is looked at", func() bool { return c.Observations(name) >= before[name]+n })
	}
}

// awsConfigs counts the provider configs that lead to AWS.
func (w *fixture) awsConfigs() int {
	w.Helper()
	n := 0
	teams, all := &v1alpha1.ProviderConfigList{}, &v1alpha1.ClusterProviderConfigList{}
	w.Must(w.Client.List(w.Context(), teams))
	w.Must(w.Client.List(w.Context(), all))
	for _, config := range teams.Items {
		if config.Spec.AWS != nil {
			n++
		}
	}
	for _, config := range all.Items {
		if config.Spec.AWS != nil {
			n++
		}
	}
	return n
}

// From apply to Ready a bucket costs three writes to Kubernetes, Events included: the finalizer, the binding, and the outcome. Alone
// on the environment no call is late, so that there is nothing else to tell.
func TestWritesFromApplyToReady(t *testing.T) {
	onEachAlone(t, func(w *fixture, c *system.Cloud) {
		mark, err := w.Cluster.Audit().Mark()
		w.Must(err)
		b := throughOpenClass(w, c, w.bucket(c, "photos", system.FullBucket(c)))
		w.create(b)
		w.observedAgain(c, w.ready(b).Status.ExternalName, 1)
		requests, err := w.Cluster.Audit().Since(mark)
		w.Must(err)
		inNamespace := func(r cluster.Request) bool { return r.Namespace == w.Namespace }
		writes := requests.Where(cluster.By(system.Installed), cluster.Writes, inNamespace)
		if len(writes) > 3 {
			w.Errorf("%d writes, want at most 3:\n%v\nthe states:\n%v", len(writes), writes, w.States("Bucket", b.Name, 0))
		}
		for _, r := range writes {
			if r.Resource != "buckets" {
				w.Errorf("a write to something else: %v", r)
			}
		}
	})
}
