package rds

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// describeQuotas is DescribeAccountAttributes: the quotas that this cloud holds, of the caller's account in its region. No recording shows an answer.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeAccountAttributes.html
func (c *call) describeQuotas(*rds.DescribeAccountAttributesInput) (any, error) {
	var instances, storage, groups int64
	here := func(account, region string) bool { return account == c.caller.Account && region == c.caller.Region }
	for key, p := range c.instances {
		if p.Now != nil && here(key.account, key.region) {
			instances++
			storage += int64(*p.Now.db.AllocatedStorage)
		}
	}
	for key := range c.groups {
		if here(key.account, key.region) {
			groups++
		}
	}
	quota := func(name string, used int64, most int) rdstypes.AccountQuota {
		return rdstypes.AccountQuota{AccountQuotaName: aws.String(name), Used: aws.Int64(used), Max: aws.Int64(int64(most))}
	}
	return &rds.DescribeAccountAttributesOutput{AccountQuotas: []rdstypes.AccountQuota{
		quota("DBInstances", instances, max(0, c.instanceQuota())),
		quota("AllocatedStorage", storage, cmp.Or(c.limits[c.caller.Account].StorageGiB, rdsStorageQuota)),
		quota("ManualSnapshots", int64(c.manualSnapshots()), SnapshotQuota),
		quota("DBParameterGroups", groups, rdsGroupQuota),
	}}, nil
}
