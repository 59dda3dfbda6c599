package rds_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func optionGroups(t *testing.T, client *rds.Client, name string) (all []string) {
	t.Helper()
	for _, m := range sdk.Describe(t, client, name).OptionGroupMemberships {
		all = append(all, *m.OptionGroupName+" "+*m.Status)
	}
	return all
}

// An option group is of an engine and a major version. While RDS exchanges two, an instance shows both; without ApplyImmediately that waits for the
// maintenance window, and the former group takes it back.
func TestRDSOptionGroups(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: 4 * time.Minute, ModifyOnset: time.Minute})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	in := sdk.SomeInstance("shop")
	in.Engine, in.EngineVersion, in.OptionGroupName = aws.String("mysql"), aws.String("8.0"), aws.String("Audit-Before")
	check.Need(client.CreateDBInstance(t.Context(), in))(t)
	shows := func(when string, want ...string) {
		t.Helper()
		if got := optionGroups(t, client, "shop"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	modify := func(edit func(*rds.ModifyDBInstanceInput)) error {
		in := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("shop"), ApplyImmediately: aws.Bool(true)}
		edit(in)
		_, err := client.ModifyDBInstance(t.Context(), in)
		return err
	}
	clock.Advance(time.Hour)
	shows("made", "audit-before in-sync")
	for name, code := range map[string]string{"nowhere": "OptionGroupNotFoundFault", "audit": "InvalidParameterCombination", "audit-maria": "InvalidParameterCombination"} {
		sdk.WantCode(t, modify(func(in *rds.ModifyDBInstanceInput) { in.OptionGroupName = &name }), code)
	}
	upgrade := func(in *rds.ModifyDBInstanceInput) {
		in.EngineVersion, in.AllowMajorVersionUpgrade = aws.String("8.4"), aws.Bool(true)
	}
	sdk.WantCode(t, modify(upgrade), "InvalidParameterCombination")
	if err := modify(func(in *rds.ModifyDBInstanceInput) {
		in.OptionGroupName, in.ApplyImmediately = aws.String("default:mysql-8-0"), aws.Bool(false)
	}); err != nil {
		t.Fatal(err)
	}
	shows("left for the window", "audit-before pending-maintenance-removal", "default:mysql-8-0 pending-maintenance-apply")
	if err := modify(func(in *rds.ModifyDBInstanceInput) { in.OptionGroupName = aws.String("audit-before") }); err != nil {
		t.Fatal(err)
	}
	shows("taken back", "audit-before in-sync")
	if err := modify(func(in *rds.ModifyDBInstanceInput) { upgrade(in); in.OptionGroupName = aws.String("audit") }); err != nil {
		t.Fatal(err)
	}
	shows("asked", "audit-before pending-removal", "audit pending-apply")
	clock.Advance(time.Minute)
	shows("under way", "audit-before removing", "audit applying")
	clock.Advance(time.Hour)
	shows("upgraded", "audit in-sync")
}
