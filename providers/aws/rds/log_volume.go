package rds

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// logVolumeRow moves the transaction logs to a volume of their own, and back: "Enabling and disabling DLV can be time-consuming and cause downtime",
// since RDS copies all of them. What only waits is taken back without that.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.dlv.html
var logVolumeRow = table.Field("aws.dedicatedLogVolume",
	func(s *databaseSpec) *bool { return awsOf(s).DedicatedLogVolume },
	func(i *instance) *bool { return aws.Bool(aws.ToBool(pending(i).DedicatedLogVolume)) },
	func(p *instanceParams, v bool) { p.DedicatedLogVolume = &v },
).Reported(func(i *instance) *bool { return aws.Bool(aws.ToBool(i.DedicatedLogVolume)) }).
	EffectOf(logVolumeEffect,
		driver.PossibleEffect{Effect: driver.Online, When: "it takes back a change that has not begun"},
		driver.PossibleEffect{Effect: driver.Restarts, When: "RDS copies the logs to the other volume", Cost: logVolumeCost})

func logVolumeEffect(_ *bool, to bool, have *instance) (driver.Effect, string) {
	if aws.ToBool(have.DedicatedLogVolume) == to {
		return driver.Online, ""
	}
	return driver.Restarts, "RDS copies the transaction logs to the other volume"
}

// checkLogVolume refuses a volume for logs beside a disk that takes none. have is the instance, empty for a new one.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.dlv.html
func checkLogVolume(spec *databaseSpec, have *instance) error {
	kind := aws.ToString(first(awsOf(spec).StorageType, pending(have).StorageType, aws.String("gp3")))
	wanted := first(awsOf(spec).DedicatedLogVolume, pending(have).DedicatedLogVolume)
	if aws.ToBool(wanted) && !slices.Contains([]string{"io1", "io2"}, kind) {
		return table.Fields{"aws.dedicatedLogVolume", "aws.storageType"}.Refuse("spec.aws.dedicatedLogVolume needs a disk of the type io1 or io2, and this one has %s: set spec.aws.storageType to io1 or io2, or "+
			"spec.aws.dedicatedLogVolume to false", kind)
	}
	return nil
}
