package localcloud_test

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestS3AsRecorded holds what recordings of S3 taught. A call is in us-east-1, where the bucket "made" is, unless it names a region.
func TestS3AsRecorded(t *testing.T) {
	made, missing := aws.String("made"), aws.String("missing")
	in := func(name, constraint string, tags ...types.Tag) *s3.CreateBucketInput {
		return &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &types.CreateBucketConfiguration{
			LocationConstraint: types.BucketLocationConstraint(constraint), Tags: tags}}
	}
	tag := types.Tag{Key: aws.String("a"), Value: aws.String("b")}
	noRules := &types.ServerSideEncryptionConfiguration{Rules: []types.ServerSideEncryptionRule{}}
	for name, test := range map[string]struct {
		region string
		call   any
		code   string   // empty: it succeeds
		detail []string // what the error says beside
	}{
		"a region that does not exist, at another's endpoint": {"eu-west-1", in("new-b1", "bar"), "IllegalLocationConstraintException", []string{"The bar location"}},
		"EU at another's endpoint":                            {"us-east-2", in("new-b2", "EU"), "IllegalLocationConstraintException", []string{"The EU location"}},
		"a region that does not exist":                        {"us-east-1", in("new-b3", "foo"), "InvalidLocationConstraint", []string{"<LocationConstraint>foo<"}},
		"own again without tags":                              {"us-east-1", in("made", ""), "", nil},
		"own again with tags":                                 {"us-east-1", in("made", "", tag), "BucketAlreadyOwnedByYou", []string{"<BucketName>made<"}},
		"a system tag at creation":                            {"us-east-1", in("new-b4", "", types.Tag{Key: aws.String("aws:x"), Value: aws.String("y")}), "InvalidTag", []string{"reserved for system tags"}},
		"a bad value of a tag":                                {"us-east-1", in("new-b5", "", types.Tag{Key: aws.String("x"), Value: aws.String("y,z")}), "InvalidTag", []string{"<TagKey>x<", "<TagValue>y,z<"}},
		"an ownership that does not exist":                    {"us-east-1", &s3.CreateBucketInput{Bucket: aws.String("new-b6"), ObjectOwnership: "X"}, "InvalidArgument", []string{"<ArgumentName>x-amz-object-ownership<"}},
		"no tags":                                             {"us-east-1", &s3.PutBucketTaggingInput{Bucket: made, Tagging: &types.Tagging{TagSet: []types.Tag{}}}, "", nil},
		"no tags of no bucket":                                {"us-east-1", &s3.PutBucketTaggingInput{Bucket: missing, Tagging: &types.Tagging{TagSet: []types.Tag{}}}, "NoSuchBucket", []string{"<BucketName>missing<"}},
		"no rules of no bucket":                               {"us-east-1", &s3.PutBucketEncryptionInput{Bucket: missing, ServerSideEncryptionConfiguration: noRules}, "NoSuchBucket", nil},
		"a versioning that does not exist":                    {"us-east-1", &s3.PutBucketVersioningInput{Bucket: made, VersioningConfiguration: &types.VersioningConfiguration{Status: "enabled"}}, "MalformedXML", nil},
		"no versioning":                                       {"us-east-1", &s3.PutBucketVersioningInput{Bucket: made, VersioningConfiguration: &types.VersioningConfiguration{}}, "IllegalVersioningConfigurationException", nil},
		"a bucket with an object":                             {"us-east-1", &s3.DeleteBucketInput{Bucket: made}, "BucketNotEmpty", []string{"<BucketName>made<"}},
		"an owner that is no account":                         {"us-east-1", &s3.GetBucketTaggingInput{Bucket: made, ExpectedBucketOwner: aws.String("abcd")}, "InvalidBucketOwnerAWSAccountID", []string{"[abcd]"}},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
			home := sdk.S3(cloud, sdk.OwnAccount, "us-east-1")
			check.Need(home.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: made}))(t)
			check.Need(home.PutObject(context.Background(), &s3.PutObjectInput{Bucket: made, Key: aws.String("k"), Body: strings.NewReader("v")}))(t)
			body := ""
			client := s3.New(sdk.S3(cloud, sdk.OwnAccount, test.region).Options(), func(o *s3.Options) {
				o.HTTPClient = doer(func(r *http.Request) (*http.Response, error) {
					response, err := http.DefaultClient.Do(r)
					if err == nil {
						raw, _ := io.ReadAll(response.Body)
						body, response.Body = string(raw), io.NopCloser(strings.NewReader(string(raw)))
					}
					return response, err
				})
			})
			call := strings.TrimSuffix(reflect.TypeOf(test.call).Elem().Name(), "Input")
			results := reflect.ValueOf(client).MethodByName(call).Call([]reflect.Value{reflect.ValueOf(context.Background()), reflect.ValueOf(test.call)})
			err, _ := reflect.TypeAssert[error](results[1])
			sdk.WantCode(t, err, test.code)
			for _, text := range test.detail {
				if !strings.Contains(body, text) {
					t.Errorf("%q is not in %s", text, body)
				}
			}
		})
	}
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// TestS3ShapesAsRecorded holds what recordings show of buckets and versions beside what was asked for.
func TestS3ShapesAsRecorded(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, name := context.Background(), aws.String("european")
	client := sdk.S3(cloud, sdk.OwnAccount, "eu-west-1")
	made := check.Need(client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: name, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: "EU"}}))(t)
	if aws.ToString(made.BucketArn) != "arn:aws:s3:::european" || aws.ToString(made.Location) != "http://european.s3.amazonaws.com/" {
		t.Errorf("created as %s at %s", aws.ToString(made.BucketArn), aws.ToString(made.Location))
	}
	if at := check.Need(client.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: name}))(t); at.LocationConstraint != "EU" {
		t.Errorf("location is %s", at.LocationConstraint)
	}
	if list := check.Need(client.ListBuckets(ctx, &s3.ListBucketsInput{}))(t); aws.ToString(list.Buckets[0].BucketArn) != "arn:aws:s3:::european" {
		t.Errorf("listed as %v", list.Buckets[0].BucketArn)
	}
	check.Need(client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: "Suspended"}}))(t)
	if put := check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: aws.String("k")}))(t); put.VersionId != nil {
		t.Errorf("an upload while versioning is suspended names version %s", *put.VersionId)
	}
	check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: aws.String("other")}))(t)
	check.Need(client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: aws.String("k")}))(t)
	list := check.Need(client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: name}))(t)
	if list.Versions[0].Owner == nil || list.DeleteMarkers[0].Owner == nil {
		t.Errorf("versions are listed without their owners: %v", list)
	}
}

