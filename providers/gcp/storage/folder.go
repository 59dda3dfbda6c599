package storage

import (
	"cmp"
	"context"
	"slices"

	folders "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// Managed folders carry access rules for the objects below them. A bucket that has one lists as empty, and yet Cloud Storage does not
// delete it. https://cloud.google.com/storage/docs/managed-folders

// listFolders returns the names of some managed folders, and whether there are more. A bucket that can't have any has none.
func (b *buckets) listFolders(ctx context.Context, name string, most int64) (names []string, more bool, err error) {
	page, err := session.Do(ctx, b.Caller, "managedFolders.list", func(ctx context.Context) (*folders.ManagedFolders, error) {
		return b.folders.ManagedFolders.List(name).PageSize(most).Context(ctx).Do(b.payment(name)...)
	})
	switch driver.CodeOf(err) {
	case driver.Invalid, driver.Busy: // without uniform access there are no managed folders
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, f := range page.Items {
		names = append(names, f.Name)
	}
	return names, page.NextPageToken != "", nil
}

// purgeFolders deletes a batch of managed folders, inner ones first. It returns how many, and whether that were all.
func (b *buckets) purgeFolders(ctx context.Context, name string) (removed int, all bool, err error) {
	names, more, err := b.listFolders(ctx, name, purgeBatch)
	if err != nil {
		return 0, false, err
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y)) })
	err = inParallel(names, func(folder string) error { return b.removeFolder(ctx, name, folder) })
	return len(names), err == nil && !more, err
}

// removeFolder deletes one managed folder; one that is gone is no error. It takes no objects with it, only the rules for them.
func (b *buckets) removeFolder(ctx context.Context, bucket, folder string) error {
	_, err := session.Do(ctx, b.Caller, "managedFolders.delete", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.folders.ManagedFolders.Delete(bucket, folder).AllowNonEmpty(true).Context(ctx).Do(b.payment(bucket)...)
	})
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return err
}
