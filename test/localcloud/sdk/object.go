package sdk

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// SomeInstance is a valid request to create an instance, changed by edits.
func SomeInstance(name string, edits ...func(*rds.CreateDBInstanceInput)) *rds.CreateDBInstanceInput {
	in := &rds.CreateDBInstanceInput{
		DBInstanceIdentifier: aws.String(name), Engine: aws.String("postgres"), EngineVersion: aws.String("16.3"),
		DBInstanceClass: aws.String("db.t4g.micro"), AllocatedStorage: aws.Int32(50), StorageType: aws.String("gp3"),
		MasterUsername: aws.String("mooring"), MasterUserPassword: aws.String("correct-horse"),
		Tags: []types.Tag{{Key: aws.String("owner"), Value: aws.String("me")}},
	}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// Describe returns an instance that must be there.
func Describe(t *testing.T, client *rds.Client, name string) types.DBInstance {
	t.Helper()
	out := check.Need(client.DescribeDBInstances(context.Background(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(name)}))(t)
	return out.DBInstances[0]
}

// WantInstance checks the status of an instance that must be there, and returns it.
func WantInstance(t *testing.T, client *rds.Client, name, status string) types.DBInstance {
	t.Helper()
	db := Describe(t, client, name)
	if *db.DBInstanceStatus != status {
		t.Errorf("got status %q, want %q", *db.DBInstanceStatus, status)
	}
	return db
}

// AwaitStatus waits for the status of an instance, for servers take real time. An empty one is that of an instance that is gone.
func AwaitStatus(t *testing.T, client *rds.Client, name, status string) types.DBInstance {
	t.Helper()
	var found types.DBInstance
	check.Await(t, fmt.Sprintf("instance %s to be %q", name, status), func() (bool, string) {
		out, err := client.DescribeDBInstances(context.Background(), &rds.DescribeDBInstancesInput{DBInstanceIdentifier: aws.String(name)})
		var gone *types.DBInstanceNotFoundFault
		switch {
		case errors.As(err, &gone) && status == "":
			return true, ""
		case err != nil:
			t.Fatal(err)
		}
		found = out.DBInstances[0]
		return *found.DBInstanceStatus == status, *found.DBInstanceStatus
	})
	return found
}

// SomeReplica is a valid request to create a replica, changed by edits.
func SomeReplica(name, source string, edits ...func(*rds.CreateDBInstanceReadReplicaInput)) *rds.CreateDBInstanceReadReplicaInput {
	in := &rds.CreateDBInstanceReadReplicaInput{DBInstanceIdentifier: aws.String(name), SourceDBInstanceIdentifier: aws.String(source)}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// Setting is a value of a parameter, and when it takes effect.
func Setting(name, value string, method types.ApplyMethod) types.Parameter {
	return types.Parameter{ParameterName: &name, ParameterValue: &value, ApplyMethod: method}
}

// MakeBucket makes a bucket of the own account in eu-west-1.
func MakeBucket(t *testing.T, client *s3.Client, name string) {
	t.Helper()
	_, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{
		Bucket: aws.String(name), CreateBucketConfiguration: &s3types.CreateBucketConfiguration{LocationConstraint: "eu-west-1"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// When a parameter takes effect.
const (
	Immediate = types.ApplyMethodImmediate
	AtRestart = types.ApplyMethodPendingReboot
)
