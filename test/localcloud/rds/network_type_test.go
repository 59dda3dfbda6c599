package rds_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A server has IPv4 addresses unless something else is asked for, and IPv6 addresses where every subnet of its group has them.
func TestRDSNetworkType(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute, ModifyOnset: 30 * time.Second})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for name, tt := range map[string]struct {
		group, kind, code string
	}{
		"ipv4": {"pay-ipv4", "IPV4", ""}, "dual": {"shop", "DUAL", ""}, "no-ipv6": {"Pay-IPv4", "DUAL", "NetworkTypeNotSupported"}, "ipv6": {"shop", "IPV6", "InvalidParameterValue"},
	} {
		_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, func(in *rds.CreateDBInstanceInput) {
			in.DBSubnetGroupName, in.NetworkType = &tt.group, &tt.kind
		}))
		if sdk.WantCode(t, err, tt.code); tt.code != "" {
			continue
		}
		if got := *sdk.Describe(t, client, name).NetworkType; got != tt.kind {
			t.Errorf("%s: it has %s, want %s", name, got, tt.kind)
		}
	}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("db")))(t)
	clock.Advance(time.Hour)
	change := func(name string, edit func(*rds.ModifyDBInstanceInput), code string) {
		t.Helper()
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: &name, ApplyImmediately: new(true)}
		edit(in)
		_, err := client.ModifyDBInstance(t.Context(), in)
		sdk.WantCode(t, err, code)
	}
	is := func(name, status, kind string) {
		t.Helper()
		if db := sdk.WantInstance(t, client, name, status); *db.NetworkType != kind {
			t.Errorf("%s has %s, want %s", name, *db.NetworkType, kind)
		}
	}
	change("ipv4", func(in *rds.ModifyDBInstanceInput) { in.NetworkType = new("DUAL") }, "NetworkTypeNotSupported")
	change("dual", func(in *rds.ModifyDBInstanceInput) { in.DBSubnetGroupName = new("pay-ipv4") }, "NetworkTypeNotSupported")
	change("db", func(in *rds.ModifyDBInstanceInput) { in.NetworkType, in.MultiAZ = new("DUAL"), new(true) }, "InvalidParameterCombination")
	is("db", "available", "IPV4")
	change("db", func(in *rds.ModifyDBInstanceInput) { in.NetworkType = new("DUAL") }, "")
	is("db", "modifying", "IPV4")
	clock.Advance(time.Hour)
	is("db", "available", "DUAL")

	change("db", func(in *rds.ModifyDBInstanceInput) { in.NetworkType, in.ApplyImmediately = new("IPV4"), new(false) }, "")
	clock.Advance(time.Hour)
	is("db", "available", "DUAL") // it waits for the maintenance window
	clock.Advance(7 * 24 * time.Hour)
	is("db", "available", "IPV4")
	change("db", func(in *rds.ModifyDBInstanceInput) { in.NetworkType, in.ApplyImmediately = new("DUAL"), new(false) }, "")
	change("db", func(in *rds.ModifyDBInstanceInput) { in.NetworkType, in.ApplyImmediately = new("IPV4"), new(false) }, "")
	clock.Advance(7 * 24 * time.Hour)
	is("db", "available", "IPV4") // it was taken back
}
