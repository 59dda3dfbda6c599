package rds

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// members are security groups that an instance has.
func members(ids ...string) (all []types.VpcSecurityGroupMembership) {
	for _, id := range ids {
		all = append(all, types.VpcSecurityGroupMembership{VpcSecurityGroupId: &id, Status: new("active")})
	}
	return all
}

// What RDS writes otherwise, or has not finished, is no difference.
func TestNetworkOfADatabase(t *testing.T) {
	leaving := members("sg-1", "sg-2", "sg-3")
	leaving[2].Status = new("removing")
	coming := members("sg-1", "sg-2")
	coming[1].Status = new("adding")
	groups := func(ids ...string) databaseSpec {
		return databaseSpec{AWS: &v1alpha1.DatabaseAWS{VPCSecurityGroupIDs: ids}}
	}
	for name, tt := range map[string]struct {
		want    databaseSpec
		have    instance
		differs bool
	}{
		"a name in upper case": {databaseSpec{AWS: &v1alpha1.DatabaseAWS{DBSubnetGroupName: new("Shop")}}, instance{DBInstance: types.DBInstance{DBSubnetGroup: &types.DBSubnetGroup{DBSubnetGroupName: new("shop")}}}, false},
		"a move that waits": {databaseSpec{AWS: &v1alpha1.DatabaseAWS{DBSubnetGroupName: new("pay")}}, instance{DBInstance: types.DBInstance{
			DBSubnetGroup: &types.DBSubnetGroup{DBSubnetGroupName: new("shop")}, PendingModifiedValues: &types.PendingModifiedValues{DBSubnetGroupName: new("pay")},
		}}, false},
		"another order":              {groups("sg-2", "sg-1"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: members("sg-1", "sg-2")}}, false},
		"a group that is leaving":    {groups("sg-1", "sg-2"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: leaving}}, false},
		"a group that is coming":     {groups("sg-1", "sg-2"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: coming}}, false},
		"a group that nobody wanted": {groups("sg-1"), instance{DBInstance: types.DBInstance{VpcSecurityGroups: members("sg-1", "sg-2")}}, true},
		"nothing is declared":        {databaseSpec{AWS: &v1alpha1.DatabaseAWS{}}, instance{DBInstance: types.DBInstance{VpcSecurityGroups: members("sg-1")}}, false},
	} {
		if got := rows.Diff(&tt.want, &tt.have, nil, nil); len(got) > 0 != tt.differs {
			t.Errorf("%s: the differences are %v", name, got)
		}
	}
}

// A server that becomes private is closed at once, and the change says to whom; one that is opened says nothing.
func TestPublicAccessSaysWhoIsLeftOut(t *testing.T) {
	for to, says := range map[v1alpha1.PublicAccess]string{v1alpha1.PublicAccessBlocked: "outside the VPC", v1alpha1.PublicAccessAllowed: ""} {
		want := databaseSpec{Network: &v1alpha1.DatabaseNetwork{PublicAccess: &to}}
		got := rows.Diff(&want, &instance{DBInstance: types.DBInstance{PubliclyAccessible: new(to == v1alpha1.PublicAccessBlocked)}}, nil, nil)
		if len(got) != 1 || got[0].Effect != driver.Online || !strings.Contains(got[0].Why, says) || (got[0].Why == "") != (says == "") {
			t.Errorf("%s: %+v", to, got)
		}
	}
}

// What RDS says of security groups names no field: the message does, and keeps RDS's words.
func TestExplainNetwork(t *testing.T) {
	const words = "Invalid security group , groupId= sg-1, groupName=."
	err := explainNetwork(&driver.Error{Code: driver.Invalid, Message: words})
	if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.aws.vpcSecurityGroupIDs") || !strings.Contains(err.Error(), words) {
		t.Errorf("%v", err)
	}
	const other = "Invalid storage type"
	if err := explainNetwork(&driver.Error{Code: driver.Invalid, Message: other}); err.Error() != (&driver.Error{Code: driver.Invalid, Message: other}).Error() {
		t.Errorf("%v", err)
	}
	if err := explainNetwork(nil); err != nil {
		t.Errorf("%v", err)
	}
}

// A server does not come up in another VPC behind a group that nobody named.
func TestMoveNamesItsSecurityGroups(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{DBSubnetGroup: &types.DBSubnetGroup{DBSubnetGroupName: new("shop")}, VpcSecurityGroups: members("sg-1")}}
	for name, tt := range map[string]struct {
		to             *string
		declared, sent []string // sent by the caller
		want           []string
	}{
		"the move alone":            {new("pay"), []string{"sg-3", "sg-2"}, nil, []string{"sg-2", "sg-3"}},
		"with groups that are sent": {new("pay"), []string{"sg-2"}, []string{"sg-2"}, []string{"sg-2"}},
		"without declared groups":   {new("pay"), nil, nil, nil},
		"the move is taken back":    {new("SHOP"), []string{"sg-2"}, nil, nil},
		"something else":            {nil, []string{"sg-2"}, nil, nil},
	} {
		in := &rds.ModifyDBInstanceInput{DBSubnetGroupName: tt.to, VpcSecurityGroupIds: tt.sent}
		completeNetwork(in, &databaseSpec{AWS: &v1alpha1.DatabaseAWS{VPCSecurityGroupIDs: tt.declared}}, have)
		if !slices.Equal(in.VpcSecurityGroupIds, tt.want) {
			t.Errorf("%s: sent %q, want %q", name, in.VpcSecurityGroupIds, tt.want)
		}
	}
}

// What RDS says of a server in other words, or did not say in former years, is no difference.
func TestNetworkTypeOfADatabase(t *testing.T) {
	for name, tt := range map[string]struct {
		want    string
		have    *string
		differs bool
	}{
		"the same":               {"DUAL", new("DUAL"), false},
		"another":                {"DUAL", new("IPV4"), true},
		"in lower case":          {"DUAL", new("dual"), false},
		"as RDS said before":     {"IPV4", nil, false},
		"and it is to change":    {"DUAL", nil, true},
		"nothing but IPv4 again": {"IPV4", new("DUAL"), true},
	} {
		want := databaseSpec{AWS: &v1alpha1.DatabaseAWS{NetworkType: &tt.want}}
		if got := rows.Diff(&want, &instance{DBInstance: types.DBInstance{NetworkType: tt.have}}, nil, nil); len(got) > 0 != tt.differs {
			t.Errorf("%s: the differences are %v", name, got)
		}
	}
}
