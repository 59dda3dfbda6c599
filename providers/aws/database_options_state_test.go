package aws

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A group that RDS could not apply is a problem of an object that declares it, and of no other one.
func TestOptionGroupThatFailed(t *testing.T) {
	have := &instance{DBInstance: types.DBInstance{Engine: new("mysql"), DBInstanceStatus: new("available"), OptionGroupMemberships: []types.OptionGroupMembership{
		{OptionGroupName: new("audit"), Status: new("failed")},
	}}}
	for name, says := range map[string]string{"Audit": "RDS could not apply option group Audit", "other": "", "": ""} {
		req := &databaseRequest{}
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
