package sql

import (
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// api is Cloud SQL, with the answers of each operation that is called. All others are writes, which are answered by an operation.
// https://cloud.google.com/sql/docs/mysql/admin-api/rest
var api = &session.API{
	Name: "sqladmin", Title: "Cloud SQL", Host: "https://sqladmin.googleapis.com", Other: session.Answer{Kind: "sql#operation"},
	Answers: map[string]session.Answer{
		"Backups.GetBackup":                {Kind: "sql#backup"},
		"Backups.ListBackups":              {Members: []string{"backups", "nextPageToken", "warnings"}},
		"databases.get":                    {Kind: "sql#database"},
		"flags.list":                       {Kind: "sql#flagsList"},
		"instances.get":                    {Kind: "sql#instance"},
		"instances.getLatestRecoveryTime":  {Kind: "sql#getLatestRecoveryTime"},
		"instances.list":                   {Kind: "sql#instancesList", Members: []string{"items", "nextPageToken", "warnings"}},
		"instances.listServerCas":          {Kind: "sql#instancesListServerCas"},
		"instances.listServerCertificates": {Kind: "sql#instancesListServerCertificates"},
		"operations.list":                  {Kind: "sql#operationsList", Members: []string{"items", "nextPageToken"}},
		"users.list":                       {Kind: "sql#usersList"},
	},
}

// monitoringAPI is Cloud Monitoring, which has the metrics of Cloud SQL.
// https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list
var monitoringAPI = &session.API{
	Name: "monitoring", Title: "Cloud Monitoring", Host: "https://monitoring.googleapis.com",
	Answers: map[string]session.Answer{
		"timeSeries.list": {Members: []string{"executionErrors", "nextPageToken", "timeSeries", "unit", "unreachable"}},
	},
}
