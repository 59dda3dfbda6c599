package aws

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Describe implements driver.Driver.
func (c *cloud) Describe() driver.Description { return c.description }

// Preview implements driver.Driver.
func (c *cloud) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	switch kind {
	case "Bucket":
		return driver.PreviewOf(from, to, applied, (*buckets)(nil).Preview)
	case "Database":
		return driver.PreviewOf(from, to, applied, (*databases)(nil).Preview)
	default:
		return nil, driver.NoKind("AWS", kind)
	}
}

// describe says what the driver has of AWS.
func describe() driver.Description {
	return driver.Description{
		Contract: driver.ContractVersion, Name: "aws", Title: "AWS",
		Account: driver.AccountFields{ID: "accountID", Region: "region"},
		Secret: driver.SecretKeys{
			Required: []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey},
			Optional: []string{v1alpha1.SecretKeyAWSSessionToken},
		},
		Audience: driver.Audience{Fixed: webAudience},
		// https://opentelemetry.io/docs/specs/semconv/cloud-providers/aws-sdk/
		Spans: driver.SpanNames{System: "aws-api", RequestID: "aws.request_id"},
		Resources: []driver.Resource{
			{
				Kind: "Bucket", Title: "Amazon S3", Name: driver.NameRule{MaxLength: 63, Patterns: bucketNames}, Fields: (*buckets)(nil).Docs(), Consequences: bucketConsequences(),
				Capabilities: driver.Capabilities{Contents: true, List: true},
				Connection:   driver.Connection{Type: "s3", Scheme: "s3"},
				Exempt:       map[string]string{"forceDestroy": "it says how to delete the bucket, and is nothing that the bucket has"},
			},
			{
				Kind: "Database", Title: "Amazon RDS", Name: driver.NameRule{MaxLength: 63, Patterns: instanceNames}, Passwords: passwords, Fields: (*databases)(nil).Docs(), Consequences: databaseConsequences(),
				Capabilities: driver.Capabilities{Login: true, Snapshots: true, Stop: true, List: true},
			},
		},
	}
}
