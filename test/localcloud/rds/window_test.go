package rds_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// Windows come back in lower case. They must not overlap; one that RDS chooses does not.
func TestRDSWindows(t *testing.T) {
	for name, test := range map[string]struct{ backup, maintenance, code string }{
		"none":                             {"", "", ""},
		"both":                             {"03:00-03:30", "Mon:04:00-Mon:04:30", ""},
		"one after the other":              {"03:00-03:30", "mon:03:30-mon:04:00", ""},
		"the backup begins meanwhile":      {"03:00-03:30", "mon:02:45-mon:03:15", "InvalidParameterValue"},
		"the maintenance begins meanwhile": {"03:00-03:30", "mon:03:29-mon:04:00", "InvalidParameterValue"},
		"over midnight":                    {"23:45-00:15", "tue:00:00-tue:00:30", "InvalidParameterValue"},
		"over midnight, before":            {"23:45-00:15", "mon:23:00-mon:23:50", "InvalidParameterValue"},
		"over midnight on Saturday":        {"00:00-00:30", "sat:23:45-sun:00:15", "InvalidParameterValue"},
		"longer than a day":                {"03:00-03:30", "mon:04:00-tue:04:30", "InvalidParameterValue"},
		"backup at RDS's maintenance":      {"05:00-05:30", "", ""},
		"maintenance at RDS's backup":      {"", "mon:03:00-mon:03:30", ""},
		"too short":                        {"03:00-03:29", "", "InvalidParameterValue"},
		"malformed":                        {"3:00-3:30", "", "InvalidParameterValue"},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			client := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
			_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("db", func(in *rds.CreateDBInstanceInput) {
				in.PreferredBackupWindow, in.PreferredMaintenanceWindow = unlessEmpty(test.backup), unlessEmpty(test.maintenance)
			}))
			sdk.WantCode(t, err, test.code)
			if test.code != "" || test.backup == "" || test.maintenance == "" {
				return
			}
			check.Need(client.CreateDBInstance(t.Context(), sdk.SomeInstance("other")))(t)
			_, err = client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{
				DBInstanceIdentifier: aws.String("other"), PreferredBackupWindow: &test.backup, PreferredMaintenanceWindow: &test.maintenance,
			})
			sdk.WantCode(t, err, "")
			if db, other := sdk.Describe(t, client, "db"), sdk.Describe(t, client, "other"); *db.PreferredBackupWindow != *other.PreferredBackupWindow ||
				*db.PreferredMaintenanceWindow != *other.PreferredMaintenanceWindow || *db.PreferredBackupWindow != test.backup || *db.PreferredMaintenanceWindow != strings.ToLower(test.maintenance) {
				t.Errorf("created with %s, %s; changed to %s, %s", *db.PreferredBackupWindow, *db.PreferredMaintenanceWindow,
					*other.PreferredBackupWindow, *other.PreferredMaintenanceWindow)
			}
			_, err = client.ModifyDBInstance(t.Context(), &rds.ModifyDBInstanceInput{
				DBInstanceIdentifier: aws.String("other"), PreferredMaintenanceWindow: aws.String("mon:03:00-mon:03:30"),
			})
			sdk.WantCode(t, err, "InvalidParameterValue")
		})
	}
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
