package fault

import (
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestTrouble has clouds run out of what they give, and servers fail at what they do. The object says so with the next move, nothing is created twice or
// lost, and it is Ready again once the spec is edited back, or the cloud heals.
func TestTrouble(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	var all sync.WaitGroup
	for _, c := range []struct {
		cloud, name string
		// happens to a lifecycle of which there is nothing yet, and leaves a server that is deleted then.
		happens func(t *testing.T, l *lifecycle)
	}{
		{"aws", "no instance is left of the quota", quotaOfInstances},
		{"aws", "no storage is left of the quota at the creation", quotaOfStorage},
		{"aws", "no storage is left of the quota for a larger disk", quotaOfGrowth},
		{"aws", "no capacity at the creation", capacityOfNew},
		{"aws", "no capacity for another class", capacityOfClass},
		{"aws", "no capacity at the start", capacityOfStart},
		{"aws", "insufficient-capacity", capacityFoundLate},
		{"aws", "storage-full", storageFull},
		{"aws", "incompatible-parameters", incompatibleParameters},
		{"aws", "incompatible-network", incompatibleNetwork},
		{"aws", "incompatible-restore", incompatibleRestore},
		{"gcp", "no capacity at the creation", creationWithout(stockout, v1alpha1.ReasonNoCapacity, "or with another tier or location")},
		{"gcp", "nothing is left of the quota at the creation", creationWithout(quotaExceeded, v1alpha1.ReasonQuotaExceeded, "request a higher quota")},
		{"gcp", "no capacity for another tier", operationWithout(stockout, v1alpha1.ReasonNoCapacity, larger, largerNot, "gcp.tier: ", "choose another tier, or wait")},
		{"gcp", "nothing is left of the quota for a larger disk", operationWithout(quotaExceeded, v1alpha1.ReasonQuotaExceeded, grows, growsNot, "storage.sizeGiB: ", "request a higher quota")},
		{"gcp", "no capacity at the start", startWithout},
		{"gcp", "the initial database fails", initialDatabaseFails},
	} {
		all.Go(func() {
			t.Run(c.cloud+"/"+c.name, func(t *testing.T) {
				l := w.prepared(t, system.TargetOf("Database", c.cloud))
				defer l.logIfFailed(t)
				l.enterPhase(creation)
				c.happens(t, l)
				if t.Failed() {
					return
				}
				l.verify(t, edit)
				l.enterPhase(deletion)
				l.perform(t, deletion)
				l.verify(t, deletion)
			})
		})
	}
	all.Wait()
}

// stalls waits until a person is asked, and checks that all conditions are as the state says: what is usable stays so.
func (l *lifecycle) stalls(t *testing.T, reason v1alpha1.Reason, available metav1.ConditionStatus, says ...string) {
	t.Helper()
	want := map[string]metav1.ConditionStatus{
		v1alpha1.ConditionStalled: metav1.ConditionTrue, v1alpha1.ConditionReady: metav1.ConditionFalse,
		v1alpha1.ConditionSynced: metav1.ConditionFalse, v1alpha1.ConditionAvailable: available,
	}
	await(t, l.name+" stalls: "+string(reason), func() string {
		o := l.cached(t.Context())
		if o == nil {
			return "it is not there"
		}
		all := system.StatusOf(o).Conditions
		for name, status := range want {
			c := meta.FindStatusCondition(all, name)
			if c == nil || c.Status != status || c.ObservedGeneration != o.GetGeneration() && name != v1alpha1.ConditionAvailable {
				return conditions(all)
			}
		}
		c := meta.FindStatusCondition(all, v1alpha1.ConditionStalled)
		if c.Reason != string(reason) || meta.FindStatusCondition(all, v1alpha1.ConditionReconciling) != nil {
			return conditions(all)
		}
		for _, text := range says {
			if !strings.Contains(c.Message, text) {
				return "its message lacks " + text + ": " + c.Message
			}
		}
		return ""
	})
	t.Logf("%s: %s", reason, meta.FindStatusCondition(system.StatusOf(l.get(t)).Conditions, v1alpha1.ConditionStalled).Message)
}

// stays checks that it stalls for the same reason when it was observed and tried again, and that nothing was changed meanwhile.
func (l *lifecycle) stays(t *testing.T, reason v1alpha1.Reason) {
	t.Helper()
	before := len(l.committed())
	l.awaitObservations(t, 3)
	l.awaitStalled(t, reason, "")
	if committed := l.committed(); len(committed) > before {
		t.Errorf("the cloud was changed meanwhile: %v", committed)
	}
}

// verifyCreations checks how many creations the cloud has carried out in this phase.
func (l *lifecycle) verifyCreations(t *testing.T, want int) {
	t.Helper()
	n := 0
	for _, op := range creates {
		n += l.committed()[op]
	}
	if n != want {
		t.Errorf("%d creations, want %d", n, want)
	}
}

// created finishes a creation.
func (l *lifecycle) created(t *testing.T) {
	t.Helper()
	l.awaitReady(t)
	l.awaitConfig(t)
	l.verifyCreations(t, 1)
}

func (l *lifecycle) setSize(t *testing.T, gib int32) {
	t.Helper()
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.Storage.SizeGiB = &gib })
}

func (l *lifecycle) setClass(t *testing.T, class string) {
	t.Helper()
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.AWS.InstanceClass = &class })
}

// observed is what the status shows of the server.
func (l *lifecycle) observed(t *testing.T) *v1alpha1.DatabaseParameters {
	t.Helper()
	seen := l.get(t).(*v1alpha1.Database).Status.Observed
	if seen == nil {
		t.Fatal("nothing is observed")
	}
	return seen
}
