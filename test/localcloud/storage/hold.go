package storage

import (
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// retainedUntil is until when the bucket's retention policy keeps an object; zero if none does. An event-based hold holds up that time.
func (o *gcsObject) retainedUntil(state *gcsState) time.Time {
	policy := policyOf(google.Typed[storage.Bucket](state.resource))
	if policy.RetentionPeriod == 0 || o.EventBasedHold {
		return time.Time{}
	}
	return o.created.Add(time.Duration(policy.RetentionPeriod) * time.Second)
}

// view is the object as it is reported. No recording shows objects under a retention policy.
// https://cloud.google.com/storage/docs/json_api/v1/objects (retentionExpirationTime)
func (o *gcsObject) view(state *gcsState) *storage.Object {
	shown := o.Object
	if until := o.retainedUntil(state); !until.IsZero() {
		shown.RetentionExpirationTime = gcsTime(until)
	}
	return &shown
}

// patchObject places and releases holds, which is all of an object's metadata that can be changed here. The time of a retention policy begins anew once
// an event-based hold is released. No recording shows it. https://cloud.google.com/storage/docs/object-holds
func (s *Service) patchObject(r *google.Request) (any, error) {
	_, state, o, err := s.findObject(r, "storage.objects.update")
	if err != nil {
		return nil, err
	}
	asked, want, err := google.ParseResource[storage.Object](r.Body)
	if err != nil {
		return nil, err
	}
	if _, said := asked["temporaryHold"]; said {
		o.TemporaryHold = want.TemporaryHold
	}
	if _, said := asked["eventBasedHold"]; said {
		if o.EventBasedHold && !want.EventBasedHold {
			o.created = r.Now
		}
		o.EventBasedHold = want.EventBasedHold
	}
	o.Metageneration++
	o.Updated = gcsTime(r.Now)
	return o.view(state), nil
}
