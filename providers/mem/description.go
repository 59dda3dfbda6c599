package mem

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Describe implements driver.Driver.
func (o opener) Describe() driver.Description { return Describe(o.name) }

// Preview implements driver.Driver.
func (o opener) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	switch Kind(kind) {
	case KindBucket:
		return driver.PreviewOf(from, to, applied, buckets{}.Preview)
	case KindDatabase:
		return driver.PreviewOf(from, to, applied, databases{}.Preview)
	default:
		return nil, driver.NoKind(o.name, kind)
	}
}

// Describe returns the description of a driver of this cloud that stands in for another one: aws or gcp.
func Describe(name string) driver.Description {
	d := driver.Description{
		Name: name, Title: "Memory",
		Account: driver.AccountFields{ID: "accountID", Region: "region"},
		Secret: driver.SecretKeys{
			Required: []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey},
			Optional: []string{v1alpha1.SecretKeyAWSSessionToken},
		},
		Audience: driver.Audience{Fixed: "sts.amazonaws.com"},
		Resources: []driver.Resource{
			{
				Kind: string(KindBucket), Title: "Memory", Name: driver.NameRule{MaxLength: 63}, Fields: buckets{}.Docs(), Consequences: bucketConsequences(),
				Capabilities: driver.Capabilities{Contents: true},
				Connection:   driver.Connection{Type: "s3", Scheme: "s3"},
				Exempt:       map[string]string{"forceDestroy": "it says how to delete the bucket, and is nothing that the bucket has"},
			},
			{
				Kind: string(KindDatabase), Title: "Memory", Name: driver.NameRule{MaxLength: 63},
				Passwords: []driver.PasswordRule{{MinLength: 1, MaxLength: 128}}, Fields: databases{}.Docs(), Consequences: databaseConsequences(),
				Capabilities: driver.Capabilities{Login: true, Snapshots: true, Stop: true},
			},
		},
	}
	if name == google {
		d.Account.ID = "project"
		d.Secret = driver.SecretKeys{Required: []string{v1alpha1.SecretKeyGCPCredentials}}
		d.Audience = driver.Audience{Prefix: "//iam.googleapis.com/", Field: "provider"}
		d.Resources[0].Connection = driver.Connection{Type: "gcs", Scheme: "gs"}
	}
	return d
}
