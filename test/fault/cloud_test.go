package fault

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// inCloud returns the names of all buckets and instances of an account, by the clouds' own clients.
func inCloud(t testing.TB, cloud *localcloud.Cloud, provider, account string) []string {
	t.Helper()
	list := inAWS
	if provider == "gcp" {
		list = inGCP
	}
	names, err := list(t.Context(), cloud, account)
	if err != nil {
		t.Fatalf("list what account %s has: %v", account, err)
	}
	slices.Sort(names)
	return names
}

func inAWS(ctx context.Context, cloud *localcloud.Cloud, account string) (names []string, err error) {
	id, secret := cloud.AWSKeys(account)
	cfg := aws.Config{
		Region: system.AWSRegion, BaseEndpoint: aws.String(cloud.AWSEndpoint()),
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
	}
	buckets, err := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }).ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil {
		return nil, err
	}
	for _, b := range buckets.Buckets {
		names = append(names, aws.ToString(b.Name))
	}
	instances, err := rds.NewFromConfig(cfg).DescribeDBInstances(ctx, &rds.DescribeDBInstancesInput{})
	if err != nil {
		return nil, err
	}
	for _, i := range instances.DBInstances {
		names = append(names, aws.ToString(i.DBInstanceIdentifier))
	}
	return names, nil
}

func inGCP(ctx context.Context, cloud *localcloud.Cloud, project string) (names []string, err error) {
	key, err := google.JWTConfigFromJSON(cloud.GCPKey(project), storage.CloudPlatformScope)
	if err != nil {
		return nil, err
	}
	client := option.WithHTTPClient(key.Client(context.WithValue(ctx, oauth2.HTTPClient, http.DefaultClient)))
	buckets, err := storage.NewService(ctx, client, option.WithEndpoint(cloud.GCPEndpoint()+"/storage/v1/"))
	if err != nil {
		return nil, err
	}
	list, err := buckets.Buckets.List(project).Context(ctx).Do()
	if err != nil {
		return nil, err
	}
	for _, b := range list.Items {
		names = append(names, b.Name)
	}
	sql, err := sqladmin.NewService(ctx, client, option.WithEndpoint(cloud.GCPEndpoint()+"/"))
	if err != nil {
		return nil, err
	}
	instances, err := sql.Instances.List(project).Context(ctx).Do()
	if err != nil {
		return nil, err
	}
	for _, i := range instances.Items {
		names = append(names, i.Name)
	}
	return names, nil
}
