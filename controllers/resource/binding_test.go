package resource

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Once another cloud object takes the place of one that vanished, the status keeps what is of the Kubernetes object and of the
// place, and nothing of the cloud object that is gone.
func TestNothingOfTheFormerCloudObjectStays(t *testing.T) {
	d := newDesk(t)
	then := metav1.NewTime(time.Unix(1, 0))
	full := v1alpha1.ResourceStatus{
		ObservedGeneration: 3, AppliedGeneration: 3,
		Conditions:   []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}},
		ExternalName: "photos", ExternalID: "old", Origin: v1alpha1.OriginAdopted, MarkMissing: true, CreationRefused: true,
		Provider: "gcp", Location: "us", AccountID: "project", ClassName: "standard",
		ProviderConfigRef: &v1alpha1.BoundProviderConfig{Kind: "ClusterProviderConfig", Name: "gcp"}, Effective: &v1alpha1.Effective{},
		FirstReadyTime: &then, Operation: "insert-1", Plan: &v1alpha1.PlanStatus{Hash: "waits", Serial: 4},
		PendingChanges: []v1alpha1.PendingChange{{Field: "tags"}}, Applied: map[string][]string{"databaseName": {"app"}},
		Fixed: map[string]string{"databaseName": "app"}, Binding: &v1alpha1.Binding{Name: "login"},
		FormerSecrets: []v1alpha1.FormerSecret{{Name: "before"}},
	}
	complete(t, full)
	*d.status = full
	d.request = driver.Request{
		Name: "photos", Location: "us", ID: "old", Operation: "insert-1", Applied: driver.Applied{"databaseName": {"app"}},
	}
	applied := driver.Applied{"tags": {"team"}}
	if !d.startOver(d.turn, v1alpha1.OriginCreated, applied) {
		t.Error("nothing is said to have changed")
	}
	want := full
	want.AppliedGeneration, want.ExternalID, want.Origin, want.MarkMissing, want.CreationRefused = 0, "", v1alpha1.OriginCreated, false, false
	want.FirstReadyTime, want.Operation, want.PendingChanges, want.Fixed = nil, "", nil, nil
	want.Plan, want.Applied = &v1alpha1.PlanStatus{Serial: 5}, applied
	if diff := cmp.Diff(want, *d.status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	request := driver.Request{Name: "photos", Location: "us", Applied: applied}
	if diff := cmp.Diff(request, d.request, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if d.startOver(d.turn, v1alpha1.OriginCreated, applied) {
		t.Error("it changes again")
	}
}

// The same of what is remembered.
func TestMemoryOfTheFormerCloudObject(t *testing.T) {
	at := time.Unix(1, 0)
	full := memory{
		uid: "uid", report: report.Memory{Failures: 2, Failing: at, Edited: at, Drift: report.Drifts{"tags": {}}, Unrecorded: true, Recorded: at}, generation: 3, request: "now", queuedSince: at, seen: at,
		absent: at, unsaved: at, unmarked: at, sent: []driver.Change{{Field: "tags"}}, sentAt: at, inVain: true, passwordSent: 4, deleteSent: at,
		answered: true, creationSent: true, creationRefused: true, creationFailed: true, creation: &report.Creation{ID: "old"}, publisher: execute.Memory{Published: &execute.ConnectionSecret{Name: "login"}, Unwritten: "login"},
		startedOver: true,
		failure:     "no room", notBefore: at,
	}
	want := full
	want.unsaved, want.unmarked, want.sent, want.sentAt, want.inVain, want.passwordSent = time.Time{}, time.Time{}, nil, time.Time{}, false, 0
	want.deleteSent, want.report.Drift, want.answered, want.creation, want.publisher.Published = time.Time{}, nil, false, nil, nil
	want.creationRefused, want.creationFailed = false, false
	for _, wasReady := range []bool{true, false} {
		got := full
		got.startedOver, want.startedOver = false, wasReady
		got.startOver(wasReady)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(memory{}), cmpopts.IgnoreUnexported(report.Memory{}, report.FieldDrift{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// complete demands that every field has a value, so that a new one is decided about here.
func complete(t *testing.T, all any) {
	t.Helper()
	v := reflect.ValueOf(all)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s.%s has no value", v.Type().Name(), v.Type().Field(i).Name)
		}
	}
}
