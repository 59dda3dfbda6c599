package rds

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// exportedLogs returns the logs that RDS exports to CloudWatch Logs, or was asked to.
func exportedLogs(i *instance) []string {
	logs := slices.Clone(i.EnabledCloudwatchLogsExports)
	if i.PendingModifiedValues == nil || i.PendingModifiedValues.PendingCloudwatchLogsExports == nil {
		return logs
	}
	waits := i.PendingModifiedValues.PendingCloudwatchLogsExports
	logs = slices.DeleteFunc(logs, func(name string) bool { return slices.Contains(waits.LogTypesToDisable, name) })
	return append(logs, waits.LogTypesToEnable...)
}

// shownLogs returns the logs that the mirror shows, sorted; nil if there are none.
func shownLogs(logs []string) *[]string {
	if len(logs) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(logs))
	return &sorted
}

// exportLogs puts the logs into a creation. An instance exports none unless it is told otherwise.
func exportLogs(p *instanceParams, in *rds.CreateDBInstanceInput) {
	if len(p.EnableCloudwatchLogsExports) > 0 {
		in.EnableCloudwatchLogsExports = p.EnableCloudwatchLogsExports
	}
}

// exportOtherLogs puts the logs that are to be exported into a change. completeLogs leaves those of them that begin, and adds those that end.
func exportOtherLogs(p *instanceParams, in *rds.ModifyDBInstanceInput) {
	in.CloudwatchLogsExportConfiguration = &types.CloudwatchLogsExportConfiguration{EnableLogTypes: p.EnableCloudwatchLogsExports}
}

// completeLogs says which exports begin and which end: RDS leaves what a change does not name.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CloudwatchLogsExportConfiguration.html
func completeLogs(in *rds.ModifyDBInstanceInput, have *instance) {
	to := in.CloudwatchLogsExportConfiguration
	if to == nil {
		return
	}
	wanted, present := to.EnableLogTypes, exportedLogs(have)
	to.EnableLogTypes, to.DisableLogTypes = without(wanted, present), without(present, wanted)
}

// without returns the strings of a list that are not in another; nil if there are none.
func without(list, other []string) (rest []string) {
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}
