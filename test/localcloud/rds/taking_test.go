package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// While a server takes its parameter group, a change of that or security groups, the memberships say so, and the status of the instance stays as it is.
func TestRDSShowsWhatTheServerTakes(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	has := func(when, group string, members ...string) {
		t.Helper()
		db := sdk.Describe(t, client, "shop")
		if got := *db.DBParameterGroups[0].ParameterApplyStatus; got != group || *db.DBInstanceStatus != "available" {
			t.Errorf("%s: the group is %s and the instance %s, want %s and available", when, got, *db.DBInstanceStatus, group)
		}
		var got []string
		for _, member := range db.VpcSecurityGroups {
			got = append(got, *member.VpcSecurityGroupId+" "+*member.Status)
		}
		if slices.Sort(got); members != nil && !slices.Equal(got, members) {
			t.Errorf("%s: the security groups are %s, want %s", when, strings.Join(got, ", "), strings.Join(members, ", "))
		}
	}
	modify := func(in *rds.ModifyDBInstanceInput) {
		t.Helper()
		in.DBInstanceIdentifier, in.ApplyImmediately = new("shop"), new(true)
		check.Need(client.ModifyDBInstance(t.Context(), in))(t)
	}
	set := func(parameter rdstypes.Parameter) {
		t.Helper()
		check.Need(client.ModifyDBParameterGroup(t.Context(), &rds.ModifyDBParameterGroupInput{DBParameterGroupName: new("spare"), Parameters: []rdstypes.Parameter{parameter}}))(t)
	}
	vpc := localrds.VPCs[0].SecurityGroups
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("shop", func(in *rds.CreateDBInstanceInput) { in.VpcSecurityGroupIds = vpc[:1] })))(t)
	has("made", "in-sync", vpc[0]+" active")
	modify(&rds.ModifyDBInstanceInput{DBParameterGroupName: new("spare")})
	has("attached", "applying")
	clock.Advance(time.Minute)
	has("attached a while ago", "pending-reboot")
	check.Need(client.RebootDBInstance(t.Context(), &rds.RebootDBInstanceInput{DBInstanceIdentifier: new("shop")}))(t)
	clock.Advance(time.Minute)
	has("restarted", "in-sync")
	set(sdk.Setting("work_mem", "1024", sdk.Immediate))
	has("changed at once", "applying")
	clock.Advance(time.Minute)
	has("changed a while ago", "in-sync")
	set(sdk.Setting("max_connections", "50", sdk.AtRestart))
	has("changed for a restart", "applying")
	clock.Advance(time.Minute)
	has("changed for a restart a while ago", "pending-reboot")
	modify(&rds.ModifyDBInstanceInput{VpcSecurityGroupIds: vpc[1:2]})
	members := []string{vpc[0] + " removing", vpc[1] + " adding"}
	slices.Sort(members)
	has("other security groups", "pending-reboot", members...)
	clock.Advance(time.Minute)
	has("other security groups a while ago", "pending-reboot", vpc[1]+" active")
}
