package execute

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a task holds is never changed: others hold it too. What happened is in what is returned.
func TestExecuteLeavesTheTaskAlone(t *testing.T) {
	w := newWork(t)
	task := w.Task
	task.Object.GetResourceStatus().Applied = map[string][]string{"tags": {"team"}}
	task.Request.Deletion = &driver.Deletion{Snapshot: "final"}
	task.Login = &credential.Login{}
	before := task.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	done, err := w.Execute(t.Context(), task, plan.Action{Verb: plan.Unbind})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, task.Object); diff != "" {
		t.Errorf("the object of the task (-before +after):\n%s", diff)
	}
	if done.Object == task.Object || done.Object.GetResourceStatus().ExternalName != "" {
		t.Errorf("what is returned is still bound: %+v", done.Object.GetResourceStatus())
	}
	if done.Login == task.Login || done.Request.Deletion == task.Request.Deletion {
		t.Error("what is returned shares what the task holds")
	}
}
