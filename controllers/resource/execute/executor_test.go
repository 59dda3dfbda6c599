package execute

import (
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
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
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
	task.PasswordSecret = w.executor.Passwords.New(password.Owner{Kind: "Bucket", Name: "photos", UID: "uid-now"})
	task.Password.State.Stored, task.Password.Store = password.Stored{Next: "one", Serial: 1}, password.AtOnce
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
	if task.PasswordSecret.Exists || task.PasswordSecret.Stored != (password.Stored{}) {
		t.Errorf("the password Secret of the task is %+v once another was stored", task.PasswordSecret.Stored)
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

// What a class changed waits for a slot, and the connection Secrets are brought up to date meanwhile: not those of an object that is being
// deleted, which go with it and are not read.
func TestWaitingForASlotPublishesUnlessDeleted(t *testing.T) {
	for _, deleting := range []bool{false, true} {
		w := newWork(t)
		rollouts := &class.Rollouts{Idle: time.Hour, Now: time.Now}
		for other := range 100 {
			rollouts.Enter("standard", 1, 100, types.UID(strconv.Itoa(other)), func() {})
		}
		w.executor.Rollouts = rollouts
		c := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "standard", Generation: 1}}
		w.Class = &class.Resolution{Name: "standard", Class: &class.Class{Object: c, Spec: &c.Spec.ClassSpec, Status: &c.Status}}
		w.Want.(*v1alpha1.Bucket).Spec.Connection = &v1alpha1.Connection{SecretName: "photos-access"}
		mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
		w.View = plan.View{WasReady: true, Deleting: deleting, ClassChanged: class.Fields{"tags"}, Mark: mark}
		w.Deleting, w.Connection, w.Observation = deleting, &identity.Connection{}, driver.Observation{State: driver.Ready, Available: true, Mark: mark}
		out, err := w.act(t.Context(), plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}})
		if out.Reason != v1alpha1.ReasonClassChanged {
			t.Fatalf("it does not wait: %+v, %v", out, err)
		}
		if published := err != nil && strings.Contains(err.Error(), "photos-access was not read"); published == deleting || deleting && err != nil {
			t.Errorf("deleting %t: the connection Secret is written: %t (%v)", deleting, published, err)
		}
	}
}

// Where nothing is to be done in the cloud the connection Secrets are brought up to date: not those of what is only observed, of what is
// being deleted, or of what could not be observed in full.
func TestWhoIsPublished(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid-now"}
	for _, test := range []struct {
		name   string
		verb   plan.Verb
		change func(*work)
		want   string // what the error says
	}{
		{"converged", plan.Converge, func(*work) {}, "photos-access was not read"},
		{"observed only", plan.Converge, func(w *work) { w.Policy.Management = v1alpha1.ManagementObserve }, ""},
		{"being deleted", plan.Wait, func(w *work) { w.Deleting, w.View.Deleting = true, true }, ""},
		{"not observed in full", plan.Converge, func(w *work) {
			w.Observation.Unreadable = []driver.FieldError{{Field: "tags", Err: &driver.Error{Code: driver.Denied, Message: "no rights"}}}
		}, "no rights"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWork(t)
			w.Want.(*v1alpha1.Bucket).Spec.Connection = &v1alpha1.Connection{SecretName: "photos-access"}
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
