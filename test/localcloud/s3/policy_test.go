package s3_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func sortedCopy(s []string) []string { return slices.Sorted(slices.Values(s)) }

func TestS3Policy(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), aws.String("policy")
	sdk.MakeBucket(t, client, *name)
	put := func(policy string) error {
		_, err := client.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: name, Policy: &policy})
		return err
	}
	_, err := client.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: name})
	sdk.WantCode(t, err, "NoSuchBucketPolicy")

	statement := func(s string) string { return `{"Version":"2012-10-17","Statement":[` + s + `]}` }
	const (
		whole    = `"Resource":["arn:aws:s3:::policy","arn:aws:s3:::policy/*"]`
		everyone = `{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::policy/*"`
	)
	for label, test := range map[string]struct{ policy, code string }{
		"not JSON":                {`{`, "MalformedPolicy"},
		"unknown element":         {statement(`{"Effect":"Allow","Who":"*"}`), "MalformedPolicy"},
		"no statement":            {`{"Version":"2012-10-17","Statement":[]}`, "MalformedPolicy"},
		"wrong version":           {`{"Version":"2026-01-01","Statement":[` + everyone + `}]}`, "MalformedPolicy"},
		"no principal":            {statement(`{"Effect":"Allow","Action":"s3:*",` + whole + `}`), "MalformedPolicy"},
		"no such principal":       {statement(`{"Effect":"Allow","Principal":{"AWS":"somebody"},"Action":"s3:*",` + whole + `}`), "MalformedPolicy"},
		"another bucket":          {statement(`{"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::other/*"}`), "MalformedPolicy"},
		"objects' action alone":   {statement(`{"Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::policy"}`), "MalformedPolicy"},
		"bucket's action alone":   {statement(`{"Effect":"Deny","Principal":"*","Action":"s3:ListBucket","Resource":"arn:aws:s3:::policy/*"}`), "MalformedPolicy"},
		"public":                  {statement(everyone + `}`), "AccessDenied"},
		"public in all but words": {statement(everyone + `,"Condition":{"StringNotEquals":{"aws:SourceAccount":"1"}}}`), "AccessDenied"},
		"everybody, but narrowed": {statement(everyone + `,"Condition":{"StringEquals":{"aws:SourceAccount":"111111111111"}}}`), ""},
		"deny everybody":          {statement(`{"Effect":"Deny","Principal":"*","Action":"s3:*",` + whole + `,"Condition":{"Bool":{"aws:SecureTransport":false}}}`), ""},
	} {
		t.Run(label, func(t *testing.T) { sdk.WantCode(t, put(test.policy), test.code) })
	}

	sdk.WantCode(t, put(statement(`{"Action":["s3:GetObject","s3:PutObject"],"Effect":"Allow","Principal":{"AWS":["222222222222"]},"Sid":"x","Resource":["arn:aws:s3:::policy/*"]}`)), "")
	got := *check.Need(client.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: name}))(t).Policy
	want := statement(`{"Sid":"x","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::222222222222:root"},"Action":["s3:PutObject","s3:GetObject"],"Resource":"arn:aws:s3:::policy/*"}`)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	check.Need(client.DeletePublicAccessBlock(ctx, &s3.DeletePublicAccessBlockInput{Bucket: name}))(t)
	sdk.WantCode(t, put(statement(everyone+`}`)), "")
	status := check.Need(client.GetBucketPolicyStatus(ctx, &s3.GetBucketPolicyStatusInput{Bucket: name}))(t)
	if !*status.PolicyStatus.IsPublic {
		t.Error("the policy is public, its status not")
	}
	check.Need(client.DeleteBucketPolicy(ctx, &s3.DeleteBucketPolicyInput{Bucket: name}))(t)
	_, err = client.GetBucketPolicyStatus(ctx, &s3.GetBucketPolicyStatusInput{Bucket: name})
	sdk.WantCode(t, err, "NoSuchBucketPolicy")
}
