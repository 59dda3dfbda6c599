package gcp

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"golang.org/x/oauth2/jwt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// scopes are what a token may do: no more than Mooring needs of what the identity may do.
// https://developers.google.com/identity/protocols/oauth2/scopes
var scopes = []string{
	"https://www.googleapis.com/auth/devstorage.full_control",
	"https://www.googleapis.com/auth/sqlservice.admin",
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

// tokenSource returns what fetches tokens for the contents of a credentials Secret, or for Mooring's own
// identity if there are none. It calls nobody yet.
func tokenSource(cfg driver.Config, endpoint string, client *http.Client) (*tokens, error) {
	if cfg.Ambient {
		return newTokens(ambient(client)), nil
	}
	const op = "credentials"
	secret := cfg.Credentials
	raw, ok := secret[v1alpha1.SecretKeyGCPCredentials]
	if !ok {
		return nil, invalid(op, "the Secret has no key %q: put a service account key (JSON) there", v1alpha1.SecretKeyGCPCredentials)
	}
	var key serviceAccountKey
	if json.Unmarshal(raw, &key) != nil { // its error would show a piece of the key
		return nil, invalid(op, "%s is not JSON: put a service account key there", v1alpha1.SecretKeyGCPCredentials)
	}
	if key.Type != "service_account" {
		return nil, invalid(op, "%s has a key of type %.40q; only service_account is accepted, because other types name URLs, files and programs: make a key for a service account", v1alpha1.SecretKeyGCPCredentials, key.Type)
	}
	if key.ClientEmail == "" || !isPrivateKey(key.PrivateKey) {
		return nil, invalid(op, "%s lacks client_email or a private_key that can be read: download the key again", v1alpha1.SecretKeyGCPCredentials)
	}
	config := &jwt.Config{
		Email:        key.ClientEmail,
		PrivateKey:   []byte(key.PrivateKey),
		PrivateKeyID: key.PrivateKeyID,
		Scopes:       scopes,
		TokenURL:     publicTokenURL,
	}
	if endpoint != "" {
		config.TokenURL = endpoint + "/token"
	}
	return newTokens(func() (*oauth2.Token, error) {
		// Neither deadline nor cancellation of a context reaches this request; the client's Timeout ends it.
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
		return config.TokenSource(ctx).Token()
	}), nil
}

// ambient returns what fetches tokens for the identity that Mooring itself runs with. It is looked for
// at the first call: finding it may mean asking the metadata server.
func ambient(client *http.Client) func() (*oauth2.Token, error) {
	var found *google.Credentials
	return func() (*oauth2.Token, error) {
		if found == nil {
			ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
			credentials, err := google.FindDefaultCredentials(ctx, scopes...)
			if err != nil {
				return nil, &ambientError{err}
			}
			found = credentials
		}
		return found.TokenSource.Token()
	}
}

// An ambientError says that Mooring runs with no identity of Google Cloud.
type ambientError struct{ err error }

func (e *ambientError) Error() string { return e.err.Error() }
func (e *ambientError) Unwrap() error { return e.err }

func isPrivateKey(text string) bool {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return true
	}
	_, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return err == nil
}
