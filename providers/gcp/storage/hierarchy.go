package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"cloud.google.com/go/storage"
	folders "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// hierarchyRow is whether a bucket has folders as a file system has. https://cloud.google.com/storage/docs/hns-overview
var hierarchyRow = plain("gcp.hierarchicalNamespace", "HierarchicalNamespace", func(b *bucket) *bool {
	return new(b.HierarchicalNamespace != nil && b.HierarchicalNamespace.Enabled)
}).Immutable("create another Bucket with the other namespace and move the objects there")

// hierarchyLack is a hierarchical namespace beside ACLs.
var hierarchyLack = driver.Lack{
	Field: "gcp.hierarchicalNamespace", Match: "^true$", Values: "true", With: map[string]string{"gcp.uniformAccess": "^false$"},
	Invalid: true, Why: "a bucket with a hierarchical namespace has uniform access", Instead: "set spec.gcp.uniformAccess to true",
}

// newHierarchy is what a creation says of it: nothing of the default.
func newHierarchy(p *parameters, attrs *storage.BucketAttrs) {
	if *p.HierarchicalNamespace {
		attrs.HierarchicalNamespace = &storage.HierarchicalNamespace{Enabled: true}
	}
}

// A hierarchy are the folders of one bucket with a hierarchical namespace. They are no managed folders, no list of objects shows them, and Cloud Storage
// does not delete a bucket that has any. https://cloud.google.com/storage/docs/create-hns-bucket
type hierarchy struct {
	on     *buckets
	bucket string
	// demanded: the spec asks for folders, so that a denial tells of some that may be there.
	demanded bool
}

func hierarchyOf(b *buckets, req *request) *hierarchy {
	says := gcpOf(&req.Spec).HierarchicalNamespace
	return &hierarchy{on: b, bucket: req.Name, demanded: says != nil && *says}
}

// list returns the names of some folders, and whether there are more. A bucket that can't have any has none, and neither has one of which nothing says
// that it can, where Mooring may not look.
func (h *hierarchy) list(ctx context.Context, most int64) (names []string, more bool, err error) {
	page, err := session.Do(ctx, h.on.Caller, "folders.list", func(ctx context.Context) (*folders.Folders, error) {
		return h.on.folders.Folders.List(h.bucket).PageSize(most).Context(ctx).Do(h.on.payment(h.bucket)...)
	})
	switch code := driver.CodeOf(err); {
	case err == nil:
	case code == driver.Invalid || code == driver.Busy || code == driver.Conflict || code == driver.NotFound, code == driver.Denied && !h.demanded:
		return nil, false, nil
	default:
		return nil, false, err
	}
	for _, f := range page.Items {
		names = append(names, f.Name)
	}
	return names, page.NextPageToken != "", nil
}

// purge deletes a batch of folders, inner ones first: each has to be empty. It returns how many, and whether that were all.
func (h *hierarchy) purge(ctx context.Context) (removed int, all bool, err error) {
	names, more, err := h.list(ctx, purgeBatch)
	if err != nil {
		return 0, false, err
	}
	depth := func(name string) int { return strings.Count(name, "/") }
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(depth(y), depth(x)), cmp.Compare(x, y)) })
	var count atomic.Int64
	for rest := names; len(rest) > 0 && err == nil; {
		level := len(rest)
		if i := slices.IndexFunc(rest, func(name string) bool { return depth(name) != depth(rest[0]) }); i >= 0 {
			level = i
		}
		err = inParallel(rest[:level], func(folder string) error { return h.remove(ctx, folder, &count) })
		rest = rest[level:]
	}
	removed = int(count.Load())
	return removed, err == nil && !more && removed == len(names), err
}

// remove deletes one folder; one that is gone is no error, and one with a folder of the next batch in it has to wait for that.
func (h *hierarchy) remove(ctx context.Context, folder string, count *atomic.Int64) error {
	_, err := session.Do(ctx, h.on.Caller, "folders.delete", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, h.on.folders.Folders.Delete(h.bucket, folder).Context(ctx).Do(h.on.payment(h.bucket)...)
	})
	switch driver.CodeOf(err) {
	case driver.Conflict, driver.Busy, driver.NotEmpty:
		return nil
	}
	if err = session.UnlessNotFound(err); err == nil {
		count.Add(1)
	}
	return err
}
