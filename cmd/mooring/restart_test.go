package main

import (
	"syscall"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/test/system"
)

// TestRestartedContainer kills the leader. The container that its Pod starts next leads under the same lease, which was not
// released and has not expired: it counts no transition, as it does when another takes it over. Another Pod does not get it.
func TestRestartedContainer(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "mooring-leader"}}
	w.pod = "uid-of-a-pod"
	first := w.start(t)
	first.await(t, "leadership", first.leads)
	w.get(t, lease)
	before := lease.DeepCopy()

	first.signal(t, syscall.SIGKILL)
	<-first.ended
	again := w.start(t)
	again.await(t, "leadership", again.leads)
	w.get(t, lease)
	if *lease.Spec.LeaseTransitions != *before.Spec.LeaseTransitions || !lease.Spec.AcquireTime.Equal(before.Spec.AcquireTime) {
		t.Errorf("the restarted container waited until the lease of its own Pod expired: %+v, before %+v", lease.Spec, before.Spec)
	}

	w.pod = "uid-of-another"
	other := w.start(t)
	w.pod = ""
	alone, neighbor := w.start(t), w.start(t)
	for name, r := range map[string]*replica{"another Pod": other, "a process without a Pod": alone, "its neighbor": neighbor} {
		r.await(t, name+" being ready", func() bool { return r.status("/readyz") == 200 })
		if r.leads() {
			t.Errorf("%s leads too", name)
		}
	}
	again.signal(t, syscall.SIGTERM)
	again.finish(t)
	heirs := func() (n int) {
		for _, r := range []*replica{other, alone, neighbor} {
			if r.leads() {
				n++
			}
		}
		return n
	}
	other.await(t, "a successor", func() bool { return heirs() > 0 })
	if n := heirs(); n != 1 {
		t.Errorf("%d lead at once", n)
	}
}
