package google

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/oidc"
)

// What calls for tokens say: https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
const (
	GCPTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	GCPJWTType       = "urn:ietf:params:oauth:token-type:jwt"
	GCPAccessType    = "urn:ietf:params:oauth:token-type:access_token"
	GCPIAM           = "//iam.googleapis.com/"
	Impersonation    = ":generateAccessToken"
)

// A Trust is what a workload identity pool's provider lets in.
type Trust struct {
	// Issuer is the cluster whose tokens it takes (see TrustIssuer). Their audience must be the provider's full name.
	Issuer string
	// Subjects are those that its attribute condition admits; empty for all of the issuer's.
	Subjects []string
	// Project is what its identities may manage by themselves; empty if they must impersonate a service account.
	Project string
}

// Principal is the name of the identity that a pool gives a subject.
func Principal(provider, subject string) string {
	pool, _, _ := strings.Cut(provider, "/providers/")
	return "principal://iam.googleapis.com/" + pool + "/subject/" + subject
}

// gcpServiceAccount is a service account that others may act as.
type gcpServiceAccount struct {
	account *gcpAccount
	users   []string
}

func (g *Endpoint) routeFederation() {
	g.Faults["iamcredentials"] = NewerFaults(errNoImpersonation)
	g.Handle("POST /v1/token", Route{Service: "token", Operation: "exchange", open: true, Do: g.federate})
	g.Handle("POST /v1/projects/{any}/serviceAccounts/{account}", Route{
		Service: "iamcredentials", Operation: "generateAccessToken", Do: g.impersonate,
		Find: func(r *http.Request) string { return strings.TrimSuffix(r.PathValue("account"), Impersonation) },
	})
}

// federate exchanges a token of a cluster for one of a pool's identities.
func (g *Endpoint) federate(r *Request) (any, error) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil {
		return nil, Err(http.StatusBadRequest, "invalid_request", err.Error())
	}
	for name, want := range map[string]string{
		"grant_type": GCPTokenExchange, "subject_token_type": GCPJWTType, "requested_token_type": GCPAccessType,
	} {
		if got := form.Get(name); got != want {
			return nil, Err(http.StatusBadRequest, "invalid_request", "Invalid value for "+name+": "+got)
		}
	}
	audience := form.Get("audience")
	provider := strings.TrimPrefix(audience, GCPIAM)
	trust, ok := g.pools[provider]
	if !ok {
		return nil, Err(http.StatusBadRequest, "invalid_target", "The target service indicated by the \"audience\" parameters is invalid.")
	}
	scopes := strings.Fields(form.Get("scope"))
	if len(scopes) == 0 {
		return nil, Err(http.StatusBadRequest, "invalid_scope", "The scope is missing.")
	}
	token, err := g.cloud.Issuers.Verify(form.Get("subject_token"), audience, "https:"+audience)
	switch {
	case errors.Is(err, oidc.ErrIssuer), err == nil && token.Issuer != trust.Issuer:
		return nil, Err(http.StatusBadRequest, "invalid_grant", "The issuer in ID Token "+token.Issuer+" does not match the expected ones.")
	case errors.Is(err, oidc.ErrAudience):
		return nil, Err(http.StatusBadRequest, "invalid_grant", "The audience in ID Token does not match the expected audience.")
	case errors.Is(err, oidc.ErrExpired):
		return nil, Err(http.StatusBadRequest, "invalid_grant", "The ID Token is stale to sign-in.")
	case err != nil:
		return nil, Err(http.StatusBadRequest, "invalid_grant", "Error validating the ID Token's signature.")
	case len(trust.Subjects) > 0 && !slices.Contains(trust.Subjects, token.Subject):
		return nil, Err(http.StatusBadRequest, "unauthorized_client", "The given credential is rejected by the attribute condition.")
	}
	principal := Principal(provider, token.Subject)
	project := &Project{Email: principal}
	if trust.Project != "" {
		project = g.project(trust.Project)
	}
	g.Keys.mu.Lock()
	defer g.Keys.mu.Unlock()
	name := g.Keys.issue(accessToken{account: &gcpAccount{project: project}, principal: principal, scopes: scopes, expires: g.Keys.now().Add(gcpTokenLife)})
	return map[string]any{"access_token": name, "expires_in": int(gcpTokenLife.Seconds()), "token_type": "Bearer", "issued_token_type": GCPAccessType}, nil
}

var errNoImpersonation = Err(http.StatusForbidden, "PERMISSION_DENIED", "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).")

// impersonate hands out a token of a service account.
func (g *Endpoint) impersonate(r *Request) (any, error) {
	email, ok := strings.CutSuffix(r.PathValue("account"), Impersonation)
	if !ok || r.PathValue("any") != "-" {
		return nil, Err(http.StatusNotFound, "NOT_FOUND", "Method not found.")
	}
	var in struct {
		Scope     []string `json:"scope"`
		Lifetime  string   `json:"lifetime"`
		Delegates []string `json:"delegates"`
	}
	if err := json.Unmarshal(r.Body, &in); err != nil || len(in.Scope) == 0 || len(in.Delegates) > 0 {
		return nil, Err(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
	}
	life := gcpTokenLife
	if in.Lifetime != "" {
		asked, err := time.ParseDuration(in.Lifetime)
		if err != nil || asked <= 0 || asked > gcpTokenLife {
			return nil, Err(http.StatusBadRequest, "INVALID_ARGUMENT", "The lifetime is invalid.")
		}
		life = asked
	}
	target, ok := g.actors[email]
	if !ok {
		return nil, Err(http.StatusNotFound, "NOT_FOUND", "Not found; Gaia id not found for email "+email)
	}
	if !slices.Contains(target.users, r.token.principal) {
		return nil, errNoImpersonation
	}
	expires := g.Keys.now().Add(life)
	g.Keys.mu.Lock()
	defer g.Keys.mu.Unlock()
	name := g.Keys.issue(accessToken{account: target.account, key: r.token.key, principal: email, scopes: in.Scope, expires: expires})
	return map[string]any{"accessToken": name, "expireTime": expires.UTC().Format(time.RFC3339Nano)}, nil
}

// AddPool makes a provider of a workload identity pool, or changes what it lets in.
func (g *Endpoint) AddPool(provider string, trust Trust) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.pools[provider] = trust
}

// AddActor makes a service account that may manage a project, and that these may act as.
func (g *Endpoint) AddActor(email, project string, users []string) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	g.actors[email] = gcpServiceAccount{&gcpAccount{project: g.project(project)}, users}
}
