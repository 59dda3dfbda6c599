package sql

import (
	"regexp"

	"github.com/mooring-dev/mooring/providers/table"
)

// refusals say which field Cloud SQL is about when it refuses a value. Cloud SQL gives one cause an answer: of a creation with several fields
// that only Cloud SQL can refuse, the next is known once the first is corrected. Of changes, those that the words are about are left out, and the rest is
// tried again, until all that is refused is known. Where the words are about none, changes are tried one by one: as soon as one is taken, its operation
// keeps the others waiting, and what is refused of them is known after it. The words are those of the stand-in; Cloud SQL's own are known of tiers.
// https://github.com/hashicorp/terraform-provider-google/issues/20498 https://github.com/terraform-google-modules/terraform-google-sql-db/issues/256
var refusals = table.Refusals{Cloud: "Cloud SQL", Words: []table.Words{
	{Field: "version", Match: regexp.MustCompile(`(?i)database ?version|can't upgrade`), Advice: "Cloud SQL has versions such as 17 of postgres, or 8.4 of mysql"},
	{Field: "gcp.tier", Match: regexp.MustCompile(`(?i)\btier\b`), Advice: "Cloud SQL has tiers such as db-f1-micro, db-custom-2-7680 and db-perf-optimized-N-2, not each in each edition"},
	{Field: "gcp.edition", Match: regexp.MustCompile(`(?i)edition`)},
	{Field: "location", Match: regexp.MustCompile(`(?i)value for region`)},
	{Field: "gcp.zone", Match: regexp.MustCompile(`(?i)for zone|primary zone`), Advice: "a zone of the server's region"},
	{Field: "gcp.secondaryZone", Match: regexp.MustCompile(`(?i)secondary ?zone`), Advice: "another zone of the server's region than that of the server"},
	{Field: "network.allowedCIDRs", Match: regexp.MustCompile(`(?i)authorized network`)},
	{Field: "gcp.privateNetwork", Match: regexp.MustCompile(`(?i)private network|the network `), Advice: "projects/PROJECT/global/networks/NAME of a network with private services access"},
	{Field: "gcp.allocatedIPRange", Match: regexp.MustCompile(`(?i)allocated ip range`)},
	{Field: "gcp.sslMode", Match: regexp.MustCompile(`(?i)ssl ?mode`)},
	{Field: "gcp.dataDiskType", Match: regexp.MustCompile(`(?i)disk ?type`)},
	{Field: "gcp.iops", Match: regexp.MustCompile(`(?i)\biops\b`)},
	{Field: "gcp.throughputMiBps", Match: regexp.MustCompile(`(?i)throughput`)},
	{Field: "storage.sizeGiB", Match: regexp.MustCompile(`(?i)disk size`)},
	{Field: "gcp.denyMaintenancePeriod", Match: regexp.MustCompile(`(?i)deny ?maintenance`)},
	{Field: "maintenance.window", Match: regexp.MustCompile(`(?i)maintenance window`)},
	{Field: "gcp.passwordValidationPolicy", Match: regexp.MustCompile(`(?i)password ?validation ?policy|password ?change ?interval`)},
	{Field: "gcp.insights", Match: regexp.MustCompile(`(?i)query (string|plans|insights)`)},
	{Field: "backup.retentionDays", Match: regexp.MustCompile(`(?i)retained backups|backup retention`)},
	{Field: "backup.startTime", Match: regexp.MustCompile(`(?i)backup start time`)},
}}
