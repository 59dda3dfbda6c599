package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// contents lists a bucket's versions, page by page, as "key latest" and "key marker".
func contents(t *testing.T, client *s3.Client, bucket string, pageSize int32) (versions []string, found []types.ObjectIdentifier) {
	t.Helper()
	pages := s3.NewListObjectVersionsPaginator(client, &s3.ListObjectVersionsInput{Bucket: &bucket, MaxKeys: &pageSize})
	for pages.HasMorePages() {
		page := check.Need(pages.NextPage(context.Background()))(t)
		for _, v := range page.Versions {
			versions = append(versions, fmt.Sprint(*v.Key, " ", *v.IsLatest))
			found = append(found, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
		}
		for _, m := range page.DeleteMarkers {
			versions = append(versions, fmt.Sprint(*m.Key, " marker ", *m.IsLatest))
			found = append(found, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
		}
	}
	return versions, found
}

// A bucket can be deleted once no object, version, delete marker or upload is left in it.
func TestS3BucketNotEmpty(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("full")
	sdk.MakeBucket(t, client, *name)
	put := func(key, body string) {
		t.Helper()
		check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: &key, Body: strings.NewReader(body)}))(t)
	}
	remove := func() error {
		_, err := client.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
		return err
	}
	put("a", "one")
	check.Need(client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: "Enabled"},
	}))(t)
	put("a", "two")
	put("b", "three")
	check.Need(client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: aws.String("b")}))(t)
	upload := check.Need(client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: name, Key: aws.String("c")}))(t)
	sdk.WantCode(t, remove(), "BucketNotEmpty")

	list := check.Need(client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name}))(t)
	if len(list.Contents) != 1 || *list.Contents[0].Key != "a" || *list.Contents[0].Size != 3 {
		t.Errorf("got objects %v", list.Contents)
	}
	want := []string{"a true", "a false", "b marker true", "b false"}
	for _, pageSize := range []int32{1, 2, 3, 1000} {
		got, _ := contents(t, client, *name, pageSize)
		if diff := cmp.Diff(sortedCopy(want), sortedCopy(got)); diff != "" {
			t.Errorf("pages of %d: %s", pageSize, diff)
		}
	}
	_, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: name, Key: aws.String("b")})
	sdk.WantCode(t, err, "NoSuchKey")
	object := check.Need(client.GetObject(ctx, &s3.GetObjectInput{Bucket: name, Key: aws.String("a"), VersionId: aws.String("null")}))(t)
	if body := check.Need(io.ReadAll(object.Body))(t); string(body) != "one" {
		t.Errorf("got body %q", body)
	}

	_, all := contents(t, client, *name, 1000)
	check.Need(client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: name, Delete: &types.Delete{Objects: all}}))(t)
	if left, _ := contents(t, client, *name, 1000); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	sdk.WantCode(t, remove(), "BucketNotEmpty")
	uploads := check.Need(client.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: name}))(t).Uploads
	if len(uploads) != 1 || *uploads[0].UploadId != *upload.UploadId {
		t.Errorf("got uploads %v", uploads)
	}
	check.Need(client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: name, Key: upload.Key, UploadId: upload.UploadId}))(t)
	sdk.WantCode(t, remove(), "")
	sdk.WantCode(t, remove(), "NoSuchBucket")
}

// In a bucket whose versioning is suspended the version null comes and goes; the others stay.
func TestS3SuspendedVersioning(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("suspended")
	sdk.MakeBucket(t, client, *name)
	for _, status := range []types.BucketVersioningStatus{"Enabled", "Suspended"} {
		check.Need(client.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
			Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: status},
		}))(t)
		for range 2 {
			check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: aws.String("a"), Body: strings.NewReader("x")}))(t)
		}
	}
	got, _ := contents(t, client, *name, 1000)
	if diff := cmp.Diff([]string{"a true", "a false", "a false"}, got); diff != "" {
		t.Error(diff)
	}
	for range 2 {
		out := check.Need(client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: aws.String("a")}))(t)
		if !*out.DeleteMarker || *out.VersionId != "null" {
			t.Errorf("got marker %v, version %s", *out.DeleteMarker, *out.VersionId)
		}
	}
	got, _ = contents(t, client, *name, 1000)
	if diff := cmp.Diff([]string{"a false", "a false", "a marker true"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestS3Delimiter(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("tree")
	sdk.MakeBucket(t, client, *name)
	for _, key := range []string{"a/1", "a/2", "b", "c d/+&<", "c d/2"} {
		check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: &key, Body: strings.NewReader(key)}))(t)
	}
	for _, pageSize := range []int32{1, 2, 1000} {
		var got []string
		pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: name, Delimiter: aws.String("/"), MaxKeys: &pageSize})
		for pages.HasMorePages() {
			page := check.Need(pages.NextPage(ctx))(t)
			for _, o := range page.Contents {
				got = append(got, *o.Key)
			}
			for _, p := range page.CommonPrefixes {
				got = append(got, *p.Prefix)
			}
		}
		if diff := cmp.Diff([]string{"a/", "b", "c d/"}, sortedCopy(got)); diff != "" {
			t.Errorf("pages of %d: %s", pageSize, diff)
		}
	}
	head := check.Need(client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: name, Key: aws.String("c d/+&<")}))(t)
	if *head.ContentLength != 7 {
		t.Errorf("got length %d", *head.ContentLength)
	}
}

// Every way in which SDKs send a body must be understood, and a body that was changed on the way refused.
func TestS3Payloads(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, name := context.Background(), aws.String("payloads")
	sdk.MakeBucket(t, sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), *name)
	config := sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")
	for label, options := range map[string]func(*s3.Options){
		"signed":             func(*s3.Options) {},
		"without a checksum": func(o *s3.Options) { o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired },
		"unsigned":           s3.WithAPIOptions(v4.SwapComputePayloadSHA256ForUnsignedPayloadMiddleware),
		"virtual-host style": func(o *s3.Options) {
			o.BaseEndpoint = aws.String(strings.Replace(cloud.AWSEndpoint(), "127.0.0.1", "localhost", 1))
			o.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if !strings.HasPrefix(address, "payloads.localhost:") {
					t.Errorf("the SDK calls %q", address)
				}
				return new(net.Dialer).DialContext(ctx, network, cloud.AWSAddress)
			}}}
		},
	} {
		t.Run(label, func(t *testing.T) {
			client := s3.NewFromConfig(config, options)
			body := bytes.Repeat([]byte("0123456789"), 1000)
			check.Need(client.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: aws.String("k"), Body: bytes.NewReader(body)}))(t)
			out := check.Need(client.GetObject(ctx, &s3.GetObjectInput{Bucket: name, Key: aws.String("k")}))(t)
			if got := check.Need(io.ReadAll(out.Body))(t); !bytes.Equal(got, body) {
				t.Errorf("got %d bytes, want %d", len(got), len(body))
			}
		})
	}
}
