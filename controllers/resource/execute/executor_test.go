package execute

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a task holds is never changed: others hold it too. What happened is in what is returned.
func TestExecuteLeavesTheTaskAlone(t *testing.T) {
	w := newWork(t)
	task := w.Task
	task.Object.GetResourceStatus().Applied = map[string][]string{"tags": {"team"}}
	task.Request.Deletion = &driver.Deletion{Snapshot: "final"}
	task.PasswordSecret = &password.Secret{}
	before := task.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	done, err := w.executor.Execute(t.Context(), task, plan.Action{Verb: plan.ClearBinding})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, task.Object); diff != "" {
		t.Errorf("the object of the task (-before +after):\n%s", diff)
	}
	if done.Object == task.Object || done.Object.GetResourceStatus().ExternalName != "" {
		t.Errorf("what is returned is still bound: %+v", done.Object.GetResourceStatus())
	}
	if done.Request.Deletion == task.Request.Deletion {
		t.Error("what is returned shares what the task holds")
	}
}

// That data is lost is told before the finalizer goes: nothing is left to tell it of after that.
func TestLostDataIsToldBeforeTheObjectGoes(t *testing.T) {
	w := newWork(t)
	w.Request.Deletion = &driver.Deletion{Snapshot: "final"}
	var told []string
	w.Tell = func(action string, n outcome.Note) {
		if !hasFinalizer(w.Object) {
			t.Error("the finalizer is gone")
		}
		told = append(told, action+" "+n.Reason)
	}
	if _, err := w.act(t.Context(), plan.Action{Verb: plan.RemoveFinalizer, Lost: true}); err == nil {
		t.Error("this client knows no buckets, and can't remove a finalizer")
	}
	if want := []string{"RemoveFinalizer " + v1alpha1.EventDataLost}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
