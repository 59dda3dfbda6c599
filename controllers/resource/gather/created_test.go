package gather

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a creation set is not read at the next look, unless the spec was edited since. It is read as soon as the object was seen once.
func TestWhatACreationSetIsKnown(t *testing.T) {
	b, _ := storedBucket(t, false)
	text, err := driver.NewSpec(b.GetParameters()).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	begin := func(object *v1alpha1.Bucket) *gathering {
		g := (&Gatherer{Kind: kind.Bucket()}).begin(reconciliation.Begin(object, time.Now(), reconciliation.News{}, reconciliation.Memory{Cloud: plan.Memory{JustSet: &plan.JustSet{Spec: string(text), Fields: []string{"versioning"}}}}))
		g.Connection = &identity.Connection{}
		return g
	}
	g := begin(b)
	if len(g.request().JustSet) != 1 {
		t.Error("the request does not say what was just set")
	}
	edited := b.DeepCopy()
	edited.Spec.RequesterPays = new(true)
	if begin(edited).request().JustSet != nil {
		t.Error("the request says that the creation set what an edit asks for")
	}
	g.observed(t.Context(), driver.Observation{State: driver.Absent})
	if len(g.request().JustSet) != 1 {
		t.Error("a read that lags behind the creation made it forgotten")
	}
	g.observed(t.Context(), driver.Observation{State: driver.Ready})
	if g.request().JustSet != nil {
		t.Error("the request still says what was just set, although the bucket was seen since")
	}
}