// TestRDSAsRecorded holds what recordings of RDS show of an instance beside what was asked for.
func TestRDSAsRecorded(t *testing.T) {
	cloud, clock := sdk.StartAWS(t, localcloud.Durations{Create: 8 * time.Minute})
	ctx, client := context.Background(), sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1")
	created := check.Need(client.CreateDBInstance(ctx, sdk.SomeInstance("orders", func(in *rds.CreateDBInstanceInput) {
		in.MultiAZ, in.BackupRetentionPeriod = aws.Bool(true), aws.Int32(7)
	})))(t).DBInstance
	if created.AvailabilityZone != nil || created.LatestRestorableTime != nil {
		t.Errorf("a new instance is in zone %v and can be restored to %v", aws.ToString(created.AvailabilityZone), created.LatestRestorableTime)
	}
	if created.DomainMemberships == nil || created.AssociatedRoles == nil {
		t.Errorf("domains %v, roles %v; RDS shows empty lists", created.DomainMemberships, created.AssociatedRoles)
	}
	clock.Advance(7 * time.Minute)
	if db := sdk.WantInstance(t, client, "orders", "backing-up"); db.LatestRestorableTime != nil {
		t.Errorf("can be restored to %v before its first backup", db.LatestRestorableTime)
	}
	clock.Advance(33 * time.Minute)
	db := sdk.WantInstance(t, client, "orders", "available")
	if aws.ToString(db.AvailabilityZone) == "" || aws.ToString(db.SecondaryAvailabilityZone) == "" || *db.AvailabilityZone == *db.SecondaryAvailabilityZone {
		t.Errorf("zones %v and %v", db.AvailabilityZone, db.SecondaryAvailabilityZone)
	}
	if want := clock.Now().Truncate(5 * time.Minute); db.LatestRestorableTime == nil || !db.LatestRestorableTime.Equal(want) {
		t.Errorf("can be restored to %v, want %v", db.LatestRestorableTime, want)
	}
}
