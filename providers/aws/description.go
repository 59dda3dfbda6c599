package aws

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/rds"
	"github.com/mooring-dev/mooring/providers/aws/s3"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// Describe implements driver.Driver.
func (c *cloud) Describe() driver.Description { return c.description }

// Preview implements driver.Driver.
func (c *cloud) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	return kinds.Preview("AWS", kind, from, to, applied)
}

// Check implements driver.Driver.
func (c *cloud) Check(kind string, draft driver.Draft) ([]driver.Refusal, error) {
	return kinds.Check("AWS", kind, draft)
}

// kinds are the kinds that the driver has.
var kinds = table.Kinds[*session.Session]{s3.Buckets, rds.Databases, rds.Snapshots}

// describe says what the driver has of AWS.
func describe() driver.Description {
	return driver.Description{
		Contract: driver.ContractVersion, Name: "aws", Title: "AWS",
		Account: driver.AccountFields{ID: "accountID", Region: "region", OwnRegions: "s3Compatible"},
		Secret: driver.SecretKeys{
			Required: []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey},
			Optional: []string{v1alpha1.SecretKeyAWSSessionToken},
		},
		Audience: driver.Audience{Fixed: session.WebAudience},
		// https://opentelemetry.io/docs/specs/semconv/cloud-providers/aws-sdk/
		Spans:     driver.SpanNames{System: "aws-api", RequestID: "aws.request_id"},
		Budgets:   budgets,
		Resources: kinds.Resources(),
	}
}
