package google

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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"google.golang.org/api/monitoring/v3"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"
)

// Of access tokens, and of the assertions that are exchanged for them.
const (
	gcpTokenLife  = time.Hour
	gcpTokenSkew  = 5 * time.Minute
	GCPJWTBearer  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	gcpTokenStart = "ya29.c."
)

// A gcpKeyring knows the service accounts, their keys and the access tokens in circulation. Lives of
// tokens and assertions are not counted on the cloud's clock: a test that turns that by a week keeps its tokens. Those of tokens are
// counted on the clock of sessions, those of assertions on the wall clock, where client libraries count them.
type gcpKeyring struct {
	now      func() time.Time // the clock of sessions
	mu       sync.Mutex
	issued   []Token
	accounts map[string]*gcpAccount // by private_key_id
	current  map[string]*gcpAccount // by project
	tokens   map[string]accessToken
}

// A gcpAccount is a project's service account under one of its keys.
type gcpAccount struct {
	project *Project
	keyID   string
	private *rsa.PrivateKey
	revoked bool
}

// A accessToken is an access token. Its principal is the email of a service account, or the name of a federated identity.
type accessToken struct {
	account   *gcpAccount
	key       string // the id of the service account's key that the identity began with; empty if it began with another token
	principal string
	scopes    []string
	expires   time.Time
}

// gcpKeyID returns the id of the first key of an email's account, or of the key that follows one.
func gcpKeyID(before string) string {
	sum := sha1.Sum([]byte("key of " + before))
	return hex.EncodeToString(sum[:])
}

// gcpPrivateKey is the first key of all accounts of all clouds in this process, since making one takes a
// tenth of a second. What keeps them apart is the key's id, which names the account, and the audience.
var gcpPrivateKey = sync.OnceValue(newGCPPrivateKey)

func newGCPPrivateKey() *rsa.PrivateKey {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return private
}

// admit makes a project's account known and returns it under its present key.
func (k *gcpKeyring) admit(p *Project) *gcpAccount {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current[p.ID] == nil {
		k.add(&gcpAccount{project: p, keyID: gcpKeyID(p.Email), private: gcpPrivateKey()})
	}
	return k.current[p.ID]
}

// add puts a key in force. The caller holds k.mu.
func (k *gcpKeyring) add(a *gcpAccount) {
	k.accounts[a.keyID], k.current[a.project.ID] = a, a
}

// SetRevoked disables a project's service account, or enables it again.
func (k *gcpKeyring) SetRevoked(project string, revoked bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a := k.current[project]; a != nil {
		a.revoked = revoked
	}
}

