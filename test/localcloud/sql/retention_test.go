package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestSQLEditions moves an instance between editions. What was the old edition's choice becomes the new one's on the way up; on the way
// down the days of logs must be said, since Enterprise takes fewer.
func TestSQLEditions(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	in := sdk.Orders()
	in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true}
	g.Create(t, in)
	kept := func() string {
		b := g.Orders(t).Settings.BackupConfiguration
		return fmt.Sprint(b.BackupRetentionSettings.RetainedBackups, " backups, ", b.TransactionLogRetentionDays, " days, recovery ", b.PointInTimeRecoveryEnabled)
	}
	for _, step := range []struct {
		name, tier, edition string
		backup              *sqladmin.BackupConfiguration
		refused, kept       string
	}{
		{"down without a word", "db-custom-2-7680", "ENTERPRISE", nil, "", "7 backups, 7 days, recovery true"},
		{"up", "db-perf-optimized-N-2", "ENTERPRISE_PLUS", nil, "", "15 backups, 14 days, recovery true"},
		{"fewer backups", "db-perf-optimized-N-2", "ENTERPRISE_PLUS", &sqladmin.BackupConfiguration{BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 7}},
			"backup retention should be > transaction log retention.", ""},
		{"down", "db-custom-2-7680", "ENTERPRISE", nil, "The number of transaction log retention days must be between 1 and 7.", ""},
		{"down with fewer days", "db-custom-2-7680", "ENTERPRISE", &sqladmin.BackupConfiguration{TransactionLogRetentionDays: 7}, "", "15 backups, 7 days, recovery true"},
		{"up with what was asked for", "db-perf-optimized-N-2", "ENTERPRISE_PLUS", &sqladmin.BackupConfiguration{TransactionLogRetentionDays: 7}, "", "15 backups, 7 days, recovery true"},
	} {
		settings := &sqladmin.Settings{Tier: step.tier, Edition: step.edition, BackupConfiguration: step.backup}
		if step.edition == "ENTERPRISE" {
			settings.DataCacheConfig = &sqladmin.DataCacheConfig{ForceSendFields: []string{"DataCacheEnabled"}}
		}
		_, err := g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: settings}).Do()
		if step.refused != "" {
			sdk.WantGCP(t, err, 400, "invalid")
			if err == nil || !strings.Contains(err.Error(), step.refused) {
				t.Errorf("%s: refused with %v", step.name, err)
			}
			continue
		}
		sdk.WantGCP(t, err, 0, "")
		if got := kept(); got != step.kept {
			t.Errorf("%s: %s, want %s", step.name, got, step.kept)
		}
	}
}

func TestSQLEnterprisePlusDefaults(t *testing.T) {
	for version, recovery := range map[string]string{"POSTGRES_16": "point-in-time true, binary log false", "MYSQL_8_0": "point-in-time false, binary log true"} {
		g := sdk.StartGCP(t, localcloud.Options{})
		in := sdk.Orders()
		in.DatabaseVersion, in.Settings.Tier, in.Settings.Edition = version, "db-perf-optimized-N-2", "ENTERPRISE_PLUS"
		g.Create(t, in)
		b := g.Orders(t).Settings.BackupConfiguration
		if got := fmt.Sprintf("point-in-time %t, binary log %t", b.PointInTimeRecoveryEnabled, b.BinaryLogEnabled); got != recovery {
			t.Errorf("%s: %s, want %s", version, got, recovery)
		}
		if !b.Enabled || b.BackupRetentionSettings.RetainedBackups != 15 || b.TransactionLogRetentionDays != 14 {
			t.Errorf("%s: backups are %+v, %+v", version, b, b.BackupRetentionSettings)
		}
	}
}

func TestSQLDataCache(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	in := sdk.Orders()
	in.Settings.Tier, in.Settings.Edition = "db-custom-2-7680", "ENTERPRISE"
	g.Create(t, in)
	if cache := g.Orders(t).Settings.DataCacheConfig; cache != nil {
		t.Errorf("Enterprise shows a data cache: %+v", cache)
	}
	patch := func(settings *sqladmin.Settings) error {
		_, err := g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: settings}).Do()
		return err
	}
	sdk.WantGCP(t, patch(&sqladmin.Settings{DataCacheConfig: &sqladmin.DataCacheConfig{DataCacheEnabled: true}}), 400, "invalid")
	sdk.WantGCP(t, patch(&sqladmin.Settings{Tier: "db-perf-optimized-N-2", Edition: "ENTERPRISE_PLUS"}), 0, "")
	if cache := g.Orders(t).Settings.DataCacheConfig; cache == nil || !cache.DataCacheEnabled {
		t.Errorf("Enterprise Plus has no data cache: %+v", cache)
	}
	down := &sqladmin.BackupConfiguration{TransactionLogRetentionDays: 7}
	sdk.WantGCP(t, patch(&sqladmin.Settings{Tier: "db-custom-2-7680", Edition: "ENTERPRISE", BackupConfiguration: down}), 400, "invalid")
}
