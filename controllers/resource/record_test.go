package resource

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What is only observed is bound to a name once something of that name was seen. A name that was mistyped can
// then be corrected: admission refuses to change it once it stands in the status.
func TestObservedIsBoundOnceSeen(t *testing.T) {
	for state, want := range map[driver.State]string{driver.Absent: "", driver.Ready: "theirs"} {
		b := &v1alpha1.Bucket{}
		r := &Reconciler{Kind: kind.Bucket()}
		r.describe(&turn{
			obj: b, status: &b.Status.ResourceStatus, policy: plan.Policy{Management: v1alpha1.ManagementObserve},
			conn:    &identity.Connection{Provider: "aws"},
			request: driver.Request{Name: "theirs", Location: "eu-central-1"},
			looked:  true, seen: driver.Observation{State: state}, mem: &memory{},
		}, outcome{state: condition.Stalled, reason: v1alpha1.ReasonNotFound, message: "look again"})
		if got := b.Status.ExternalName; got != want {
			t.Errorf("%v: bound to %q, want %q", state, got, want)
		}
	}
}

// What an error comes to depends on its code, on how often turns failed, and on when the cloud was last seen. One
// failure flips nothing.
func TestJudge(t *testing.T) {
	unavailable := &driver.Error{Code: driver.Unavailable, Op: "HeadBucket", Message: "no answer"}
	denied := &driver.Error{Code: driver.Denied, Op: "HeadBucket", Message: "no rights"}
	missing := &identity.ValidationError{Reason: v1alpha1.ReasonCredentialsNotFound, Message: "create it"}
	for _, test := range []struct {
		name     string
		err      error
		before   int           // failed turns before this one
		unseen   time.Duration // since the cloud was seen
		deleting bool
		want     outcome
	}{
		{"somebody was faster", errStale, 0, 0, false, outcome{quiet: true, next: polling}},
		{"no answer", unavailable, 0, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonRetrying, next: afterError}},
		{"no answer twice", unavailable, 1, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonRetrying, next: afterError}},
		{"no answer three times", unavailable, 2, 0, false, outcome{state: condition.RetryingLong, reason: v1alpha1.ReasonRetrying, next: afterError}},
		{"no answer for two sync periods", unavailable, 9, 2*time.Minute + 1, false, outcome{state: condition.Unseen, reason: v1alpha1.ReasonNotObserved, next: afterError}},
		{"refused once", denied, 0, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"refused three times", denied, 2, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"an act refused once", acted{denied}, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"busy", &driver.Error{Code: driver.Busy}, 0, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonCloudBusy, next: polling, quiet: true}},
		{"busy for long", &driver.Error{Code: driver.Busy}, 9, 0, false, outcome{state: condition.RetryingLong, reason: v1alpha1.ReasonCloudBusy, next: polling}},
		{"busy and not observed", &driver.Error{Code: driver.Busy}, 9, 2*time.Minute + 1, false, outcome{state: condition.Unseen, reason: v1alpha1.ReasonNotObserved, next: afterError}},
		{"deleted, and busy for long", acted{&driver.Error{Code: driver.Busy}}, 9, 0, true, outcome{state: condition.Deleting, reason: v1alpha1.ReasonDeleting, next: polling}},
		{"observation refused once", denied, 0, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"observation refused three times", denied, 2, 0, false, outcome{state: condition.ObservationRefused, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"refused once after two sync periods without an observation", denied, 0, 2*time.Minute + 1, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"observation refused for two sync periods", denied, 9, 2*time.Minute + 1, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonDenied, next: afterError}},
		{"observation refused by the config", missing, 0, 0, false, outcome{state: condition.ObservationRefused, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"observation refused by the config for two sync periods", missing, 9, 2*time.Minute + 1, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"observation refused in another account", &identity.ValidationError{Reason: v1alpha1.ReasonAccountChanged}, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonAccountChanged, next: afterError}},
		{"a missing password", missing, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"told to wait", &driver.Error{Code: driver.Throttled, RetryAfter: time.Hour}, 0, 0, false,
			outcome{state: condition.Retrying, reason: v1alpha1.ReasonRetrying, next: afterError, atLeast: time.Hour, throttled: true}},
		{"no credentials", missing, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"no credentials yet", missing, 0, 0, false, outcome{state: condition.Progressing, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError, atMost: grace / 2}},
		{"no credentials, and no grace left for a new one", missing, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"deleted, and no credentials", missing, 0, 0, true, outcome{state: condition.DeletionStalled, reason: v1alpha1.ReasonCredentialsNotFound, next: afterError}},
		{"deleted, and no answer three times", unavailable, 2, 0, true, outcome{state: condition.Deleting, reason: v1alpha1.ReasonDeleting, next: afterError}},
		{"deleted, and refused three times", denied, 2, 0, true, outcome{state: condition.DeletionStalled, reason: v1alpha1.ReasonDenied, next: afterError}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.deleting, d.mem.failures, d.mem.seen = test.deleting, test.before, d.now.Add(-test.unseen)
			d.mem.failing = d.now.Add(-d.Cadence.PollLongest)
			if strings.HasSuffix(test.name, "yet") || strings.HasSuffix(test.name, "new one") {
				d.status.FirstReadyTime = nil
			}
			if strings.HasSuffix(test.name, "yet") {
				d.bucket().CreationTimestamp = metav1.NewTime(d.now.Add(-grace / 2))
			}
			if strings.HasPrefix(test.name, "observation") || strings.HasPrefix(test.name, "a missing password") {
				condition.Set(&d.status.Conditions, condition.Update{State: condition.Settled, Reason: v1alpha1.ReasonReady, Generation: 1})
			}
			d.looked = strings.HasPrefix(test.name, "a missing password")
			got := d.judge(d.turn, outcome{}, test.err)
			got.message = ""
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

// Who stalls without an error is looked at when a converged object would be, and behind all that somebody wants; who stalls
// because of one is tried again later each time, whatever else is recorded in between.
func TestStalledComesBackSlowly(t *testing.T) {
	d := newDesk(t)
	d.RecordDeadline = time.Minute
	stall, err := d.act(t.Context(), d.turn, plan.Action{Verb: plan.Stall, Reason: v1alpha1.ReasonNotOwned, Message: "another's"})
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]outcome{"the plan": stall, "a guard": *d.stalled(v1alpha1.ReasonAccountChanged, "elsewhere")} {
		for range 3 {
			next, err := d.record(t.Context(), d.turn, out, nil)
			if err != nil || next.RequeueAfter < d.Cadence.Sync*9/10 || *next.Priority != *queuePriority(account.Resync) {
				t.Errorf("by %s: it comes back %+v (%v)", name, next, err)
			}
		}
	}
	missing := &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound, Message: "create it"}
	var last time.Duration
	for range 12 {
		next, err := d.record(t.Context(), d.turn, outcome{}, missing)
		if err != nil {
			t.Fatal(err)
		}
		last = next.RequeueAfter
		if *next.Priority != *queuePriority(account.Resync) {
			t.Fatalf("it comes before what people want: %+v", next)
		}
	}
	if last < d.Cadence.Longest/2 {
		t.Errorf("after twelve refusals it comes back in %v", last)
	}
}
