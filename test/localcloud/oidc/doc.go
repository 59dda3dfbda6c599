// Package oidc is what both clouds know of Kubernetes clusters: the keys of the issuers that they trust, by which they verify the tokens
// of ServiceAccounts. An Issuer stands in for a cluster that issues such tokens. Which tokens lead where is for the roles of AWS and the
// pools of Google Cloud: packages amazon and google.
package oidc
