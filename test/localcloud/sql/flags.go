package sql

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A sqlFlag is a database flag on offer.
type sqlFlag struct {
	family, name, kind string
	min, max           int64 // of INTEGER
	values             []string
	restarts           bool
}

// sqlFlags are some of Cloud SQL's flags: those of the recordings, and some of each type that restart the server or not.
// https://cloud.google.com/sql/docs/postgres/flags https://cloud.google.com/sql/docs/mysql/flags
var sqlFlags = []sqlFlag{
	{family: "POSTGRES", name: "autovacuum", kind: "BOOLEAN"},
	{family: "POSTGRES", name: "cloudsql.iam_authentication", kind: "BOOLEAN"},
	{family: "POSTGRES", name: "deadlock_timeout", kind: "INTEGER", min: 1, max: 2147483647},
	{family: "POSTGRES", name: "log_connections", kind: "BOOLEAN"},
	{family: "POSTGRES", name: "log_disconnections", kind: "BOOLEAN"},
	{family: "POSTGRES", name: "log_min_duration_statement", kind: "INTEGER", min: -1, max: 2147483647},
	{family: "POSTGRES", name: "log_statement", kind: "STRING", values: []string{"none", "ddl", "mod", "all"}},
	{family: "POSTGRES", name: "log_timezone", kind: "STRING"},
	{family: "POSTGRES", name: "max_connections", kind: "INTEGER", min: 14, max: 262142, restarts: true},
	{family: "POSTGRES", name: "max_standby_archive_delay", kind: "INTEGER", min: -1, max: 2147483647},
	{family: "POSTGRES", name: "max_standby_streaming_delay", kind: "INTEGER", min: -1, max: 2147483647},
	{family: "POSTGRES", name: "max_wal_senders", kind: "INTEGER", min: 10, max: 262142, restarts: true},
	{family: "POSTGRES", name: "max_worker_processes", kind: "INTEGER", min: 8, max: 262142, restarts: true},
	{family: "POSTGRES", name: "random_page_cost", kind: "FLOAT"},
	{family: "POSTGRES", name: "temp_file_limit", kind: "INTEGER", min: 1048576, max: 2147483647},
	{family: "POSTGRES", name: "timezone", kind: "STRING"},
	{family: "POSTGRES", name: "track_io_timing", kind: "BOOLEAN"},
	{family: "POSTGRES", name: "wal_receiver_timeout", kind: "INTEGER", min: 0, max: 2147483647},
	{family: "POSTGRES", name: "work_mem", kind: "INTEGER", min: 64, max: 2147483647},
	{family: "MYSQL", name: "cloudsql_iam_authentication", kind: "BOOLEAN"},
	{family: "MYSQL", name: "general_log", kind: "BOOLEAN"},
	{family: "MYSQL", name: "long_query_time", kind: "FLOAT"},
	{family: "MYSQL", name: "max_connections", kind: "INTEGER", min: 1, max: 100000},
	{family: "MYSQL", name: "performance_schema", kind: "BOOLEAN", restarts: true},
	{family: "MYSQL", name: "slow_query_log", kind: "BOOLEAN"},
	{family: "MYSQL", name: "binlog_row_image", kind: "STRING", values: []string{"full", "minimal", "noblob"}},
}

func sqlFlagOf(version, name string) *sqlFlag {
	at := slices.IndexFunc(sqlFlags, func(f sqlFlag) bool { return f.family == sqlFamily(version) && f.name == name })
	if at < 0 {
		return nil
	}
	return &sqlFlags[at]
}

// listFlags is flags.list, which is of no project. No recording shows an answer.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/flags
func (s *Service) listFlags(r *google.Request) (any, error) {
	version := r.URL.Query().Get("databaseVersion")
	items := []any{}
	for _, f := range sqlFlags {
		if version != "" && sqlFamily(version) != f.family {
			continue
		}
		item := google.Object{"kind": "sql#flag", "name": f.name, "type": f.kind, "appliesTo": sqlVersions[f.family], "flagScope": "SQL_FLAG_SCOPE_DATABASE"}
		if f.restarts {
			item["requiresRestart"] = true
		}
		if f.kind == "INTEGER" {
			item["minValue"], item["maxValue"] = strconv.FormatInt(f.min, 10), strconv.FormatInt(f.max, 10)
		}
		if f.values != nil {
			item["allowedStringValues"] = f.values
		}
		items = append(items, item)
	}
	return google.Object{"kind": "sql#flagsList", "items": items}, nil
}

// validFlags refuses the first flag that is wrong. The words for a value are those of
// https://github.com/wandb/terraform-google-wandb/pull/183; nobody has recorded those for a name.
func validFlags(in, _ *sqladmin.DatabaseInstance) error {
	named := map[string]bool{}
	for _, f := range in.Settings.DatabaseFlags {
		known := sqlFlagOf(in.DatabaseVersion, f.Name)
		switch {
		case known == nil:
			return sqlInvalid("Invalid flag name: " + f.Name)
		case named[f.Name]:
			return sqlInvalid("Flag is set twice: " + f.Name)
		case !known.takes(f.Value):
			return google.Err(http.StatusBadRequest, "invalidFlagValue", fmt.Sprintf("Value requested is not valid. Failed to set %s: %s was not an expected %s.", f.Name, f.Value, strings.ToLower(known.kind)))
		}
		named[f.Name] = true
	}
	return nil
}

func (f *sqlFlag) takes(value string) bool {
	switch f.kind {
	case "BOOLEAN":
		return value == "on" || value == "off"
	case "INTEGER":
		number, err := strconv.ParseInt(value, 10, 64)
		return err == nil && number >= f.min && number <= f.max
	case "FLOAT":
		_, err := strconv.ParseFloat(value, 64)
		return err == nil
	}
	return len(f.values) == 0 || slices.Contains(f.values, value)
}

// flagsRestart reports whether a change of flags restarts the server.
func flagsRestart(old, now *sqladmin.DatabaseInstance) bool {
	before, after := flagValues(old), flagValues(now)
	for _, f := range sqlFlags {
		was, had := before[f.name]
		is, has := after[f.name]
		if f.restarts && f.family == sqlFamily(now.DatabaseVersion) && (had != has || was != is) {
			return true
		}
	}
	return false
}

// flagChange adds to what the server does in a change of an instance that it takes other flags, and restarts where one of them needs that.
func (s *Service) flagChange(in *sqlInstance, next google.Object, other func() error) func() error {
	old, now := google.Typed[sqladmin.DatabaseInstance](in.resource), google.Typed[sqladmin.DatabaseInstance](next)
	values := flagValues(now)
	if maps.Equal(flagValues(old), values) {
		return other
	}
	return func() error {
		if other != nil {
			if err := other(); err != nil {
				return err
			}
		}
		err := s.cloud.Engines.SetParameters(in.engineID, values)
		if err == nil && flagsRestart(old, now) && now.Settings.ActivationPolicy != "NEVER" {
			err = s.cloud.Engines.Restart(in.engineID)
		}
		return err
	}
}

func flagValues(in *sqladmin.DatabaseInstance) map[string]string {
	values := map[string]string{}
	for _, f := range in.Settings.DatabaseFlags {
		values[f.Name] = f.Value
	}
	return values
}
