package aws

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// TestAnotherTypeOfDiskNamesItsSize: RDS gives a disk that grows anyway the size it was asked for before.
func TestAnotherTypeOfDiskNamesItsSize(t *testing.T) {
	for _, tt := range []struct {
		to                  string
		have, waits         int32
		size, iops, perMiBs int32
	}{
		{to: "gp3", have: 100, size: 100},
		{to: "gp3", have: 500, size: 500, iops: 12000, perMiBs: 500},
		{to: "gp3", have: 300, waits: 500, size: 500, iops: 12000, perMiBs: 500},
		{to: "gp2", have: 500, size: 500},
	} {
		have := &types.DBInstance{StorageType: new("io1"), AllocatedStorage: &tt.have, Iops: new(int32(3000))}
		if tt.waits > 0 {
			have.PendingModifiedValues = &types.PendingModifiedValues{AllocatedStorage: &tt.waits}
		}
		in := &rds.ModifyDBInstanceInput{StorageType: &tt.to}
		completeDisk(in, have)
		got := []int32{aws.ToInt32(in.AllocatedStorage), aws.ToInt32(in.Iops), aws.ToInt32(in.StorageThroughput)}
		if want := []int32{tt.size, tt.iops, tt.perMiBs}; !slices.Equal(got, want) {
			t.Errorf("io1 of %d GiB, of which %d wait, to %s: size, IOPS and throughput %d, want %d", tt.have, tt.waits, tt.to, got, want)
		}
	}
}
