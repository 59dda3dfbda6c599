package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// A fieldNeed is what a field that names another cloud object takes beyond the permissions of Mooring's own calls.
type fieldNeed struct {
	// policy is the sample that allows it, and allows what it allows.
	policy string
	allows []string
	// role is what another identity than Mooring's needs; identities.md has to name it.
	role string
}

// fieldNeeds has an entry for each such field of each cloud, and for each other one that takes more than calls, by cloud, kind and field. An empty one says that it takes nothing.
var fieldNeeds = map[string]fieldNeed{
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Overview.Encryption.Keys.html (Authorizing use of a customer managed key)
	"aws Database encryption.key": {policy: "aws-permissions-keys.json", allows: []string{"kms:CreateGrant key", "kms:DescribeKey key"}},
	// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html: the calls' own resources
	"aws Database aws.dbSubnetGroupName":    {},
	"aws Database aws.vpcSecurityGroupIDs":  {},
	"aws Database aws.dbParameterGroupName": {},
	"aws Database aws.optionGroupName":      {},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html: it is who writes objects that needs the key
	"aws Bucket encryption.key": {},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PerfInsights.access-control.cmk-policy.html: RDS uses the key as encryption.key
	"aws Database aws.performanceInsights.key": {policy: "aws-permissions-keys.json", allows: []string{"kms:CreateGrant key", "kms:DescribeKey key"}},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Monitoring.OS.Enabling.html: who turns monitoring on hands the role to RDS
	"aws Database aws.monitoring.roleARN": {policy: "aws-permissions-monitoring.json", allows: []string{"iam:PassRole role"}},
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.S3Import.ARNRole.html: who associates a role hands it to RDS
	"aws Database aws.associatedRoles": {policy: "aws-permissions-monitoring.json", allows: []string{"iam:PassRole role"}},
	// https://cloud.google.com/sql/docs/postgres/configure-private-ip: who sets up private services access needs permissions, not who names the network
	"gcp Database gcp.privateNetwork":   {},
	"gcp Database gcp.allocatedIPRange": {},
	// https://cloud.google.com/sql/docs/postgres/configure-private-service-connect (user roles): who makes endpoints and DNS records needs permissions. Where Cloud
	// SQL makes them, the service connection policy of the network allows it.
	"gcp Database gcp.pscConfig.allowedConsumerProjects": {},
	"gcp Database gcp.pscConfig.autoConnectionNetworks":  {},
	"gcp Database gcp.pscConfig.networkAttachmentURI":    {},
	// https://cloud.google.com/sql/docs/postgres/configure-cmek
	"gcp Database encryption.key": {role: "gcp-sa-cloud-sql.iam.gserviceaccount.com"},
	// https://cloud.google.com/storage/docs/requester-pays#requirements: the field names no object, and yet takes a permission beyond calls
	"gcp Bucket requesterPays": {role: "serviceusage.services.use"},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/enable-server-access-logging.html
	"aws Bucket logging.bucket": {role: "logging.s3.amazonaws.com"},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html#example-bucket-policies-s3-inventory-1
	"aws Bucket aws.analytics": {role: "s3:PutObject"},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/configure-inventory.html#configure-inventory-kms-key-policy
	"aws Bucket aws.inventory": {role: "kms:GenerateDataKey"},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/grant-destinations-permissions-to-s3.html
	"aws Bucket aws.notifications.queues":    {role: "sqs:SendMessage"},
	"aws Bucket aws.notifications.topics":    {role: "sns:Publish"},
	"aws Bucket aws.notifications.functions": {role: "lambda:InvokeFunction"},
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html (Permissions): who sets rules hands the role to S3
	"aws Bucket aws.replication.role": {policy: "aws-permissions-replication.json", allows: []string{"iam:PassRole role"}},
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html: the role needs the bucket and the key, and not who names them
	"aws Bucket aws.replication.rules": {role: "s3:ReplicateObject"},
	// https://cloud.google.com/storage/docs/access-logs
	"gcp Bucket logging.bucket": {role: "cloud-storage-analytics@google.com"},
	// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html: whoever lets others in needs no permission on them
	"aws Bucket aws.policy": {role: "s3:PutBucketPolicy"},
	// https://cloud.google.com/storage/docs/access-control/iam-json: whoever lets others in needs no permission on them
	"gcp Bucket gcp.iamBindings": {role: "storage.buckets.setIamPolicy"},
	// https://cloud.google.com/storage/docs/update-ip-filter (required roles): the calls are those of the bucket. Whoever names a network needs no permission on it
	"gcp Bucket gcp.ipFilter.networks": {role: "storage.buckets.setIpFilter"},
	// https://cloud.google.com/storage/docs/bypass-ip-filter: a filter that is in force keeps Mooring out without it
	"gcp Bucket gcp.ipFilter.mode": {role: "storage.buckets.exemptFromIpFilter"},
	// https://cloud.google.com/storage/docs/reporting-changes#prereqs
	"gcp Bucket gcp.notifications": {role: "roles/pubsub.publisher"},
	// https://cloud.google.com/storage/docs/encryption/using-customer-managed-keys
	"gcp Bucket encryption.key": {role: "gs-project-accounts.iam.gserviceaccount.com"},
}

