package localcloud_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// The clouds do not see an identity everywhere that was made a moment ago: what names it is refused, and taken later.
func TestIdentitiesOfAMomentAgo(t *testing.T) {
	t.Run("S3", func(t *testing.T) {
		cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
		client, name := sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), new("policies")
		sdk.MakeBucket(t, client, *name)
		put := func() error {
			_, err := client.PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: name, Policy: new(
				`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111111111111:role/new"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::policies/*"}]}`)})
			return err
		}
		sdk.WantCode(t, put(), "")
		cloud.MakeIdentity("arn:aws:iam::111111111111:role/new", 5*time.Second)
		sdk.WantCode(t, put(), "MalformedPolicy")
		clock.Advance(5 * time.Second)
		sdk.WantCode(t, put(), "")
	})
	t.Run("RDS", func(t *testing.T) {
		cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
		client, role := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), "arn:aws:iam::"+sdk.OwnAccount+":role/"+localrds.RoleOfMonitoring
		monitored := func(in *rds.CreateDBInstanceInput) {
			in.MonitoringInterval, in.MonitoringRoleArn = new(int32(60)), &role
		}
		cloud.MakeIdentity(role, 5*time.Second)
		_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders", monitored))
		sdk.WantCode(t, err, "InvalidParameterValue")
		clock.Advance(5 * time.Second)
		_, err = client.CreateDBInstance(t.Context(), sdk.SomeInstance("orders", monitored))
		sdk.WantCode(t, err, "")
	})
	t.Run("Cloud Storage", func(t *testing.T) {
		g := sdk.StartGCP(t, localcloud.Options{})
		sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-read","location":"EU","iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}}`, nil), 0, "")
		const member = "serviceAccount:new@acme.iam.gserviceaccount.com"
		put := func() error {
			return g.Send(t, "PUT", "/storage/v1/b/acme-read/iam", fmt.Sprintf(`{"bindings":[{"role":"roles/storage.objectViewer","members":[%q]}]}`, member), nil)
		}
		g.MakeIdentity(member, 5*time.Second)
		sdk.WantGCP(t, put(), 400, "invalid")
		g.Clock.Advance(5 * time.Second)
		sdk.WantGCP(t, put(), 0, "")
	})
}

// lag is how long the clouds do not see a grant.
const lag = 5 * time.Second

// A service refuses a key that was granted to it a moment ago, for a new object and for another key of an old one, and takes it later. What has a key already is not looked at again.
func TestKeysOfAMomentAgo(t *testing.T) {
	t.Run("RDS", func(t *testing.T) {
		cloud, clock := sdk.StartAWS(t, localcloud.Durations{})
		client, key := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), "arn:aws:kms:eu-west-1:"+sdk.OwnAccount+":key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
		create := func(name, key string) error {
			_, err := client.CreateDBInstance(t.Context(), sdk.SomeInstance(name, func(in *rds.CreateDBInstanceInput) {
				in.StorageEncrypted, in.KmsKeyId = new(true), &key
			}))
			return err
		}
		cloud.GrantKey(key, lag)
		cloud.GrantKey("alias/new", lag)
		sdk.WantCode(t, create("by-arn", key), "KMSKeyNotAccessibleFault")
		sdk.WantCode(t, create("by-id", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"), "KMSKeyNotAccessibleFault")
		sdk.WantCode(t, create("by-alias", "alias/new"), "KMSKeyNotAccessibleFault")
		sdk.WantCode(t, create("other", "alias/old"), "")
		clock.Advance(lag)
		sdk.WantCode(t, create("by-arn", key), "")
		sdk.WantCode(t, create("by-alias", "alias/new"), "")
	})
	t.Run("S3", func(t *testing.T) { // looks at the key with the first object
		cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
		client, name, key := sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "encrypted", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
		sdk.MakeBucket(t, client, name)
		cloud.GrantKey(key, lag)
		_, err := client.PutBucketEncryption(t.Context(), &s3.PutBucketEncryptionInput{Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: "aws:kms", KMSMasterKeyID: &key}}},
		}})
		sdk.WantCode(t, err, "")
	})
}

// So do the services of Google Cloud.
func TestKeysOfGoogleOfAMomentAgo(t *testing.T) {
	const key = "projects/acme/locations/europe-west1/keyRings/ring/cryptoKeys/new"
	t.Run("Cloud Storage", func(t *testing.T) {
		g := sdk.StartGCP(t, localcloud.Options{})
		body := fmt.Sprintf(`"location":"EUROPE-WEST1","encryption":{"defaultKmsKeyName":%q}}`, key)
		create := func(name string) error {
			return g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"`+name+`",`+body, nil)
		}
		patch := func(body string) error { return g.Send(t, "PATCH", "/storage/v1/b/acme-old", body, nil) }
		sdk.WantGCP(t, g.Send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-old","location":"EUROPE-WEST1"}`, nil), 0, "")
		g.GrantKey(key, lag)
		sdk.WantGCP(t, create("acme-new"), 403, "forbidden")
		sdk.WantGCP(t, patch(`{`+body), 403, "forbidden")
		g.Clock.Advance(lag)
		sdk.WantGCP(t, create("acme-new"), 0, "")
		sdk.WantGCP(t, patch(fmt.Sprintf(`{"encryption":{"defaultKmsKeyName":%q}}`, key)), 0, "")
		g.GrantKey(key, lag)
		sdk.WantGCP(t, patch(`{"labels":{"team":"shop"}}`), 0, "")
	})
	t.Run("Cloud SQL", func(t *testing.T) {
		g := sdk.StartGCP(t, localcloud.Options{})
		create := func() error {
			in := sdk.Orders()
			in.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: key}
			_, err := g.SQL.Instances.Insert("acme", in).Do()
			return err
		}
		g.GrantKey(key, lag)
		sdk.WantGCP(t, create(), 403, "forbidden")
		g.Clock.Advance(lag)
		sdk.WantGCP(t, create(), 0, "")
	})
}
