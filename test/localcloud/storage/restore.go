package storage

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A gcsDeleted is a bucket that soft delete keeps.
type gcsDeleted struct {
	name   string
	owner  *google.Project
	serial int
	state  *gcsState
	until  time.Time
}

// keepDeleted keeps a bucket that is being deleted for as long as its soft delete policy says.
func (s *Service) keepDeleted(r *google.Request, b *gcsBucket) {
	if seconds := google.Typed[storage.Bucket](b.now.resource).SoftDeletePolicy.RetentionDurationSeconds; seconds > 0 {
		s.deleted = append(s.deleted, &gcsDeleted{name: r.PathValue("bucket"), owner: b.owner, serial: b.serial, state: b.now, until: r.Now.Add(time.Duration(seconds) * time.Second)})
	}
}

// restoreBucket brings back a deleted bucket of a generation, with its settings and labels and without its objects, unless a bucket has its name
// now. No recording shows it, nor the words of the refusals. https://cloud.google.com/storage/docs/json_api/v1/buckets/restore
func (s *Service) restoreBucket(r *google.Request) (any, error) {
	name, generation := r.PathValue("bucket"), r.URL.Query().Get("generation")
	if _, err := strconv.ParseInt(generation, 10, 64); err != nil {
		return nil, google.Err(http.StatusBadRequest, "required", "Required parameter: generation")
	}
	i := slices.IndexFunc(s.deleted, func(d *gcsDeleted) bool {
		return d.name == name && d.owner == r.Caller && d.state.resource["generation"] == generation && r.Now.Before(d.until)
	})
	live := s.buckets[name] != nil && s.buckets[name].now != nil
	switch {
	case i < 0:
		return nil, errNoBucket
	case live:
		return nil, google.Err(http.StatusConflict, "conflict", "A live bucket with the same name already exists.")
	}
	d := s.deleted[i]
	s.deleted = slices.Delete(s.deleted, i, i+1)
	b := &gcsBucket{owner: d.owner, serial: d.serial, now: d.state}
	s.buckets[name] = b
	return b.now.view(r), nil
}
