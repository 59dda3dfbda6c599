package report

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What an error comes to depends on its code, on how often reconciliations failed, and on when the cloud was last seen. One
// failure flips nothing.
func TestClassify(t *testing.T) {
	unavailable := &driver.Error{Code: driver.Unavailable, Op: "HeadBucket", Message: "no answer"}
	denied := &driver.Error{Code: driver.Denied, Op: "HeadBucket", Message: "no rights"}
	lacks := &driver.Error{Code: driver.Unsupported, Op: "PutBucketCors", Message: "not implemented"}
	settling := &driver.Error{Code: driver.Invalid, Op: "PutBucketPolicy", Message: "no such role", Settling: true}
	missing := &identity.ValidationError{Reason: v1alpha1.ReasonCredentialsNotFound, Message: "create it"}
	for _, test := range []struct {
		name     string
		err      error
		before   int           // failed reconciliations before this one
		unseen   time.Duration // since the cloud was seen
		deleting bool
		want     outcome.Outcome
	}{
		{"somebody was faster", outcome.ErrStale, 0, 0, false, outcome.Outcome{KeepConditions: true, Next: outcome.Polling}},
		{"no answer", unavailable, 0, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, Next: outcome.AfterError}},
		{"no answer twice", unavailable, 1, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, Next: outcome.AfterError}},
		{"no answer three times", unavailable, 2, 0, false, outcome.Outcome{State: condition.RetryingLong, Reason: v1alpha1.ReasonRetrying, Next: outcome.AfterError}},
		{"no answer for two sync periods", unavailable, 9, 2*time.Minute + 1, false, outcome.Outcome{State: condition.Unobserved, Reason: v1alpha1.ReasonNotObserved, Next: outcome.AfterError}},
		{"refused once", denied, 0, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"refused three times", denied, 2, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"a field that the cloud lacks, once", outcome.FieldErrors{{Field: "cors", Err: lacks}}, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonNotSupported, Next: outcome.AtSync}},
		{"a field that the cloud lacks, beside one without an answer", outcome.FieldErrors{{Field: "cors", Err: lacks}, {Field: "tags", Err: unavailable}}, 2, 0, false,
			outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonNotSupported, Next: outcome.AfterError}},
		{"observation of what the cloud lacks", lacks, 0, 0, false, outcome.Outcome{State: condition.ObservationRefused, Reason: v1alpha1.ReasonNotSupported, Next: outcome.AtSync}},
		{"deleted, and the cloud lacks it", outcome.Acted{Err: lacks}, 0, 0, true, outcome.Outcome{State: condition.DeletionStalled, Reason: v1alpha1.ReasonNotSupported, Next: outcome.AtSync}},
		{"an act refused once", outcome.Acted{Err: denied}, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"an act refused that may pass by itself", outcome.Acted{Err: settling}, 0, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonCloudBusy, Next: outcome.Polling, KeepConditions: true}},
		{"an act refused for long that may pass by itself", outcome.Acted{Err: settling}, 9, 0, false, outcome.Outcome{State: condition.RetryingLong, Reason: v1alpha1.ReasonCloudBusy, Next: outcome.Polling}},
		{"an act refused for so long that it does not pass", outcome.Acted{Err: settling}, 99, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonInvalid, Next: outcome.AfterError}},
		{"fields that may pass by themselves", outcome.Acted{Err: outcome.FieldErrors{{Field: "cors", Err: settling}, {Field: "tags", Err: settling}}}, 0, 0, false,
			outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonCloudBusy, Next: outcome.Polling, KeepConditions: true}},
		{"fields of which one does not pass", outcome.Acted{Err: outcome.FieldErrors{{Field: "cors", Err: settling}, {Field: "tags", Err: denied}}}, 0, 0, false,
			outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"busy", &driver.Error{Code: driver.Busy}, 0, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonCloudBusy, Next: outcome.Polling, KeepConditions: true}},
		{"busy for long", &driver.Error{Code: driver.Busy}, 9, 0, false, outcome.Outcome{State: condition.RetryingLong, Reason: v1alpha1.ReasonCloudBusy, Next: outcome.Polling}},
		{"busy and not observed", &driver.Error{Code: driver.Busy}, 9, 2*time.Minute + 1, false, outcome.Outcome{State: condition.Unobserved, Reason: v1alpha1.ReasonNotObserved, Next: outcome.AfterError}},
		{"deleted, and busy for long", outcome.Acted{Err: &driver.Error{Code: driver.Busy}}, 9, 0, true, outcome.Outcome{State: condition.Deleting, Reason: v1alpha1.ReasonDeleting, Next: outcome.Polling}},
		{"observation refused once", denied, 0, 0, false, outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"observation refused three times", denied, 2, 0, false, outcome.Outcome{State: condition.ObservationRefused, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"refused once after two sync periods without an observation", denied, 0, 2*time.Minute + 1, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"observation refused for two sync periods", denied, 9, 2*time.Minute + 1, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
		{"observation refused by the config", missing, 0, 0, false, outcome.Outcome{State: condition.ObservationRefused, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"observation refused by the config for two sync periods", missing, 9, 2*time.Minute + 1, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"observation refused in another account", &identity.ValidationError{Reason: v1alpha1.ReasonAccountChanged}, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonAccountChanged, Next: outcome.AfterError}},
		{"a missing password", missing, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"told to wait", &driver.Error{Code: driver.Throttled, RetryAfter: time.Hour}, 0, 0, false,
			outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, KeepConditions: true, Next: outcome.AfterError, AtLeast: time.Hour, Throttled: true}},
		{"too many calls, again and again", &driver.Error{Code: driver.Throttled}, 9, 0, false,
			outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, KeepConditions: true, Next: outcome.AfterError, Throttled: true}},
		{"too many calls, and the account's limiter knows", &driver.Error{Code: driver.Throttled}, 9, 0, false,
			outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, KeepConditions: true, Next: outcome.InTurn, Throttled: true}},
		{"too many calls for an update, and the account's limiter knows", outcome.FieldErrors{{Field: "tags", Err: &driver.Error{Code: driver.Throttled}}}, 9, 0, false,
			outcome.Outcome{State: condition.Retrying, Reason: v1alpha1.ReasonRetrying, KeepConditions: true, Next: outcome.InTurn, Throttled: true}},
		{"too many calls, and not observed", &driver.Error{Code: driver.Throttled}, 0, 2*time.Minute + 1, false,
			outcome.Outcome{State: condition.Unobserved, Reason: v1alpha1.ReasonNotObserved, Next: outcome.AfterError, Throttled: true}},
		{"no credentials", missing, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"no credentials yet", missing, 0, 0, false, outcome.Outcome{State: condition.Progressing, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError, AtMost: grace / 2}},
		{"no credentials, and no grace left for a new one", missing, 0, 0, false, outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"deleted, and no credentials", missing, 0, 0, true, outcome.Outcome{State: condition.DeletionStalled, Reason: v1alpha1.ReasonCredentialsNotFound, Next: outcome.AfterError}},
		{"deleted, and no answer three times", unavailable, 2, 0, true, outcome.Outcome{State: condition.Deleting, Reason: v1alpha1.ReasonDeleting, Next: outcome.AfterError}},
		{"deleted, and refused three times", denied, 2, 0, true, outcome.Outcome{State: condition.DeletionStalled, Reason: v1alpha1.ReasonDenied, Next: outcome.AfterError}},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := time.Now()
			b := &v1alpha1.Bucket{}
			b.Generation, b.Status.AppliedGeneration, b.Status.FirstReadyTime = 1, 1, &metav1.Time{Time: time.Unix(1, 0)}
			cadence := retry.DefaultCadence(time.Minute)
			before := Memory{Failures: test.before, Failing: now.Add(-cadence.PollLongest)}
			if strings.HasSuffix(test.name, "does not pass") && test.before > 0 {
				before.Settling = now.Add(-cadence.ConsistencyWindow)
			}
			if strings.HasSuffix(test.name, "yet") || strings.HasSuffix(test.name, "new one") {
				b.Status.FirstReadyTime = nil
			}
			if strings.HasSuffix(test.name, "yet") {
				b.CreationTimestamp = metav1.NewTime(now.Add(-grace / 2))
			}
			if strings.HasPrefix(test.name, "observation") || strings.HasPrefix(test.name, "a missing password") {
				condition.Set(&b.Status.Conditions, condition.Update{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Generation: 1})
			}
			in := reconciliation.State{Object: b, Stored: b, Done: reconciliation.Done{Err: test.err}}
			in.Now, in.Deleting, in.Unobserved = now, test.deleting, test.unseen > 2*cadence.Sync
			in.Paced = strings.HasSuffix(test.name, "limiter knows")
			in.Observed = strings.HasPrefix(test.name, "a missing password")
			got, after := classifier{in, cadence}.classify(before)
			got.Message = ""
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			late := got.Throttled && !in.Unobserved
			if failed := after.Failures > before.Failures; failed == (late || errors.Is(test.err, outcome.ErrStale)) {
				t.Errorf("it counts as a failure: %t", failed)
			}
		})
	}
}

