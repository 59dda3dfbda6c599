package localcloud_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// Each fault in the dialect of each service, and whether the call was committed.
func TestAWSFaults(t *testing.T) {
	type answer struct {
		status int
		code   string
	}
	for kind, test := range map[localcloud.FaultKind]struct {
		s3, rds   answer
		committed bool
	}{
		localcloud.Throttled:    {answer{503, "SlowDown"}, answer{400, "Throttling"}, false},
		localcloud.ServerError:  {answer{500, "InternalError"}, answer{500, "InternalFailure"}, false},
		localcloud.Denied:       {answer{403, "AccessDenied"}, answer{403, "AccessDenied"}, false},
		localcloud.Conflict:     {answer{409, "OperationAborted"}, answer{400, "InvalidDBInstanceState"}, false},
		localcloud.RequestLost:  {answer{}, answer{}, false},
		localcloud.ResponseLost: {answer{}, answer{}, true},
		localcloud.Hang:         {answer{}, answer{}, false},
		localcloud.Latency:      {answer{200, ""}, answer{200, ""}, true},
	} {
		t.Run(string(kind), func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			s3c, rdsc := sdk.S3(cloud, sdk.OwnAccount, "us-east-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
			check := func(call func(context.Context) error, want answer) {
				t.Helper()
				patience := 5 * time.Minute
				if kind == localcloud.Hang { // which nothing but the caller's patience ends
					patience = 200 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				err := call(ctx)
				var api smithy.APIError
				var response *smithyhttp.ResponseError
				switch {
				case want.status == http.StatusOK:
					sdk.WantCode(t, err, "")
				case want.status == 0:
					if err == nil || errors.As(err, &api) {
						t.Errorf("got %v, want no answer", err)
					}
				case !errors.As(err, &api) || !errors.As(err, &response):
					t.Errorf("got %v, want %v", err, want)
				case api.ErrorCode() != want.code || response.HTTPStatusCode() != want.status:
					t.Errorf("got %d %s, want %v", response.HTTPStatusCode(), api.ErrorCode(), want)
				}
			}
			lift := cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Write: localcloud.Writes}, Kind: kind, Delay: time.Millisecond})
			check(func(ctx context.Context) error {
				_, err := s3c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("faulty")})
				return err
			}, test.s3)
			check(func(ctx context.Context) error {
				_, err := rdsc.CreateDBInstance(ctx, sdk.SomeInstance("faulty"))
				return err
			}, test.rds)
			lift()
			_, err := s3c.HeadBucket(context.Background(), &s3.HeadBucketInput{Bucket: aws.String("faulty")})
			if (err == nil) != test.committed {
				t.Errorf("bucket: got %v, want it committed: %v", err, test.committed)
			}
			_, err = rdsc.DescribeDBInstances(context.Background(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String("faulty")})
			if (err == nil) != test.committed {
				t.Errorf("instance: got %v, want it committed: %v", err, test.committed)
			}
		})
	}
}

