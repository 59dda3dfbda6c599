package rds

import (
	"cmp"
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// quotas are those of RDS that keep Mooring from creating something, by their names, and what they count.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_AccountQuota.html
var quotas = map[string]string{
	"AllocatedStorage": "GiB of storage", "DBInstances": "DB instances", "DBParameterGroups": "DB parameter groups", "ManualSnapshots": "manual DB snapshots",
}

// Quotas returns how much of the account's quotas is used in the session's region, by name, in one read.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeAccountAttributes.html
func Quotas(ctx context.Context, s *session.Session) (found []driver.QuotaUsage, err error) {
	client := rds.NewFromConfig(s.Config)
	out, err := session.Call(ctx, s, "DescribeAccountAttributes", client.DescribeAccountAttributes, &rds.DescribeAccountAttributesInput{})
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
