package rds

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// IOPS and throughput that are meant for another type of disk are in no call without that type.
func TestSpeedIsLeftToTheType(t *testing.T) {
	waits := instance{DBInstance: types.DBInstance{StorageType: new("io1"), PendingModifiedValues: &types.PendingModifiedValues{StorageType: new("gp3")}}}
	for name, tt := range map[string]struct {
		declared, sent *string
		have           instance
		left           bool
	}{
		"no declared type":      {nil, nil, instance{DBInstance: types.DBInstance{StorageType: new("io1")}}, false},
		"of the declared type":  {new("gp3"), nil, instance{DBInstance: types.DBInstance{StorageType: new("gp3")}}, false},
		"with the type":         {new("gp3"), new("gp3"), instance{DBInstance: types.DBInstance{StorageType: new("io1")}}, false},
		"the type waits in RDS": {new("gp3"), nil, waits, false},
		"without the type":      {new("gp3"), nil, instance{DBInstance: types.DBInstance{StorageType: new("io1")}}, true},
	} {
		params := &instanceParams{StorageType: tt.sent, Iops: new(int32(15000)), StorageThroughput: new(int32(600))}
		left := leaveToType(params, &databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: tt.declared}}, &tt.have)
		if left != tt.left || (params.Iops == nil) != left || (params.StorageThroughput == nil) != left {
			t.Errorf("%s: left %t, %+v", name, left, params)
		}
	}
	if leaveToType(&instanceParams{}, &databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: new("gp3")}}, &instance{DBInstance: types.DBInstance{StorageType: new("io1")}}) {
		t.Error("there was nothing to leave")
	}
}

// A disk that grows while the declared type waits for approval keeps the IOPS that it has.
func TestGrowthKeepsTheIOPSOfAnotherType(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{StorageType: new("io1"), AllocatedStorage: new(int32(500)), Iops: new(int32(3000))}}
	in := &rds.ModifyDBInstanceInput{AllocatedStorage: new(int32(800))}
	completeDisk(in, &databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: new("gp3"), IOPS: new(int32(15000))}}, have)
	if aws.ToInt32(in.Iops) != 3000 || in.StorageThroughput != nil {
		t.Errorf("IOPS %d, want 3000", aws.ToInt32(in.Iops))
	}
}
