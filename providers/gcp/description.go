package gcp

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Describe implements driver.Driver.
func (g *gcp) Describe() driver.Description { return g.description }

// Preview implements driver.Driver.
func (g *gcp) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	switch kind {
	case "Bucket":
		return driver.PreviewOf(from, to, applied, (*buckets)(nil).Preview)
	case "Database":
		return driver.PreviewOf(from, to, applied, (*databases)(nil).Preview)
	default:
		return nil, driver.NoKind("Google Cloud", kind)
	}
}

// publicInKey are the fields of a service account's key that are no secret: errors name the account, and the hosts of Google's APIs.
var publicInKey = []string{
	"type", "project_id", "client_email", "client_id", "auth_uri", "token_uri", "auth_provider_x509_cert_url", "client_x509_cert_url",
	"universe_domain",
}

// describe says what the driver has of Google Cloud.
func describe() driver.Description {
	return driver.Description{
		Contract: driver.ContractVersion, Name: "gcp", Title: "Google Cloud",
		Account:  driver.AccountFields{ID: "project", Region: "region"},
		Secret:   driver.SecretKeys{Required: []string{v1alpha1.SecretKeyGCPCredentials}, Public: publicInKey},
		Audience: driver.Audience{Prefix: poolPrefix, Field: "provider"},
		Resources: []driver.Resource{
			{
				Kind: "Bucket", Title: "Google Cloud Storage", Name: driver.NameRule{MaxLength: 63, Patterns: bucketNames}, Fields: (*buckets)(nil).Docs(), Consequences: bucketConsequences(),
				Capabilities: driver.Capabilities{Contents: true, List: true},
				Connection:   driver.Connection{Type: "gcs", Scheme: "gs"},
				Exempt:       map[string]string{"forceDestroy": "it says how to delete the bucket, and is nothing that the bucket has"},
			},
			{
				Kind: "Database", Title: "Google Cloud SQL", Name: instanceNames, Passwords: passwords, Fields: (*databases)(nil).Docs(), Consequences: databaseConsequences(),
				Capabilities: driver.Capabilities{Login: true, Snapshots: true, Stop: true, List: true},
			},
		},
	}
}
