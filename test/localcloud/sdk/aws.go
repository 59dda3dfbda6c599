package sdk

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// The accounts of most tests.
const (
	OwnAccount   = "111111111111"
	OtherAccount = "222222222222"
)

// StartAWS starts a local cloud whose instances are bare listeners. Its clock stands on a Monday.
func StartAWS(t *testing.T, durations localcloud.Durations) (*localcloud.Cloud, *check.Clock) {
	t.Helper()
	clock := &check.Clock{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	cloud, err := localcloud.Start(localcloud.Options{Now: clock.Now, Durations: durations, ListenersOnly: true})
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

// AWSConfig is what the SDK's own loading of configuration would give; calls are made once.
func AWSConfig(cloud *localcloud.Cloud, account, region string) aws.Config {
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

// S3 returns a client of S3.
func S3(cloud *localcloud.Cloud, account, region string) *s3.Client {
	return s3.NewFromConfig(AWSConfig(cloud, account, region))
}

// RDS returns a client of RDS.
func RDS(cloud *localcloud.Cloud, account, region string) *rds.Client {
	return rds.NewFromConfig(AWSConfig(cloud, account, region))
}

// WantCode checks the cloud's code of an error; "" is success.
func WantCode(t *testing.T, err error, code string) {
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

// WantHTTP checks the HTTP status of an error, which is all that the answer to a HEAD says.
func WantHTTP(t *testing.T, err error, status int) *smithyhttp.ResponseError {
	t.Helper()
	var response *smithyhttp.ResponseError
	if !errors.As(err, &response) {
		t.Errorf("got %v, want status %d", err, status)
	} else if response.HTTPStatusCode() != status {
		t.Errorf("got status %d, want %d", response.HTTPStatusCode(), status)
	}
	return response
}
