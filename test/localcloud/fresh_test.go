package localcloud

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
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
		clock.advance(5 * time.Second)
		wantCode(t, put(), "")
	})
	t.Run("RDS", func(t *testing.T) {
		cloud, clock := startAWS(t, Durations{})
		client, role := rdsClient(cloud, ownAccount, "eu-west-1"), "arn:aws:iam::"+ownAccount+":role/"+roleOfMonitoring
		monitored := func(in *rds.CreateDBInstanceInput) {
			in.MonitoringInterval, in.MonitoringRoleArn = new(int32(60)), &role
		}
		cloud.MakeIdentity(role, 5*time.Second)
		_, err := client.CreateDBInstance(t.Context(), someInstance("orders", monitored))
		wantCode(t, err, "InvalidParameterValue")
		clock.advance(5 * time.Second)
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
		g.clock.advance(5 * time.Second)
		wantGCP(t, put(), 0, "")
	})
}