// holder returns whose token or assertion a request carries, be it good or not, for the ledger and
// the faults; nil if that can't be told.
func (k *gcpKeyring) holder(r *http.Request, body []byte) *Project {
	k.mu.Lock()
	defer k.mu.Unlock()
	if token, ok := k.tokens[bearer(r)]; ok {
		return token.account.project
	}
	if r.URL.Path != "/token" {
		return nil
	}
	form, _ := url.ParseQuery(string(body))
	unverified, _, err := jwt.NewParser().ParseUnverified(form.Get("assertion"), &assertion{})
	if err != nil {
		return nil
	}
	id, _ := unverified.Header["kid"].(string)
	if a := k.accounts[id]; a != nil {
		return a.project
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

// gcpScopes are the scopes that let a token use a service. Cloud Storage has one for reading only.
var gcpScopes = map[string][]string{
	"storage": {
		storage.CloudPlatformScope, storage.DevstorageFullControlScope, storage.DevstorageReadWriteScope,
		storage.DevstorageReadOnlyScope, storage.CloudPlatformReadOnlyScope,
	},
	"sqladmin": {sqladmin.CloudPlatformScope, sqladmin.SqlserviceAdminScope},
	// https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list#authorization-scopes
	"monitoring":     {monitoring.CloudPlatformScope, monitoring.MonitoringScope, monitoring.MonitoringReadScope},
	"iamcredentials": {sqladmin.CloudPlatformScope, "https://www.googleapis.com/auth/iam"},
}

// authenticate returns the token by which the caller proved who it is, if that covers the service.
func (k *gcpKeyring) authenticate(r *http.Request, service string) (accessToken, error) {
	name := bearer(r)
	if name == "" {
		return accessToken{}, Err(http.StatusUnauthorized, "required", "Request is missing required authentication credential. Expected OAuth 2 access token.")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	token, ok := k.tokens[name]
	if !ok || token.account.revoked || !k.now().Before(token.expires) {
		return accessToken{}, Err(http.StatusUnauthorized, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token.")
	}
	covers := func(scope string) bool {
		readOnly := strings.HasSuffix(scope, ".read-only") || strings.HasSuffix(scope, ".read_only")
		return slices.Contains(gcpScopes[service], scope) && (!readOnly || r.Method == http.MethodGet)
	}
	if gcpScopes[service] != nil && !slices.ContainsFunc(token.scopes, covers) {
		return accessToken{}, Err(http.StatusForbidden, "insufficientPermissions", "Request had insufficient authentication scopes.")
	}
	return token, nil
}

func (g *Endpoint) tokenURI() string { return g.cloud.GCPEndpoint() + "/token" }

func (g *Endpoint) routeToken() {
	g.Faults["token"] = tokenFaults
	g.Handle("POST /token", Route{Service: "token", Operation: "token", open: true, Do: func(r *Request) (any, error) {
		form, err := url.ParseQuery(string(r.Body))
		if err != nil {
			return nil, Err(http.StatusBadRequest, "invalid_request", err.Error())
		}
		if grant := form.Get("grant_type"); grant != GCPJWTBearer {
			return nil, Err(http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+grant)
		}
		return g.Keys.exchange(form.Get("assertion"), g.tokenURI())
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
		if account = k.accounts[id]; account == nil || account.project.Email != claims.Issuer {
			return nil, errors.New("account not found")
		}
		return &account.private.PublicKey, nil
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(audience),
		jwt.WithIssuedAt(), jwt.WithExpirationRequired(), jwt.WithLeeway(gcpTokenSkew))
	switch {
	case account == nil, account != nil && account.revoked:
		return nil, Err(http.StatusBadRequest, "invalid_grant", "Invalid grant: account not found")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return nil, Err(http.StatusBadRequest, "invalid_grant", "Invalid JWT Signature.")
	case err != nil:
		return nil, Err(http.StatusBadRequest, "invalid_grant", "Invalid JWT: "+err.Error())
	case claims.IssuedAt == nil, claims.ExpiresAt.Sub(claims.IssuedAt.Time) > gcpTokenLife+gcpTokenSkew:
		return nil, Err(http.StatusBadRequest, "invalid_grant", "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
	case claims.Scope == "":
		return nil, Err(http.StatusBadRequest, "invalid_scope", "Invalid OAuth scope or ID token audience provided.")
	}
	name := k.issue(accessToken{account: account, key: account.keyID, principal: account.project.Email, scopes: strings.Fields(claims.Scope), expires: k.now().Add(gcpTokenLife)})
	return map[string]any{"access_token": name, "expires_in": int(gcpTokenLife.Seconds()), "token_type": "Bearer"}, nil
}

// A Token is an access token of Google Cloud, as it was handed out.
type Token struct {
	// Principal is the email of a service account, or the name of a pool's identity; see Principal.
	Principal       string
	Issued, Expires time.Time
}

// issue puts a token in circulation. The caller holds k.mu.
func (k *gcpKeyring) issue(token accessToken) (name string) {
	name = gcpTokenStart + rand.Text()
	k.tokens[name] = token
	k.issued = append(k.issued, Token{Principal: token.principal, Issued: k.now(), Expires: token.expires})
	return name
}

// Key returns the JSON of a service-account key that may manage a project.
func (g *Endpoint) Key(project string) []byte {
	g.Mu.Lock()
	p := g.project(project)
	g.Mu.Unlock()
	account := g.Keys.admit(p)
	der, err := x509.MarshalPKCS8PrivateKey(account.private)
	if err != nil {
		panic(err) // an RSA key can always be encoded
	}
	key, err := json.MarshalIndent(map[string]string{
		"type":                        "service_account",
		"project_id":                  p.ID,
		"private_key_id":              account.keyID,
		"private_key":                 string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"client_email":                p.Email,
		"client_id":                   fmt.Sprint(p.Number),
		"auth_uri":                    g.cloud.GCPEndpoint() + "/auth",
		"token_uri":                   g.tokenURI(),
		"auth_provider_x509_cert_url": g.cloud.GCPEndpoint() + "/certs",
		"universe_domain":             "googleapis.com",
	}, "", "  ")
	if err != nil {
		panic(err)
	}
	return key
}

// AnotherKey makes another key for a project's service account.
func (g *Endpoint) AnotherKey(project string) (deleteOld func()) {
	g.Key(project) // there is one to take the place of
	private := newGCPPrivateKey()
	k := &g.Keys
	k.mu.Lock()
	defer k.mu.Unlock()
	old := k.current[project]
	k.add(&gcpAccount{project: old.project, keyID: gcpKeyID(old.keyID), private: private})
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		old.revoked = true
	}
}

// ExpireTokens ends the life of every access token of these projects, or of all if none is named.
func (g *Endpoint) ExpireTokens(projects []string) {
	g.Keys.mu.Lock()
	defer g.Keys.mu.Unlock()
	for name, token := range g.Keys.tokens {
		if len(projects) > 0 && !slices.Contains(projects, token.account.project.ID) {
			continue
		}
		token.expires = time.Time{}
		g.Keys.tokens[name] = token
	}
}

// Tokens returns all access tokens so far, in order.
func (g *Endpoint) Tokens() []Token {
	g.Keys.mu.Lock()
	defer g.Keys.mu.Unlock()
	return slices.Clone(g.Keys.issued)
}
