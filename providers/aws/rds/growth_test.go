package rds

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A disk that is as large as it may become is told not to grow by its own size, which RDS takes for that; a new one by nothing.
func TestGrowthIsSent(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{AllocatedStorage: new(int32(50)), MaxAllocatedStorage: new(int32(200))}}
	for name, test := range map[string]struct {
		most, size *int32
		have       *instance
		sent       int32 // 0: nothing
	}{
		"nothing said":                    {nil, new(int32(80)), have, 0},
		"a limit":                         {new(int32(100)), nil, have, 100},
		"a limit, and a larger disk":      {new(int32(100)), new(int32(80)), have, 100},
		"no growth":                       {new(int32(50)), nil, have, 50},
		"no growth of a larger disk":      {new(int32(80)), new(int32(80)), have, 80},
		"no growth of one that has grown": {new(int32(40)), nil, have, 50},
		"no growth of one that will be larger": {new(int32(60)), nil, &instance{DBInstance: types.DBInstance{
			AllocatedStorage: new(int32(50)), PendingModifiedValues: &types.PendingModifiedValues{AllocatedStorage: new(int32(70))}}}, 70},
	} {
		in := &rds.ModifyDBInstanceInput{MaxAllocatedStorage: test.most, AllocatedStorage: test.size}
		if completeGrowth(in, test.have); aws.ToInt32(in.MaxAllocatedStorage) != test.sent {
			t.Errorf("%s: sent %d, want %d", name, aws.ToInt32(in.MaxAllocatedStorage), test.sent)
		}
	}
	for most, sent := range map[int32]int32{20: 0, 50: 0, 100: 100} {
		in := &rds.CreateDBInstanceInput{MaxAllocatedStorage: &most, AllocatedStorage: new(int32(50))}
		if growthOfNew(in); aws.ToInt32(in.MaxAllocatedStorage) != sent {
			t.Errorf("a new disk up to %d: sent %d, want %d", most, aws.ToInt32(in.MaxAllocatedStorage), sent)
		}
	}
}

func TestRefusedGrowth(t *testing.T) {
	for text, advised := range map[string]bool{
		"Max storage size must be greater than storage size":                       true,
		"The maximum allocated storage must be increased by at least 10 percent.":  true,
		"Requested storage size (20) cannot be less than the current storage size": false,
	} {
		err := explainGrowth(&driver.Error{Code: driver.Invalid, Message: text})
		if !strings.HasSuffix(err.Error(), text) || strings.Contains(err.Error(), "set spec.storage.maxSizeGiB") != advised || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%q", err)
		}
	}
	if other := errors.New("x"); !errors.Is(explainGrowth(other), other) || explainGrowth(nil) != nil {
		t.Error("another error has changed")
	}
}

// A disk that shall not grow by itself is told so also where its new size is not in the same call, and that is no difference any more.
func TestNoGrowthWithoutTheSize(t *testing.T) {
	size := new(int32(200))
	spec := databaseSpec{Storage: &v1alpha1.DatabaseStorage{SizeGiB: size, MaxSizeGiB: size}}
	have := instance{DBInstance: types.DBInstance{AllocatedStorage: new(int32(50)), MaxAllocatedStorage: new(int32(100))}}
	var params instanceParams
	if err := rows.Patch(&spec, &have, []driver.Change{{Field: "storage.maxSizeGiB"}}, &params); err != nil {
		t.Fatal(err)
	}
	in := &rds.ModifyDBInstanceInput{}
	modification.Copy(&params, in)
	if completeGrowth(in, &have); aws.ToInt32(in.MaxAllocatedStorage) != 50 {
		t.Errorf("sent %d, want the size of the disk, 50", aws.ToInt32(in.MaxAllocatedStorage))
	}
	have.MaxAllocatedStorage = nil
	if changes := rows.Diff(&spec, &have, nil, nil); len(changes) != 1 || changes[0].Field != "storage.sizeGiB" {
		t.Errorf("afterwards: %v, want the size alone", changes)
	}
}
