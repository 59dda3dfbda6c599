package rds

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// maxSizeRow: RDS says nothing of a limit where a disk does not grow by itself, and takes the size of the disk for that.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.Autoscaling.html
var maxSizeRow = table.Field("storage.maxSizeGiB",
	func(s *databaseSpec) *portable.Growth {
		if s.Storage == nil {
			return nil
		}
		return portable.GrowthOf(s.Storage.MaxSizeGiB, s.Storage.SizeGiB)
	},
	func(i *instance) *portable.Growth {
		return growthOf(i.MaxAllocatedStorage, pending(i).AllocatedStorage)
	},
	func(p *instanceParams, v portable.Growth) { p.MaxAllocatedStorage = new(v.Limit()) },
).Reported(func(i *instance) *portable.Growth { return growthOf(i.MaxAllocatedStorage, i.AllocatedStorage) }).
	Equal(portable.Growth.Serves, "the size of a disk that does not grow by itself")

func growthOf(most, size *int32) *portable.Growth { return portable.GrowthOf(first(most, size), size) }

// completeGrowth has a disk that is as large as it may become, or as it is to be, not grow by itself.
func completeGrowth(in *rds.ModifyDBInstanceInput, have *instance) {
	if in.MaxAllocatedStorage != nil {
		size := aws.ToInt32(first(in.AllocatedStorage, pending(have).AllocatedStorage))
		in.MaxAllocatedStorage = aws.Int32(max(*in.MaxAllocatedStorage, size))
	}
}

// explainGrowth adds what to do to a refusal of how far a disk may grow.
func explainGrowth(err error) error {
	var e *driver.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, "Max storage size") && !strings.Contains(e.Message, "maximum allocated storage") {
		return err
	}
	explained := *e
	explained.Message = "set spec.storage.maxSizeGiB to at least 10% more than the disk has, or to spec.storage.sizeGiB for a disk that does not grow by itself: " + e.Message
	return &explained
}

// growthOfNew leaves the limit out of a creation where the disk is not to grow by itself: then there is none.
func growthOfNew(in *rds.CreateDBInstanceInput) {
	if aws.ToInt32(in.MaxAllocatedStorage) <= aws.ToInt32(in.AllocatedStorage) {
		in.MaxAllocatedStorage = nil
	}
}
