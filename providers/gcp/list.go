package gcp

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"cloud.google.com/go/storage"
	"google.golang.org/api/iterator"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// list returns a page of the project's buckets in all locations, with all that a read of one bucket has. Cloud Storage has no filter by
// labels. The permission is storage.buckets.list for the project, and storage.buckets.getIamPolicy, because Google's library asks for
// the full projection. https://cloud.google.com/storage/docs/json_api/v1/buckets/list
func (b *buckets) list(ctx context.Context, req driver.ListRequest) ([]table.Found[storage.BucketAttrs], string, error) {
	type page struct {
		found []table.Found[storage.BucketAttrs]
		next  string
	}
	p, err := do(ctx, b.session, "buckets.list", func(ctx context.Context) (p page, err error) {
		it := b.storage.Buckets(ctx, b.project)
		it.PageInfo().Token = req.Page
		for more := true; more; more = it.PageInfo().Remaining() > 0 { // what came with the first answer
			attrs, err := it.Next()
			if errors.Is(err, iterator.Done) {
				break
			}
			if err != nil {
				return page{}, err
			}
			p.found = append(p.found, table.Found[storage.BucketAttrs]{Name: attrs.Name, Have: attrs})
		}
		p.next = it.PageInfo().Token
		return p, nil
	})
	return p.found, p.next, err
}

// list returns a page of the project's instances in all locations, replicas among them. The permission is cloudsql.instances.list for
// the project. Operations are calls of their own, so an instance that takes a change right now is Ready here. A region that does not
// answer is left out, and Cloud SQL says so by a warning, which changes nothing here: no list is complete.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/list
func (d *databases) list(ctx context.Context, req driver.ListRequest) ([]table.Found[instance], string, error) {
	out, err := do(ctx, d.session, "instances.list", func(ctx context.Context) (*sqladmin.InstancesListResponse, error) {
		call := d.sql.Instances.List(d.project).PageToken(req.Page).Context(ctx)
		if filter := markFilter(req.Cluster); filter != "" {
			call.Filter(filter)
		}
		return call.Do()
	})
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[instance], 0, len(out.Items))
	for _, item := range out.Items {
		found = append(found, table.Found[instance]{Name: item.Name, Have: &instance{DatabaseInstance: item}})
	}
	return found, out.NextPageToken, nil
}

// labelValue is what a label's value can be. In a filter anything else could be taken for another term.
var labelValue = regexp.MustCompile(`^[a-z0-9_-]{1,63}$`)

// markFilter returns the filter for instances with the mark of a cluster; empty for all.
func markFilter(cluster string) string {
	if !labelValue.MatchString(cluster) {
		return ""
	}
	return fmt.Sprintf("settings.userLabels.%s:%s", driver.LabelCluster, cluster)
}
