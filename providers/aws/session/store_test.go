package session

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// Whatever a store was asked for and then had, a lack of it that it says later is a first one, which is doubted.
func TestALackEndsWithAnAnswer(t *testing.T) {
	for _, op := range []string{"GetBucketPolicy", "GetBucketTagging", "PutBucketVersioning"} {
		now := time.Unix(0, 0)
		s := &store{now: func() time.Time { return now }, lacks: map[string]lack{}, has: map[string]bool{}}
		in := struct{ Bucket string }{"shop"}
		lacks := &driver.Error{Code: driver.Unsupported}
		_ = s.note(op, in, lacks)
		now = now.Add(2 * lackDoubt)
		s.answered(op, in)
		_ = s.note(op, in, lacks)
		now = now.Add(2 * lackDoubt)
		if err := s.known(t.Context(), op, in); err != nil {
			t.Errorf("%s: not asked again after %s: %v", op, 2*lackDoubt, err)
		}
	}
}

// What a store lacked for sure is not asked for an hour, but by a person who may have updated the store.
func TestALackIsAskedAboutAgainForWhoAsks(t *testing.T) {
	now := time.Unix(0, 0)
	s := &store{now: func() time.Time { return now }, lacks: map[string]lack{}, has: map[string]bool{}}
	const op = "GetBucketPolicy"
	for range 2 {
		_ = s.note(op, nil, &driver.Error{Code: driver.Unsupported})
		now = now.Add(2 * lackDoubt)
	}
	for after, asks := range map[time.Duration]bool{-10 * time.Minute: false, 0: true} {
		if err := s.known(table.WithAsked(t.Context(), now.Add(after)), op, nil); (err == nil) != asks {
			t.Errorf("a person asked at %s: %v", now.Add(after), err)
		}
	}
	if s.known(t.Context(), op, nil) == nil {
		t.Error("nobody asked, and the store is asked before the hour is over")
	}
}
