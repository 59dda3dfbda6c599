package gcp

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A call of Delete removes at most so many objects or managed folders, so many at a time; then it is called again.
const (
	purgeBatch   = 500
	purgeWorkers = 16
)

// purge deletes a batch of objects, in all their versions, or of managed folders once there are no objects. It returns how many, and
// whether it left nothing of that.
func (b *buckets) purge(ctx context.Context, name string) (removed int, emptied bool, err error) {
	objects, more, err := b.listVersions(ctx, name, purgeBatch)
	if err != nil {
		return 0, false, err
	}
	if len(objects) == 0 {
		return b.purgeFolders(ctx, name)
	}
	err = inParallel(objects, func(object *storage.ObjectAttrs) error { return b.removeObject(ctx, name, object) })
	return len(objects), err == nil && !more, err
}

// inParallel works on all items, a few at a time, and returns the first error of any.
func inParallel[T any](items []T, work func(T) error) error {
	queue := make(chan T)
	errs := make(chan error, purgeWorkers)
	var workers sync.WaitGroup
	for range purgeWorkers {
		workers.Go(func() {
			var first error
			for item := range queue {
				if first == nil {
					first = work(item)
				}
			}
			errs <- first
		})
	}
	for _, item := range items {
		queue <- item
	}
	close(queue)
	workers.Wait()
	close(errs)
	for e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

// listVersions returns some object versions, and whether there are more.
func (b *buckets) listVersions(ctx context.Context, name string, most int) (objects []*storage.ObjectAttrs, more bool, err error) {
	query := &storage.Query{Versions: true, Projection: storage.ProjectionNoACL}
	if err := query.SetAttrSelection([]string{"Name", "Generation"}); err != nil {
		return nil, false, invalid("%v", err)
	}
	objects, err = do(ctx, b.session, "objects.list", func(ctx context.Context) ([]*storage.ObjectAttrs, error) {
		var page []*storage.ObjectAttrs
		it := b.handle(name).Objects(ctx, query)
		it.PageInfo().MaxSize = most + 1
		for len(page) <= most {
			object, err := it.Next()
			if errors.Is(err, iterator.Done) {
				return page, nil
			}
			if err != nil {
				return nil, err
			}
			page = append(page, object)
		}
		return page, nil
	})
	if len(objects) > most {
		objects, more = objects[:most], true
	}
	return objects, more, err
}

// removeObject deletes one version of an object; one that is gone is no error.
func (b *buckets) removeObject(ctx context.Context, bucket string, object *storage.ObjectAttrs) error {
	_, err := do(ctx, b.session, "objects.delete", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.handle(bucket).Object(object.Name).Generation(object.Generation).Delete(ctx)
	})
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return advise(err, "an object is under a hold or a retention policy, and can't be deleted until that ends", driver.Protected)
}
