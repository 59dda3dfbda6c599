package sql

import (
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlDiskTypes are the types of disks, of which each tier has some.
var sqlDiskTypes = []string{"PD_SSD", "PD_HDD", sqlHyperdisk}

const sqlHyperdisk = "HYPERDISK_BALANCED"

// sqlHyperdiskTiers are those of the machine series N4 and C4A. https://cloud.google.com/sql/docs/postgres/machine-series-overview
var sqlHyperdiskTiers = regexp.MustCompile(`^db-(custom-N4-|c4a-)`)

// settleDisk chooses the type of a disk by the tier, and the speed of a Hyperdisk: what costs nothing, where the real cloud goes by the size and the tier. No
// recording shows a Hyperdisk. https://cloud.google.com/sql/docs/postgres/storage-options-overview
func settleDisk(settings google.Object) {
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
func validDisk(in *sqladmin.DatabaseInstance) error {
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
