package rds

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// rdsLogs are the logs that each engine can export to CloudWatch Logs. Nothing is exported here.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstance.html (EnableCloudwatchLogsExports)
var rdsLogs = map[string][]string{
	"postgres": {"postgresql", "upgrade", "iam-db-auth-error"},
	"mariadb":  {"audit", "error", "general", "slowquery", "iam-db-auth-error"},
	"mysql":    {"audit", "error", "general", "slowquery", "iam-db-auth-error"},
}

// validLogs checks that an engine has logs. No recording shows the refusal; its words: https://github.com/hashicorp/terraform/issues/22538 (of Aurora).
func validLogs(engine, version string, names ...string) error {
	for _, name := range names {
		if !slices.Contains(rdsLogs[engine], name) {
			return invalidCombination("You cannot use the log types '%s' with engine version %s %s. For supported log types, see the documentation.", name, engine, version)
		}
	}
	return nil
}

// askLogs makes a change of the exports pending. It never waits for the maintenance window.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ModifyInstance.Settings.html (Log exports)
func askLogs(next *Instance, in *rds.ModifyDBInstanceInput) error {
	asked := in.CloudwatchLogsExportConfiguration
	if asked == nil {
		return nil
	}
	if err := validLogs(*next.db.Engine, *next.db.EngineVersion, slices.Concat(asked.EnableLogTypes, asked.DisableLogTypes)...); err != nil {
		return err
	}
	change := rdstypes.PendingCloudwatchLogsExports{}
	for _, name := range asked.EnableLogTypes {
		if !slices.Contains(next.db.EnabledCloudwatchLogsExports, name) {
			change.LogTypesToEnable = append(change.LogTypesToEnable, name)
		}
	}
	for _, name := range asked.DisableLogTypes {
		if slices.Contains(next.db.EnabledCloudwatchLogsExports, name) && !slices.Contains(asked.EnableLogTypes, name) {
			change.LogTypesToDisable = append(change.LogTypesToDisable, name)
		}
	}
	if len(change.LogTypesToEnable)+len(change.LogTypesToDisable) > 0 {
		next.db.PendingModifiedValues.PendingCloudwatchLogsExports = &change
	}
	return nil
}

// exportLogs makes a change of the exports.
func (in *Instance) exportLogs(change *rdstypes.PendingCloudwatchLogsExports) {
	if change == nil {
		return
	}
	logs := slices.DeleteFunc(slices.Clone(in.db.EnabledCloudwatchLogsExports), func(name string) bool { return slices.Contains(change.LogTypesToDisable, name) })
	logs = append(logs, change.LogTypesToEnable...)
	slices.Sort(logs)
	in.db.EnabledCloudwatchLogsExports = logs
}
