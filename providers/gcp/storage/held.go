package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// An object under a hold is not deleted, and one under a retention policy only once that has run out. A forced deletion releases holds, and waits for
// policies: nobody can shorten a locked one. https://cloud.google.com/storage/docs/object-holds https://cloud.google.com/storage/docs/bucket-lock

// lookPages is how many pages of objects one call looks at to find what can be deleted: 20,000 objects.
const lookPages = 40

// kept are the objects that a forced deletion can't delete yet.
type kept struct {
	retained int       // those under a retention policy
	until    time.Time // when the last of them whose time is known can be deleted
	held     int       // those whose hold Mooring may not release
	denial   error     // of the release of a hold
	refused  int       // those of a batch of which only the cloud's refusal told
	more     bool      // the bucket has more objects, at which nobody looked
}

func (k *kept) none() bool { return k.retained == 0 && k.held == 0 }

// problem says what keeps the objects.
func (k *kept) problem() error {
	switch {
	case k.held > 0:
		return session.Advise(k.denial, k.count(k.held)+" under a hold that Mooring may not release: grant it storage.objects.get and storage.objects.update, or release "+
			"the holds (https://cloud.google.com/storage/docs/holding-objects)", driver.Denied)
	case k.retained == 0:
		return nil
	}
	e := &driver.Error{Code: driver.Protected, Op: "objects.delete",
		Message: k.count(k.retained) + " under a retention policy or a retention of their own, and can't be deleted before that ends"}
	if !k.until.IsZero() {
		e.Message += ": until " + k.until.UTC().Format(time.RFC3339)
	}
	e.Message += "; Mooring deletes them then"
	return e
}

// count says how many objects are kept.
func (k *kept) count(n int) string {
	text := fmt.Sprintf("%d objects are", n)
	if n == 1 {
		text = "1 object is"
	}
	if k.more {
		text = "at least " + text
	}
	return text
}

// retain notes an object under a retention policy; until is zero if it is not known when that ends.
func (k *kept) retain(until time.Time) {
	k.retained++
	if until.After(k.until) {
		k.until = until
	}
}

// A batch is what one call deletes of the objects in a bucket.
type batch struct {
	objects []*storage.ObjectAttrs
	kept    kept
	more    bool
}

// listBatch lists objects that can be deleted, in all their versions, and looks past those that can't be.
func (r *remover) listBatch(ctx context.Context) (found batch, err error) {
	token := ""
	for page := 0; page == 0 || token != "" && len(found.objects) == 0 && page < lookPages; page++ {
		var objects []*storage.ObjectAttrs
		if objects, token, err = r.listPage(ctx, token); err != nil {
			return batch{}, err
		}
		for _, o := range objects {
			switch {
			case r.on.Now().Before(o.RetentionExpirationTime):
				found.kept.retain(o.RetentionExpirationTime)
			case hasHold(o) && r.mayNotRelease(ctx, o):
				found.kept.held, found.kept.denial = found.kept.held+1, r.denial
			default:
				found.objects = append(found.objects, o)
			}
		}
	}
	found.more, found.kept.more = token != "", token != ""
	return found, nil
}

// listPage returns a page of the versions of objects, with what keeps each, and the token of the next page.
func (r *remover) listPage(ctx context.Context, token string) (objects []*storage.ObjectAttrs, next string, err error) {
	query := &storage.Query{Versions: true, Projection: storage.ProjectionNoACL}
	if err := query.SetAttrSelection([]string{"Name", "Generation", "EventBasedHold", "TemporaryHold", "RetentionExpirationTime"}); err != nil {
		return nil, "", session.Invalid("%v", err)
	}
	objects, err = session.Do(ctx, r.on.Caller, "objects.list", func(ctx context.Context) (page []*storage.ObjectAttrs, err error) {
		it := r.on.handle(r.bucket).Objects(ctx, query)
		it.PageInfo().Token, it.PageInfo().MaxSize = token, purgeBatch
		for more := true; more; more = it.PageInfo().Remaining() > 0 { // what came with the answer
			object, err := it.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			if err != nil {
				return nil, err
			}
			page = append(page, object)
		}
		next = it.PageInfo().Token
		return page, nil
	})
	return objects, next, err
}

func hasHold(o *storage.ObjectAttrs) bool { return o.EventBasedHold || o.TemporaryHold }

// mayNotRelease reports whether Mooring lacks the permission to release holds. The first object with one tells, and what it tells counts for all.
func (r *remover) mayNotRelease(ctx context.Context, object *storage.ObjectAttrs) bool {
	if !r.tried {
		r.tried = true
		switch err := r.release(ctx, object); {
		case err == nil:
			object.EventBasedHold, object.TemporaryHold = false, false
		case driver.CodeOf(err) == driver.Denied:
			r.denial = err
		}
	}
	return r.denial != nil
}

// A remover deletes objects of a bucket, several at a time.
type remover struct {
	on     *buckets
	bucket string
	tried  bool  // to release a hold
	denial error // of that
	mu     sync.Mutex
	kept   kept
}

// remove deletes one version of an object after its holds are released; one that is gone is no error. What the cloud keeps is noted.
func (r *remover) remove(ctx context.Context, object *storage.ObjectAttrs) error {
	err := r.release(ctx, object)
	if driver.CodeOf(err) == driver.Denied {
		r.note(func(k *kept) { k.held, k.denial = k.held+1, err })
		return nil
	}
	if err == nil {
		_, err = session.Do(ctx, r.on.Caller, "objects.delete", func(ctx context.Context) (struct{}, error) {
			return struct{}{}, r.on.handle(r.bucket).Object(object.Name).Generation(object.Generation).Delete(ctx)
		})
	}
	if driver.CodeOf(err) == driver.Protected {
		r.note(func(k *kept) { k.retain(time.Time{}) })
		return nil
	}
	return session.UnlessNotFound(err)
}

// release releases the holds of an object. An event-based hold that ends begins the time of a retention policy anew.
func (r *remover) release(ctx context.Context, object *storage.ObjectAttrs) error {
	if !hasHold(object) {
		return nil
	}
	_, err := session.Do(ctx, r.on.Caller, "objects.patch", func(ctx context.Context) (*storage.ObjectAttrs, error) {
		return r.on.handle(r.bucket).Object(object.Name).Generation(object.Generation).Update(ctx, storage.ObjectAttrsToUpdate{EventBasedHold: false, TemporaryHold: false})
	})
	return err
}

// note notes what keeps an object of the batch.
func (r *remover) note(what func(*kept)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.refused++
	what(&r.kept)
}
