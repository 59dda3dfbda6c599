package system

import (
	"net/http"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The account of environments in AWS.
const (
	AWSAccount = "123456789012"
	AWSRegion  = "eu-central-1"
)

func init() {
	Providers = append(Providers, Provider{
		Name: "aws", Account: AWSAccount, Region: AWSRegion,
		Block: func(string) v1alpha1.Account { return v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: AWSRegion}} },
		Keys: func(local *localcloud.Cloud, account string) map[string][]byte {
			id, secret := local.AWSKeys(account)
			return map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)}
		},
		Endpoint: (*localcloud.Cloud).AWSEndpoint,
		Driver: func(local *localcloud.Cloud, transport http.RoundTripper, callTimeout time.Duration) driver.Driver {
			return aws.New(aws.Options{Endpoint: local.AWSEndpoint(), HTTPClient: &http.Client{Transport: transport}, CallTimeout: callTimeout})
		},
		Lag: func(local *localcloud.Cloud, name string, seconds float64) bool {
			return local.SetRDSReplicaLag(AWSAccount, AWSRegion, name, seconds)
		},
		Key: func(letter string) string {
			part := func(n int) string { return strings.Repeat(letter, n) }
			return "arn:aws:kms:" + AWSRegion + ":" + AWSAccount + ":key/" +
				strings.Join([]string{part(8), part(4), part(4), part(4), part(12)}, "-")
		},
	})
}
