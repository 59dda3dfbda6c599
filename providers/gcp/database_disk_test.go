package gcp_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const n4Tier = "db-custom-N4-2-8192"

// The tier decides which disk a server has, and only a Hyperdisk has a speed of one's choice: all else is refused by name, before any call.
func TestDisksGoWithTiers(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		tier    string
		disk    *string
		iops    *int32
		refused string // the field; empty if it is created
		want    string
	}{
		"unset":                     {enterpriseTier, nil, nil, "", "PD_SSD"},
		"hdd":                       {enterpriseTier, new("PD_HDD"), nil, "", "PD_HDD"},
		"n4":                        {n4Tier, nil, nil, "", "HYPERDISK_BALANCED"},
		"n4-said":                   {n4Tier, new("HYPERDISK_BALANCED"), new(int32(4000)), "", "HYPERDISK_BALANCED"},
		"c4a":                       {"db-c4a-highmem-4", nil, new(int32(5000)), "", "HYPERDISK_BALANCED"},
		"n4-ssd":                    {n4Tier, new("PD_SSD"), nil, "gcp.dataDiskType", ""},
		"hyperdisk-of-another-tier": {plusTier, new("HYPERDISK_BALANCED"), nil, "gcp.dataDiskType", ""},
		"speed-of-another-tier":     {enterpriseTier, nil, new(int32(4000)), "gcp.iops", ""},
	} {
		req := newDatabase("disk-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: &tt.tier, DataDiskType: tt.disk, IOPS: tt.iops}
		if tt.refused != "" {
			c.forget()
			_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
			if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec."+tt.refused) || c.Ledger.Count(localcloud.Filter{Operation: "instances.insert"}) > 0 {
				t.Errorf("%s: %v, want a refusal that names %s", name, err, tt.refused)
			}
			continue
		}
		x := c.made(t, &req)
		seen := c.instance(t, req.Name).Settings
		if seen.DataDiskType != tt.want || tt.iops != nil && seen.DataDiskProvisionedIops != int64(*tt.iops) {
			t.Errorf("%s: the disk is %s with %d IOPS", name, seen.DataDiskType, seen.DataDiskProvisionedIops)
		}
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%s: still differs: %v", name, changes)
		}
	}
}

// Size and speed go in one call: the larger disk is what makes the speed possible, and IOPS and throughput bound each other.
func TestSpeedGoesWithSize(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("fast", v1alpha1.EnginePostgres)
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new(n4Tier)}
	x := c.made(t, &req)
	req.Spec.GCP.IOPS = new(int32(12000))
	refused, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}) // 10 GiB are good for 5000
	if err != nil || len(refused.Failed) != 1 || refused.Failed[0].Field != "gcp.iops" || driver.CodeOf(refused.Failed[0].Err) != driver.Invalid {
		t.Fatalf("the speed of a small disk: %v, failed %v", err, refused.Failed)
	}
	req.Spec.Storage, req.Spec.GCP.ThroughputMiBps = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(40))}, new(int32(200))
	changes := c.look(t, x, &req).Changes
	for _, change := range changes {
		if change.Effect != driver.Online {
			t.Errorf("%s is %s", change.Field, change.Effect)
		}
	}
	c.forget()
	if result, err := x.Update(t.Context(), req, driver.Edit{Changes: changes}); err != nil || len(result.Failed) > 0 || len(changes) != 3 {
		t.Fatalf("%v: %v, failed %v", changes, err, result.Failed)
	}
	c.settle(t)
	req.Spec.GCP.IOPS, req.Spec.GCP.ThroughputMiBps = new(int32(3000)), new(int32(140)) // down again
	if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
		t.Fatal(err)
	}
	c.settle(t)
	if changes, writes := c.look(t, x, &req).Changes, c.Ledger.Count(localcloud.Filter{Operation: "instances.patch"}); len(changes) > 0 || writes != 2 {
		t.Errorf("still differs: %v, after %d calls", changes, writes)
	}
	req.Spec.GCP.IOPS, req.Spec.GCP.ThroughputMiBps = nil, nil
	if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
		t.Errorf("a speed that nobody names: %v", changes)
	}
}

// IOPS and throughput bound each other. Where Cloud SQL refuses the change beside them, each is tried alone, and brings the other along.
func TestSpeedBesideARefusedChange(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("fast-beside", v1alpha1.EnginePostgres)
	req.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(100))}
	req.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-c4a-highmem-4"), IOPS: new(int32(3000)), ThroughputMiBps: new(int32(140))}
	x := c.made(t, &req)
	for _, to := range []struct{ iops, throughput int32 }{{40000, 800}, {3000, 140}} {
		req.Spec.GCP.IOPS, req.Spec.GCP.ThroughputMiBps, req.Spec.Parameters = &to.iops, &to.throughput, parameters("max_connections", "5")
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
			t.Fatal(err)
		}
		c.settle(t)
		if changes := c.look(t, x, &req).Changes; len(changes) != 1 || changes[0].Field != "parameters" {
			t.Errorf("%d/%d: changes %v, want parameters alone", to.iops, to.throughput, changes)
		}
	}
}
