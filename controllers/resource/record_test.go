package resource

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/credential"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What is only observed is bound to a name once something of that name was seen. A name that was mistyped can
// then be corrected: admission refuses to change it once it stands in the status.
func TestObservedIsBoundOnceSeen(t *testing.T) {
	for state, want := range map[driver.State]string{driver.Absent: "", driver.Ready: "theirs"} {
		b := &v1alpha1.Bucket{}
		r := &Reconciler[*v1alpha1.Bucket, v1alpha1.BucketParameters]{Kind: &Kind[*v1alpha1.Bucket, v1alpha1.BucketParameters]{
			Observed: func(*v1alpha1.Bucket, json.RawMessage) error { return nil },
		}}
		r.describe(&turn[*v1alpha1.Bucket, v1alpha1.BucketParameters]{
			obj: b, status: &b.Status.ResourceStatus, policy: Policy{Management: v1alpha1.ManagementObserve},
			conn:    &credential.Connection{Provider: "aws"},
			request: driver.Request[v1alpha1.BucketParameters]{Name: "theirs", Location: "eu-central-1"},
			looked:  true, seen: driver.Observation{State: state},
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
	missing := &credential.Refusal{Reason: v1alpha1.ReasonCredentialsNotFound, Message: "create it"}
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
		{"busy", &driver.Error{Code: driver.Busy}, 9, 0, false, outcome{state: condition.Retrying, reason: v1alpha1.ReasonCloudBusy, next: polling, quiet: true}},
		{"told to wait", &driver.Error{Code: driver.Throttled, RetryAfter: time.Hour}, 0, 0, false,
			outcome{state: condition.Retrying, reason: v1alpha1.ReasonRetrying, next: afterError, atLeast: time.Hour, throttled: true}},
		{"no credentials", missing, 0, 0, false, outcome{state: condition.Stalled, reason: v1alpha1.ReasonCredentialsNotFound, next: polling}},
		{"no credentials yet", missing, 0, 0, false, outcome{state: condition.Progressing, reason: v1alpha1.ReasonCredentialsNotFound, next: polling}},
		{"deleted, and no credentials", missing, 0, 0, true, outcome{state: condition.DeletionStalled, reason: v1alpha1.ReasonCredentialsNotFound, next: polling}},
		{"deleted, and no answer three times", unavailable, 2, 0, true, outcome{state: condition.Deleting, reason: v1alpha1.ReasonDeleting, next: afterError}},
		{"deleted, and refused three times", denied, 2, 0, true, outcome{state: condition.DeletionStalled, reason: v1alpha1.ReasonDenied, next: afterError}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.deleting, d.mem.failures, d.mem.seen = test.deleting, test.before, d.now.Add(-test.unseen)
			if strings.HasSuffix(test.name, "yet") {
				d.status.FirstReadyTime = nil
			}
			got := d.judge(d.turn, outcome{}, test.err)
			got.message = ""
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
