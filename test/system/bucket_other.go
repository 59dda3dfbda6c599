package system

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// OtherBucket declares all that a bucket can have, each field with another value than FullBucket, so that one can be edited into the other. Most of
// its values are not those of a new bucket.
func OtherBucket(c *Cloud) v1alpha1.BucketParameters {
	other := v1alpha1.BucketParameters{
		Location:      new(c.Region()),
		Versioning:    new(v1alpha1.VersioningSuspended),
		PublicAccess:  new(v1alpha1.PublicAccessAllowed),
		Encryption:    &v1alpha1.Encryption{Key: new(c.Key("b"))},
		Tags:          map[string]v1alpha1.TagValue{"team": "b", "cost": "1"},
		ForceDestroy:  new(true),
		RequesterPays: new(true),
		Lifecycle:     []v1alpha1.LifecycleRule{{Name: "rule-2", Prefix: new("tmp/"), ExpireAfterDays: new(int32(30))}},
		Website:       &v1alpha1.BucketWebsite{IndexDocument: new("home.html"), ErrorDocument: new("lost.html")},
		Logging:       &v1alpha1.BucketLogging{Bucket: new("audit-logs-" + c.Region()), Prefix: new("pictures/")},
		CORS:          []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "PUT"}}},
	}
	switch c.Name {
	case "aws":
		notifications := fullNotifications(c)
		notifications.EventBridge = new(false)
		notifications.Queues[0].Prefix, notifications.Topics[0].Suffix, notifications.Functions[0].Name = new("tmp/"), new(".jpg"), "labels"
		other.AWS = &v1alpha1.BucketAWS{
			ObjectOwnership: new("BucketOwnerPreferred"), BucketKey: new(true), BlockedEncryptionTypes: []string{"SSE-C"}, TransferAcceleration: new("Enabled"), ObjectLock: new(false),
			Notifications: notifications,
			Replication:   &v1alpha1.BucketReplicationAWS{Role: new("arn:aws:iam::" + c.Account + ":role/other-replication"), Rules: []v1alpha1.ReplicationRuleAWS{}}, // S3 copies versions
			Policy: []v1alpha1.PolicyStatement{{
				Sid: "LetReportsRead", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"arn:aws:iam::222222222222:root"}},
				Actions: []string{"s3:GetObject"}, Resources: []string{"/reports/*"},
			}},
		}
		nameConfigurations(c, other.AWS, "pictures/")
	case "gcp":
		other.GCP = &v1alpha1.BucketGCP{
			StorageClass: new("NEARLINE"), SoftDeleteDays: new(int32(30)), UniformAccess: new(false), DefaultEventBasedHold: new(true),
			Autoclass: &v1alpha1.BucketAutoclass{Enabled: new(false)}, RPO: new("DEFAULT"), HierarchicalNamespace: new(false),
			IAMBindings:   []v1alpha1.BucketIAMBinding{{Role: "roles/storage.objectViewer", Members: []string{"user:jane@example.com"}}},
			Notifications: []v1alpha1.BucketNotificationGCP{{Topic: "projects/mooring-test/topics/audit", EventTypes: []string{"OBJECT_DELETE"}, PayloadFormat: new("NONE")}},
			IPFilter: &v1alpha1.BucketIPFilter{
				Mode: new("Enabled"), PublicCIDRs: []string{"198.51.100.0/24"}, AllowCrossOrgNetworks: new(true), AllowAllServiceAgents: new(true),
				Networks: []v1alpha1.BucketIPFilterNetwork{{Network: "projects/" + GCPProject + "/global/networks/shop", AllowedCIDRs: []string{"10.0.0.0/8"}}},
			},
		}
	}
	return other
}
