package rds

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// shownQuotas are the quotas that this cloud holds, of the caller's account in its region. No recording shows an answer.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeAccountAttributes.html
func (c *call) shownQuotas(*rds.DescribeAccountAttributesInput) ([]rdstypes.AccountQuota, error) {
	var instances, storage int
	for _, p := range own(c, c.instances) {
		if p.Now != nil {
			instances++
			storage += int(*p.Now.db.AllocatedStorage)
		}
	}
	quota := func(name string, used, most int) rdstypes.AccountQuota {
		return rdstypes.AccountQuota{AccountQuotaName: aws.String(name), Used: aws.Int64(int64(used)), Max: aws.Int64(int64(most))}
	}
	return []rdstypes.AccountQuota{
		quota("DBInstances", instances, max(0, c.instanceQuota())),
		quota("AllocatedStorage", storage, cmp.Or(c.limits[c.caller.Account].StorageGiB, rdsStorageQuota)),
		quota("ManualSnapshots", count(own(c, c.snapshots)), SnapshotQuota),
		quota("DBParameterGroups", count(own(c, c.groups)), rdsGroupQuota),
	}, nil
}
