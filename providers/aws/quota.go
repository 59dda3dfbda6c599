package aws

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/aws/rds"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// withQuotas is a session that can say how much of the quotas is used.
type withQuotas struct {
	driver.Session
	of *session.Session
}

// Quotas implements driver.QuotaReader. Of buckets S3 says nothing here.
func (q *withQuotas) Quotas(ctx context.Context, kinds []string) ([]driver.QuotaUsage, error) {
	if q.of.S3Compatible() || !slices.Contains(kinds, "Database") && !slices.Contains(kinds, "DatabaseSnapshot") {
		return nil, nil
	}
	return rds.Quotas(ctx, q.of)
}