// A stale read answers from before the last write, and a stale list misses the newest.
func TestAWSStale(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx := context.Background()
	s3c, rdsc := sdk.S3(cloud, sdk.OwnAccount, "us-east-1"), sdk.RDS(cloud, sdk.OwnAccount, "us-east-1")
	stale := func() { cloud.Faults.Add(localcloud.Fault{Kind: localcloud.Stale, Times: 1}) }
	bucket, instance := aws.String("bucket"), aws.String("instance")

	check.Need(s3c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("older")}))(t)
	check.Need(s3c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: bucket}))(t)
	stale()
	_, err := s3c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket})
	sdk.WantCode(t, err, "NoSuchBucket")
	stale()
	if list := check.Need(s3c.ListBuckets(ctx, nil))(t); len(list.Buckets) != 1 || *list.Buckets[0].Name != "older" {
		t.Errorf("got buckets %v", list.Buckets)
	}
	check.Need(s3c.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket: bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: "Enabled"},
	}))(t)
	stale()
	if got := check.Need(s3c.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket}))(t).Status; got != "" {
		t.Errorf("stale: got %q", got)
	}
	check.Need(s3c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: bucket}))(t)
	stale()
	check.Need(s3c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: bucket}))(t)

	check.Need(rdsc.CreateDBInstance(ctx, sdk.SomeInstance("older")))(t)
	check.Need(rdsc.CreateDBInstance(ctx, sdk.SomeInstance("instance")))(t)
	stale()
	_, err = rdsc.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: instance})
	sdk.WantCode(t, err, "DBInstanceNotFound")
	stale()
	if list := check.Need(rdsc.DescribeDBInstances(ctx, nil))(t); len(list.DBInstances) != 1 {
		t.Errorf("got %d instances", len(list.DBInstances))
	}
	check.Need(rdsc.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: instance, BackupRetentionPeriod: aws.Int32(9)}))(t)
	stale()
	if got := sdk.Describe(t, rdsc, "instance"); *got.BackupRetentionPeriod != 1 {
		t.Errorf("stale: got retention %d", *got.BackupRetentionPeriod)
	}
	check.Need(rdsc.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{DBInstanceIdentifier: instance, SkipFinalSnapshot: aws.Bool(true)}))(t)
	_, err = rdsc.DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{DBInstanceIdentifier: instance})
	sdk.WantCode(t, err, "DBInstanceNotFound")
	stale()
	sdk.WantInstance(t, rdsc, "instance", "deleting")
}

// Operations that were accepted and end in an error.
func TestRDSFailLate(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("db")
	failNext := func() { cloud.Faults.Add(localcloud.Fault{Kind: localcloud.FailLate, Times: 1}) }
	remove := func(snapshot *string) error {
		_, err := client.DeleteDBInstance(ctx, &rds.DeleteDBInstanceInput{
			DBInstanceIdentifier: name, SkipFinalSnapshot: aws.Bool(snapshot == nil), FinalDBSnapshotIdentifier: snapshot,
		})
		return err
	}
	failNext()
	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	if db := sdk.WantInstance(t, client, "db", "failed"); db.Endpoint != nil {
		t.Errorf("a failed instance has the endpoint %v", db.Endpoint)
	}
	_, err := client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, BackupRetentionPeriod: aws.Int32(3)})
	sdk.WantCode(t, err, "InvalidDBInstanceState")
	sdk.WantCode(t, remove(aws.String("final")), "InvalidDBInstanceState")
	sdk.WantCode(t, remove(nil), "")

	check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("db")))(t)
	failNext()
	check.Need(client.ModifyDBInstance(ctx, &rds.ModifyDBInstanceInput{
		DBInstanceIdentifier: name, DBInstanceClass: aws.String("db.r6g.large"), ApplyImmediately: aws.Bool(true),
	}))(t)
	if db := sdk.WantInstance(t, client, "db", "available"); *db.DBInstanceClass != "db.t4g.micro" || db.PendingModifiedValues.DBInstanceClass != nil {
		t.Errorf("got class %s, pending %v", *db.DBInstanceClass, db.PendingModifiedValues)
	}
	password := &rds.ModifyDBInstanceInput{DBInstanceIdentifier: name, MasterUserPassword: aws.String("another-horse")}
	failNext()
	check.Need(client.ModifyDBInstance(ctx, password))(t)
	sdk.WantInstance(t, client, "db", "incompatible-credentials")
	check.Need(client.ModifyDBInstance(ctx, password))(t)
	sdk.WantInstance(t, client, "db", "available")
	// A deletion that fails leaves its final snapshot, whose name is taken then.
	for snapshot, code := range map[string]string{"available": "", "failed": "failed"} {
		cloud.Faults.Add(localcloud.Fault{Kind: localcloud.FailLate, Times: 1, Code: code})
		sdk.WantCode(t, remove(&snapshot), "")
		sdk.WantInstance(t, client, "db", "available")
		if got := check.Need(client.DescribeDBSnapshots(ctx, &rds.DescribeDBSnapshotsInput{DBSnapshotIdentifier: &snapshot}))(t).DBSnapshots[0].Status; *got != snapshot {
			t.Errorf("the final snapshot is %s, want %s", *got, snapshot)
		}
		sdk.WantCode(t, remove(&snapshot), "DBSnapshotAlreadyExists")
	}
}
