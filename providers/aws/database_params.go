package aws

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// provisionedFrom is the size in GiB from which a gp3 disk has IOPS and throughput that can be chosen; below
// it RDS takes none. https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const provisionedFrom = 400

// The least that RDS takes for a gp3 disk that can be provisioned, which is also what it costs nothing to have.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const (
	leastIOPS       = 12000
	leastThroughput = 500 // MiB/s
)

// completeDisk adds to a change of the disk what RDS wants named with it. With another type that is the size, which a disk with IOPS of its own
// does not change without: that it has, or one that waits already. A gp3 disk that can be provisioned gets the least there is when the type
// changes to it.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (Iops, StorageType)
func completeDisk(in *rds.ModifyDBInstanceInput, have *types.DBInstance) {
	if in.AllocatedStorage != nil {
		in.AllocatedStorage, in.Iops, in.StorageThroughput = grow(*in.AllocatedStorage, have)
	}
	if in.StorageType == nil || *in.StorageType == aws.ToString(have.StorageType) {
		return
	}
	in.Iops, in.StorageThroughput = nil, nil // those of the type before
	in.AllocatedStorage = first(in.AllocatedStorage, pending(have).AllocatedStorage)
	if *in.StorageType == "gp3" && aws.ToInt32(in.AllocatedStorage) >= provisionedFrom {
		in.Iops, in.StorageThroughput = aws.Int32(leastIOPS), aws.Int32(leastThroughput)
	}
}

// grow returns the size to ask for, and the IOPS and throughput that the disk keeps: RDS wants them
// named together with a new size wherever they can be chosen.
func grow(wanted int32, have *types.DBInstance) (size, iops, throughput *int32) {
	now := aws.ToInt32(have.AllocatedStorage)
	if now >= wanted {
		return &now, nil, nil // takes back a change that waits
	}
	size = aws.Int32(grown(wanted, now))
	switch kind := aws.ToString(have.StorageType); {
	case kind == "io1" || kind == "io2":
		return size, have.Iops, nil
	case kind == "gp3" && now >= provisionedFrom:
		return size, have.Iops, have.StorageThroughput
	}
	return size, nil, nil
}

func rdsTags(tags map[string]string) []types.Tag {
	list := make([]types.Tag, 0, len(tags))
	for _, k := range sortedKeys(tags) {
		list = append(list, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return list
}

// defaultUsername is the administrator that an engine's users expect on RDS.
func defaultUsername(engine string) string {
	if engine == string(v1alpha1.EngineMySQL) {
		return "admin"
	}
	return "postgres"
}

// leastStorage is the least that gp3 takes in GiB. A declared size is a floor, so it may be met with more.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Storage.html#gp3-storage
const leastStorage = 20
