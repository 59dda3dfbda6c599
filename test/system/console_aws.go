package system

import (
	"context"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// awsConfig leads to the account as people use it beside Mooring.
func awsConfig(c *Cloud) awssdk.Config {
	id, secret := c.AWSKeys(c.Account)
	return awssdk.Config{
		Region: AWSRegion, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		BaseEndpoint: awssdk.String(c.AWSEndpoint()),
	}
}

// call makes a call that must succeed.
func call[I, O, Opt any](t testing.TB, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I) *O {
	t.Helper()
	out, err := do(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
