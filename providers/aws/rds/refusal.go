package rds

import (
	"regexp"

	"github.com/mooring-dev/mooring/providers/table"
)

// refusals say which field RDS is about when it refuses a value. RDS gives one cause an answer: of a creation with several fields that only RDS
// can refuse, the next is known once the first is corrected. Changes are tried one by one, so all of them are known at once. The words are those of
// the stand-in; RDS's own are known of versions.
// https://github.com/tryretool/terraform-retool-modules/issues/70 https://github.com/ministryofjustice/cloud-platform-environments/pull/8659
var refusals = table.Refusals{Cloud: "RDS", Words: []table.Words{
	{Field: "version", Match: regexp.MustCompile(`(?i)cannot find version|cannot upgrade|engine ?version`), Advice: "RDS has versions such as 16 and 16.4 of postgres, or 8.4 of mysql"},
	{Field: "aws.instanceClass", Match: regexp.MustCompile(`(?i)db ?instance ?class`), Advice: "RDS has classes such as db.t4g.micro and db.m7g.large, not each in each region and for each version"},
	{Field: "aws.vpcSecurityGroupIDs", Match: regexp.MustCompile(`(?i)security group`), Advice: "the groups have to exist in the VPC of the server's subnet group"},
	{Field: "aws.dbSubnetGroupName", Match: regexp.MustCompile(`(?i)subnet group`)},
	{Field: "aws.availabilityZone", Match: regexp.MustCompile(`(?i)availability zone`), Advice: "a zone of the region, and only with availability SingleZone"},
	{Field: "aws.storageType", Match: regexp.MustCompile(`(?i)storage type`)},
	{Field: "aws.iops", Match: regexp.MustCompile(`(?i)\biops\b`)},
	{Field: "aws.throughputMiBps", Match: regexp.MustCompile(`(?i)throughput`)},
	{Field: "storage.sizeGiB", Match: regexp.MustCompile(`(?i)storage size|allocated storage`)},
	{Field: "storage.maxSizeGiB", Match: regexp.MustCompile(`(?i)max(imum)? (allocated )?storage`)},
	{Field: "aws.port", Match: regexp.MustCompile(`(?i)database port`)},
	{Field: "aws.networkType", Match: regexp.MustCompile(`(?i)network type`)},
	{Field: "aws.cloudwatchLogsExports", Match: regexp.MustCompile(`(?i)log types`), Advice: "which logs a server has depends on its engine and version"},
	{Field: "aws.performanceInsights", Match: regexp.MustCompile(`(?i)performance ?insights`)},
	{Field: "aws.databaseInsightsMode", Match: regexp.MustCompile(`(?i)database ?insights`)},
	{Field: "aws.monitoring", Match: regexp.MustCompile(`(?i)monitoring`)},
	{Field: "aws.dedicatedLogVolume", Match: regexp.MustCompile(`(?i)dedicated log volume`)},
	{Field: "backup.retentionDays", Match: regexp.MustCompile(`(?i)backup retention`)},
	{Field: "databaseName", Match: regexp.MustCompile(`(?i)dbname|database name`)},
}}
