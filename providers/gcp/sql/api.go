package sql

import (
	"regexp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// api is Cloud SQL, with the answers of each operation that is called. All others are writes, which are answered by an operation.
// https://cloud.google.com/sql/docs/mysql/admin-api/rest
var api = &session.API{
	Name: "sqladmin", Title: "Cloud SQL", Host: "https://sqladmin.googleapis.com", Other: session.Answer{Kind: "sql#operation"},
	Refusals: []session.Refusal{
		// A password breaks the policy: the words are those that people report of a new server, and of a user.
		// https://github.com/terraform-google-modules/terraform-google-sql-db/pull/521
		// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/431
		{Operations: []string{"instances.insert", "users.insert", "users.update"}, Code: driver.Invalid, Words: regexp.MustCompile("policy compliant|INVALID_PASSWORD"),
			Correct: "the administrator's password breaks the password policy of the server (spec." + fieldPolicy + "): set another password in the Secret of " +
				"spec.credentials.passwordSecretRef, or change the policy"},
		// Cloud SQL can't use a private network: the words are those that people report.
		// https://github.com/terraform-google-modules/terraform-google-sql-db/issues/281
		// https://github.com/hashicorp/terraform-provider-google/issues/3697
		{Operations: []string{"instances.insert", "instances.restoreBackup", "instances.patch"}, Code: driver.Invalid, Words: regexp.MustCompile("Service Networking"),
			Correct: "spec.gcp.privateNetwork: the network has no private services access: allocate a range of addresses in it, and create a private connection " +
				"to servicenetworking.googleapis.com with that range"},
		{Operations: []string{"instances.insert", "instances.restoreBackup", "instances.clone"}, Code: driver.Conflict, Advice: nameTaken},
	},
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

// nameTaken is the advice to a name that Cloud SQL refuses.
const nameTaken = "an instance of this name exists, or existed within the last week: Cloud SQL may reserve the name for a week; choose another spec.externalName"

// monitoringAPI is Cloud Monitoring, which has the metrics of Cloud SQL.
// https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list
var monitoringAPI = &session.API{
	Name: "monitoring", Title: "Cloud Monitoring", Host: "https://monitoring.googleapis.com",
	Answers: map[string]session.Answer{
		"timeSeries.list": {Members: []string{"executionErrors", "nextPageToken", "timeSeries", "unit", "unreachable"}},
	},
}
