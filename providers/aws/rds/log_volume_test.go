package rds_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The logs move to a volume of their own and back by one call each, and what only waits is asked for already.
func TestDedicatedLogVolume(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(100))}
		p.AWS.StorageType, p.AWS.IOPS = new("io1"), new(int32(1000))
	})
	w.createDatabase(&req)
	has := func() rdstypes.DBInstance {
		return awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
	}
	for _, on := range []bool{true, false} {
		req.Spec.AWS.DedicatedLogVolume = &on
		seen := w.database(req)
		if len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Restarts {
			t.Fatalf("to %t: changes %+v", on, seen.Changes)
		}
		w.Ledger.Reset()
		w.updateDatabase(req, seen.Changes...)
		w.Clock.Advance(time.Hour)
		if now := has(); *now.DedicatedLogVolume != on || w.Writes() != 1 || len(w.database(req).Changes) > 0 {
			t.Errorf("to %t: is %t after %d writes", on, *now.DedicatedLogVolume, w.Writes())
		}
	}
	awstest.Do(t, w.RDS.ModifyDBInstance, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &req.Name, DedicatedLogVolume: new(true)}) // waits for RDS's window
	if seen := w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Effect != driver.Online {
		t.Errorf("taking back what waits: %+v", seen.Changes)
	}
	req.Spec.AWS.DedicatedLogVolume = nil
	for _, c := range func() []driver.Change { req.Spec.DeletionProtection = new(true); return w.database(req).Changes }() {
		if c.Effect != driver.Restarts || !strings.Contains(c.Why, "aws.dedicatedLogVolume") {
			t.Errorf("a change that RDS applies together with the volume that waits: %+v", c)
		}
	}
}

// A disk without a volume for logs is refused with the names of the fields, before any call.
func TestDedicatedLogVolumeRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	refused := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "set spec.aws.storageType to io1 or io2")
	}
	logs := func(p *v1alpha1.DatabaseParameters) { p.AWS.DedicatedLogVolume = new(true) }
	if _, err := drivertest.Databases(w.Session).Create(t.Context(), awstest.DatabaseOf("shop-orders", logs)); !refused(err) || w.Writes() != 0 {
		t.Errorf("create: %v, after %d writes", err, w.Writes())
	}
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	logs(&req.Spec)
	seen := w.database(req)
	w.Ledger.Reset()
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || len(result.Failed) != 1 || !refused(result.Failed[0].Err) || w.Writes() != 0 {
		t.Errorf("update: %v, failed %v, after %d writes", err, result.Failed, w.Writes())
	}
}

// IOPS and throughput that wait for a type of disk which is refused are named beside it.
func TestSpeedOfARefusedTypeIsNamed(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) {
		p.Storage, p.AWS.StorageType = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(400))}, new("gp2")
	})
	w.createDatabase(&req)
	req.Spec.AWS.StorageType, req.Spec.AWS.IOPS, req.Spec.AWS.ThroughputMiBps, req.Spec.AWS.DedicatedLogVolume = new("gp3"), new(int32(13000)), new(int32(600)), new(true)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, f := range result.Failed {
		said[f.Field] = f.Err.Error()
	}
	for field, says := range map[string]string{
		"aws.storageType": "set spec.aws.storageType to io1", "aws.dedicatedLogVolume": "set spec.aws.storageType to io1",
		"aws.iops": "waits for spec.aws.storageType", "aws.throughputMiBps": "waits for spec.aws.storageType",
	} {
		if !strings.Contains(said[field], says) {
			t.Errorf("of %s it says %q, want %q", field, said[field], says)
		}
	}
}
