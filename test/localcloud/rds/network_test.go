package rds_test

import (
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A server is in the subnet group and the security groups that are asked for, and moves to another VPC alone.
func TestRDSNetworks(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	is := func(when, group string, ids ...string) {
		t.Helper()
		db := sdk.Describe(t, client, "shop")
		var have []string
		for _, member := range db.VpcSecurityGroups {
			have = append(have, *member.VpcSecurityGroupId)
		}
		if *db.DBSubnetGroup.DBSubnetGroupName != group || !slices.Equal(have, ids) || db.PendingModifiedValues.DBSubnetGroupName != nil {
			t.Errorf("%s it is in %s with %q, want %s with %q", when, *db.DBSubnetGroup.DBSubnetGroupName, have, group, ids)
		}
	}
	change := func(group string, ids ...string) error {
		t.Helper()
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), ApplyImmediately: new(true), VpcSecurityGroupIds: ids}
		if group != "" {
			in.DBSubnetGroupName = &group
		}
		_, err := client.ModifyDBInstance(t.Context(), in)
		return err
	}
	shop, pay := localrds.VPCs[1], localrds.VPCs[2]
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("shop", func(in *rds.CreateDBInstanceInput) {
		in.DBSubnetGroupName, in.VpcSecurityGroupIds = new("SHOP"), shop.SecurityGroups[1:3]
	})))(t)
	is("at first", "shop", shop.SecurityGroups[1:3]...)
	for name, tt := range map[string]struct {
		group string
		ids   []string
		code  string
	}{
		"the same VPC":            {"shop-public", nil, "InvalidVPCNetworkStateFault"},
		"no such group":           {"nowhere", nil, "DBSubnetGroupNotFoundFault"},
		"no such security group":  {"", []string{"sg-1"}, "InvalidParameterValue"},
		"groups of another VPC":   {"", pay.SecurityGroups, "InvalidParameterCombination"},
		"groups of the VPC it is": {"pay", shop.SecurityGroups[:1], "InvalidParameterCombination"},
	} {
		t.Run(name, func(t *testing.T) { sdk.WantCode(t, change(tt.group, tt.ids...), tt.code) })
	}
	is("after refusals", "shop", shop.SecurityGroups[1:3]...)
	if err := change("Shop", shop.SecurityGroups[2]); err != nil {
		t.Fatal(err)
	}
	is("with one group less", "shop", shop.SecurityGroups[2])
	later := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), DBSubnetGroupName: new("pay")} // in the maintenance window
	check.Need(client.ModifyDBInstance(t.Context(), later))(t)
	if err := change("shop"); err != nil {
		t.Fatal(err)
	}
	is("with the move taken back", "shop", shop.SecurityGroups[2])
	if err := change("pay"); err != nil {
		t.Fatal(err)
	}
	is("after the move", "pay", pay.SecurityGroups[0])
	check.Need(client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: new("shop"), ApplyImmediately: new(true), MultiAZ: new(true)}))(t)
	sdk.WantCode(t, change("shop"), (&rdstypes.InvalidVPCNetworkStateFault{}).ErrorCode())
}
