package chart

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/node"
	"github.com/mooring-dev/mooring/test/system"
)

// rush is how many objects are made while leaders change. When a third of it is made, twice the 20 that a leader works on at once are to come.
const rush = 60

// TestFailover loses the leader in the middle of 60 creations: another takes over, nothing is made twice, and no call is made
// by both.
func TestFailover(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// lose makes the leader lead no more, and returns when that was.
		lose func(*fixture, *node.Pod) time.Time
	}{
		{"killed", func(_ *fixture, p *node.Pod) time.Time { p.Kill(); return time.Now() }},
		// It hangs for longer than its lease, and then finds itself where it was: with calls that it was about to make.
		{"hanging", func(w *fixture, p *node.Pod) time.Time {
			p.Signal(syscall.SIGSTOP)
			at := time.Now()
			w.Cleanup(func() { p.Signal(syscall.SIGCONT) })
			holder := w.holder()
			w.anotherLeads(holder)
			p.Signal(syscall.SIGCONT)
			return at
		}},
		{"told to go", func(w *fixture, p *node.Pod) time.Time {
			at := time.Now()
			if err := p.Delete(); err != nil {
				w.Errorf("it did not go well: %v", err)
			}
			return at
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, "helm")
			w.install(chartDir(t), build(t, root(t)), "syncPeriod: 10m\nadmission: {webhook: false}")
			w.Must(w.Accounts(t.Context()))
			w.Eventually("one leads", func() bool { return w.leader() != nil })
			all := buckets("shop", rush)
			w.Must(system.EnsureNamespace(t.Context(), w.Client, "shop"))
			var creation sync.WaitGroup
			creation.Go(func() {
				for _, o := range all {
					if err := w.Client.Create(t.Context(), o); err != nil {
						t.Error(err)
					}
				}
			})
			w.Eventually("a third is made", func() bool { return len(w.made()) >= rush/3 })

			holder := w.holder()
			lost := c.lose(w, w.leader())
			w.anotherLeads(holder)
			t.Logf("another took over after %s, when %d were made", time.Since(lost), len(w.made()))
			if lasts := w.leaseDuration(); lasts != leadership.Duration {
				t.Errorf("a lease that nobody renews lasts %s, want %s", lasts, leadership.Duration)
			}
			creation.Wait()
			w.ready(all)
			made := w.made()
			for _, o := range all {
				if made[system.StatusOf(o).ExternalName] != 1 {
					t.Errorf("%s was made %d times", system.StatusOf(o).ExternalName, made[system.StatusOf(o).ExternalName])
				}
			}
			if len(made) != rush {
				t.Errorf("%d cloud objects, want %d", len(made), rush)
			}
			for write, n := range w.committed() {
				if n > 1 {
					t.Errorf("%d times: %s", n, write)
				}
			}
		})
	}
}

func buckets(namespace string, n int) (all []client.Object) {
	for i := range n {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("b-%03d", i)}}
		b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: []string{"aws", "gcp"}[i%2]}
		b.Spec.Versioning = new(v1alpha1.VersioningEnabled)
		all = append(all, b)
	}
	return all
}

// holder returns who holds the lease, or "".
func (w *fixture) holder() string {
	w.Helper()
	lease := &coordinationv1.Lease{}
	w.Must(client.IgnoreNotFound(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: controllers.LeaderLease}, lease)))
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// anotherLeads waits until another than the holder has the lease.
func (w *fixture) anotherLeads(holder string) {
	w.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: controllers.LeaderLease}}
	w.await(lease, "held by another", func() bool {
		now := lease.Spec.HolderIdentity
		return now != nil && *now != "" && *now != holder
	})
}

// leaseDuration is how long others respect a lease that its holder does not renew.
func (w *fixture) leaseDuration() time.Duration {
	w.Helper()
	lease := &coordinationv1.Lease{}
	w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: controllers.LeaderLease}, lease))
	return time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
}

// leader returns the Pod that says that it leads, or nil.
func (w *fixture) leader() *node.Pod {
	for _, p := range w.pods {
		if _, metrics := p.Get(intstr.FromString("metrics"), "/metrics", 5*time.Second); strings.Contains(metrics, "\nleader_election_master_status{name=\"mooring-leader\"} 1\n") {
			return p
		}
	}
	return nil
}

// made counts the creations that the cloud accepted, by name.
func (w *fixture) made() map[string]int {
	made := map[string]int{}
	for _, operation := range []string{"CreateBucket", "buckets.insert"} {
		for _, c := range w.Cloud.Ledger.Calls(localcloud.Filter{Operation: operation}) {
			if c.Committed && c.Status/100 == 2 {
				made[c.Resource]++
			}
		}
	}
	return made
}

// committed counts the writes that the cloud accepted.
func (w *fixture) committed() map[string]int {
	writes := map[string]int{}
	for _, c := range w.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}) {
		if c.Committed && c.Status/100 == 2 {
			writes[c.Operation+" "+c.Resource]++
		}
	}
	return writes
}
