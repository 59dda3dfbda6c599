package rds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
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
		have := &instance{DBInstance: types.DBInstance{StorageType: new("io1"), AllocatedStorage: &tt.have, Iops: new(int32(3000))}}
		if tt.waits > 0 {
			have.PendingModifiedValues = &types.PendingModifiedValues{AllocatedStorage: &tt.waits}
		}
		in := &rds.ModifyDBInstanceInput{StorageType: &tt.to}
		completeDisk(in, &databaseSpec{}, have)
		got := []int32{aws.ToInt32(in.AllocatedStorage), aws.ToInt32(in.Iops), aws.ToInt32(in.StorageThroughput)}
		if want := []int32{tt.size, tt.iops, tt.perMiBs}; !slices.Equal(got, want) {
			t.Errorf("io1 of %d GiB, of which %d wait, to %s: size, IOPS and throughput %d, want %d", tt.have, tt.waits, tt.to, got, want)
		}
	}
}

// TestIOPSAndThroughputAreNamedTogether: RDS wants size and IOPS named with a change of either, and takes none where they can't be chosen.
func TestIOPSAndThroughputAreNamedTogether(t *testing.T) {
	type numbers struct{ size, iops, perMiBs int32 } // 0: not named
	for name, tt := range map[string]struct {
		have instance
		spec v1alpha1.DatabaseAWS
		asks func(*rds.ModifyDBInstanceInput)
		want numbers
	}{
		"throughput of gp3": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(500)), Iops: new(int32(13000)), StorageThroughput: new(int32(500))}},
			v1alpha1.DatabaseAWS{}, func(in *rds.ModifyDBInstanceInput) { in.StorageThroughput = new(int32(700)) }, numbers{500, 13000, 700},
		},
		"IOPS of gp3": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(500)), Iops: new(int32(12000)), StorageThroughput: new(int32(600))}},
			v1alpha1.DatabaseAWS{}, func(in *rds.ModifyDBInstanceInput) { in.Iops = new(int32(15000)) }, numbers{500, 15000, 600},
		},
		"the size of gp3, which is what it was": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(500)), Iops: new(int32(12000)), StorageThroughput: new(int32(500)),
				PendingModifiedValues: &types.PendingModifiedValues{AllocatedStorage: new(int32(600))}}},
			v1alpha1.DatabaseAWS{}, func(in *rds.ModifyDBInstanceInput) { in.AllocatedStorage = new(int32(500)) }, numbers{500, 0, 0},
		},
		"gp3 grows beyond the size from which IOPS can be chosen": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(300)), Iops: new(int32(3000)), StorageThroughput: new(int32(125))}},
			v1alpha1.DatabaseAWS{}, func(in *rds.ModifyDBInstanceInput) { in.AllocatedStorage = new(int32(400)) }, numbers{400, 0, 0},
		},
		"and the spec chooses": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(300)), Iops: new(int32(3000)), StorageThroughput: new(int32(125))}},
			v1alpha1.DatabaseAWS{IOPS: new(int32(14000))}, func(in *rds.ModifyDBInstanceInput) { in.AllocatedStorage = new(int32(400)) }, numbers{400, 14000, 0},
		},
		"io1 grows": {
			instance{DBInstance: types.DBInstance{StorageType: new("io1"), AllocatedStorage: new(int32(100)), Iops: new(int32(3000)), StorageThroughput: new(int32(0))}},
			v1alpha1.DatabaseAWS{}, func(in *rds.ModifyDBInstanceInput) { in.AllocatedStorage = new(int32(200)) }, numbers{200, 3000, 0},
		},
		"to io1": {
			instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(100)), Iops: new(int32(3000)), StorageThroughput: new(int32(125))}},
			v1alpha1.DatabaseAWS{IOPS: new(int32(4000))}, func(in *rds.ModifyDBInstanceInput) { in.StorageType = new("io1") }, numbers{100, 4000, 0},
		},
		"to gp3, and the spec chooses": {
			instance{DBInstance: types.DBInstance{StorageType: new("io1"), AllocatedStorage: new(int32(500)), Iops: new(int32(3000)), StorageThroughput: new(int32(0))}},
			v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(800))}, func(in *rds.ModifyDBInstanceInput) { in.StorageType = new("gp3") }, numbers{500, 12000, 800},
		},
	} {
		in := &rds.ModifyDBInstanceInput{}
		tt.asks(in)
		completeDisk(in, &databaseSpec{AWS: &tt.spec}, &tt.have)
		if got := (numbers{aws.ToInt32(in.AllocatedStorage), aws.ToInt32(in.Iops), aws.ToInt32(in.StorageThroughput)}); got != tt.want {
			t.Errorf("%s: size, IOPS and throughput %v, want %v", name, got, tt.want)
		}
	}
}

