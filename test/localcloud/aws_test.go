package localcloud

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

const (
	ownAccount   = "111111111111"
	otherAccount = "222222222222"
)

// startAWS starts a local cloud whose instances are bare listeners. Its clock stands on a Monday.
func startAWS(t *testing.T, durations Durations) (*Cloud, *check.Clock) {
	t.Helper()
	clock := &check.Clock{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	cloud, err := Start(Options{Now: clock.Now, Durations: durations, ListenersOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	return cloud, clock
}

// awsConfig is what the SDK's own loading of configuration would give; calls are made once.
func awsConfig(cloud *Cloud, account, region string) aws.Config {
	id, secret := cloud.AWSKeys(account)
	return aws.Config{
		Region: region, BaseEndpoint: aws.String(cloud.AWSEndpoint()),
		Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		Retryer:     func() aws.Retryer { return retry.NewStandard(onlyClosed) },
	}
}

// onlyClosed has a call made again only if the client itself closed the connection while it read the answer, which Go's client does now and
// then, whatever the server does: https://github.com/aws/aws-sdk-go-v2/issues/2737. All other errors are what the tests look at.
func onlyClosed(o *retry.StandardOptions) {
	closed := func(err error) aws.Ternary { return aws.BoolTernary(errors.Is(err, net.ErrClosed)) }
	o.MaxAttempts = 20 // on a busy machine two of five answers of many kilobytes end so
	o.Retryables = []retry.IsErrorRetryable{retry.IsErrorRetryableFunc(closed)}
	o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
}

func s3Client(cloud *Cloud, account, region string) *s3.Client {
	return s3.NewFromConfig(awsConfig(cloud, account, region))
}

func rdsClient(cloud *Cloud, account, region string) *rds.Client {
	return rds.NewFromConfig(awsConfig(cloud, account, region))
}

// wantCode checks the cloud's code of an error; "" is success.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var api smithy.APIError
	switch {
	case code == "" && err != nil:
		t.Errorf("got %v, want success", err)
	case code != "" && !errors.As(err, &api):
		t.Errorf("got %v, want code %s", err, code)
	case code != "" && api.ErrorCode() != code:
		t.Errorf("got code %s (%s), want %s", api.ErrorCode(), api.ErrorMessage(), code)
	}
}

// wantStatus checks the HTTP status of an error, which is all that the answer to a HEAD says.
func wantHTTP(t *testing.T, err error, status int) *smithyhttp.ResponseError {
	t.Helper()
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) {
		t.Errorf("got %v, want status %d", err, status)
	} else if response.HTTPStatusCode() != status {
		t.Errorf("got status %d, want %d", response.HTTPStatusCode(), status)
	}
	return response
}

func TestAWSIdentity(t *testing.T) {
	cloud, _ := startAWS(t, Durations{})
	ctx := context.Background()
	identity := func(config aws.Config) (string, error) {
		out, err := sts.NewFromConfig(config).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
		if err != nil {
			return "", err
		}
		return *out.Account + " " + *out.Arn, nil
	}
	own := awsConfig(cloud, ownAccount, "eu-west-1")
	if got := check.Need(identity(own))(t); got != ownAccount+" arn:aws:iam::"+ownAccount+":user/mooring" {
		t.Errorf("got identity %q", got)
	}

	id, secret := cloud.AWSKeys(ownAccount)
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
			wantCode(t, err, test.sts)
			_, err = s3.NewFromConfig(config).ListBuckets(ctx, nil)
			wantCode(t, err, test.s3)
			_, err = rds.NewFromConfig(config).DescribeDBInstances(ctx, nil)
			wantCode(t, err, test.sts)
		})
	}

	cloud.RevokeAWSKeys(ownAccount)
	_, err := identity(own)
	wantCode(t, err, "InvalidClientTokenId")
	cloud.RestoreAWSKeys(ownAccount)
	_, err = identity(own)
	wantCode(t, err, "")

	cloud.RotateAWSKeys(ownAccount)
	_, err = identity(own)
	wantCode(t, err, "InvalidClientTokenId")
	cloud.RestoreAWSKeys(ownAccount)
	_, err = identity(own)
	wantCode(t, err, "InvalidClientTokenId")
	id, secret = cloud.AWSKeys(ownAccount)
	own.Credentials = credentials.NewStaticCredentialsProvider(id, secret, "")
	_, err = identity(own)
	wantCode(t, err, "")

	const role = "arn:aws:iam::" + otherAccount + ":role/team/manager"
	assume := &sts.AssumeRoleInput{RoleArn: aws.String(role), RoleSessionName: aws.String("mooring"), DurationSeconds: aws.Int32(900)}
	_, err = sts.NewFromConfig(own).AssumeRole(ctx, assume)
	wantCode(t, err, "AccessDenied")
	cloud.AWSRole(role, AWSTrust{Principals: []string{ownAccount}, ExternalID: "secret-id"})
	_, err = sts.NewFromConfig(own).AssumeRole(ctx, assume)
	wantCode(t, err, "AccessDenied")
	assume.ExternalId = aws.String("secret-id")
	session := check.Need(sts.NewFromConfig(own).AssumeRole(ctx, assume))(t)
	config := own.Copy()
	config.Credentials = credentials.NewStaticCredentialsProvider(
		*session.Credentials.AccessKeyId, *session.Credentials.SecretAccessKey, *session.Credentials.SessionToken)
	if got := check.Need(identity(config))(t); got != otherAccount+" arn:aws:sts::"+otherAccount+":assumed-role/manager/mooring" {
		t.Errorf("got identity %q", got)
	}
	cloud.ExpireAWSSessions()
	_, err = identity(config)
	wantCode(t, err, "ExpiredToken")
	_, err = s3.NewFromConfig(config).ListBuckets(ctx, nil)
	wantCode(t, err, "ExpiredToken")
}
