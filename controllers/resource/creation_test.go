package resource

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Something without a mark is what a lost creation made only if nobody else would make it, and no answer is known.
func TestAnswerLost(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*testing.T, *desk)
		want   bool
	}{
		{"a creation without an answer", func(*testing.T, *desk) {}, true},
		{"bound to nothing", func(t *testing.T, d *desk) { d.status.ExternalName = "" }, false},
		{"adopted", func(t *testing.T, d *desk) { d.status.Origin = v1alpha1.OriginAdopted }, false},
		{"it was Ready", func(t *testing.T, d *desk) { d.status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)} }, false},
		{"a name that a person chose", func(t *testing.T, d *desk) { d.spec.ExternalName = d.status.ExternalName }, false},
		{"another name", func(t *testing.T, d *desk) { d.status.ExternalName = "photos" }, false},
		{"a database", func(t *testing.T, d *desk) { d.Kind.Login = true }, false},
		{"refused", func(t *testing.T, d *desk) { d.creationEnds(t, driver.Quota) }, false},
		{"refused again", func(t *testing.T, d *desk) {
			for range 2 {
				d.creationEnds(t, driver.Quota)
				d.status.CreationRefused, d.mem.cloud.CreationRefused = false, false
			}
		}, false},
		{"throttled", func(t *testing.T, d *desk) { d.creationEnds(t, driver.Throttled) }, false},
		{"timed out", func(t *testing.T, d *desk) { d.creationEnds(t, driver.Unavailable) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t)
			d.status.FirstReadyTime, d.status.AppliedGeneration, d.status.Origin = nil, 0, v1alpha1.OriginCreated
			d.status.ExternalName = plan.ExternalName(d.ClusterID, d.bucket().Namespace, d.bucket().Name, 63)
			test.change(t, d)
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
	d.mem.cloud.CreationRefused, d.mem.cloud.CreationSent = true, true
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

// creationFails is a cloud in which creations fail.
type creationFails struct {
	*obedient
	code driver.Code
}

func (c *creationFails) Create(context.Context, string, driver.Request, driver.Password) (driver.Result, error) {
	return driver.Result{}, &driver.Error{Code: c.code}
}

// creationEnds has a creation sent that ends with an error.
func (d *desk) creationEnds(t *testing.T, code driver.Code) {
	t.Helper()
	working := d.session
	d.session = &creationFails{d.cloud, code}
	if _, err := d.act(t.Context(), d.turn, plan.Action{Verb: plan.Create}); driver.CodeOf(err) != code {
		t.Fatal(err)
	}
	d.session = working
}

// creationPanics is a cloud whose driver panics while it creates something.
type creationPanics struct{ *obedient }

func (creationPanics) Create(context.Context, string, driver.Request, driver.Password) (driver.Result, error) {
	panic("a defect of the driver")
}

// controller-runtime recovers a panic, and the process lives on: nobody knows then what the cloud did.
func TestPanicInACreationLeavesNothingForCertain(t *testing.T) {
	d := newDesk(t)
	d.status.FirstReadyTime = nil
	d.mem.cloud.CreationRefused, d.mem.cloud.CreationSent = true, true
	d.session = creationPanics{d.cloud}
	func() {
		defer func() { _ = recover() }()
		_, _ = d.act(t.Context(), d.turn, plan.Action{Verb: plan.Create})
		t.Error("the driver did not panic")
	}()
	if d.mem.cloud.CreationRefused {
		t.Error("the memory says that nothing was created")
	}
}
