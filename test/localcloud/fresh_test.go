package localcloud

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"google.golang.org/api/sqladmin/v1"

	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
)

// The clouds do not see an identity everywhere that was made a moment ago: what names it is refused, and taken later.
func TestIdentitiesOfAMomentAgo(t *testing.T) {
	t.Run("S3", func(t *testing.T) {
		cloud, clock := startAWS(t, Durations{})
		client, name := s3Client(cloud, ownAccount, "eu-west-1"), new("policies")
		makeBucket(t, client, *name)
		put := func() error {
			_, err := client.PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: name, Policy: new(
				`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111111111111:role/new"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::policies/*"}]}`)})
			return err
		}
		wantCode(t, put(), "")
		cloud.MakeIdentity("arn:aws:iam::111111111111:role/new", 5*time.Second)
		wantCode(t, put(), "MalformedPolicy")
		clock.Advance(5 * time.Second)
		wantCode(t, put(), "")
	})
	t.Run("RDS", func(t *testing.T) {
		cloud, clock := startAWS(t, Durations{})
		client, role := rdsClient(cloud, ownAccount, "eu-west-1"), "arn:aws:iam::"+ownAccount+":role/"+localrds.RoleOfMonitoring
		monitored := func(in *rds.CreateDBInstanceInput) {
			in.MonitoringInterval, in.MonitoringRoleArn = new(int32(60)), &role
		}
		cloud.MakeIdentity(role, 5*time.Second)
		_, err := client.CreateDBInstance(t.Context(), someInstance("orders", monitored))
		wantCode(t, err, "InvalidParameterValue")
		clock.Advance(5 * time.Second)
		_, err = client.CreateDBInstance(t.Context(), someInstance("orders", monitored))
		wantCode(t, err, "")
	})
	t.Run("Cloud Storage", func(t *testing.T) {
		g := startGCP(t, Options{})
		wantGCP(t, g.send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-read","location":"EU","iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}}`, nil), 0, "")
		const member = "serviceAccount:new@acme.iam.gserviceaccount.com"
		put := func() error {
			return g.send(t, "PUT", "/storage/v1/b/acme-read/iam", fmt.Sprintf(`{"bindings":[{"role":"roles/storage.objectViewer","members":[%q]}]}`, member), nil)
		}
		g.MakeIdentity(member, 5*time.Second)
		wantGCP(t, put(), 400, "invalid")
		g.clock.Advance(5 * time.Second)
		wantGCP(t, put(), 0, "")
	})
}

// lag is how long the clouds do not see a grant.
const lag = 5 * time.Second

// A service refuses a key that was granted to it a moment ago, for a new object and for another key of an old one, and takes it later. What has a key already is not looked at again.
func TestKeysOfAMomentAgo(t *testing.T) {
	t.Run("RDS", func(t *testing.T) {
		cloud, clock := startAWS(t, Durations{})
		client, key := rdsClient(cloud, ownAccount, "eu-west-1"), "arn:aws:kms:eu-west-1:"+ownAccount+":key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
		create := func(name, key string) error {
			_, err := client.CreateDBInstance(t.Context(), someInstance(name, func(in *rds.CreateDBInstanceInput) {
				in.StorageEncrypted, in.KmsKeyId = new(true), &key
			}))
			return err
		}
		cloud.GrantKey(key, lag)
		cloud.GrantKey("alias/new", lag)
		wantCode(t, create("by-arn", key), "KMSKeyNotAccessibleFault")
		wantCode(t, create("by-id", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"), "KMSKeyNotAccessibleFault")
		wantCode(t, create("by-alias", "alias/new"), "KMSKeyNotAccessibleFault")
		wantCode(t, create("other", "alias/old"), "")
		clock.Advance(lag)
		wantCode(t, create("by-arn", key), "")
		wantCode(t, create("by-alias", "alias/new"), "")
	})
	t.Run("S3", func(t *testing.T) { // looks at the key with the first object
		cloud, _ := startAWS(t, Durations{})
		client, name, key := s3Client(cloud, ownAccount, "eu-west-1"), "encrypted", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
		makeBucket(t, client, name)
		cloud.GrantKey(key, lag)
		_, err := client.PutBucketEncryption(t.Context(), &s3.PutBucketEncryptionInput{Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
			Rules: []s3types.ServerSideEncryptionRule{{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: "aws:kms", KMSMasterKeyID: &key}}},
		}})
		wantCode(t, err, "")
	})
}

// So do the services of Google Cloud.
func TestKeysOfGoogleOfAMomentAgo(t *testing.T) {
	const key = "projects/acme/locations/europe-west1/keyRings/ring/cryptoKeys/new"
	t.Run("Cloud Storage", func(t *testing.T) {
		g := startGCP(t, Options{})
		body := fmt.Sprintf(`"location":"EUROPE-WEST1","encryption":{"defaultKmsKeyName":%q}}`, key)
		create := func(name string) error {
			return g.send(t, "POST", "/storage/v1/b?project=acme", `{"name":"`+name+`",`+body, nil)
		}
		patch := func(body string) error { return g.send(t, "PATCH", "/storage/v1/b/acme-old", body, nil) }
		wantGCP(t, g.send(t, "POST", "/storage/v1/b?project=acme", `{"name":"acme-old","location":"EUROPE-WEST1"}`, nil), 0, "")
		g.GrantKey(key, lag)
		wantGCP(t, create("acme-new"), 403, "forbidden")
		wantGCP(t, patch(`{`+body), 403, "forbidden")
		g.clock.Advance(lag)
		wantGCP(t, create("acme-new"), 0, "")
		wantGCP(t, patch(fmt.Sprintf(`{"encryption":{"defaultKmsKeyName":%q}}`, key)), 0, "")
		g.GrantKey(key, lag)
		wantGCP(t, patch(`{"labels":{"team":"shop"}}`), 0, "")
	})
	t.Run("Cloud SQL", func(t *testing.T) {
		g := startGCP(t, Options{})
		create := func() error {
			in := orders()
			in.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: key}
			_, err := g.sql.Instances.Insert("acme", in).Do()
			return err
		}
		g.GrantKey(key, lag)
		wantGCP(t, create(), 403, "forbidden")
		g.clock.Advance(lag)
		wantGCP(t, create(), 0, "")
	})
}
