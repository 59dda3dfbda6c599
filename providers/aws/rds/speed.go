package rds

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A speed is a number of IOPS or a throughput, and the type of the disk that it is meant for: empty for whatever the disk has.
type speed struct {
	number int32
	kind   string
}

// speedOf returns a speed; nil if there is no number.
func speedOf(number *int32, kind *string) *speed {
	if number == nil {
		return nil
	}
	return &speed{*number, aws.ToString(kind)}
}

// String returns the number.
func (s speed) String() string { return strconv.Itoa(int(s.number)) }

// MarshalJSON returns the number: the mirror reads as the spec does.
func (s speed) MarshalJSON() ([]byte, error) { return json.Marshal(s.number) }

// serves reports whether a disk that is as fast as have says does what is wanted.
func (s speed) serves(have speed) bool { return s.number == have.number }

// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIOPS.ModifyingExisting.html
var iopsRow = table.Field("aws.iops",
	func(s *databaseSpec) *speed { return speedOf(awsOf(s).IOPS, awsOf(s).StorageType) },
	func(i *instance) *speed {
		p := pending(i)
		return speedOf(ownIOPS(p.StorageType, p.AllocatedStorage, p.Iops), p.StorageType)
	},
	func(p *instanceParams, v speed) { p.Iops = &v.number },
).Reported(func(i *instance) *speed {
	return speedOf(ownIOPS(i.StorageType, i.AllocatedStorage, i.Iops), i.StorageType)
}).Equal(speed.serves, "").EffectOf(speedEffect, speedEffects...)

var throughputRow = table.Field("aws.throughputMiBps",
	func(s *databaseSpec) *speed { return speedOf(awsOf(s).ThroughputMiBps, awsOf(s).StorageType) },
	func(i *instance) *speed {
		p := pending(i)
		return speedOf(ownThroughput(p.StorageType, p.AllocatedStorage, p.StorageThroughput), p.StorageType)
	},
	func(p *instanceParams, v speed) { p.StorageThroughput = &v.number },
).Reported(func(i *instance) *speed {
	return speedOf(ownThroughput(i.StorageType, i.AllocatedStorage, i.StorageThroughput), i.StorageType)
}).Equal(speed.serves, "").EffectOf(speedEffect, speedEffects...)

var speedEffects = []driver.PossibleEffect{
	{Effect: driver.Online, When: "the disk has the declared type, or was gp2 or gp3"},
	{Effect: driver.Interrupts, When: "aws.storageType changes too, from another type", Cost: storageTypeCost},
}

// speedEffect: numbers that are meant for another type of disk change together with the type, so they wait for approval as it does. 15,000 IOPS of
// gp3 cost a multiple as those of io1.
func speedEffect(_ *speed, to speed, have *instance) (driver.Effect, string) {
	if to.kind == "" || to.kind == aws.ToString(pending(have).StorageType) {
		return driver.Online, ""
	}
	if effect, _ := storageTypeEffect(nil, to.kind, have); effect != driver.Online {
		return effect, "it changes together with aws.storageType"
	}
	return driver.Online, ""
}

// leaveToType takes IOPS and throughput out of a call without the type of disk that they are meant for, and reports whether there were any. They
// go with the call that changes the type: see completeDisk.
func leaveToType(p *instanceParams, spec *databaseSpec, have *instance) bool {
	declared := awsOf(spec).StorageType
	if p.StorageType != nil || declared == nil || *declared == aws.ToString(pending(have).StorageType) || p.Iops == nil && p.StorageThroughput == nil {
		return false
	}
	p.Iops, p.StorageThroughput = nil, nil
	return true
}

// speedLater is why IOPS and throughput that are meant for another type of disk were not sent: it says so where RDS refuses the type, too.
func speedLater(changes []driver.Change) (later table.FieldErrors) {
	for _, c := range changes {
		if slices.Contains([]string{"aws.iops", "aws.throughputMiBps"}, c.Field) {
			later = append(later, driver.FieldError{Field: c.Field, Err: &driver.Error{Code: driver.Busy, Op: "ModifyDBInstance",
				Message: "spec." + c.Field + " waits for spec.aws.storageType: RDS takes it with the disk's type"}})
		}
	}
	return later
}
