package node

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// patience is how long a container may take to be ready, on a machine that does everything else too.
const patience = time.Minute

// Roll brings the Pods of a Deployment to what it says now, as its strategy demands: a new one more, and an old one goes when
// the new one is ready. It returns the Pods that run then. An old one that does not end as it should is an error.
func (n *Node) Roll(t testing.TB, d *appsv1.Deployment, old []*Pod) []*Pod {
	t.Helper()
	var now []*Pod
	for range *d.Spec.Replicas {
		p := n.Run(t, d.Namespace, d.Name, d.Spec.Template)
		now = append(now, p)
		if err := p.AwaitReady(); err != nil {
			t.Fatal(err)
		}
		if len(old) > 0 {
			if err := old[0].Delete(); err != nil {
				t.Errorf("%s: %v; it said:\n%s", old[0].Name, err, old[0].Log())
			}
			old = old[1:]
		}
	}
	for _, p := range old {
		if err := p.Delete(); err != nil {
			t.Errorf("%s: %v; it said:\n%s", p.Name, err, p.Log())
		}
	}
	return now
}

// AwaitReady waits until the readiness probe succeeds.
func (p *Pod) AwaitReady() error {
	for deadline := time.Now().Add(patience); !p.Ready(); time.Sleep(50 * time.Millisecond) {
		if p.Ended() || time.Now().After(deadline) {
			return fmt.Errorf("%s does not become ready; it ran with %q and said:\n%s", p.Name, p.arguments(), p.Log())
		}
	}
	return nil
}
