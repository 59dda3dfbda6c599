package rds

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Every state in which RDS takes no changes and that ends by itself is put into words; what rests is not called work.
func TestWorkOf(t *testing.T) {
	for status := range works {
		state, problem := stateOf(status)
		for _, observed := range []driver.State{driver.Pending, driver.Deleting} {
			if got := workOf(status, observed); got.What == "" || problem != "" {
				t.Errorf("%s (%v): %+v, %q", status, state, got, problem)
			}
		}
		if got := workOf(status, driver.Ready); got != (driver.Work{}) {
			t.Errorf("%s, at rest: %+v", status, got)
		}
	}
	for status := range serving {
		if state, _ := stateOf(status); state == driver.Pending && works[status].What == "" {
			t.Errorf("nothing says what RDS does in %s", status)
		}
	}
	for status := range housekeeping {
		if works[status].What == "" {
			t.Errorf("nothing says what RDS does in %s", status)
		}
	}
	if got, want := workOf("rebooting", driver.Pending).String(), "restarting it"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// optimizing is an instance whose disk changed a while ago.
var optimizing = &instance{DBInstance: types.DBInstance{DBInstanceStatus: new("storage-optimization")}}

// In storage-optimization RDS takes no change of the disk: alone it waits, and it stays out of a call of other changes.
func TestDiskWaitsForStorageOptimization(t *testing.T) {
	for _, field := range []string{"storage.sizeGiB", "aws.storageType", "aws.iops", "aws.throughputMiBps", "aws.dedicatedLogVolume"} {
		disk, other := driver.Change{Field: field}, driver.Change{Field: "aws.copyTagsToSnapshot"}
		if state, changes := whileBusy(optimizing, driver.Ready, []driver.Change{disk}); state != driver.Pending || len(changes) != 1 {
			t.Errorf("%s alone: %v, %v", field, state, changes)
		}
		if state, changes := whileBusy(optimizing, driver.Ready, []driver.Change{disk, other}); state != driver.Ready || len(changes) != 1 || changes[0].Field != other.Field {
			t.Errorf("%s and another: %v, %v", field, state, changes)
		}
	}
	stop := driver.Change{Field: driver.FieldPowerState, To: string(v1alpha1.PowerStateStopped)}
	if state, changes := whileBusy(optimizing, driver.Ready, []driver.Change{stop}); state != driver.Ready || len(changes) != 1 {
		t.Errorf("a stop, which may wait for consent: %v, %v", state, changes)
	}
}

// RDS stops servers that are available, and no others.
func TestStopsLater(t *testing.T) {
	for status, says := range map[string]string{
		"available":            "",
		"storage-full":         "the disk is full",
		"storage-optimization": "optimizing its storage",
		"a status of tomorrow": "a status of tomorrow",
	} {
		err := stopsLater(&instance{DBInstance: types.DBInstance{DBInstanceStatus: &status}})
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", status, err)
		case says != "" && (driver.CodeOf(err) != driver.Busy || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "spec.powerState")):
			t.Errorf("%s: %v, want Busy, with %q", status, err, says)
		}
	}
}
