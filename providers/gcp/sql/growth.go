package sql

import (
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// leastDisk is the size in GiB of the disk of a new instance unless told otherwise.
// https://cloud.google.com/sql/docs/postgres/instance-settings#storage-capacity-2ndgen
const leastDisk = 10

// maxSizeRow: a disk that grows without a limit, which is the default, has no value.
// https://cloud.google.com/sql/docs/postgres/instance-settings#automatic-storage-increase-2ndgen
var maxSizeRow = table.Field("storage.maxSizeGiB",
	func(p *databaseParameters) *portable.Growth {
		if p.Storage == nil {
			return nil
		}
		return portable.GrowthOf(p.Storage.MaxSizeGiB, p.Storage.SizeGiB)
	},
	haveGrowth,
	func(p *instanceParams, v portable.Growth) { p.MaxDiskSizeGb = new(int64(v.Limit())) }).
	Equal(portable.Growth.Serves, "the size of a disk that does not grow by itself")

func haveGrowth(i *instance) *portable.Growth {
	s, size := i.settings(), haveSize(i)
	if s.StorageAutoResize != nil && !*s.StorageAutoResize {
		return portable.GrowthOf(size, size)
	}
	return portable.GrowthOf(resource.Present(int32(s.StorageAutoResizeLimit)), size)
}

// limitGrowth adds to settings how far the disk may grow by itself, if the parameters say so. present is the size that the disk has. A disk
// that does not grow has no limit either, which would be in the way when somebody makes the disk larger.
func (p *instanceParams) limitGrowth(s *sqladmin.Settings, present int64) {
	if p.MaxDiskSizeGb == nil {
		return
	}
	grows := *p.MaxDiskSizeGb > max(s.DataDiskSizeGb, present)
	s.StorageAutoResize = &grows
	if s.StorageAutoResizeLimit = *p.MaxDiskSizeGb; !grows {
		s.StorageAutoResizeLimit = 0
	}
	if !slices.Contains(s.ForceSendFields, "StorageAutoResizeLimit") {
		s.ForceSendFields = append(s.ForceSendFields, "StorageAutoResizeLimit")
	}
}
