package resource

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What begins is told when it begins and when it ends, and not at each reconciliation: by an Event and by a line of the log.
func TestEvents(t *testing.T) {
	type came struct {
		out outcome.Outcome
		err error
	}
	settled := came{out: outcome.Outcome{State: condition.UpToDate, Reason: v1alpha1.ReasonReady, Message: "usable", Next: outcome.AtSync}}
	creating := came{out: outcome.Outcome{State: condition.Progressing, Reason: v1alpha1.ReasonCreating, Message: plan.MessageOfNew(plan.View{}), Next: outcome.Polling}}
	asks := came{out: outcome.Outcome{State: condition.DriftWaits, Reason: v1alpha1.ReasonApprovalRequired, Message: "approve it", Next: outcome.AtSync}}
	busy := came{out: outcome.Outcome{State: condition.DriftWaits, Reason: v1alpha1.ReasonCloudBusy, Message: "busy", Next: outcome.Polling}}
	vain := came{out: outcome.Outcome{State: condition.DriftWaits, Reason: v1alpha1.ReasonDrifted, Message: "in vain", Next: outcome.AfterError, Retried: true}}
	unavailable := came{err: &driver.Error{Code: driver.Unavailable, Op: "HeadBucket", Message: "no answer"}}
	denied := came{err: outcome.Acted{Err: &driver.Error{Code: driver.Denied, Op: "PutBucketTagging", Message: "no rights"}}}
	occupied := came{err: outcome.Acted{Err: &driver.Error{Code: driver.Busy, Op: "PutBucketTagging", Message: "busy"}}}
	missing := came{err: &identity.ValidationError{Reason: v1alpha1.ReasonCredentialsNotFound, Message: "create it"}}
	const ready, again = "Normal Ready usable", "Normal Recovered the cloud answers again"
	for _, test := range []struct {
		name            string
		unborn          bool
		deleting        bool
		reconciliations []came
		want            []string
		// logged are lines of the log that are no Event.
		logged int
	}{
		{name: "created", unborn: true, reconciliations: []came{creating, creating, settled, settled}, logged: 1},
		{name: "created, and lost what it needs", unborn: true, reconciliations: []came{creating, settled, denied, settled},
			want: []string{"Warning Denied PutBucketTagging: no rights", ready}, logged: 1},
		{name: "what it refers to comes later", unborn: true, reconciliations: []came{missing, missing, creating, settled},
			want: []string{"Normal CredentialsNotFound create it", ready}},
		{name: "what it refers to is gone", reconciliations: []came{settled, missing, missing, settled},
			want: []string{ready, "Warning CredentialsNotFound it can't be observed, so its status shows the last observation: create it. Check ClusterProviderConfig aws",
				"Normal Recovered the cloud answers again"}},
		{name: "busy for long", reconciliations: []came{settled, occupied, occupied, occupied, occupied, settled},
			want: []string{ready, "Warning CloudBusy the cloud refuses this for now, and Mooring retries: PutBucketTagging: busy", again}},
		{name: "a deletion that is refused as busy for long", deleting: true, reconciliations: []came{occupied, occupied, occupied, occupied},
			want: []string{"Warning Deleting the cloud refuses this for now, and Mooring retries: PutBucketTagging: busy"}},
		{name: "one failure", reconciliations: []came{settled, unavailable, settled}, want: []string{ready}},
		{name: "failures that last", reconciliations: []came{settled, unavailable, unavailable, unavailable, unavailable, settled, settled},
			want: []string{ready, "Warning Retrying HeadBucket: no answer", again}},
		{name: "failures of a creation", unborn: true, reconciliations: []came{creating, unavailable, unavailable, unavailable, unavailable, creating, settled},
			want: []string{"Warning Retrying HeadBucket: no answer", ready}},
		{name: "failures of a deletion", deleting: true, reconciliations: []came{unavailable, unavailable, unavailable, unavailable},
			want: []string{"Warning Deleting HeadBucket: no answer"}},
		{name: "a lost right", reconciliations: []came{settled, denied, denied, settled}, want: []string{ready, "Warning Denied PutBucketTagging: no rights", ready}},
		{name: "drift that waits for approval", reconciliations: []came{settled, asks, asks, settled}, want: []string{ready, "Warning ApprovalRequired approve it"}},
		{name: "drift that waits for the cloud", reconciliations: []came{settled, busy, busy, settled}, want: []string{ready}},
		{name: "drift put right in vain", reconciliations: []came{settled, vain, vain, settled}, want: []string{ready, "Warning Drifted in vain"}},
		{name: "paused", reconciliations: []came{settled, {out: outcome.Outcome{State: condition.Paused, Reason: v1alpha1.ReasonPaused, Next: outcome.Never}}, settled}, want: []string{ready}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			var logged []string
			d.Log, d.RecordDeadline = funcr.NewJSON(func(line string) { logged = append(logged, line) }, funcr.Options{}), time.Minute
			if test.unborn {
				d.status().FirstReadyTime = nil
				if err := d.Client.Status().Update(t.Context(), d.Object); err != nil {
					t.Fatal(err)
				}
				d.bucket().CreationTimestamp = metav1.NewTime(d.Facts.Now)
			}
			d.Cadence.PollLongest = 0 // the cloud is busy for long after a few tries
			for _, c := range test.reconciliations {
				d.begin()
				d.Deleting, d.Facts.Observed, d.Config = test.deleting, c.err == nil, identity.Key{Kind: identity.KindClusterProviderConfig, Name: "aws"}
				d.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: d.Request.Mark}
				if _, err := d.record(t.Context(), c.out, c.err); err != nil {
					t.Fatal(err)
				}
			}
			told := d.Recorder.(*events.FakeRecorder).Events
			close(told)
			var got []string
			for e := range told {
				got = append(got, e)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
			if len(logged) != len(got)+test.logged || slices.ContainsFunc(logged, func(line string) bool { return !strings.Contains(line, `"name":"photos"`) }) {
				t.Errorf("the log says something else: %q", logged)
			}
		})
	}
}
