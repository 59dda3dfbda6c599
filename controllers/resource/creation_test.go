package resource

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A creation that was not sent, because somebody edited the object at the same time, changes nothing of what is known.
func TestCreationThatIsNotSentTakesNoNoteAway(t *testing.T) {
	d := newDesk(t)
	d.status().FirstReadyTime, d.status().Applied = nil, map[string][]string{"tags": {"a"}} // there is something to store
	d.mem.shared.Cloud.CreationRefused, d.mem.shared.Cloud.CreationSent = true, true
	edited := d.bucket().DeepCopy()
	edited.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"}
	if err := d.Client.Update(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	if _, err := d.act(t.Context(), plan.Action{Verb: plan.Create}); !apierrors.IsConflict(err) || len(d.cloud.asked) > 0 {
		t.Fatalf("got %v, and the cloud was asked to %q", err, d.cloud.asked)
	}
	if !plan.NeverCreated(d.status(), d.mem.shared.Cloud) {
		t.Error("it is not known any more that nothing was created")
	}
}

// creationPanics is a cloud whose driver panics while it creates something.
type creationPanics struct{ *obedient }

func (creationPanics) Create(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	panic("a defect of the driver")
}

// controller-runtime recovers a panic, and the process lives on: nobody knows then what the cloud did.
func TestPanicInACreationLeavesNothingForCertain(t *testing.T) {
	d := newDesk(t)
	d.status().FirstReadyTime = nil
	d.mem.shared.Cloud.CreationRefused, d.mem.shared.Cloud.CreationSent = true, true
	d.Session = creationPanics{d.cloud}
	func() {
		defer func() { _ = recover() }()
		_, _ = d.act(t.Context(), plan.Action{Verb: plan.Create})
		t.Error("the driver did not panic")
	}()
	if d.mem.shared.Cloud.CreationRefused {
		t.Error("the memory says that nothing was created")
	}
}
