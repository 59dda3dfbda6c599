package rds

import (
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// provisionedFrom is the size in GiB from which a gp3 disk has IOPS and throughput that can be chosen; below it RDS takes none. It is the same
// for all engines that there are here. https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const provisionedFrom = 400

// The least that RDS takes for a gp3 disk that can be provisioned, which is also what it costs nothing to have, and the most.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const (
	leastIOPS, mostIOPS             = 12000, 64000
	leastThroughput, mostThroughput = 500, 4000 // MiB/s
)

// leastIOPSOfMiB is how many IOPS a gp3 disk has at least for each MiB/s of its throughput.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ValidStorageOptions.html (StorageThroughputToIopsRatio)
const leastIOPSOfMiB = 4

// leastStorage is the least that gp3 takes in GiB. A declared size is a floor, so it may be met with more.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const leastStorage = 20

// leastForIOPS is the least that io1 and io2 take in GiB.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#USER_PIOPS
const leastForIOPS = 100

// awsOf returns what the spec says of Amazon RDS alone.
func awsOf(s *databaseSpec) *v1alpha1.DatabaseAWS {
	if s.AWS == nil {
		return &v1alpha1.DatabaseAWS{}
	}
	return s.AWS
}

// hasIOPS and hasThroughput report whether IOPS and throughput of a disk are its own, and can be chosen. RDS reports 3,000 and 125 of a smaller
// gp3 disk, takes these from nobody, and raises them when the disk grows: no spec can have them, and they are no difference.
func hasIOPS(kind string, size int32) bool {
	return kind == "io1" || kind == "io2" || hasThroughput(kind, size)
}

func hasThroughput(kind string, size int32) bool { return kind == "gp3" && size >= provisionedFrom }

// ownIOPS and ownThroughput return what was chosen for a disk; nil if that can't be.
func ownIOPS(kind *string, size, iops *int32) *int32 {
	if hasIOPS(aws.ToString(kind), aws.ToInt32(size)) {
		return iops
	}
	return nil
}

func ownThroughput(kind *string, size, throughput *int32) *int32 {
	if hasThroughput(aws.ToString(kind), aws.ToInt32(size)) {
		return throughput
	}
	return nil
}

// completeDisk adds to a change of the disk what RDS wants named with it. With another type, IOPS or throughput that is the size. A disk with
// IOPS of its own changes its size only together with them: with those that the spec declares, or else that it has. A gp3 disk that can be
// provisioned gets the least there is when the type changes to it.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (Iops, StorageType)
func completeDisk(in *rds.ModifyDBInstanceInput, spec *databaseSpec, have *instance) {
	if in.AllocatedStorage != nil {
		if now := aws.ToInt32(have.AllocatedStorage); now >= *in.AllocatedStorage {
			in.AllocatedStorage = &now
			if in.StorageType == nil && in.Iops == nil && in.StorageThroughput == nil {
				return // takes back a change that waits
			}
		} else {
			in.AllocatedStorage = aws.Int32(grown(*in.AllocatedStorage, now))
		}
	}
	waits := pending(have)
	kind, size := aws.ToString(first(in.StorageType, waits.StorageType)), first(in.AllocatedStorage, sizeBeside(spec, have))
	another := in.StorageType != nil && kind != aws.ToString(have.StorageType)
	if another || in.Iops != nil || in.StorageThroughput != nil {
		in.AllocatedStorage = size
	}
	if in.AllocatedStorage == nil {
		return
	}
	declared, kept := awsOf(spec), types.PendingModifiedValues{}
	if declared.StorageType != nil && *declared.StorageType != kind {
		declared = &v1alpha1.DatabaseAWS{} // the numbers are meant for a type that the disk does not have yet
	}
	switch {
	case !another && hasIOPS(kind, aws.ToInt32(have.AllocatedStorage)):
		kept = waits
	case another && kind == "gp3":
		kept.Iops, kept.StorageThroughput = aws.Int32(leastIOPS), aws.Int32(leastThroughput)
	}
	if hasIOPS(kind, *size) {
		in.Iops = first(in.Iops, declared.IOPS, kept.Iops)
	}
	if hasThroughput(kind, *size) {
		in.StorageThroughput = first(in.StorageThroughput, declared.ThroughputMiBps, kept.StorageThroughput)
	}
}

// sizeBeside returns the size to name with a change of the rest of the disk: that which the spec declares, or else that the disk has or was asked
// to take. The declared one may have been asked for by the call before, each change being tried alone, and the present size would cancel it.
func sizeBeside(spec *databaseSpec, have *instance) *int32 {
	size := pending(have).AllocatedStorage
	if spec.Storage == nil || aws.ToInt32(spec.Storage.SizeGiB) <= aws.ToInt32(size) {
		return size
	}
	return aws.Int32(grown(*spec.Storage.SizeGiB, aws.ToInt32(have.AllocatedStorage)))
}

