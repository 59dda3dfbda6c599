package resource

import (
	"context"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// noting is a cloud that notes what the status says while an update is made, and answers with an error.
type noting struct {
	*obedient
	code   driver.Code
	during func()
}

func (c *noting) Update(_ context.Context, _ string, _ driver.Request, edit driver.Edit, _ driver.Secrets) (driver.Result, error) {
	c.during()
	failed := driver.FieldError{Field: edit.Changes[0].Field, Err: &driver.Error{Code: c.code, Message: "no"}}
	if c.code.SetsNothing() {
		failed.Unset = edit.Changes[0].Adds
	}
	return driver.Result{Failed: []driver.FieldError{failed}}, nil
}

// The name of an entry is noted while the cloud is called. It is ours from then on if the answer was lost, and nobody's if the cloud refused it. One that was noted
// before stays so while the observation may be from before a former call.
func TestTheNameOfARefusedEntryIsNobodys(t *testing.T) {
	add := plan.Action{
		Verb: plan.Update, Reason: v1alpha1.ReasonUpdating, Message: "being applied",
		Changes: []driver.Change{{Field: "tags", Entries: true, To: "team=b", Names: []string{"team"}, Adds: []string{"team"}, Effect: driver.Online}},
	}
	for name, tt := range map[string]struct {
		code   driver.Code
		before []string
		called time.Duration // how long ago the cloud was called
		begins bool          // the process has just begun
		ours   bool
	}{
		"refused":                   {code: driver.Invalid},
		"denied, and just called":   {code: driver.Denied, called: time.Second},
		"lost":                      {code: driver.Unavailable, ours: true},
		"refused, and noted before": {code: driver.Invalid, before: []string{"team"}, called: time.Hour},
		"refused, noted before, and called before now":                  {code: driver.Invalid, before: []string{"team"}, called: time.Second, ours: true},
		"refused, noted before, and maybe called by an earlier process": {code: driver.Invalid, before: []string{"team"}, called: time.Hour, begins: true, ours: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.RecordDeadline, d.ConsistencyWindow, d.bucket().Generation, d.View.Edited = time.Minute, 10*time.Second, 2, true
			if tt.before != nil {
				d.status().Applied = map[string][]string{"tags": tt.before}
				if err := d.Client.Status().Update(t.Context(), d.Object); err != nil {
					t.Fatal(err)
				}
				d.Stored = d.Object.DeepCopyObject().(v1alpha1.ResourceObject)
			}
			d.mem.shared.Cloud.NotBefore = d.Facts.Now.Add(-tt.called)
			if !tt.begins {
				d.mem.shared.Cloud.Began = d.Facts.Now.Add(-time.Hour)
			}
			d.Facts.Observed, d.View.Mark = true, driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
			d.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: d.View.Mark, Changes: add.Changes, Applied: driver.Applied{"tags": {"team"}}}
			noted := func() []string {
				b := &v1alpha1.Bucket{}
				if err := d.Reader.Get(t.Context(), client.ObjectKeyFromObject(d.Object), b); err != nil {
					t.Fatal(err)
				}
				return b.Status.Applied["tags"]
			}
			d.Session = &noting{d.cloud, tt.code, func() {
				if !slices.Contains(noted(), "team") {
					t.Error("the name is not noted while the cloud is called")
				}
			}}
			d.take(t, add)
			if got := slices.Contains(noted(), "team"); got != tt.ours {
				t.Errorf("after the answer %q are noted, want ours: %t", noted(), tt.ours)
			}
		})
	}
}