// TestWhatADiskCantHave is refused with the names of the fields. A disk that grew beyond what the spec says counts as it is.
func TestWhatADiskCantHave(t *testing.T) {
	disk := func(kind string, size int32) *instance {
		return &instance{DBInstance: types.DBInstance{StorageType: &kind, AllocatedStorage: &size}}
	}
	fast := func(kind string, iops, throughput int32) *instance {
		i := disk(kind, 400)
		i.Iops, i.StorageThroughput = &iops, &throughput
		return i
	}
	aSize := func(gib int32) *v1alpha1.DatabaseStorage { return &v1alpha1.DatabaseStorage{SizeGiB: &gib} }
	for name, tt := range map[string]struct {
		spec databaseSpec
		have *instance
		want string // a field in the refusal; empty for none
	}{
		"a new disk":              {databaseSpec{AWS: &v1alpha1.DatabaseAWS{}}, &instance{}, ""},
		"IOPS of a new, small":    {databaseSpec{AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(12000))}}, &instance{}, "spec.storage.sizeGiB"},
		"IOPS of a small":         {databaseSpec{Storage: aSize(399), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(12000))}}, disk("gp3", 100), "spec.storage.sizeGiB"},
		"IOPS of a large":         {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(12000))}}, disk("gp3", 100), ""},
		"IOPS of one that grew":   {databaseSpec{Storage: aSize(100), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(12000))}}, disk("gp3", 400), ""},
		"too few":                 {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(3000))}}, disk("gp3", 400), "spec.aws.iops"},
		"too many":                {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(70000))}}, disk("gp3", 400), "spec.aws.iops"},
		"throughput of a small":   {databaseSpec{AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(500))}}, disk("gp3", 100), "spec.storage.sizeGiB"},
		"throughput of io1":       {databaseSpec{AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(500))}}, disk("io1", 400), "spec.aws.throughputMiBps"},
		"too much":                {databaseSpec{AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(5000))}}, disk("gp3", 400), "spec.aws.throughputMiBps"},
		"a quarter":               {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(16000)), ThroughputMiBps: new(int32(4000))}}, &instance{}, ""},
		"too much for its IOPS":   {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(15999)), ThroughputMiBps: new(int32(4000))}}, &instance{}, "spec.aws.iops to 16000"},
		"too much for the least":  {databaseSpec{Storage: aSize(400), AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(3001))}}, &instance{}, "spec.aws.iops to 12004"},
		"enough IOPS there":       {databaseSpec{AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(4000))}}, fast("gp3", 16000, 500), ""},
		"too few IOPS there":      {databaseSpec{AWS: &v1alpha1.DatabaseAWS{ThroughputMiBps: new(int32(4000))}}, fast("gp3", 14000, 500), "spec.aws.throughputMiBps to 3500"},
		"fewer IOPS than it uses": {databaseSpec{AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(12000))}}, fast("gp3", 16000, 4000), "spec.aws.iops to 16000"},
		"IOPS of another type":    {databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: new("gp3"), ThroughputMiBps: new(int32(4000))}}, fast("io1", 64000, 0), "spec.aws.iops to 16000"},
		"IOPS of gp2":             {databaseSpec{AWS: &v1alpha1.DatabaseAWS{IOPS: new(int32(3000))}}, disk("gp2", 400), "spec.aws.storageType"},
		"io1 without IOPS":        {databaseSpec{Storage: aSize(100), AWS: &v1alpha1.DatabaseAWS{StorageType: new("io1")}}, disk("gp3", 100), "spec.aws.iops"},
		"io1 that has some":       {databaseSpec{Storage: aSize(100), AWS: &v1alpha1.DatabaseAWS{StorageType: new("io1")}}, disk("io1", 100), ""},
		"io2 with IOPS":           {databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: new("io2"), IOPS: new(int32(3000))}}, disk("gp3", 100), ""},
		"io2 of less than it has": {databaseSpec{AWS: &v1alpha1.DatabaseAWS{StorageType: new("io2"), IOPS: new(int32(3000))}}, disk("gp3", 99), "spec.storage.sizeGiB"},
	} {
		err := checkDisk(&tt.spec, tt.have)
		if tt.want == "" && err != nil || tt.want != "" && (driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want one that names %q", name, err, tt.want)
		}
	}
}

