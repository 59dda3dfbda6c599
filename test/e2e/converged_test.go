package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Converged is silent. This test has the environment for itself, so that whatever is written meanwhile counts:
// Leases, Events, and Secrets of Mooring's own.
func TestConvergedIsSilent(t *testing.T) {
	w := newSerialFixture(t)
	reads := map[string][]string{} // by name in the cloud, what a re-check reads
	clouds := map[string]*system.Cloud{}
	for _, provider := range []string{"aws", "gcp"} {
		c := w.cloud(provider)
		full, bare := w.bucket(c, provider+"-full", system.FullBucket(c)), w.bucket(c, provider+"-bare", v1alpha1.BucketParameters{})
		full.Spec.Connection = &v1alpha1.Connection{SecretName: provider + "-full"}
		d := w.database(c, provider, system.FullDatabase(c))
		d.Spec.DeletionProtection = new(false)
		d.Spec.Connection = &v1alpha1.Connection{SecretName: provider}
		w.create(full)
		w.create(bare)
		w.create(d)
		for _, looked := range []struct {
			name  string
			reads map[string][]string
		}{
			{w.ready(full).Status.ExternalName, map[string][]string{
				"aws": {"GetBucketTagging", "GetBucketVersioning", "GetPublicAccessBlock", "GetBucketEncryption"},
				"gcp": {"buckets.get"},
			}},
			{w.ready(bare).Status.ExternalName, map[string][]string{"aws": {"GetBucketTagging"}, "gcp": {"buckets.get"}}},
			{w.ready(d).Status.ExternalName, map[string][]string{"aws": {"DescribeDBInstances"}, "gcp": {"instances.get"}}},
		} {
			reads[looked.name], clouds[looked.name] = looked.reads[provider], c
		}
	}
	w.allObservedAgain(clouds, 2) // what was still under way is done by then
	mark, err := w.Cluster.Audit().Mark()
	w.Must(err)
	before := len(w.Cloud.Ledger.Calls(localcloud.Filter{}))
	w.allObservedAgain(clouds, 3)
	requests, err := w.Cluster.Audit().Since(mark)
	w.Must(err)
	calls := w.Cloud.Ledger.Calls(localcloud.Filter{})[before:]

	if writes := requests.Where(cluster.By(system.Installed), cluster.Writes); len(writes) > 0 {
		t.Errorf("writes to Kubernetes:\n%v", writes)
	}
	counts := map[string]map[string]int{}
	for _, call := range calls {
		if call.Write {
			t.Errorf("a write to the cloud: %+v", call)
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
				t.Errorf("%s of %s was called %d times in %d looks", operation, name, n, looks)
			}
			delete(counts[name], operation)
		}
	}
	// Each config of AWS asks once a sync period whose its keys are. A token of Google's lasts for an hour, and
	// credentials that are read again and are the same are no reason to ask.
	checks := w.awsConfigs() * (most + 1)
	if n := counts[""]["GetCallerIdentity"]; n > checks {
		t.Errorf("AWS was asked %d times whose the keys are, want at most %d times", n, checks)
	}
	delete(counts[""], "GetCallerIdentity")
	for name, operations := range counts {
		if len(operations) > 0 {
			t.Errorf("calls about %q that a re-check has no need of: %v", name, operations)
		}
	}
}

// allObservedAgain waits until each of some cloud objects, by name, was looked at n times more.
func (w *fixture) allObservedAgain(clouds map[string]*system.Cloud, n int) {
	w.Helper()
	before := map[string]int{}
	for name, c := range clouds {
		before[name] = c.Observations(name)
	}
	for name, c := range clouds {
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
	for _, provider := range []string{"aws", "gcp"} {
		t.Run(provider, func(t *testing.T) {
			w := newSerialFixture(t)
			c := w.cloud(provider)
			mark, err := w.Cluster.Audit().Mark()
			w.Must(err)
			b := w.bucket(c, "photos", system.FullBucket(c))
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
}
