package aws

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/driver"
)

// quotas are those of RDS that keep Mooring from creating something, by their names, and what they count.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AccountQuota.html
var quotas = map[string]string{
	"AllocatedStorage": "GiB of storage", "DBInstances": "DB instances", "DBParameterGroups": "DB parameter groups", "ManualSnapshots": "manual DB snapshots",
}

// withQuotas is a session that can say how much of the quotas is used.
type withQuotas struct {
	driver.Session
	of  *session
	rds *rds.Client
}

// Quotas implements driver.QuotaReader. Of buckets S3 tells nothing here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeAccountAttributes.html
func (q *withQuotas) Quotas(ctx context.Context, kinds []string) (found []driver.QuotaUsage, err error) {
	if q.of.store != nil || !slices.Contains(kinds, "Database") && !slices.Contains(kinds, "DatabaseSnapshot") {
		return nil, nil
	}
	out, err := call(ctx, q.of, "DescribeAccountAttributes", q.rds.DescribeAccountAttributes, &rds.DescribeAccountAttributesInput{})
	if err != nil {
		return nil, err
	}
	for _, q := range out.AccountQuotas {
		if what, known := quotas[aws.ToString(q.AccountQuotaName)]; known {
			found = append(found, driver.QuotaUsage{Name: *q.AccountQuotaName, What: what, Used: aws.ToInt64(q.Used), Max: aws.ToInt64(q.Max)})
		}
	}
	slices.SortFunc(found, func(a, b driver.QuotaUsage) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}
