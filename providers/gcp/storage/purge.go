package storage

import (
	"context"
	"errors"
	"sync"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"

	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// A call of Delete removes at most so many objects or managed folders, so many at a time; then it is called again.
const (
	purgeBatch   = 500
	purgeWorkers = 16
)

// purge deletes a batch of objects, in all their versions, or of folders once there are no objects. It returns how many, and
// whether it left nothing of that. Holds are released. What can't be deleted yet is an error only once nothing else is left.
func (b *buckets) purge(ctx context.Context, req *request) (removed int, emptied bool, err error) {
	remover := &remover{on: b, bucket: req.Name}
	batch, err := remover.listBatch(ctx)
	if err != nil {
		return 0, false, err
	}
	if len(batch.objects) == 0 && batch.kept.none() {
		if removed, emptied, err = b.purgeFolders(ctx, req.Name); removed > 0 || err != nil {
			return removed, emptied, err
		}
		return hierarchyOf(b, req).purge(ctx)
	}
	remover.kept = batch.kept
	err = inParallel(batch.objects, func(object *storage.ObjectAttrs) error { return remover.remove(ctx, object) })
	kept := remover.kept
	removed = len(batch.objects) - kept.refused
	if err == nil && removed == 0 {
		err = kept.problem()
	}
	return removed, err == nil && !batch.more && kept.none(), err
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
		return nil, false, session.Invalid("%v", err)
	}
	objects, err = session.Do(ctx, b.Caller, "objects.list", func(ctx context.Context) ([]*storage.ObjectAttrs, error) {
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
