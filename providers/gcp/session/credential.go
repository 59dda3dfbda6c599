package session

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/oauth2/jwt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// serviceScopes are what a token may do: no more than Mooring needs of what the identity may do.
// https://developers.google.com/identity/protocols/oauth2/scopes
var serviceScopes = []string{
	"https://www.googleapis.com/auth/devstorage.full_control",
	"https://www.googleapis.com/auth/sqlservice.admin",
	"https://www.googleapis.com/auth/monitoring.read",
}

// publicTokenURL is where Google hands out tokens for service account keys.
const publicTokenURL = "https://oauth2.googleapis.com/token"

// A serviceAccountKey is what is read of a key. Tenants write keys, so nothing in them may say where to send
// anything: token_uri and universe_domain are not read.
type serviceAccountKey struct {
	Type         string `json:"type"`
	ClientEmail  string `json:"client_email"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
}

// readKey returns the service account key in a credentials Secret.
func readKey(secret driver.Credentials) (*serviceAccountKey, error) {
	raw, ok := secret[v1alpha1.SecretKeyGCPCredentials]
	if !ok {
		return nil, Invalid("the Secret has no key %q: store a service account key (JSON) there", v1alpha1.SecretKeyGCPCredentials)
	}
	var key serviceAccountKey
	if json.Unmarshal(raw, &key) != nil { // its error would show a piece of the key
		return nil, Invalid("%s is not JSON: store a service account key there", v1alpha1.SecretKeyGCPCredentials)
	}
	if key.Type != "service_account" {
		return nil, Invalid("%s has a key of type %.40q; only service_account is accepted, because other types name URLs, files and programs: create a key of a service account", v1alpha1.SecretKeyGCPCredentials, key.Type)
	}
	if key.ClientEmail == "" {
		return nil, Invalid("%s lacks client_email: download the key again", v1alpha1.SecretKeyGCPCredentials)
	}
	if err := checkPrivateKey(key.PrivateKey); err != nil {
		return nil, Invalid("the private_key in %s %s: download the key again", v1alpha1.SecretKeyGCPCredentials, err)
	}
	return &key, nil
}

// token fetches a token for the key's service account. The library counts the token's life by the wall clock; here it is counted by the
// driver's own, by which the token is renewed.
func (k *serviceAccountKey) token(ctx context.Context, client *http.Client, endpoint string, scopes []string, now func() time.Time) (*oauth2.Token, error) {
	config := &jwt.Config{Email: k.ClientEmail, PrivateKey: []byte(k.PrivateKey), PrivateKeyID: k.PrivateKeyID, Scopes: scopes, TokenURL: publicTokenURL}
	if endpoint != "" {
		config.TokenURL = endpoint + "/token"
	}
	// Neither deadline nor cancellation of the context reaches this request; the client's Timeout ends it.
	asked := now()
	fetched, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, onBehalf(ctx, client))).Token()
	if err != nil {
		return nil, err
	}
	if fetched.AccessToken == "" { // which the library takes for a token
		return nil, errUnreadable
	}
	if seconds, ok := fetched.Extra("expires_in").(float64); ok && seconds > 0 {
		fetched.Expiry = asked.Add(time.Duration(seconds) * time.Second)
	}
	return fetched, nil
}

// ambientToken fetches a token for the identity that Mooring itself runs with. That is looked for each time: what was found
// keeps its token until the last moment, and who asks here wants another.
func ambientToken(ctx context.Context, client *http.Client, scopes []string) (*oauth2.Token, error) {
	found, err := google.FindDefaultCredentials(context.WithValue(ctx, oauth2.HTTPClient, onBehalf(ctx, client)), scopes...)
	if err != nil {
		return nil, &ambientError{err}
	}
	return found.TokenSource.Token()
}

// An ambientError says that Mooring runs with no identity of Google Cloud.
type ambientError struct{ err error }

func (e *ambientError) Error() string { return e.err.Error() }
func (e *ambientError) Unwrap() error { return e.err }
