package docs

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// awsNeeds says which actions a call is authorized by, and on which kinds of resources, by service and operation of AWS's SDK.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
// What those do not say has its own source.
var awsNeeds = map[string][]string{
	"sts.GetCallerIdentity": nil, // https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
	// Trust policies speak of these, and the role that assumes others has a policy of its own.
	"stscreds.NewAssumeRoleProvider":      nil,
	"stscreds.NewWebIdentityRoleProvider": nil,

	// Tags of a creation are authorized on their own:
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/security_iam_id-based-policy-examples-grant-permissions-tags-on-create.html
	"rds.CreateDBInstance": {
		"rds:CreateDBInstance db", "rds:CreateDBInstance og", "rds:CreateDBInstance pg", "rds:CreateDBInstance secgrp",
		"rds:CreateDBInstance subgrp", "rds:AddTagsToResource db",
	},
	"rds.RestoreDBInstanceFromDBSnapshot": {
		"rds:RestoreDBInstanceFromDBSnapshot db", "rds:RestoreDBInstanceFromDBSnapshot og", "rds:RestoreDBInstanceFromDBSnapshot pg", "rds:RestoreDBInstanceFromDBSnapshot secgrp",
		"rds:RestoreDBInstanceFromDBSnapshot subgrp", "rds:RestoreDBInstanceFromDBSnapshot snapshot", "rds:AddTagsToResource db",
	},
	"rds.RestoreDBInstanceToPointInTime": {
		"rds:RestoreDBInstanceToPointInTime db", "rds:RestoreDBInstanceToPointInTime og", "rds:RestoreDBInstanceToPointInTime pg", "rds:RestoreDBInstanceToPointInTime secgrp",
		"rds:RestoreDBInstanceToPointInTime subgrp", "rds:RestoreDBInstanceToPointInTime auto-backup", "rds:AddTagsToResource db",
	},
	// A replica in another region takes rds:CrossRegionCommunication, as the reference says of that action.
	"rds.CreateDBInstanceReadReplica": {
		"rds:CreateDBInstanceReadReplica db", "rds:CreateDBInstanceReadReplica og", "rds:CreateDBInstanceReadReplica subgrp", "rds:AddTagsToResource db", "rds:CrossRegionCommunication *",
	},
	"rds.PromoteReadReplica": {"rds:PromoteReadReplica db"},
	// The action knows no single resources.
	// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
	"cloudwatch.GetMetricData": {"cloudwatch:GetMetricData *"},
	// What each of these calls needs beside its own action:
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/blue-green-deployments-authorizing-access.html
	"rds.CreateBlueGreenDeployment": {
		"rds:CreateBlueGreenDeployment db", "rds:CreateBlueGreenDeployment deployment", "rds:CreateBlueGreenDeployment pg", "rds:AddTagsToResource deployment", "rds:AddTagsToResource db",
		"rds:CreateDBInstanceReadReplica db", "rds:CreateDBInstanceReadReplica og", "rds:CreateDBInstanceReadReplica subgrp",
	},
	"rds.DescribeBlueGreenDeployments":  {"rds:DescribeBlueGreenDeployments *"},
	"rds.SwitchoverBlueGreenDeployment": {"rds:SwitchoverBlueGreenDeployment deployment", "rds:ModifyDBInstance db", "rds:PromoteReadReplica db"},
	"rds.DeleteBlueGreenDeployment":     {"rds:DeleteBlueGreenDeployment deployment", "rds:DeleteDBInstance db"},
	"rds.DescribeDBInstances":           {"rds:DescribeDBInstances *"},
	"rds.DescribeDBSnapshots":           {"rds:DescribeDBSnapshots *"},

	"rds.DescribeDBInstanceAutomatedBackups": {"rds:DescribeDBInstanceAutomatedBackups *"},
	"rds.ModifyDBInstance":                   {"rds:ModifyDBInstance db", "rds:ModifyDBInstance og", "rds:ModifyDBInstance pg", "rds:ModifyDBInstance secgrp"},
	// A final snapshot, and the tags that are copied to it, are authorized on their own, since 2024:
	// https://github.com/aws-solutions/instance-scheduler-on-aws/issues/572
	"rds.DeleteDBInstance": {
		"rds:DeleteDBInstance db", "rds:CreateDBSnapshot db", "rds:CreateDBSnapshot snapshot", "rds:AddTagsToResource snapshot",
	},
	// The tags of a creation are authorized on their own:
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/security_iam_id-based-policy-examples-grant-permissions-tags-on-create.html
	"rds.CreateDBSnapshot": {"rds:CreateDBSnapshot db", "rds:CreateDBSnapshot snapshot", "rds:AddTagsToResource snapshot"},
	"rds.DeleteDBSnapshot": {"rds:DeleteDBSnapshot snapshot"},
	"rds.StartDBInstance":  {"rds:StartDBInstance db"},
	"rds.StopDBInstance":   {"rds:StopDBInstance db"},
	"rds.RebootDBInstance": {"rds:RebootDBInstance db"},
	// Which roles it takes beside: see fieldNeeds.
	"rds.AddRoleToDBInstance":      {"rds:AddRoleToDBInstance db"},
	"rds.RemoveRoleFromDBInstance": {"rds:RemoveRoleFromDBInstance db"},
	// Tags of an instance, of a snapshot, of automated backups that are retained, and those of a parameter group of its own.
	"rds.AddTagsToResource":               {"rds:AddTagsToResource db", "rds:AddTagsToResource pg", "rds:AddTagsToResource snapshot", "rds:AddTagsToResource auto-backup"},
	"rds.RemoveTagsFromResource":          {"rds:RemoveTagsFromResource db", "rds:RemoveTagsFromResource pg", "rds:RemoveTagsFromResource snapshot"},
	"rds.ListTagsForResource":             {"rds:ListTagsForResource pg"},
	"rds.CreateDBParameterGroup":          {"rds:CreateDBParameterGroup pg", "rds:AddTagsToResource pg"},
	"rds.CopyDBParameterGroup":            {"rds:CopyDBParameterGroup pg", "rds:AddTagsToResource pg"},
	"rds.DescribeDBParameterGroups":       {"rds:DescribeDBParameterGroups pg"},
	"rds.DescribeDBParameters":            {"rds:DescribeDBParameters pg"},
	"rds.DescribeEngineDefaultParameters": {"rds:DescribeEngineDefaultParameters *"},
	"rds.DescribeAccountAttributes":       {"rds:DescribeAccountAttributes *"},
	"rds.DescribeEvents":                  {"rds:DescribeEvents *"},
	"rds.DescribeDBMajorEngineVersions":   {"rds:DescribeDBMajorEngineVersions *"},
	"rds.ModifyDBParameterGroup":          {"rds:ModifyDBParameterGroup pg"},
	"rds.ResetDBParameterGroup":           {"rds:ResetDBParameterGroup pg"},
	"rds.DeleteDBParameterGroup":          {"rds:DeleteDBParameterGroup pg"},

	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-create-tag.html
	"s3.CreateBucket":         {"s3:CreateBucket bucket", "s3:TagResource bucket"},
	"s3.HeadBucket":           {"s3:ListBucket bucket"},
	"s3.GetBucketTagging":     {"s3:GetBucketTagging bucket"},
	"s3.PutBucketTagging":     {"s3:PutBucketTagging bucket"},
	"s3.GetBucketAbac":        {"s3:GetBucketABAC bucket"}, // https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketAbac.html
	"s3control.TagResource":   {"s3:TagResource bucket"},
	"s3control.UntagResource": {"s3:UntagResource bucket"},
	"s3.GetBucketVersioning":  {"s3:GetBucketVersioning bucket"},
	"s3.PutBucketVersioning":  {"s3:PutBucketVersioning bucket"},
	"s3.GetPublicAccessBlock": {"s3:GetBucketPublicAccessBlock bucket"},
	"s3.PutPublicAccessBlock": {"s3:PutBucketPublicAccessBlock bucket"},
	"s3.GetBucketEncryption":  {"s3:GetEncryptionConfiguration bucket"},
	"s3.PutBucketEncryption":  {"s3:PutEncryptionConfiguration bucket"},
	"s3.DeleteBucket":         {"s3:DeleteBucket bucket"},

	"s3.GetBucketNotificationConfiguration": {"s3:GetBucketNotification bucket"},
	"s3.PutBucketNotificationConfiguration": {"s3:PutBucketNotification bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html, and API_DeleteBucketReplication.html
	"s3.GetBucketReplication":    {"s3:GetReplicationConfiguration bucket"},
	"s3.PutBucketReplication":    {"s3:PutReplicationConfiguration bucket"},
	"s3.DeleteBucketReplication": {"s3:PutReplicationConfiguration bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBucketMetricsConfigurations.html
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketMetricsConfiguration.html
	"s3.ListBucketMetricsConfigurations":  {"s3:GetMetricsConfiguration bucket"},
	"s3.PutBucketMetricsConfiguration":    {"s3:PutMetricsConfiguration bucket"},
	"s3.DeleteBucketMetricsConfiguration": {"s3:PutMetricsConfiguration bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBucketIntelligentTieringConfigurations.html
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketIntelligentTieringConfiguration.html
	"s3.ListBucketIntelligentTieringConfigurations":  {"s3:GetIntelligentTieringConfiguration bucket"},
	"s3.PutBucketIntelligentTieringConfiguration":    {"s3:PutIntelligentTieringConfiguration bucket"},
	"s3.DeleteBucketIntelligentTieringConfiguration": {"s3:PutIntelligentTieringConfiguration bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBucketAnalyticsConfigurations.html
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketAnalyticsConfiguration.html
	"s3.ListBucketAnalyticsConfigurations":  {"s3:GetAnalyticsConfiguration bucket"},
	"s3.PutBucketAnalyticsConfiguration":    {"s3:PutAnalyticsConfiguration bucket"},
	"s3.DeleteBucketAnalyticsConfiguration": {"s3:PutAnalyticsConfiguration bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBucketInventoryConfigurations.html
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketInventoryConfiguration.html
	"s3.ListBucketInventoryConfigurations":  {"s3:GetInventoryConfiguration bucket"},
	"s3.PutBucketInventoryConfiguration":    {"s3:PutInventoryConfiguration bucket"},
	"s3.DeleteBucketInventoryConfiguration": {"s3:PutInventoryConfiguration bucket"},

	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicy.html
	"s3.GetBucketPolicy":    {"s3:GetBucketPolicy bucket"},
	"s3.PutBucketPolicy":    {"s3:PutBucketPolicy bucket"},
	"s3.DeleteBucketPolicy": {"s3:DeleteBucketPolicy bucket"},

	"s3.GetBucketLogging":                 {"s3:GetBucketLogging bucket"},
	"s3.GetObjectLockConfiguration":       {"s3:GetBucketObjectLockConfiguration bucket"},
	"s3.PutObjectLockConfiguration":       {"s3:PutBucketObjectLockConfiguration bucket"},
	"s3.PutBucketLogging":                 {"s3:PutBucketLogging bucket"},
	"s3.GetBucketAccelerateConfiguration": {"s3:GetAccelerateConfiguration bucket"},
	"s3.PutBucketAccelerateConfiguration": {"s3:PutAccelerateConfiguration bucket"},

	"s3.GetBucketOwnershipControls":      {"s3:GetBucketOwnershipControls bucket"},
	"s3.PutBucketOwnershipControls":      {"s3:PutBucketOwnershipControls bucket"},
	"s3.GetBucketCors":                   {"s3:GetBucketCORS bucket"},
	"s3.PutBucketCors":                   {"s3:PutBucketCORS bucket"},
	"s3.DeleteBucketCors":                {"s3:PutBucketCORS bucket"}, // https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketCors.html
	"s3.GetBucketWebsite":                {"s3:GetBucketWebsite bucket"},
	"s3.PutBucketWebsite":                {"s3:PutBucketWebsite bucket"},
	"s3.DeleteBucketWebsite":             {"s3:DeleteBucketWebsite bucket"},
	"s3.GetBucketRequestPayment":         {"s3:GetBucketRequestPayment bucket"},
	"s3.PutBucketRequestPayment":         {"s3:PutBucketRequestPayment bucket"},
	"s3.GetBucketLifecycleConfiguration": {"s3:GetLifecycleConfiguration bucket"},
	"s3.PutBucketLifecycleConfiguration": {"s3:PutLifecycleConfiguration bucket"},
	"s3.DeleteBucketLifecycle":           {"s3:PutLifecycleConfiguration bucket"}, // https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketLifecycle.html

	"s3.ListObjectVersions":   {"s3:ListBucketVersions bucket"},
	"s3.ListMultipartUploads": {"s3:ListBucketMultipartUploads bucket"},
	"s3.AbortMultipartUpload": {"s3:AbortMultipartUpload object"},
	"s3.DeleteObjects":        {"s3:DeleteObject object", "s3:DeleteObjectVersion object"},
}

// gcpNeeds says the same of Google's methods.
// https://cloud.google.com/sql/docs/postgres/iam-permissions
// https://cloud.google.com/storage/docs/access-control/iam-json
var gcpNeeds = map[string][]string{
	"token": nil,

	"instances.insert": {"cloudsql.instances.create"},
	// https://cloud.google.com/sql/docs/mysql/iam-permissions (Restore a final backup to a new instance)
	"instances.restoreBackup": {"cloudsql.backupRuns.get", "cloudsql.instances.create", "cloudsql.instances.restoreBackup"},
	"instances.clone":         {"cloudsql.instances.clone"},
	// Google's list of permissions has no entry for it. A refusal changes no more than the message about a time that was refused.
	"instances.getLatestRecoveryTime": nil,
	"instances.get":                   {"cloudsql.instances.get"},
	"instances.patch":                 {"cloudsql.instances.update"},
	"instances.delete":                {"cloudsql.instances.delete"},
	// https://cloud.google.com/sql/docs/postgres/iam-permissions
	"instances.restart":  {"cloudsql.instances.restart"},
	"instances.failover": {"cloudsql.instances.failover"},
	// https://cloud.google.com/sql/docs/postgres/iam-permissions (gcloud sql instances promote-replica)
	"instances.promoteReplica": {"cloudsql.instances.promoteReplica"},
	// Google's pages on permissions have no entry for it; those that list the roles have.
	// https://cloud.google.com/iam/docs/roles-permissions/cloudsql
	"instances.preCheckMajorVersionUpgrade": {"cloudsql.instances.preCheckMajorVersionUpgrade"},
	// https://cloud.google.com/monitoring/access-control#timeseries-permissions
	"timeSeries.list": {"monitoring.timeSeries.list"},
	// Only in the last year of an authority. Without them connection Secrets get the next one once it is in use.
	"instances.listServerCas":          {"cloudsql.instances.listServerCas"},
	"instances.listServerCertificates": {"cloudsql.instances.listServerCertificates"},
	"operations.get":                   {"cloudsql.instances.get"},
	"operations.list":                  {"cloudsql.instances.get"},
	// It is about no project. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/flags/list
	"flags.list":       nil,
	"databases.insert": {"cloudsql.databases.create"},
	"databases.get":    {"cloudsql.databases.get"},
	"users.list":       {"cloudsql.users.list"},
	"users.insert":     {"cloudsql.users.create"},
	"users.update":     {"cloudsql.users.update"},
	// https://docs.cloud.google.com/sql/docs/mysql/backup-recovery/final-backup
	"Backups.ListBackups":  {"cloudsql.backupRuns.list"},
	"Backups.GetBackup":    {"cloudsql.backupRuns.get"},
	"Backups.CreateBackup": {"cloudsql.backupRuns.create"},
	"Backups.UpdateBackup": {"cloudsql.backupRuns.update"},
	"Backups.DeleteBackup": {"cloudsql.backupRuns.delete"},

	// Google's library asks for the full projection, of which the policy is a part.
	// https://cloud.google.com/storage/docs/get-ip-filter
	"buckets.get":    {"storage.buckets.get", "storage.buckets.getIamPolicy", "storage.buckets.getIpFilter"},
	"buckets.insert": {"storage.buckets.create"},
	// https://cloud.google.com/storage/docs/using-public-access-prevention
	// https://cloud.google.com/storage/docs/update-ip-filter
	"buckets.patch": {"storage.buckets.update", "storage.buckets.getIamPolicy", "storage.buckets.setIamPolicy", "storage.buckets.getIpFilter", "storage.buckets.setIpFilter"},
	// https://cloud.google.com/storage/docs/access-control/iam-json
	"buckets.getIamPolicy":        {"storage.buckets.getIamPolicy"},
	"buckets.setIamPolicy":        {"storage.buckets.setIamPolicy"},
	"buckets.testIamPermissions":  nil, // https://cloud.google.com/storage/docs/access-control/iam-json
	"buckets.lockRetentionPolicy": {"storage.buckets.update"},
	"buckets.delete":              {"storage.buckets.delete"},
	"notifications.list":          {"storage.buckets.get"},
	"notifications.insert":        {"storage.buckets.update"},
	"notifications.delete":        {"storage.buckets.update"},
	"objects.list":                {"storage.objects.list"},
	// https://cloud.google.com/storage/docs/access-control/iam-json#managed-folders
	"managedFolders.list":   {"storage.managedFolders.list"},
	"managedFolders.delete": {"storage.managedFolders.delete"},
	"objects.delete":        {"storage.objects.delete"},
	// https://cloud.google.com/storage/docs/access-control/iam-json#folders
	"folders.list":   {"storage.folders.list"},
	"folders.delete": {"storage.folders.delete"},
}

// byHold says the same of the calls that only a forced deletion makes, and only of objects under a hold. They take a role of their own, because
// storage.objects.get allows its holder to read what is in the objects.
// https://cloud.google.com/storage/docs/holding-objects (required permissions)
var byHold = map[string][]string{"objects.patch": {"storage.objects.get", "storage.objects.update"}}

// byFilter is what a bucket takes whose filter does not list Mooring's addresses. It takes a role of its own, because it gets its holder past all filters of the project.
// https://cloud.google.com/storage/docs/bypass-ip-filter
var byFilter = []string{"storage.buckets.exemptFromIpFilter"}

// byList says the same of the calls that only driver.Session's List makes. The controller does not list anything, so its policies do not
// allow them: whoever lists needs them in addition. The drivers' own documentation names them.
var byList = map[string][]string{
	"s3.ListBuckets": {"s3:ListAllMyBuckets"},
	"instances.list": {"cloudsql.instances.list"},
	"buckets.list":   {"storage.buckets.list", "storage.buckets.getIamPolicy"},
}

// TestControllersDoNotList holds what byList says: if a controller begins to list, the policies have to allow it.
func TestControllersDoNotList(t *testing.T) {
	sources := files(t, filepath.Join(root(t), "controllers"), ".go")
	if len(sources) < 50 {
		t.Errorf("found %d files of the controllers", len(sources))
	}
	for path, source := range sources {
		if strings.Contains(source, "driver.ListRequest{") && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s lists objects in a cloud: move the calls of byList to awsNeeds and gcpNeeds, and allow them in config/samples/iam", path)
		}
	}
}

// TestDriversSayWhatListingNeeds demands that the documentation of each driver names the permissions that a list takes.
func TestDriversSayWhatListingNeeds(t *testing.T) {
	for cloud, calls := range map[string][]string{"aws": callsOfAWS(t), "gcp": callsOfGCP(t)} {
		folder, listed := filepath.Join(root(t), "providers", cloud), 0
		said := ""
		for path, content := range files(t, folder, ".go") { // each service says what it lists
			if filepath.Base(path) == "doc.go" {
				said += content
			}
		}
		for _, call := range calls {
			needs := byList[call]
			listed += len(needs)
			for _, permission := range needs {
				if !strings.Contains(said, permission) {
					t.Errorf("the documentation of the packages of providers/%s does not say that %s takes the permission %s", cloud, call, permission)
				}
			}
		}
		if listed == 0 {
			t.Errorf("no call of %s is known as one that lists", cloud)
		}
	}
}

// The policies of an identity in AWS. One file is more than AWS takes of a policy, so there is one for each feature.
var (
	features = []string{"databases", "parameters", "snapshots", "read-replicas", "upgrades", "buckets"}
	// sometimes are those that only some fields take, in addition.
	sometimes = []string{"aws-permissions-keys.json", "aws-permissions-monitoring.json", "aws-permissions-passwords.json", "aws-permissions-replication.json"}
)

// Whose policies they are: how the names of the files begin.
const (
	own    = "aws-permissions-"        // of an identity for all namespaces, or for one
	tenant = "aws-permissions-tenant-" // of a role that tells namespaces apart by session tags
)

// together returns what the policies of all features allow.
func together(t *testing.T, set string) awsPolicy {
	t.Helper()
	var all awsPolicy
	for _, feature := range features {
		all.Statement = append(all.Statement, policy(t, set+feature+".json").Statement...)
	}
	return all
}

// TestPoliciesOfTenantsAreTheSame demands that both sets differ in nothing but the account and the namespace that a session is limited to.
func TestPoliciesOfTenantsAreTheSame(t *testing.T) {
	const namespace = "${aws:PrincipalTag/mooring:namespace}"
	want := together(t, own).Statement
	for i, s := range want {
		for j, arn := range s.Resource {
			want[i].Resource[j] = strings.NewReplacer("123456789012", "210987654321", "shop-", namespace+"-").Replace(arn)
		}
		for _, condition := range s.Condition {
			for _, key := range slices.Collect(maps.Keys(condition)) {
				condition[strings.Replace(key, driver.LabelCluster, driver.LabelNamespace, 1)] = namespace
			}
		}
	}
	if diff := cmp.Diff(want, together(t, tenant).Statement); diff != "" {
		t.Errorf("-%s* limited to a namespace +%s*:\n%s", own, tenant, diff)
	}
}

// TestPoliciesAreComplete demands that the policies in config/samples/iam allow what the drivers call, and nothing that
// they do not.
func TestPoliciesAreComplete(t *testing.T) {
	amazon := needed(t, callsOfAWS(t), awsNeeds)
	for _, set := range []string{own, tenant} {
		if diff := cmp.Diff(amazon, together(t, set).allows()); diff != "" {
			t.Errorf("%s*: -needed +allowed:\n%s", set, diff)
		}
	}
	google := needed(t, callsOfGCP(t), gcpNeeds)
	if diff := cmp.Diff(google, role(t, "gcp-role.json")); diff != "" {
		t.Errorf("gcp-role.json: -needed +granted:\n%s", diff)
	}
	if diff := cmp.Diff(byHold["objects.patch"], role(t, "gcp-role-holds.json")); diff != "" || !slices.Contains(callsOfGCP(t), "objects.patch") {
		t.Errorf("gcp-role-holds.json, or nothing calls objects.patch any more: -needed +granted:\n%s", diff)
	}
	if diff := cmp.Diff(byFilter, role(t, "gcp-role-filters.json")); diff != "" {
		t.Errorf("gcp-role-filters.json: -needed +granted:\n%s", diff)
	}
	for _, permission := range role(t, "gcp-role-project.json") {
		if !slices.Contains(google, permission) {
			t.Errorf("gcp-role-project.json grants %s, which nothing needs", permission)
		}
	}
}

// needed returns what calls are authorized by, each once and in order.
func needed(t *testing.T, calls []string, needs map[string][]string) []string {
	t.Helper()
	if len(calls) < 10 {
		t.Fatalf("the drivers' calls are not found where they were: %q", calls)
	}
	var all []string
	for _, call := range calls {
		if byList[call] != nil || byHold[call] != nil {
			continue
		}
		actions, known := needs[call]
		if !known {
			t.Errorf("a driver calls %s: say in this test what that needs, and allow it in config/samples/iam", call)
		}
		all = append(all, actions...)
	}
	return distinct(all)
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// TestTrustsAllowSignInOnly demands of trust policies, and of the policy of who assumes roles, that they speak of nothing else.
func TestTrustsAllowSignInOnly(t *testing.T) {
	assume := []string{"sts:AssumeRole", "sts:TagSession"}
	for name, want := range map[string][]string{
		"aws-assume.json":             assume,
		"aws-trust-irsa.json":         {"sts:AssumeRoleWithWebIdentity"},
		"aws-trust-web-identity.json": {"sts:AssumeRoleWithWebIdentity"},
		"aws-trust-pod-identity.json": assume,
		"aws-trust-assume-role.json":  assume,
		"aws-trust-shared-role.json":  assume,
	} {
		p := policy(t, name)
		if diff := cmp.Diff(want, p.actions()); diff != "" {
			t.Errorf("%s: -want +allowed:\n%s", name, diff)
		}
		for _, s := range p.Statement {
			if trust := strings.Contains(name, "trust"); (len(s.Principal) > 0) != trust || (len(s.Resource) > 0) == trust || trust && len(s.Condition) == 0 {
				t.Errorf("%s: %+v: a trust policy says who may and when, any other what", name, s)
			}
		}
	}
}

// ownTag is a condition on a tag of Mooring's.
var ownTag = regexp.MustCompile(`aws:(?:RequestTag|ResourceTag|PrincipalTag)/(mooring[\w:-]*)`)

// TestPoliciesKnowTheTags demands that conditions are about tags which the drivers set: a misspelt one would allow nothing.
func TestPoliciesKnowTheTags(t *testing.T) {
	known := append(driver.MarkKeys(), "mooring:namespace", "mooring:providerConfig")
	found := 0
	for path, content := range policies(t) {
		for _, tag := range ownTag.FindAllStringSubmatch(content, -1) {
			found++
			if !slices.Contains(known, tag[1]) {
				t.Errorf("%s: no driver sets a tag %q", path, tag[1])
			}
		}
	}
	if found == 0 {
		t.Error("no policy has a condition on a tag")
	}
}

// TestEveryPolicyIsRead demands that no file escapes the tests above, and that all are JSON.
func TestEveryPolicyIsRead(t *testing.T) {
	for path := range policies(t) {
		switch name := filepath.Base(path); {
		case strings.HasPrefix(name, "gcp-role"):
			role(t, name)
		case strings.HasPrefix(name, "aws-"):
			if len(policy(t, name).Statement) == 0 {
				t.Errorf("%s says nothing", path)
			}
		default:
			t.Errorf("%s: neither a role of Google Cloud nor a policy of AWS", path)
		}
	}
}

// An awsPolicy is a policy of AWS, of whatever kind.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
type awsPolicy struct {
	Version   string
	Statement []struct {
		Sid, Effect string
		Principal   map[string]string
		Action      oneOrMore
		Resource    oneOrMore
		Condition   map[string]map[string]string
	}
}

// oneOrMore is a string, or a list of them.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(l))
	}
	*l = oneOrMore{""}
	return json.Unmarshal(text, &(*l)[0])
}

// actions returns what a policy allows, each once and in order.
func (p awsPolicy) actions() []string {
	var all []string
	for _, s := range p.Statement {
		all = append(all, s.Action...)
	}
	return distinct(all)
}

// allows returns what a policy allows on which kinds of resources, as rds:ModifyDBInstance db; each once and in order.
func (p awsPolicy) allows() []string {
	var all []string
	for _, s := range p.Statement {
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				all = append(all, action+" "+kindOf(resource))
			}
		}
	}
	return distinct(all)
}

// kindOf returns what kind of resource a name is of.
func kindOf(arn string) string {
	parts := strings.SplitN(arn, ":", 6) // arn:aws:rds:*:123456789012:db:*
	switch {
	case len(parts) < 6:
		return arn
	case parts[2] != "s3":
		return strings.FieldsFunc(parts[5], func(r rune) bool { return r == ':' || r == '/' })[0] // db:*, key/*
	case strings.Contains(strings.ReplaceAll(parts[5], "aws:PrincipalTag/", ""), "/"):
		return "object"
	default:
		return "bucket"
	}
}

func policies(t *testing.T) map[string]string {
	t.Helper()
	return files(t, filepath.Join(root(t), "config", "samples"), ".json")
}

// policy reads a policy of AWS.
func policy(t *testing.T, name string) awsPolicy {
	t.Helper()
	var p awsPolicy
	readJSON(t, name, &p)
	if p.Version != "2012-10-17" {
		t.Errorf("%s: version %q: without the current one there are no variables", name, p.Version)
	}
	for _, s := range p.Statement {
		if s.Effect != "Allow" || len(s.Action) == 0 || slices.ContainsFunc(s.Action, func(a string) bool { return strings.Contains(a, "*") }) {
			t.Errorf("%s: %+v: want it to allow actions by their names", name, s)
		}
	}
	return p
}

// A gcpRole is a custom role of Google Cloud.
type gcpRole struct {
	Title, Description, Stage string
	IncludedPermissions       []string
}

// role reads the permissions of a role of Google Cloud.
func role(t *testing.T, name string) []string {
	t.Helper()
	return readRole(t, name).IncludedPermissions
}

func readRole(t *testing.T, name string) gcpRole {
	t.Helper()
	var r gcpRole
	readJSON(t, name, &r)
	if r.Title == "" || r.Stage != "GA" || !slices.Equal(r.IncludedPermissions, distinct(r.IncludedPermissions)) {
		t.Errorf("%s: want title, stage GA, and the permissions in order, each once", name)
	}
	return r
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	all := policies(t)
	content := all[filepath.Join(root(t), "config", "samples", "iam", name)]
	strict := json.NewDecoder(bytes.NewReader([]byte(content)))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		t.Fatalf("%s: %v; there are %q", name, err, slices.Sorted(maps.Keys(all)))
	}
}