// TestSmallDiskHasNoIOPSOfItsOwn: RDS reports 3,000 and 125, which no spec can have, and which change when the disk grows.
func TestSmallDiskHasNoIOPSOfItsOwn(t *testing.T) {
	for name, tt := range map[string]struct {
		have instance
		want string
	}{
		"gp3 of 399 GiB": {instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(399)), Iops: new(int32(3000)), StorageThroughput: new(int32(125))}}, ""},
		"gp3 of 400 GiB": {instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: new(int32(400)), Iops: new(int32(12000)), StorageThroughput: new(int32(500))}}, "12000 500"},
		"gp2":            {instance{DBInstance: types.DBInstance{StorageType: new("gp2"), AllocatedStorage: new(int32(400)), StorageThroughput: new(int32(0))}}, ""},
		"io1":            {instance{DBInstance: types.DBInstance{StorageType: new("io1"), AllocatedStorage: new(int32(100)), Iops: new(int32(1000)), StorageThroughput: new(int32(0))}}, "1000"},
	} {
		raw, err := rows.Mirror(&tt.have)
		if err != nil {
			t.Fatal(err)
		}
		var mirror databaseSpec
		if err := json.Unmarshal(raw, &mirror); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range []*int32{awsOf(&mirror).IOPS, awsOf(&mirror).ThroughputMiBps} {
			if n != nil {
				got = append(got, fmt.Sprint(*n))
			}
		}
		if all := strings.Join(got, " "); all != tt.want {
			t.Errorf("%s: the mirror shows %q, want %q", name, all, tt.want)
		}
	}
}

// A change of the disk that is tried alone names the declared size: with the present one it would cancel the growth that was asked for just before.
func TestDiskKeepsTheGrowthAskedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		declared    *int32
		have, waits int32
		want        int32
	}{
		"nothing declared":     {nil, 500, 0, 500},
		"a smaller size":       {new(int32(400)), 500, 0, 500},
		"a larger size":        {new(int32(800)), 500, 0, 800},
		"less than a tenth":    {new(int32(510)), 500, 0, 550},
		"what waits":           {new(int32(510)), 500, 550, 550},
		"more than what waits": {new(int32(800)), 500, 550, 800},
	} {
		have := &instance{DBInstance: types.DBInstance{StorageType: new("gp3"), AllocatedStorage: &tt.have, Iops: new(int32(12000)), StorageThroughput: new(int32(500))}}
		if tt.waits > 0 {
			have.PendingModifiedValues = &types.PendingModifiedValues{AllocatedStorage: &tt.waits}
		}
		for asks, in := range map[string]*rds.ModifyDBInstanceInput{
			"type": {StorageType: new("gp2")}, "IOPS": {Iops: new(int32(15000))}, "throughput": {StorageThroughput: new(int32(600))},
		} {
			completeDisk(in, &databaseSpec{Storage: &v1alpha1.DatabaseStorage{SizeGiB: tt.declared}}, have)
			if aws.ToInt32(in.AllocatedStorage) != tt.want {
				t.Errorf("%s, another %s: size %d, want %d", name, asks, aws.ToInt32(in.AllocatedStorage), tt.want)
			}
		}
	}
}
