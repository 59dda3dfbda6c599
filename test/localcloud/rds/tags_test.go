package rds_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// RDS refuses a key that is there twice, in the words of the cloud.
func TestRDSTagsAreThereOnce(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	twice := []rdstypes.Tag{{Key: new("team"), Value: new("a")}, {Key: new("team"), Value: new("b")}}
	_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) { in.Tags = twice }))
	sdk.WantCode(t, err, "InvalidParameterCombination")
	if err == nil || !strings.Contains(err.Error(), "Duplicate tag key found in request: team") {
		t.Errorf("RDS says %v", err)
	}
	made := check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders")))(t)
	_, err = client.AddTagsToResource(t.Context(), &rds.AddTagsToResourceInput{ResourceName: made.DBInstance.DBInstanceArn, Tags: twice})
	sdk.WantCode(t, err, "InvalidParameterCombination")
}
