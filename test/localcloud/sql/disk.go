package sql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlDiskTypes are the types of disks, of which each tier has some.
var sqlDiskTypes = []string{"PD_SSD", "PD_HDD", sqlHyperdisk}

const sqlHyperdisk = "HYPERDISK_BALANCED"

// sqlHyperdiskTiers are those of the machine series N4 and C4A. https://cloud.google.com/sql/docs/postgres/machine-series-overview
var sqlHyperdiskTiers = regexp.MustCompile(`^db-(custom-N4-|c4a-)`)

// settleDiskSize gives a disk the smallest size unless a request has another.
func settleDiskSize(c *change) {
	if size := c.settings["dataDiskSizeGb"]; size == nil || size == "0" {
		c.settings["dataDiskSizeGb"] = "10"
	}
}

// validDiskSize holds a disk to the sizes that its tier takes, and to growing.
func validDiskSize(now, old *sqladmin.DatabaseInstance) error {
	s, largest := now.Settings, int64(65536)
	if slices.Contains(sqlSharedTiers, s.Tier) {
		largest = 3054
	}
	switch {
	case s.DataDiskSizeGb < 10 || s.DataDiskSizeGb > largest:
		return sqlInvalid(fmt.Sprintf("Invalid data disk size: %d GB. It must be between 10 and %d.", s.DataDiskSizeGb, largest))
	case old != nil && s.DataDiskSizeGb < old.Settings.DataDiskSizeGb:
		return sqlInvalid(fmt.Sprintf("Disk size can't be reduced. Current size: %d GB, requested: %d GB.", old.Settings.DataDiskSizeGb, s.DataDiskSizeGb))
	}
	return nil
}

func validResizeLimit(in, _ *sqladmin.DatabaseInstance) error {
	if most := in.Settings.StorageAutoResizeLimit; most != 0 && most < in.Settings.DataDiskSizeGb {
		return sqlInvalid("storageAutoResizeLimit must be 0 or at least the size of the disk.")
	}
	return nil
}

// settleDisk chooses the type of a disk by the tier, and the speed of a Hyperdisk: what costs nothing, where the real cloud goes by the size and the tier. No
// recording shows a Hyperdisk. https://cloud.google.com/sql/docs/postgres/storage-options-overview
func settleDisk(c *change) {
	settings := c.settings
	tier, _ := settings["tier"].(string)
	if !sqlHyperdiskTiers.MatchString(tier) {
		google.Defaults(settings, google.Object{"dataDiskType": "PD_SSD"})
		return
	}
	google.Defaults(settings, google.Object{"dataDiskType": sqlHyperdisk})
	if settings["dataDiskType"] == sqlHyperdisk {
		google.Defaults(settings, google.Object{"dataDiskProvisionedIops": "3000", "dataDiskProvisionedThroughput": "140"})
	}
}

// validDisk holds a disk to what its tier has, and its speed to the limits of the smallest tiers of each machine series. No recording shows a refusal, nor its words.
// https://cloud.google.com/sql/docs/postgres/storage-options-overview
// https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
func validDisk(in, _ *sqladmin.DatabaseInstance) error {
	s := in.Settings
	iops, throughput := s.DataDiskProvisionedIops, s.DataDiskProvisionedThroughput
	if hyperdisk := s.DataDiskType == sqlHyperdisk; hyperdisk != sqlHyperdiskTiers.MatchString(s.Tier) {
		return sqlInvalid(fmt.Sprintf("Disk type %s is not supported for tier %s.", s.DataDiskType, s.Tier))
	} else if !hyperdisk {
		if iops != 0 || throughput != 0 {
			return sqlInvalid("Provisioned IOPS and throughput are only supported for HYPERDISK_BALANCED.")
		}
		return nil
	}
	mostIOPS, mostThroughput := int64(15000), int64(240)
	if strings.HasPrefix(s.Tier, "db-c4a-") {
		mostIOPS, mostThroughput = 50000, 800
	}
	if mostIOPS = min(mostIOPS, max(3000, 500*s.DataDiskSizeGb)); iops < 3000 || iops > mostIOPS {
		return sqlInvalid(fmt.Sprintf("Provisioned IOPS must be between 3000 and %d, is %d.", mostIOPS, iops))
	}
	if mostThroughput = min(mostThroughput, iops/4); throughput < 140 || throughput > mostThroughput || 256*throughput < iops {
		return sqlInvalid(fmt.Sprintf("Provisioned throughput must be between 140 and %d, and at least a 256th part of the IOPS, is %d.", mostThroughput, throughput))
	}
	return nil
}
