package rds

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A group that RDS could not apply is a problem of an object that declares it, and of no other one.
func TestOptionGroupThatFailed(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{Engine: new("mysql"), DBInstanceStatus: new("available"), Endpoint: &types.Endpoint{Address: new("x.example.com")}, OptionGroupMemberships: []types.OptionGroupMembership{
		{OptionGroupName: new("audit"), Status: new("failed")},
	}}}
	for name, says := range map[string]string{"Audit": "RDS could not apply option group Audit", "other": "", "": ""} {
		req := &request{}
		if name != "" {
			req.Spec.AWS = &v1alpha1.DatabaseAWS{OptionGroupName: &name}
		}
		var o driver.Observation
		stateOfInstance(req, have, &o)
		if (o.Lost == "") != (says == "") || !strings.HasPrefix(o.Lost, says) || o.Problem != "" || o.State != driver.Ready {
			t.Errorf("%q: %v, %q", name, o.State, o.Lost)
		}
	}
}

// What a server lacks beside serving is told while it serves: of a stopped one nobody says that it runs.
func TestProblemsOfAStoppedServerWait(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{Engine: new("mysql"), Endpoint: &types.Endpoint{Address: new("x.example.com")},
		OptionGroupMemberships: []types.OptionGroupMembership{{OptionGroupName: new("audit"), Status: new("failed")}},
		AssociatedRoles:        []types.DBInstanceRole{{FeatureName: new("s3Import"), RoleArn: new("arn:r"), Status: new("INVALID")}},
	}}
	for name, spec := range map[string]v1alpha1.DatabaseAWS{
		"an option group": {OptionGroupName: new("audit")}, "a role": {AssociatedRoles: []v1alpha1.AssociatedRole{{FeatureName: "s3Import", RoleARN: "arn:r"}}},
	} {
		for status, told := range map[string]bool{"available": true, "stopped": false, "starting": false, "backing-up": true} {
			req := &request{}
			req.Spec.AWS, have.DBInstanceStatus = &spec, &status
			var o driver.Observation
			if stateOfInstance(req, have, &o); (o.Lost != "") != told {
				t.Errorf("%s, %s: it says %q", name, status, o.Lost)
			}
		}
	}
}
