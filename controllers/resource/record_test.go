package resource

import (
	"encoding/json"
	"testing"

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
