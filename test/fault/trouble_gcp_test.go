package fault

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Codes of the errors in which operations of Cloud SQL end, and what the tests have Cloud SQL say with them. Few codes are documented, and no recording shows one.
const (
	stockout      = "STOCKOUT"
	quotaExceeded = "QUOTA_EXCEEDED"
)

var words = map[string]string{
	stockout:      "The zone does not have enough resources available to fulfill the request.",
	quotaExceeded: "Quota 'DISKS_TOTAL_GB' exceeded. Limit: 30.0 in region europe-west3.",
}

// failOperation has each operation that a call begins end in an error, until it is lifted.
func (l *lifecycle) failOperation(name, code string) (lift func()) {
	l.inject(&injectedFault{phase: l.phase, call: call{cloud, name, 0}, kind: localcloud.FailLate, code: code})
	return func() { l.inject(nil) }
}

// awaitTries waits until what fails was tried so many times more.
func (l *lifecycle) awaitTries(t *testing.T, n int) {
	t.Helper()
	from := l.hitCount()
	await(t, l.name+": it is tried again", func() string {
		if tried := l.hitCount() - from; tried < n {
			return fmt.Sprintf("%d times", tried)
		}
		return ""
	})
}

func (l *lifecycle) setTier(t *testing.T, tier string) {
	t.Helper()
	l.patchDatabase(t, func(s *v1alpha1.DatabaseSpec) { s.GCP.Tier = &tier })
}

// creationWithout leads a database whose creation failed in the cloud. Cloud SQL keeps the instance, and takes no change of it: it is said so, not tried again,
// and deleted without a backup. The next object of its name is created as ever.
func creationWithout(code string, reason v1alpha1.Reason, says ...string) func(*testing.T, *lifecycle) {
	return func(t *testing.T, l *lifecycle) {
		lift := l.failOperation("instances.insert", code)
		l.declare(t)
		l.stalls(t, reason, metav1.ConditionFalse, append(says, words[code][:len(words[code])-1], "delete this object, and create it again")...)
		l.stays(t, reason)
		l.verifyOne(t, 1)
		lift()
		l.must(t, l.Client.Delete(t.Context(), l.get(t)))
		l.awaitGone(t)
		l.enterPhase(creation)
		l.declare(t)
		l.created(t)
	}
}

// operationWithout leads a database with an edit whose operation fails. The server stays as it was and can be used, the way back is Ready, and so is the way
// on, once the cloud has what it lacked.
func operationWithout(code string, reason v1alpha1.Reason, change, back func(*lifecycle, *testing.T), says ...string) func(*testing.T, *lifecycle) {
	return func(t *testing.T, l *lifecycle) {
		l.perform(t, creation)
		l.enterPhase(edit)
		lift := l.failOperation("instances.patch", code)
		change(l, t)
		l.stalls(t, reason, metav1.ConditionTrue, append(says, words[code][:len(words[code])-1])...)
		l.awaitTries(t, 1)
		l.stalls(t, reason, metav1.ConditionTrue, says...)
		back(l, t)
		l.awaitReady(t)
		change(l, t)
		l.stalls(t, reason, metav1.ConditionTrue, says...)
		lift()
		l.awaitReady(t)
		l.verifyOne(t, 0)
	}
}

// startWithout: a stopped server for which there is no machine stays stopped until there is one.
func startWithout(t *testing.T, l *lifecycle) {
	l.perform(t, creation)
	l.enterPhase(power)
	l.setPower(t, v1alpha1.PowerStateStopped)
	await(t, l.name+" is stopped", func() string { return unstopped(l.cached(t.Context())) })
	lift := l.failOperation("instances.patch", stockout)
	l.setPower(t, v1alpha1.PowerStateRunning)
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionFalse, "powerState: ", words[stockout][:len(words[stockout])-1])
	l.setPower(t, v1alpha1.PowerStateStopped)
	await(t, l.name+" is stopped as declared", func() string { return unstopped(l.cached(t.Context())) })
	l.setPower(t, v1alpha1.PowerStateRunning)
	l.stalls(t, v1alpha1.ReasonNoCapacity, metav1.ConditionFalse)
	lift()
	l.awaitReady(t)
	l.verifyOne(t, 0)
}

// initialDatabaseFails: a server without its initial database is not Ready, and gets it once Cloud SQL makes one.
func initialDatabaseFails(t *testing.T, l *lifecycle) {
	lift := l.failOperation("databases.insert", "")
	l.declare(t)
	l.awaitTries(t, 3)
	if o := l.get(t); unready(o) == "" {
		t.Errorf("without its database it is Ready:\n%s", conditions(system.StatusOf(o).Conditions))
	}
	lift()
	l.created(t)
}

func grows(l *lifecycle, t *testing.T)    { l.setSize(t, 40) }
func growsNot(l *lifecycle, t *testing.T) { l.setSize(t, 20) }

func larger(l *lifecycle, t *testing.T)    { l.setTier(t, "db-custom-2-7680") }
func largerNot(l *lifecycle, t *testing.T) { l.setTier(t, "db-custom-1-3840") }
