package gather

import (
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An operation that failed names the fields that were sent with it. What waits for a person was not, and a creation is of all.
func TestFailedOperationNamesItsFields(t *testing.T) {
	pending := []v1alpha1.PendingChange{{Field: "storage.sizeGiB"}, {Field: "gcp.tier"}, {Field: "version", WaitsFor: v1alpha1.WaitsForApproval}}
	for name, tt := range map[string]struct {
		is   func(*reconciliation.State)
		want string
	}{
		"an update":             {func(*reconciliation.State) {}, "gcp.tier, storage.sizeGiB: none left"},
		"nothing is known":      {func(g *reconciliation.State) { g.Status().PendingChanges = nil }, "none left"},
		"it waits for a person": {func(g *reconciliation.State) { g.Status().PendingChanges = pending[2:] }, "none left"},
		"a creation":            {func(g *reconciliation.State) { g.Status().FirstReadyTime = nil }, "none left"},
		"a deletion":            {func(g *reconciliation.State) { g.Deleting = true }, "none left"},
	} {
		t.Run(name, func(t *testing.T) {
			g := reconciliation.State{}
			g.Object = &v1alpha1.Database{}
			g.Status().FirstReadyTime, g.Status().PendingChanges = &metav1.Time{}, pending
			g.OperationError = errors.New("none left")
			tt.is(&g)
			if stop := isNotFailed(g); stop == nil || stop.Err.Error() != tt.want {
				t.Errorf("it stops with %+v, want %s", stop, tt.want)
			}
		})
	}
}

// Why an operation failed is told once. What the cloud still has of it is dealt with after that, and is not forgotten.
func TestFailedOperationThatLeavesSomething(t *testing.T) {
	gatherer, cloud := gathererIn(clusterOf(t))
	d, _ := withPassword(nil)
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
	d.Status.ExternalName, d.Status.Operation = "orders", "bgd-1"
	d.Status.Applied = map[string][]string{plan.FieldPassword: {"1"}}
	d.Status.Actions = []v1alpha1.ActionStatus{{Name: string(driver.Restart), Value: "1", Outcome: v1alpha1.ActionStarted}}
	failure := &driver.Error{Code: driver.Invalid, Op: "CreateBlueGreenDeployment", Message: "a slot is lost"}
	cloud.observation = driver.Observation{
		State: driver.Ready, Available: true, Operation: "bgd-1", OperationError: failure, Mark: driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"},
	}
	failed := 0
	gatherer.Features = feature.Set{{Failed: func(*reconciliation.State, string) { failed++ }}}
	first, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	first.Release()
	if usable := first.Usable; usable == nil || !*usable {
		t.Error("that it can be used is not told beside the failure")
	}
	if stop == nil || stop.Err == nil || first.Observed || first.Status().Operation != "bgd-1" {
		t.Fatalf("it ends with %+v, observed: %t, and the status has the operation %q", stop, first.Observed, first.Status().Operation)
	}
	if !slices.Equal(first.Status().Applied[plan.FieldPassword], []string{"1"}) || failed > 0 {
		t.Errorf("it was about the version, and the password that is applied is %q, and features took it in %d times", first.Status().Applied, failed)
	}
	second, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, first.Memory))
	second.Release()
	if stop != nil || !second.Observed || second.Memory.Failure != failure.Error() {
		t.Errorf("the next time it ends with %+v, observed: %t, and %q is remembered", stop, second.Observed, second.Memory.Failure)
	}
	// Somebody asks for another try, which may have to wait. Once it fails, that is told.
	d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "again"}
	asked := second
	d.Generation, asked.Memory.Generation = 1, 1
	for range 2 {
		news, memory := reconciliation.NewsOf(d, asked.Memory)
		asked, stop = gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), news, memory))
		asked.Release()
		if stop != nil || !asked.View.RetryRequested {
			t.Errorf("once somebody asked, it ends with %+v, and counts as asked: %t", stop, asked.View.RetryRequested)
		}
	}
	cloud.observation.Operation = "bgd-2"
	again, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, asked.Memory))
	again.Release()
	if stop == nil || stop.Err == nil || again.View.RetryRequested {
		t.Errorf("another try that failed ends with %+v, and counts as asked: %t", stop, again.View.RetryRequested)
	}
	cloud.observation.OperationError = nil
	third, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, second.Memory))
	third.Release()
	if stop != nil || third.Memory.Failure != "" {
		t.Errorf("once it is over, it ends with %+v, and %q is remembered", stop, third.Memory.Failure)
	}
}

// Features take in that an operation failed which is over: it may have been theirs.
func TestFailedOperationIsTakenInByFeatures(t *testing.T) {
	gatherer, cloud := gathererIn(clusterOf(t))
	d, _ := withPassword(nil)
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
	d.Status.ExternalName, d.Status.Operation = "orders", "op-1"
	cloud.observation = driver.Observation{
		State: driver.Ready, Available: true, OperationError: &driver.Error{Code: driver.Invalid, Message: "no machine"},
		Mark: driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"},
	}
	var messages []string
	gatherer.Features = feature.Set{{Failed: func(_ *reconciliation.State, message string) { messages = append(messages, message) }}}
	first, _ := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	first.Release()
	if len(messages) != 1 || messages[0] != first.OperationError.Error() {
		t.Errorf("features took in %q", messages)
	}
}
