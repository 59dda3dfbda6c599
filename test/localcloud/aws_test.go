package localcloud_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestAWSIdentity(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx := context.Background()
	identity := func(config aws.Config) (string, error) {
		out, err := sts.NewFromConfig(config).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		if err != nil {
			return "", err
		}
		return *out.Account + " " + *out.Arn, nil
	}
	own := sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1")
	if got := check.Need(identity(own))(t); got != sdk.OwnAccount+" arn:aws:iam::"+sdk.OwnAccount+":user/mooring" {
		t.Errorf("got identity %q", got)
	}

	id, secret := cloud.AWSKeys(sdk.OwnAccount)
	for name, test := range map[string]struct {
		id, secret, token, region string
		sts, s3                   string
	}{
		"unknown key":    {"AKIAUNKNOWNUNKNOWN00", secret, "", "eu-west-1", "InvalidClientTokenId", "InvalidAccessKeyId"},
		"wrong secret":   {id, secret + "x", "", "eu-west-1", "SignatureDoesNotMatch", "SignatureDoesNotMatch"},
		"needless token": {id, secret, "token", "eu-west-1", "InvalidClientTokenId", "InvalidAccessKeyId"},
		"unknown region": {id, secret, "", "mars-1", "SignatureDoesNotMatch", "SignatureDoesNotMatch"},
	} {
		t.Run(name, func(t *testing.T) {
			config := own.Copy()
			config.Region, config.Credentials = test.region, credentials.NewStaticCredentialsProvider(test.id, test.secret, test.token)
			_, err := identity(config)
			sdk.WantCode(t, err, test.sts)
			_, err = s3.NewFromConfig(config).ListBuckets(ctx, nil)
			sdk.WantCode(t, err, test.s3)
			_, err = rds.NewFromConfig(config).DescribeDBInstances(ctx, nil)
			sdk.WantCode(t, err, test.sts)
		})
	}

	cloud.RevokeAWSKeys(sdk.OwnAccount)
	_, err := identity(own)
	sdk.WantCode(t, err, "InvalidClientTokenId")
	cloud.RestoreAWSKeys(sdk.OwnAccount)
	_, err = identity(own)
	sdk.WantCode(t, err, "")

	cloud.RotateAWSKeys(sdk.OwnAccount)
	_, err = identity(own)
	sdk.WantCode(t, err, "InvalidClientTokenId")
	cloud.RestoreAWSKeys(sdk.OwnAccount)
	_, err = identity(own)
	sdk.WantCode(t, err, "InvalidClientTokenId")
	id, secret = cloud.AWSKeys(sdk.OwnAccount)
	own.Credentials = credentials.NewStaticCredentialsProvider(id, secret, "")
	_, err = identity(own)
	sdk.WantCode(t, err, "")

	const role = "arn:aws:iam::" + sdk.OtherAccount + ":role/team/manager"
	assume := &sts.AssumeRoleInput{RoleArn: aws.String(role), RoleSessionName: aws.String("mooring"), DurationSeconds: aws.Int32(900)}
	_, err = sts.NewFromConfig(own).AssumeRole(ctx, assume)
	sdk.WantCode(t, err, "AccessDenied")
	cloud.AWSRole(role, localcloud.AWSTrust{Principals: []string{sdk.OwnAccount}, ExternalID: "secret-id"})
	_, err = sts.NewFromConfig(own).AssumeRole(ctx, assume)
	sdk.WantCode(t, err, "AccessDenied")
	assume.ExternalId = aws.String("secret-id")
	session := check.Need(sts.NewFromConfig(own).AssumeRole(ctx, assume))(t)
	config := own.Copy()
	config.Credentials = credentials.NewStaticCredentialsProvider(
		*session.Credentials.AccessKeyId, *session.Credentials.SecretAccessKey, *session.Credentials.SessionToken)
	if got := check.Need(identity(config))(t); got != sdk.OtherAccount+" arn:aws:sts::"+sdk.OtherAccount+":assumed-role/manager/mooring" {
		t.Errorf("got identity %q", got)
	}
	cloud.ExpireAWSSessions()
	_, err = identity(config)
	sdk.WantCode(t, err, "ExpiredToken")
	_, err = s3.NewFromConfig(config).ListBuckets(ctx, nil)
	sdk.WantCode(t, err, "ExpiredToken")
}