// Somebody else may have been faster with a Secret. What was planned for the object itself is recorded all the same.
func TestWhatWasPlannedIsRecordedBesideAConflict(t *testing.T) {
	pending := []v1alpha1.PendingChange{{Field: "tags"}}
	in := reconciliation.State{Object: &v1alpha1.Bucket{}, Stored: &v1alpha1.Bucket{}, Done: reconciliation.Done{Err: outcome.ErrStale, Outcome: outcome.Outcome{
		State: condition.DriftWaits, Reason: v1alpha1.ReasonApprovalRequired, Message: "waiting for approval", Next: outcome.AtSync,
		Planned: true, Hash: "abc", Pending: pending,
	}}}
	got, _ := classifier{in, retry.DefaultCadence(time.Minute)}.classify(Memory{})
	want := outcome.Outcome{KeepConditions: true, Next: outcome.Polling, Planned: true, Hash: "abc", Pending: pending}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What the class gave and the cloud refuses is not told as if the object's own spec said it, in whatever way the refusal names the field.
func TestRefusalOfWhatAClassGave(t *testing.T) {
	refusal := &driver.Error{Code: driver.Invalid, Op: "ModifyDBInstance", Message: "no such value"}
	gives := class.Tree{"version": "99"}
	ofClass := &class.Resolution{Name: "small", Evaluation: class.Evaluation{Spec: gives, Effective: class.Effective{Enforced: gives}}}
	const last = `; class "small" enforces spec.version: ask your platform team to change the class`
	for name, tt := range map[string]struct {
		err      error
		class    *class.Resolution
		deleting bool
		says     bool
	}{
		"a field":               {outcome.FieldErrors{{Field: "version", Err: refusal}}, ofClass, false, true},
		"a call":                {outcome.RefusedUpdate([]driver.Change{{Field: "version"}}, refusal), ofClass, false, true},
		"words":                 {&driver.Error{Code: driver.NotFound, Op: "CreateDBInstance", Message: "correct spec.version"}, ofClass, false, true},
		"one of several fields": {outcome.RefusedUpdate([]driver.Change{{Field: "version"}, {Field: "tags"}}, refusal), ofClass, false, false},
		"a permission":          {outcome.FieldErrors{{Field: "version", Err: &driver.Error{Code: driver.Denied, Op: "ModifyDBInstance", Message: "no rights"}}}, ofClass, false, false},
		"another field":         {outcome.FieldErrors{{Field: "tags", Err: refusal}}, ofClass, false, false},
		"without a class":       {outcome.FieldErrors{{Field: "version", Err: refusal}}, nil, false, false},
		"while it is deleted":   {outcome.FieldErrors{{Field: "version", Err: refusal}}, ofClass, true, false},
	} {
		in := reconciliation.State{Object: &v1alpha1.Bucket{}, Stored: &v1alpha1.Bucket{}, Done: reconciliation.Done{Err: outcome.Acted{Err: tt.err}}}
		in.Class, in.Deleting, in.Now = tt.class, tt.deleting, time.Now()
		in.Outcome, _ = classifier{in, retry.DefaultCadence(time.Minute)}.classify(Memory{Failures: Lasting})
		if got := messageOf(in); strings.HasSuffix(got, last) != tt.says || !strings.Contains(got, "version") && name != "another field" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// What is refused of a class stands in the conditions.
func TestConditionsSayWhatAClassGave(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", ResourceVersion: "1"}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).Build()
	r := &Reporter{Client: c, Recorder: events.NewFakeRecorder(10), Log: logr.Discard(), Kind: kind.Bucket(), Cadence: retry.DefaultCadence(time.Minute), Deadline: time.Minute}
	gives := class.Tree{"lifecycle": []any{}}
	refusal := outcome.FieldErrors{{Field: "lifecycle", Err: &driver.Error{Code: driver.Invalid, Op: "PutBucketLifecycle", Message: "no such class"}}}
	in := reconciliation.State{Stored: b, Object: b.DeepCopy(), Done: reconciliation.Done{Err: outcome.Acted{Err: refusal}}}
	in.Class, in.Redact, in.Now = &class.Resolution{Name: "logs", Evaluation: class.Evaluation{Spec: gives, Effective: class.Effective{Enforced: gives}}}, func(message string) string { return message }, time.Now()
	r.Report(t.Context(), in, NewMemory(r.Cadence, time.Now()))
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil {
		t.Fatal(err)
	}
	if stalled := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionStalled); stalled == nil || !strings.Contains(stalled.Message, `class "logs" enforces spec.lifecycle`) {
		t.Errorf("%+v", b.Status.Conditions)
	}
}
