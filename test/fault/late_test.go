package fault

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestFailsLate has the cloud accept what it then does not do. The object says so, or what failed is tried again;
// there is one cloud object, and none is let go that is still there.
func TestFailsLate(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	var all sync.WaitGroup
	for _, s := range []system.Target{system.TargetOf("Database", "aws"), system.TargetOf("Database", "gcp")} {
		for _, c := range []struct {
			name    string
			happens func(t *testing.T, l *lifecycle)
		}{
			{"creation", creationFails},
			{"edit", editFails},
			{"password", passwordFails},
			{"deletion", deletionFails},
			{"deletion without a snapshot", plainDeletionFails},
		} {
			all.Go(func() {
				t.Run(s.String()+"/"+c.name, func(t *testing.T) {
					l := w.prepared(t, s)
					defer l.logIfFailed(t)
					l.enterPhase(creation)
					c.happens(t, l)
					l.verify(t, deletion)
				})
			})
		}
	}
	all.Wait()
}

// failLate has an operation be accepted and fail, each time until it is lifted.
func (l *lifecycle) failLate(aws, gcp string) (lift func()) {
	l.inject(&injectedFault{phase: l.phase, call: call{cloud, map[string]string{"aws": aws, "gcp": gcp}[l.target.Cloud], 0}, kind: localcloud.FailLate})
	return func() { l.inject(nil) }
}

// creationFails: an instance whose creation failed is of no use. It is said to be so until it is deleted; it was never
// of any use, so that needs no snapshot, and the next of its name is made as ever.
func creationFails(t *testing.T, l *lifecycle) {
	lift := l.failLate("CreateDBInstance", "instances.insert")
	l.declare(t)
	l.awaitStalled(t, v1alpha1.ReasonFailed, "failed")
	l.awaitObservations(t, 3)
	l.awaitStalled(t, v1alpha1.ReasonFailed, "failed")
	l.verifyOne(t, 1)
	lift()
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitGone(t)
	l.declare(t)
	l.awaitReady(t)
	l.verify(t, creation)
	l.enterPhase(deletion)
	l.perform(t, deletion)
}

func (l *lifecycle) awaitGone(t *testing.T) {
	t.Helper()
	await(t, l.name+" is gone", func() string {
		if o := l.cached(t.Context()); o != nil {
			return conditions(system.StatusOf(o).Conditions)
		}
		return ""
	})
}

func editFails(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(edit)
	lift := l.failLate("ModifyDBInstance", "instances.patch")
	l.patch(t, func(o client.Object) { o.(*v1alpha1.Database).Spec.Storage.SizeGiB = new(int32(30)) })
	told := map[string]string{"aws": "does not show it", "gcp": "An internal error"}[l.target.Cloud]
	await(t, l.name+" says that its edit does not come true", func() string {
		all := conditions(system.StatusOf(l.cached(t.Context())).Conditions)
		if l.hitCount() < 3 || !strings.Contains(all, told) {
			return fmt.Sprintf("after %d times: %s", l.hitCount(), all)
		}
		return ""
	})
	if unready(l.get(t)) == "" {
		t.Error("it is said to be as declared")
	}
	l.verifyOne(t, 0)
	lift()
	l.awaitReady(t)
	if seen := l.get(t).(*v1alpha1.Database).Status.Observed; seen == nil || seen.Storage == nil || *seen.Storage.SizeGiB != 30 {
		t.Errorf("the edit did not come true: %+v", seen)
	}
	l.verify(t, edit)
	l.enterPhase(deletion)
	l.perform(t, deletion)
}

// passwordFails: what the cloud accepted and could not set is never published, and is sent until it is in force.
func passwordFails(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	before := l.password(t)
	l.enterPhase(rotation)
	lift := l.failLate("ModifyDBInstance", "users.update")
	after := l.givePassword(t)
	l.patch(t, func(o client.Object) {
		o.(*v1alpha1.Database).Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: givenPassword}}
	})
	await(t, l.name+": another password is sent twice", func() string {
		if l.password(t) != before {
			t.Fatal("a password was published that is not in force")
		}
		if n := l.hitCount(); n < 2 {
			return fmt.Sprintf("%d times\n%s", n, conditions(system.StatusOf(l.cached(t.Context())).Conditions))
		}
		return ""
	})
	lift()
	await(t, l.name+": the new password is published", func() string {
		if l.password(t) != after {
			return conditions(system.StatusOf(l.cached(t.Context())).Conditions)
		}
		return ""
	})
	l.awaitReady(t)
	l.verify(t, rotation)
	l.enterPhase(deletion)
	l.perform(t, deletion)
}

// deletionFails: RDS keeps the final snapshot of a deletion that failed, whose name is then taken. It is the final one of the next try.
func deletionFails(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	lift := l.deleteInVain(t)
	lift()
	l.awaitDeleted(t)
}

func plainDeletionFails(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.patch(t, func(o client.Object) { o.(*v1alpha1.Database).Spec.DeletionPolicy = v1alpha1.DeletionDelete })
	l.awaitReady(t)
	lift := l.deleteInVain(t)
	lift()
	l.awaitDeleted(t)
}

// deleteInVain deletes an object whose deletion in the cloud fails.
func (l *lifecycle) deleteInVain(t *testing.T) (lift func()) {
	l.enterPhase(deletion)
	lift = l.failLate("DeleteDBInstance", "instances.delete")
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitReportedOrRetried(t)
	l.awaitObservations(t, 2)
	if !controllerutil.ContainsFinalizer(l.get(t), v1alpha1.FinalizerResource) {
		t.Error("the finalizer was dropped")
	}
	l.verifyOne(t, 0)
	return lift
}

// awaitReportedOrRetried waits until what failed late is said, or was tried again.
func (l *lifecycle) awaitReportedOrRetried(t *testing.T) {
	t.Helper()
	await(t, l.name+" says what failed, or it is tried again", func() string {
		o := l.cached(t.Context())
		if o == nil {
			t.Fatal("the object was let go, although the cloud object is still there")
		}
		if l.hitCount() == 0 {
			return "nothing has failed yet"
		}
		if c := meta.FindStatusCondition(system.StatusOf(o).Conditions, v1alpha1.ConditionStalled); c != nil && c.Status == metav1.ConditionTrue && c.Reason != "" && c.Message != "" {
			t.Logf("it says: %s: %s", c.Reason, c.Message)
			return ""
		}
		if n := l.hitCount(); n >= 2 {
			t.Logf("tried again; %s", conditions(system.StatusOf(o).Conditions))
			return ""
		}
		return conditions(system.StatusOf(o).Conditions)
	})
}

// verifyOne checks that there is one cloud object, and how many were created in this phase.
func (l *lifecycle) verifyOne(t *testing.T, created int) {
	t.Helper()
	if here := l.console().Names(t); len(here) != 1 {
		t.Errorf("the cloud has %s", strings.Join(here, ", "))
	}
	n := 0
	for _, op := range creates {
		n += l.committed()[op]
	}
	if n != created {
		t.Errorf("%d creations, want %d", n, created)
	}
}
