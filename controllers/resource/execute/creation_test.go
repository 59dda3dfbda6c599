package execute

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Only an answer that refuses the creation proves that nothing was created. Another object of the name proves it only if it can't be
// what an earlier creation without an answer made.
func TestWhatProvesThatNothingWasCreated(t *testing.T) {
	for code := driver.Internal; code <= driver.Unsupported; code++ {
		for _, nothingYet := range []bool{true, false} {
			want := nothingYet
			switch code {
			case driver.Invalid, driver.Denied, driver.NotFound, driver.Quota, driver.Capacity, driver.Unsupported:
				want = true
			case driver.Conflict:
			default:
				want = false
			}
			t.Run(fmt.Sprintf("%v, nothing created before: %t", code, nothingYet), func(t *testing.T) {
				d := newWork(t)
				d.status.FirstReadyTime = nil
				err := fmt.Errorf("creation: %w", &driver.Error{Code: code})
				d.creationRefused(err, nothingYet)
				if plan.NeverCreated(d.status, d.Memory.Cloud) != want || d.status.CreationRefused != want {
					t.Errorf("never created: %t, stored: %t, want %t", plan.NeverCreated(d.status, d.Memory.Cloud), d.status.CreationRefused, want)
				}
				// What is sent again is not written about again.
				d.startOver(v1alpha1.OriginCreated, nil)
				if plan.NeverCreated(d.status, d.Memory.Cloud) {
					t.Error("a creation was sent, and nothing is said to be created before it is answered")
				}
				d.creationRefused(err, nothingYet)
				if plan.NeverCreated(d.status, d.Memory.Cloud) != want || d.status.CreationRefused {
					t.Errorf("the second time: never created: %t, stored: %t, want %t and false", plan.NeverCreated(d.status, d.Memory.Cloud), d.status.CreationRefused, want)
				}
			})
		}
	}
	d := newWork(t)
	if d.creationRefused(errors.New("no answer"), true); plan.NeverCreated(d.status, d.Memory.Cloud) {
		t.Error("an error that says nothing proves something")
	}
}

// Where the cloud makes another object for each creation, whatever its name, a refusal says nothing of what an earlier creation without an answer made.
func TestRefusalProvesNothingOfAnEarlierCreation(t *testing.T) {
	for _, nothingYet := range []bool{true, false} {
		d := newWork(t)
		d.status.FirstReadyTime, d.Described.MarkIsFinal = nil, true
		if d.creationRefused(&driver.Error{Code: driver.Denied}, nothingYet); plan.NeverCreated(d.status, d.Memory.Cloud) != nothingYet {
			t.Errorf("nothing created before: %t, and never created: %t", nothingYet, !nothingYet)
		}
	}
}

// A driver is told since when a creation may have been sent of which nothing is known: since its object was there.
func TestSinceWhenACreationMayHaveBeenSent(t *testing.T) {
	born := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(born)}}
	for name, tt := range map[string]struct {
		memory     plan.Memory
		nothingYet bool
		want       time.Time
	}{
		"the first creation":                       {nothingYet: true},
		"a former process may have sent one":       {want: born},
		"the answer to one was lost":               {memory: plan.Memory{CreationSent: true, CreationUnclear: true}, want: born},
		"the cloud was busy, and said so":          {memory: plan.Memory{CreationSent: true}},
		"the answer was lost, and all was refused": {memory: plan.Memory{CreationSent: true, CreationUnclear: true}, nothingYet: true},
	} {
		if got := sentSince(b, tt.memory, tt.nothingYet); !got.Equal(tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// What a cloud answers to a creation says nothing of one that another process sent before: after a restart the doubt stays, whatever is answered.
func TestDoubtOutlivesAnswersToOtherCreations(t *testing.T) {
	for _, code := range []driver.Code{driver.Conflict, driver.Busy, driver.Quota} {
		for nothingYet, doubt := range map[bool]bool{true: false, false: true} {
			d := newWork(t)
			d.Described.MarkIsFinal = true
			d.Object.SetCreationTimestamp(metav1.NewTime(time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)))
			d.creationRefused(&driver.Error{Code: code}, nothingYet)
			if since := sentSince(d.Object, d.Memory.Cloud, false); !since.IsZero() != doubt {
				t.Errorf("%v, and nothing was bound before: %t: the next creation goes by %v", code, nothingYet, since)
			}
		}
	}
}

// What lived before may be restored meanwhile: that its creation is refused proves nothing.
func TestRefusalProvesNothingOfWhatLivedBefore(t *testing.T) {
	d := newWork(t)
	d.startOver(v1alpha1.OriginCreated, nil)
	if d.creationRefused(&driver.Error{Code: driver.Quota}, true); plan.NeverCreated(d.status, d.Memory.Cloud) {
		t.Error("an object that was Ready is said never to have been created")
	}
}

// Something without a mark is what a lost creation made only if nobody else would make it, and no answer is known.
func TestAnswerLost(t *testing.T) {
	ends := func(codes ...driver.Code) func(*work) {
		return func(d *work) {
			for i, code := range codes {
				if i > 0 {
					d.status.CreationRefused, d.Memory.Cloud.CreationRefused = false, false
				}
				d.creationRefused(&driver.Error{Code: code}, true)
			}
		}
	}
	for _, test := range []struct {
		name   string
		change func(*work)
		want   bool
	}{
		{"a creation without an answer", func(*work) {}, true},
		{"bound to nothing", func(d *work) { d.status.ExternalName = "" }, false},
		{"adopted", func(d *work) { d.status.Origin = v1alpha1.OriginAdopted }, false},
		{"it was Ready", func(d *work) { d.status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)} }, false},
		{"a name that a person chose", func(d *work) { d.Object.GetResourceSpec().ExternalName = d.status.ExternalName }, false},
		{"another name", func(d *work) { d.status.ExternalName = "photos" }, false},
		{"a database", func(d *work) { d.Kind.Login = true }, false},
		{"refused", ends(driver.Quota), false},
		{"refused twice, and not noted", func(d *work) {
			ends(driver.Quota, driver.Quota)(d)
			d.status.CreationRefused, d.Memory.Cloud.CreationRefused = false, false
		}, false},
		{"throttled", ends(driver.Throttled), false},
		{"timed out", ends(driver.Unavailable), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newWork(t)
			asks := plan.PlaceOf(d.Object, "", "id", "", 63)
			d.status.FirstReadyTime, d.status.AppliedGeneration, d.status.Origin = nil, 0, v1alpha1.OriginCreated
			d.status.ExternalName = asks.Generated
			test.change(d)
			if got := plan.AnswerLost(d.Kind, d.Object, asks, d.Memory.Cloud); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}