// TestPoliciesKnowFields demands that what a field takes beyond calls is known, and allowed or told.
func TestPoliciesKnowFields(t *testing.T) {
	folder := filepath.Join(root(t), "docs", "guides")
	guide := files(t, folder, ".md")[filepath.Join(folder, "identities.md")]
	for _, d := range []driver.Description{aws.New(aws.Options{}).Describe(), gcp.New(gcp.Options{}).Describe()} {
		for _, r := range d.Resources {
			for _, f := range r.Fields {
				of := strings.Join([]string{d.Name, r.Kind, f.Field}, " ")
				need, known := fieldNeeds[of]
				if f.Refers == "" && !known {
					continue
				}
				if !known {
					t.Errorf("%s names another cloud object: say in this test what that takes beyond calls, and allow it in config/samples/iam", of)
				}
				if need.policy != "" {
					if diff := cmp.Diff(need.allows, policy(t, need.policy).allows()); diff != "" || !strings.Contains(guide, need.policy) {
						t.Errorf("%s: %s has to be in identities.md, and to allow what it takes: -needed +allowed:\n%s", of, need.policy, diff)
					}
				}
				if !strings.Contains(guide, need.role) {
					t.Errorf("%s: identities.md does not name %s", of, need.role)
				}
			}
		}
	}
	if len(fieldNeeds) == 0 || slices.Contains(together(t, own).actions(), "kms:CreateGrant") {
		t.Error("what only some fields take is allowed to everybody")
	}
}

// Who has RDS manage a password needs permissions beyond RDS's, and nobody gets the one that reads passwords.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html (Permissions required for Secrets Manager integration)
func TestPoliciesKnowManagedPasswords(t *testing.T) {
	const sample = "aws-permissions-passwords.json"
	want := []string{"kms:DescribeKey key", "secretsmanager:CreateSecret secret", "secretsmanager:TagResource secret"}
	if diff := cmp.Diff(want, policy(t, sample).allows()); diff != "" {
		t.Errorf("%s: -needed +allowed:\n%s", sample, diff)
	}
	folder := filepath.Join(root(t), "docs", "guides")
	if guide := files(t, folder, ".md")[filepath.Join(folder, "identities.md")]; !strings.Contains(guide, sample) {
		t.Errorf("identities.md does not name %s", sample)
	}
	for path := range policies(t) { // policy itself demands that actions are named in full
		name := filepath.Base(path)
		if strings.HasPrefix(name, "aws-") && slices.Contains(policy(t, name).actions(), "secretsmanager:GetSecretValue") {
			t.Errorf("%s lets Mooring read passwords", path)
		}
	}
}
