package localcloud

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	gcpTokenLife  = time.Hour
	gcpTokenSkew  = 5 * time.Minute
	gcpJWTBearer  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	gcpTokenStart = "ya29.c."
)

// A gcpKeyring knows the service accounts, their keys and the access tokens in circulation. Lives of
// tokens and assertions are counted on the wall clock, not on the cloud's, because that is
// where client libraries count them: a test that turns the cloud's clock by a week keeps its tokens.
type gcpKeyring struct {
	mu       sync.Mutex
	private  *rsa.PrivateKey        // one for all accounts: making one takes a tenth of a second
	accounts map[string]*gcpAccount // by private_key_id
	tokens   map[string]gcpToken
}

type gcpAccount struct {
	project *gcpProject
	revoked bool
}

type gcpToken struct {
	account *gcpAccount
	expires time.Time
}

// GCPKey returns the JSON of a service-account key that may manage a project. It makes the
// project on first use and returns the same key from then on.
func (c *Cloud) GCPKey(project string) []byte {
	c.gcp.mu.Lock()
	p := c.gcp.project(project)
	c.gcp.mu.Unlock()
	private := c.gcp.keys.admit(p)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		panic(err) // an RSA key can always be encoded
	}
	key, err := json.MarshalIndent(map[string]string{
		"type":                        "service_account",
		"project_id":                  p.id,
		"private_key_id":              gcpKeyID(p),
		"private_key":                 string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email":                p.email,
		"client_id":                   fmt.Sprint(p.number),
		"auth_uri":                    c.GCPEndpoint() + "/auth",
		"token_uri":                   c.gcp.tokenURI(),
		"auth_provider_x509_cert_url": c.GCPEndpoint() + "/certs",
		"universe_domain":             "googleapis.com",
	}, "", "  ")
	if err != nil {
		panic(err)
	}
	return key
}

// RevokeGCPKey disables a project's service account: its tokens are refused with 401 at once, and new
// ones are not issued. RestoreGCPKey enables it again.
func (c *Cloud) RevokeGCPKey(project string) { c.gcp.keys.setRevoked(project, true) }

// RestoreGCPKey undoes RevokeGCPKey.
func (c *Cloud) RestoreGCPKey(project string) { c.gcp.keys.setRevoked(project, false) }

// ExpireGCPTokens ends the life of every access token issued so far.
func (c *Cloud) ExpireGCPTokens() {
	c.gcp.keys.mu.Lock()
	defer c.gcp.keys.mu.Unlock()
	for name, token := range c.gcp.keys.tokens {
		token.expires = time.Time{}
		c.gcp.keys.tokens[name] = token
	}
}

func gcpKeyID(p *gcpProject) string {
	sum := sha1.Sum([]byte("key of " + p.email))
	return hex.EncodeToString(sum[:])
}

// admit makes a project's account known and returns its key.
func (k *gcpKeyring) admit(p *gcpProject) *rsa.PrivateKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.private == nil {
		private, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		k.private, k.accounts, k.tokens = private, map[string]*gcpAccount{}, map[string]gcpToken{}
	}
	if k.accounts[gcpKeyID(p)] == nil {
		k.accounts[gcpKeyID(p)] = &gcpAccount{project: p}
	}
	return k.private
}

func (k *gcpKeyring) setRevoked(project string, revoked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.accounts {
		if a.project.id == project {
			a.revoked = revoked
		}
	}
}

// holder returns whose token a request carries, be it good or not, for the ledger; nil if that can't be told.
func (k *gcpKeyring) holder(r *http.Request) *gcpProject {
	k.mu.Lock()
	defer k.mu.Unlock()
	if token, ok := k.tokens[bearer(r)]; ok {
		return token.account.project
	}
	return nil
}

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// authenticate returns the project whose identity the caller proved to have.
func (k *gcpKeyring) authenticate(r *http.Request) (*gcpProject, error) {
	name := bearer(r)
	if name == "" {
		return nil, gcpErr(http.StatusUnauthorized, "required", "Request is missing required authentication credential. Expected OAuth 2 access token.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	token, ok := k.tokens[name]
	if !ok || token.account.revoked || !time.Now().Before(token.expires) {
		return nil, gcpErr(http.StatusUnauthorized, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token.")
	}
	return token.account.project, nil
}

func (g *gcpCloud) tokenURI() string { return g.cloud.GCPEndpoint() + "/token" }

func (g *gcpCloud) routeToken() {
	g.handle("POST /token", gcpRoute{service: "token", operation: "token", open: true, do: func(r *gcpRequest) (any, error) {
		form, err := url.ParseQuery(string(r.body))
		if err != nil {
			return nil, gcpErr(http.StatusBadRequest, "invalid_request", err.Error())
		}
		if grant := form.Get("grant_type"); grant != gcpJWTBearer {
			return nil, gcpErr(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+grant)
		}
		return g.keys.exchange(form.Get("assertion"), g.tokenURI())
	}})
}

// assertion are the claims of a JWT that asks for an access token.
type assertion struct {
	Scope string `json:"scope"`
	jwt.RegisteredClaims
}

// exchange issues an access token for an assertion that is signed with an account's key.
func (k *gcpKeyring) exchange(signed, audience string) (any, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var claims assertion
	var account *gcpAccount
	_, err := jwt.ParseWithClaims(signed, &claims, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		if account = k.accounts[id]; account == nil || account.project.email != claims.Issuer {
			return nil, errors.New("account not found")
		}
		return &k.private.PublicKey, nil
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(audience),
		jwt.WithIssuedAt(), jwt.WithExpirationRequired(), jwt.WithLeeway(gcpTokenSkew))
	switch {
	case account == nil, account != nil && account.revoked:
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid grant: account not found")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid JWT Signature.")
	case err != nil:
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid JWT: "+err.Error())
	case claims.IssuedAt == nil, claims.ExpiresAt.Sub(claims.IssuedAt.Time) > gcpTokenLife+gcpTokenSkew:
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
	case claims.Scope == "":
		return nil, gcpErr(http.StatusBadRequest, "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
	}
	name := gcpTokenStart + rand.Text()
	k.tokens[name] = gcpToken{account: account, expires: time.Now().Add(gcpTokenLife)}
	return map[string]any{"access_token": name, "expires_in": int(gcpTokenLife.Seconds()), "token_type": "Bearer"}, nil
}
