package mem

import (
	"encoding/json"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// Describe implements driver.Driver.
func (o opener) Describe() driver.Description {
	d := Describe(o.name)
	if o.cloud.opts.Users != "" {
		d.Resources = append(d.Resources, table.Kinds[session]{userKind(o.cloud.opts.Users)}.Resources()...)
	}
	return d
}

// Preview implements driver.Driver.
func (o opener) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	return o.cloud.kinds().Preview(o.name, kind, from, to, applied)
}

// Check implements driver.Driver.
func (o opener) Check(kind string, draft driver.Draft) ([]driver.Refusal, error) {
	return o.cloud.kinds().Check(o.name, kind, draft)
}

// kinds returns the kinds that the cloud has.
func (c *Cloud) kinds() table.Kinds[session] {
	if c.opts.Users == "" {
		return kinds
	}
	return append(slices.Clone(kinds), userKind(c.opts.Users))
}

// kinds are the kinds that every such cloud has.
var kinds = table.Kinds[session]{bucketKind, databaseKind, snapshotKind}

// Describe returns the description of a driver of this cloud that stands in for another one: aws or gcp.
func Describe(name string) driver.Description {
	d := driver.Description{
		Contract: driver.ContractVersion, Name: name, Title: "Memory",
		Account: driver.AccountFields{ID: "accountID", Region: "region"},
		Secret: driver.SecretKeys{
			Required: []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey},
			Optional: []string{v1alpha1.SecretKeyAWSSessionToken},
		},
		Audience:  driver.Audience{Fixed: "sts.amazonaws.com"},
		Resources: kinds.Resources(),
	}
	if name == google {
		d.Account.ID = "project"
		d.Secret = driver.SecretKeys{Required: []string{v1alpha1.SecretKeyGCPCredentials}}
		d.Audience = driver.Audience{Prefix: "//iam.googleapis.com/", Field: "provider"}
		for i, r := range d.Resources {
			if r.Capabilities.ManagedPassword {
				d.Resources[i].Capabilities.ManagedPassword = false
				d.Resources[i].Lacks = append(slices.Clone(r.Lacks), driver.CloudManagedLack("this cloud manages no passwords"))
			}
			if r.Connection.Type == "s3" {
				d.Resources[i].Connection = driver.Connection{Type: "gcs", Scheme: "gs"}
			}
		}
	}
	return d
}
