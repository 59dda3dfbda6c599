package gcp

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/gcp/sql"
	"github.com/mooring-dev/mooring/providers/gcp/storage"
	"github.com/mooring-dev/mooring/providers/table"
)

// Describe implements driver.Driver.
func (g *gcp) Describe() driver.Description { return g.description }

// Preview implements driver.Driver.
func (g *gcp) Preview(kind string, from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
	return kinds.Preview("Google Cloud", kind, from, to, applied)
}

// Check implements driver.Driver.
func (g *gcp) Check(kind string, draft driver.Draft) ([]driver.Refusal, error) {
	return kinds.Check("Google Cloud", kind, draft)
}

// publicInKey are the fields of a service account's key that are no secret: errors name the account, and the hosts of Google's APIs.
var publicInKey = []string{
	"type", "project_id", "client_email", "client_id", "auth_uri", "token_uri", "auth_provider_x509_cert_url", "client_x509_cert_url",
	"universe_domain",
}

// kinds are the kinds that the driver has.
var kinds = table.Kinds[*session.Session]{storage.Kind, sql.DatabaseKind, sql.SnapshotKind}

// describe says what the driver has of Google Cloud.
func describe() driver.Description {
	return driver.Description{
		Contract: driver.ContractVersion, Name: "gcp", Title: "Google Cloud",
		Account:   driver.AccountFields{ID: "project", Region: "region"},
		Secret:    driver.SecretKeys{Required: []string{v1alpha1.SecretKeyGCPCredentials}, Public: publicInKey},
		Audience:  driver.Audience{Prefix: session.PoolPrefix, Field: "provider"},
		Budgets:   budgets,
		Resources: kinds.Resources(),
	}
}
