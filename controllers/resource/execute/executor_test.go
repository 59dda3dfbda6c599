package execute

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a task holds is never changed: others hold it too. What happened is in what is returned.
func TestExecuteLeavesTheTaskAlone(t *testing.T) {
	w := newWork(t)
	task := w.State
	task.Object.GetResourceStatus().Applied = map[string][]string{"tags": {"team"}}
	task.Request.Deletion = &driver.Deletion{Snapshot: "final"}
	notes := make([]outcome.Note, 1, 8) // with room for more, which the returned value must not use
	task.Notes = notes
	task.Records = []func(*reconciliation.State){func(s *reconciliation.State) { s.Notes = append(s.Notes, outcome.Normal("New", "done")) }}
	before := task.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	done, err := w.executor.Execute(t.Context(), task, plan.Action{Verb: plan.ClearBinding}, noTeller)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, task.Object); diff != "" {
		t.Errorf("the object of the task (-before +after):\n%s", diff)
	}
	if done.Object == task.Object || done.Object.GetResourceStatus().ExternalName != "" {
		t.Errorf("what is returned is still bound: %+v", done.Object.GetResourceStatus())
	}
	if notes[:2][1].Reason != "" || len(done.Notes) != 2 {
		t.Errorf("the Events of the task are %+v once there are %+v", notes[:2], done.Notes)
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
	w.tell = func(n outcome.Note) {
		if !hasFinalizer(w.Object) {
			t.Error("the finalizer is gone")
		}
		told = append(told, w.Action+" "+n.Reason)
	}
	if _, err := w.act(t.Context(), plan.Action{Verb: plan.RemoveFinalizer, Lost: true}); err == nil {
		t.Error("this client knows no buckets, and can't remove a finalizer")
	}
	if want := []string{"RemoveFinalizer " + v1alpha1.EventDataLost}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// errPublished is the error of a feature that is asked to publish.
var errPublished = errors.New("it publishes")

// publishing has a feature say that it is asked to publish.
var publishing = feature.Set{{Publish: func(_ context.Context, _ feature.Work, out outcome.Outcome) (outcome.Outcome, error) {
	return out, errPublished
}}}

// What a class changed waits for a slot, and features bring up to date meanwhile what users get: not for an object that is being
// deleted, with which that goes.
func TestWaitingForASlotPublishesUnlessDeleted(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		w := newWork(t)
		rollouts := &class.Rollouts{Idle: time.Hour, Now: time.Now}
		for other := range 100 {
			rollouts.Enter("standard", 1, 100, types.UID(strconv.Itoa(other)), func() {})
		}
		w.executor.Rollouts, w.executor.Features = rollouts, publishing
		c := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard", Generation: 1}}
		w.Class = &class.Resolution{Name: "standard", Class: &class.Class{Object: c, Spec: &c.Spec.ClassSpec, Status: &c.Status}}
		mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
		w.View = plan.View{WasReady: true, Deleting: deleting, ClassChanged: class.Fields{"tags"}, Mark: mark}
		w.Deleting, w.Connection, w.Observation = deleting, &identity.Connection{}, driver.Observation{State: driver.Ready, Available: true, Mark: mark}
		out, err := w.act(t.Context(), plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}})
		if out.Reason != v1alpha1.ReasonClassChanged {
			t.Fatalf("it does not wait: %+v, %v", out, err)
		}
		if published := errors.Is(err, errPublished); published == deleting || deleting && err != nil {
			t.Errorf("deleting %t: it publishes: %t (%v)", deleting, published, err)
		}
	}
}

// Where nothing is to be done in the cloud features bring up to date what users get: not of what is only observed, of what is
// being deleted, or of what could not be observed in full.
func TestWhoIsPublished(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
	for _, test := range []struct {
		name   string
		verb   plan.Verb
		change func(*work)
		want   string // what the error says
	}{
		{"converged", plan.Converge, func(*work) {}, "it publishes"},
		{"observed only", plan.Converge, func(w *work) { w.Policy.Management = v1alpha1.ManagementObserve }, ""},
		{"being deleted", plan.Wait, func(w *work) { w.Deleting, w.View.Deleting = true, true }, ""},
		{"not observed in full", plan.Converge, func(w *work) {
			w.Observation.Unreadable = []driver.FieldError{{Field: "tags", Err: &driver.Error{Code: driver.Denied, Message: "no rights"}}}
		}, "no rights"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWork(t)
			w.executor.Features = publishing
			w.View, w.Connection = plan.View{WasReady: true, Mark: mark}, &identity.Connection{}
			w.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: mark}
			test.change(w)
			_, err := w.act(t.Context(), plan.Action{Verb: test.verb, Reason: v1alpha1.ReasonReady})
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("it ended with %v, want %q", err, test.want)
			}
		})
	}
}

// An action without an error and without unread fields ends without an error, also if it is one that publishes nothing.
func TestNothingUnreadIsNoError(t *testing.T) {
	w := newWork(t)
	if _, err := w.rest(t.Context(), plan.Action{Verb: plan.Update, Approved: true}); err != nil {
		t.Errorf("it ended with an error of %d fields", len(w.Observation.Unreadable))
	}
}
