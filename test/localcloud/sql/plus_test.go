package sql_test

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A new instance of Enterprise Plus of which nothing is said has a data cache, backups, point-in-time recovery, 15 backups and 14 days of logs; one of Enterprise has none of
// these by itself. Who says otherwise gets that.
// https://cloud.google.com/sql/docs/postgres/data-cache
// https://cloud.google.com/sql/docs/postgres/backup-recovery/configure-pitr
func TestSQLPlusByItself(t *testing.T) {
	type what struct {
		cache, backups, recovers bool
		kept, days               int64
	}
	for name, test := range map[string]struct {
		version, edition, tier string
		change                 func(*sqladmin.Settings)
		want                   what
	}{
		"plus-postgres":     {"POSTGRES_16", "", "db-perf-optimized-N-2", nil, what{true, true, true, 15, 14}},
		"plus-mysql":        {"MYSQL_8_4", "", "db-perf-optimized-N-2", nil, what{true, true, true, 15, 14}},
		"plus-older":        {"POSTGRES_14", "ENTERPRISE_PLUS", "db-perf-optimized-N-2", nil, what{true, true, true, 15, 14}},
		"enterprise":        {"POSTGRES_16", "ENTERPRISE", "db-custom-1-3840", nil, what{false, false, false, 7, 7}},
		"enterprise-by-age": {"MYSQL_8_0", "", "db-custom-1-3840", nil, what{false, false, false, 7, 7}},
		"plus-without-cache": {"POSTGRES_16", "", "db-perf-optimized-N-2", func(s *sqladmin.Settings) {
			s.DataCacheConfig = &sqladmin.DataCacheConfig{ForceSendFields: []string{"DataCacheEnabled"}}
		}, what{false, true, true, 15, 14}},
		"plus-without-recovery": {"POSTGRES_16", "", "db-perf-optimized-N-2", func(s *sqladmin.Settings) {
			s.BackupConfiguration = &sqladmin.BackupConfiguration{ForceSendFields: []string{"Enabled", "PointInTimeRecoveryEnabled"}}
		}, what{true, false, false, 15, 14}},
	} {
		t.Run(name, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{})
			in := sdk.Orders()
			in.DatabaseVersion, in.Settings = test.version, &sqladmin.Settings{Tier: test.tier, Edition: test.edition}
			if test.change != nil {
				test.change(in.Settings)
			}
			g.Create(t, in)
			s := check.Need(g.SQL.Instances.Get("acme", "orders").Do())(t).Settings
			b := s.BackupConfiguration
			got := what{
				s.DataCacheConfig != nil && s.DataCacheConfig.DataCacheEnabled, b.Enabled, b.PointInTimeRecoveryEnabled || b.BinaryLogEnabled,
				b.BackupRetentionSettings.RetainedBackups, b.TransactionLogRetentionDays,
			}
			if got != test.want {
				t.Errorf("it has %+v, want %+v", got, test.want)
			}
		})
	}
}