// checkDisk refuses a disk that RDS does not have, before RDS does without the names of the fields. have is the instance, empty for a new one.
func checkDisk(spec *databaseSpec, have *instance) error {
	waits, declared := pending(have), awsOf(spec)
	kind, size := aws.ToString(first(declared.StorageType, waits.StorageType, aws.String("gp3"))), aws.ToInt32(waits.AllocatedStorage)
	if spec.Storage != nil {
		size = max(size, aws.ToInt32(spec.Storage.SizeGiB))
	}
	iops, throughput := declared.IOPS, declared.ThroughputMiBps
	fields := table.Fields{"aws.iops", "aws.throughputMiBps", "aws.storageType", "storage.sizeGiB"}
	switch wants := iops != nil || throughput != nil; {
	case (kind == "gp2" || kind == "standard") && wants:
		return fields.Refuse("spec.aws.iops and spec.aws.throughputMiBps can't be chosen for a disk of the type %s: remove them, or set spec.aws.storageType to gp3", kind)
	case kind != "gp3" && throughput != nil:
		return fields.Refuse("spec.aws.throughputMiBps can be chosen for a disk of the type gp3 only, and this one has %s: remove it", kind)
	case kind == "gp3" && wants && size < provisionedFrom:
		return fields.Refuse("a gp3 disk below %d GiB has 3,000 IOPS and 125 MiB/s, which can't be chosen: set spec.storage.sizeGiB to %[1]d or more, "+
			"or remove spec.aws.iops and spec.aws.throughputMiBps", provisionedFrom)
	case kind == "gp3" && iops != nil && (*iops < leastIOPS || *iops > mostIOPS):
		return fields.Refuse("spec.aws.iops of a gp3 disk is %d to %d: set it to a number in between, or remove it", leastIOPS, mostIOPS)
	case kind == "gp3" && throughput != nil && (*throughput < leastThroughput || *throughput > mostThroughput):
		return fields.Refuse("spec.aws.throughputMiBps is %d to %d: set it to a number in between, or remove it", leastThroughput, mostThroughput)
	case kind == "gp3" && wants:
		return checkRatio(declared, have)
	case kind != "io1" && kind != "io2":
		return nil
	case size < leastForIOPS:
		return table.Fields{"storage.sizeGiB", "aws.storageType"}.Refuse("a disk of the type %s has %d GiB at least: set spec.storage.sizeGiB to %[2]d or more, or spec.aws.storageType to gp3", kind, leastForIOPS)
	case iops == nil && kind != aws.ToString(waits.StorageType):
		return table.Fields{"aws.iops", "aws.storageType"}.Refuse("a disk of the type %s needs the number of its IOPS: set spec.aws.iops", kind)
	}
	return nil
}

// checkRatio refuses more throughput of a gp3 disk than its IOPS allow: at most 0.25 MiB/s for each. What the spec does not say is as on the disk, or else
// the least that there is. No recording shows the refusal.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ValidStorageOptions.html (StorageThroughputToIopsRatio)
func checkRatio(declared *v1alpha1.DatabaseAWS, have *instance) error {
	kept := types.PendingModifiedValues{}
	if hasThroughput(aws.ToString(have.StorageType), aws.ToInt32(have.AllocatedStorage)) {
		kept = pending(have)
	}
	iops := aws.ToInt32(first(declared.IOPS, kept.Iops, aws.Int32(leastIOPS)))
	throughput := aws.ToInt32(first(declared.ThroughputMiBps, kept.StorageThroughput, aws.Int32(leastThroughput)))
	if throughput*leastIOPSOfMiB <= iops {
		return nil
	}
	return table.Fields{"aws.throughputMiBps", "aws.iops", "aws.storageType", "storage.sizeGiB"}.Refuse("the throughput of a gp3 disk in MiB/s is at most a quarter of its IOPS, and this one would have %d MiB/s with %d IOPS: "+
		"set spec.aws.iops to %d or more, or spec.aws.throughputMiBps to %d or less", throughput, iops, throughput*leastIOPSOfMiB, iops/leastIOPSOfMiB)
}

// changesDisk reports whether a call changes more of the disk than its size, which depends on nothing else.
func changesDisk(p *instanceParams) bool {
	return p.StorageType != nil || p.Iops != nil || p.StorageThroughput != nil
}

// grown returns the size to send for a disk to have at least the wanted one: RDS takes growth of a tenth
// or more. https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (AllocatedStorage).
func grown(wanted, now int32) int32 {
	least := math.Ceil(float64(now) * 11 / 10)
	if least > math.MaxInt32 {
		return wanted
	}
	return max(wanted, int32(least))
}

// storageTypeEffect judges by the disk that is there. From magnetic to SSD there is a short outage, and from Provisioned IOPS to another type
// there may be one, as in a single zone with a parameter group of one's own. From general purpose to any type there is none.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Storage type)
func storageTypeEffect(_ *string, to string, have *instance) (driver.Effect, string) {
	if now := aws.ToString(have.StorageType); now == to || now == "gp2" || now == "gp3" {
		return driver.Online, ""
	}
	return driver.Interrupts, ""
}
