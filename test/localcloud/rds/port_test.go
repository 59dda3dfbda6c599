package rds_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A server has the port that is asked for. Another one comes at once, whatever ApplyImmediately says, and the former stays in the endpoint until then.
func TestRDSPort(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Modify: time.Minute, ModifyOnset: 30 * time.Second})
	client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	for _, port := range []int32{1149, 65536} {
		_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("db", func(in *rds.CreateDBInstanceInput) { in.Port = &port }))
		sdk.WantCode(t, err, "InvalidParameterValue")
	}
	check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("db", func(in *rds.CreateDBInstanceInput) { in.Port = aws.Int32(5433) })))(t)
	clock.Advance(time.Hour)
	is := func(status string, port, pending int32) {
		t.Helper()
		if db := sdk.WantInstance(t, client, "db", status); *db.Endpoint.Port != port || aws.ToInt32(db.PendingModifiedValues.Port) != pending || *db.DbInstancePort != 0 {
			t.Errorf("it is at %d, pending %d, want %d and %d", *db.Endpoint.Port, aws.ToInt32(db.PendingModifiedValues.Port), port, pending)
		}
	}
	is("available", 5433, 0)
	change := func(port int32, code string) {
		t.Helper()
		_, err := client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{DBInstanceIdentifier: aws.String("db"), DBPortNumber: &port})
		sdk.WantCode(t, err, code)
	}
	change(1000, "InvalidParameterValue")
	change(6543, "")
	is("available", 5433, 6543)
	clock.Advance(time.Minute)
	is("modifying", 5433, 6543)
	clock.Advance(time.Hour)
	is("available", 6543, 0)
	change(7654, "")
	change(6543, "")
	clock.Advance(time.Hour)
	is("available", 6543, 0)
}
