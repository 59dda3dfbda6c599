package sql

import (
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/table"
)

// hyperdiskTiers have Hyperdisks, and persistentTiers persistent disks, as far as they are known: Cloud SQL itself judges the tiers of tomorrow.
// https://cloud.google.com/sql/docs/postgres/machine-series-overview
const (
	hyperdiskTiers  = `^db-(c4a-|custom-[Nn]4-)`
	persistentTiers = `^db-(perf-optimized-|f1-|g1-|n1-|custom-[0-9])`
)

const (
	onlyHyperdisk    = "only a disk of the type HYPERDISK_BALANCED has a speed of one's choice"
	hyperdiskInstead = "set spec.gcp.tier to one of the machine series N4 or C4A, for example db-custom-N4-2-8192 or db-c4a-highmem-4"
)

// diskLacks are what disks of one type alone have.
var diskLacks = func() []driver.Lack {
	lacks := []driver.Lack{
		{
			Field: "gcp.dataDiskType", Match: "^HYPERDISK_BALANCED$", Values: "HYPERDISK_BALANCED", With: map[string]string{"gcp.tier": persistentTiers}, Invalid: true,
			Why: "the tier has persistent disks", Instead: hyperdiskInstead + ", or remove spec.gcp.dataDiskType",
		},
		{
			Field: "gcp.dataDiskType", Match: "^PD_", Values: "PD_SSD and PD_HDD", With: map[string]string{"gcp.tier": hyperdiskTiers}, Invalid: true,
			Why: "the tier has Hyperdisks", Instead: "set spec.gcp.dataDiskType to HYPERDISK_BALANCED, or remove it",
		},
	}
	for _, field := range []string{"gcp.iops", "gcp.throughputMiBps"} {
		lacks = append(lacks,
			driver.Lack{
				Field: field, Match: ".", Values: "a value", With: map[string]string{"gcp.tier": persistentTiers}, Invalid: true,
				Why: onlyHyperdisk, Instead: hyperdiskInstead + ", or remove spec." + field,
			},
			driver.Lack{
				Field: field, Match: ".", Values: "a value", With: map[string]string{"gcp.dataDiskType": "^PD_"}, Invalid: true,
				Why: onlyHyperdisk, Instead: "set spec.gcp.dataDiskType to HYPERDISK_BALANCED, or remove spec." + field,
			})
	}
	return lacks
}()

// diskRows are the type of the disk, and the speed of a Hyperdisk, which changes while the server works. A disk of another type reports no speed. No
// recording shows a Hyperdisk.
// https://cloud.google.com/sql/docs/postgres/instance-settings
// https://cloud.google.com/sql/docs/postgres/storage-options-overview
// https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
var diskRows = table.Table[databaseParameters, instance, instanceParams]{
	plain("gcp.dataDiskType", "DataDiskType", func(i *instance) *string { return resource.Present(i.settings().DataDiskType) }).
		Immutable("create another Database with the new type of disk and move the data there"),
	plain("gcp.iops", "DataDiskProvisionedIops", func(i *instance) *int32 { return resource.Present(int32(i.settings().DataDiskProvisionedIops)) }),
	plain("gcp.throughputMiBps", "DataDiskProvisionedThroughput", func(i *instance) *int32 { return resource.Present(int32(i.settings().DataDiskProvisionedThroughput)) }),
}

// completeSpeed adds to IOPS the throughput as the spec says it, and the other way round: they bound each other, and a step of one alone may be too wide.
// https://cloud.google.com/compute/docs/disks/hd-types/hyperdisk-balanced
func (p *instanceParams) completeSpeed(spec *databaseParameters) {
	if p.DataDiskProvisionedIops == nil && p.DataDiskProvisionedThroughput == nil {
		return
	}
	if iops := gcpOf(spec).IOPS; iops != nil {
		p.DataDiskProvisionedIops = new(int64(*iops))
	}
	if throughput := gcpOf(spec).ThroughputMiBps; throughput != nil {
		p.DataDiskProvisionedThroughput = new(int64(*throughput))
	}
}

// checkDisk refuses a speed in a change where the server has none, as the creation does.
func checkDisk(params *instanceParams, spec *databaseParameters, have *instance) error {
	if params.DataDiskProvisionedIops == nil && params.DataDiskProvisionedThroughput == nil {
		return nil
	}
	says, cloud := *spec, *gcpOf(spec)
	cloud.DataDiskType = resource.Present(have.settings().DataDiskType)
	says.GCP = &cloud
	return checkLacks(diskLacks, &says)
}
