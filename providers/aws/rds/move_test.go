package rds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const shopGroup, payGroup = "sg-0b1b2c3d4e5f60719", "sg-0c1b2c3d4e5f60719"

// A move to another VPC takes the declared security groups along: with those of the VPC that the server leaves it is refused, and also when a
// bad value beside it has each change tried alone, the server comes up behind the declared group.
func TestMoveToAnotherVPC(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-move", func(s *v1alpha1.DatabaseParameters) {
		s.AWS.DBSubnetGroupName, s.AWS.VPCSecurityGroupIDs = new("shop"), []string{shopGroup}
	})
	w.createDatabase(&req)
	is := func(when, group string, ids ...string) {
		t.Helper()
		db := awstest.Do(t, w.RDS.DescribeDBInstances, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: &req.Name}).DBInstances[0]
		var have []string
		for _, member := range db.VpcSecurityGroups {
			have = append(have, *member.VpcSecurityGroupId)
		}
		if *db.DBSubnetGroup.DBSubnetGroupName != group || !slices.Equal(have, ids) {
			t.Errorf("%s: in %s with %q, want %s with %q", when, *db.DBSubnetGroup.DBSubnetGroupName, have, group, ids)
		}
	}

	req.Spec.AWS.DBSubnetGroupName = new("pay")
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "spec.aws.vpcSecurityGroupIDs") {
		t.Errorf("with groups of the VPC that it leaves: %v, %v; want a refusal that names the field of the groups", result.Failed, err)
	}
	w.Clock.Advance(time.Hour)
	is("after the refusal", "shop", shopGroup)

	req.Spec.AWS.VPCSecurityGroupIDs, req.Spec.AWS.CACertificateIdentifier = []string{payGroup}, new("rds-ca-none")
	result, err = drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "aws.caCertificateIdentifier" {
		t.Errorf("beside a bad value: %v, %v", result.Failed, err)
	}
	req.Spec.AWS.CACertificateIdentifier = nil
	if seen := w.database(req); len(seen.Changes) != 0 || seen.State != driver.Pending {
		t.Errorf("while the move waits: state %v, changes %v", seen.State, seen.Changes)
	}
	w.Clock.Advance(time.Hour)
	is("after the move", "pay", payGroup)
	if seen := w.database(req); len(seen.Changes) != 0 || seen.State != driver.Ready {
		t.Errorf("after the move: state %v, changes %v", seen.State, seen.Changes)
	}
}
