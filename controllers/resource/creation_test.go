package resource

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Only an answer that refuses the creation proves that nothing was created. Another object of the name proves it only if it can't be
// what an earlier creation without an answer made.
func TestWhatProvesThatNothingWasCreated(t *testing.T) {
	for code := driver.Internal; code <= driver.Capacity; code++ {
		for _, nothingYet := range []bool{true, false} {
			want := nothingYet
			switch code {
			case driver.Invalid, driver.Denied, driver.NotFound, driver.Quota, driver.Capacity:
				want = true
			case driver.Conflict:
			default:
				want = false
			}
			t.Run(fmt.Sprintf("%v, nothing created before: %t", code, nothingYet), func(t *testing.T) {
				d := newDesk(t)
				d.status.FirstReadyTime = nil
				err := fmt.Errorf("creation: %w", &driver.Error{Code: code})
				d.creationRefused(err, nothingYet)
				if d.neverCreated() != want || d.status.CreationRefused != want {
					t.Errorf("never created: %t, stored: %t, want %t", d.neverCreated(), d.status.CreationRefused, want)
				}
				// What is sent again is not written about again.
				d.startOver(d.turn, v1alpha1.OriginCreated, nil)
				if d.neverCreated() {
					t.Error("a creation was sent, and nothing is said to be created before it is answered")
				}
				d.creationRefused(err, nothingYet)
				if d.neverCreated() != want || d.status.CreationRefused {
					t.Errorf("the second time: never created: %t, stored: %t, want %t and false", d.neverCreated(), d.status.CreationRefused, want)
				}
			})
		}
	}
	d := newDesk(t)
	if d.creationRefused(errors.New("no answer"), true); d.neverCreated() {
		t.Error("an error that says nothing proves something")
	}
}

// What lived before may be restored meanwhile: that its creation is refused proves nothing.
func TestRefusalProvesNothingOfWhatLivedBefore(t *testing.T) {
	d := newDesk(t)
	d.startOver(d.turn, v1alpha1.OriginCreated, nil)
	if d.creationRefused(&driver.Error{Code: driver.Quota}, true); d.neverCreated() {
		t.Error("an object that was Ready is said never to have been created")
	}
}

// Something without a mark is what a lost creation made only if nobody else would make it, and no answer is known.
func TestAnswerLost(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*desk)
		want   bool
	}{
		{"a creation without an answer", func(*desk) {}, true},
		{"bound to nothing", func(d *desk) { d.status.ExternalName = "" }, false},
		{"adopted", func(d *desk) { d.status.Origin = v1alpha1.OriginAdopted }, false},
		{"it was Ready", func(d *desk) { d.status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)} }, false},
		{"a name that a person chose", func(d *desk) { d.spec.ExternalName = d.status.ExternalName }, false},
		{"another name", func(d *desk) { d.status.ExternalName = "photos" }, false},
		{"a database", func(d *desk) { d.Kind.Login = true }, false},
		{"refused", func(d *desk) { d.creationRefused(&driver.Error{Code: driver.Quota}, true) }, false},
		{"refused again", func(d *desk) {
			for range 2 {
				d.creationRefused(&driver.Error{Code: driver.Quota}, true)
				d.status.CreationRefused, d.mem.creationRefused = false, false
			}
		}, false},
		{"throttled", func(d *desk) { d.creationRefused(&driver.Error{Code: driver.Throttled}, true) }, false},
		{"timed out", func(d *desk) { d.creationRefused(&driver.Error{Code: driver.Unavailable}, true) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.status.FirstReadyTime, d.status.AppliedGeneration, d.status.Origin = nil, 0, v1alpha1.OriginCreated
			d.status.ExternalName = plan.ExternalName(d.ClusterID, d.bucket().Namespace, d.bucket().Name, 63)
			test.change(d)
			if got := d.answerLost(d.turn); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

// A creation that was not sent, because somebody edited the object at the same time, changes nothing of what is known.
func TestCreationThatIsNotSentTakesNoNoteAway(t *testing.T) {
	d := newDesk(t)
	d.status.FirstReadyTime, d.status.Applied = nil, map[string][]string{"tags": {"a"}} // there is something to store
	d.mem.creationRefused, d.mem.creationSent = true, true
	edited := d.bucket().DeepCopy()
	edited.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
	if err := d.Client.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if _, err := d.act(t.Context(), d.turn, plan.Action{Verb: plan.Create}); !apierrors.IsConflict(err) || len(d.cloud.asked) > 0 {
		t.Fatalf("got %v, and the cloud was asked to %q", err, d.cloud.asked)
	}
	if !d.neverCreated() {
		t.Error("it is not known any more that nothing was created")
	}
}
