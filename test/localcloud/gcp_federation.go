package localcloud

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	gcpTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
	gcpJWTType       = "urn:ietf:params:oauth:token-type:jwt"
	gcpAccessType    = "urn:ietf:params:oauth:token-type:access_token"
	gcpIAM           = "//iam.googleapis.com/"
	impersonation    = ":generateAccessToken"
)

// A GCPTrust is what a workload identity pool's provider lets in.
type GCPTrust struct {
	// Issuer is the cluster whose tokens it takes (see TrustIssuer). Their audience must be the provider's full name.
	Issuer string
	// Subjects are those that its attribute condition admits; empty for all of the issuer's.
	Subjects []string
	// Project is what its identities may manage by themselves; empty if they must impersonate a service account.
	Project string
}

// GCPPrincipal is the name of the identity that a pool gives a subject.
func GCPPrincipal(provider, subject string) string {
	pool, _, _ := strings.Cut(provider, "/providers/")
	return "principal://iam.googleapis.com/" + pool + "/subject/" + subject
}

// gcpServiceAccount is a service account that others may act as.
type gcpServiceAccount struct {
	account *gcpAccount
	users   []string
}

func (g *gcpCloud) routeFederation() {
	g.faults["iamcredentials"] = newerFaults(errNoImpersonation)
	g.handle("POST /v1/token", gcpRoute{service: "token", operation: "exchange", open: true, do: g.federate})
	g.handle("POST /v1/projects/{any}/serviceAccounts/{account}", gcpRoute{
		service: "iamcredentials", operation: "generateAccessToken", do: g.impersonate,
		find: func(r *http.Request) string { return strings.TrimSuffix(r.PathValue("account"), impersonation) },
	})
}

// federate exchanges a token of a cluster for one of a pool's identities.
func (g *gcpCloud) federate(r *gcpRequest) (any, error) {
	form, err := url.ParseQuery(string(r.body))
	if err != nil {
		return nil, gcpErr(http.StatusBadRequest, "invalid_request", err.Error())
	}
	for name, want := range map[string]string{
		"grant_type": gcpTokenExchange, "subject_token_type": gcpJWTType, "requested_token_type": gcpAccessType,
	} {
		if got := form.Get(name); got != want {
			return nil, gcpErr(http.StatusBadRequest, "invalid_request", "Invalid value for "+name+": "+got)
		}
	}
	audience := form.Get("audience")
	provider := strings.TrimPrefix(audience, gcpIAM)
	trust, ok := g.pools[provider]
	if !ok {
		return nil, gcpErr(http.StatusBadRequest, "invalid_target", "The target service indicated by the \"audience\" parameters is invalid.")
	}
	scopes := strings.Fields(form.Get("scope"))
	if len(scopes) == 0 {
		return nil, gcpErr(http.StatusBadRequest, "invalid_scope", "The scope is missing.")
	}
	token, err := g.cloud.issuers.verify(form.Get("subject_token"), audience, "https:"+audience)
	switch {
	case errors.Is(err, errIssuer), err == nil && token.issuer != trust.Issuer:
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "The issuer in ID Token "+token.issuer+" does not match the expected ones.")
	case errors.Is(err, errAudience):
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "The audience in ID Token does not match the expected audience.")
	case errors.Is(err, errExpired):
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "The ID Token is stale to sign-in.")
	case err != nil:
		return nil, gcpErr(http.StatusBadRequest, "invalid_grant", "Error validating the ID Token's signature.")
	case len(trust.Subjects) > 0 && !slices.Contains(trust.Subjects, token.subject):
		return nil, gcpErr(http.StatusBadRequest, "unauthorized_client", "The given credential is rejected by the attribute condition.")
	}
	principal := GCPPrincipal(provider, token.subject)
	project := &gcpProject{email: principal}
	if trust.Project != "" {
		project = g.project(trust.Project)
	}
	g.keys.mu.Lock()
	defer g.keys.mu.Unlock()
	name := g.keys.issue(gcpToken{account: &gcpAccount{project: project}, principal: principal, scopes: scopes, expires: g.keys.now().Add(gcpTokenLife)})
	return map[string]any{"access_token": name, "expires_in": int(gcpTokenLife.Seconds()), "token_type": "Bearer", "issued_token_type": gcpAccessType}, nil
}

var errNoImpersonation = gcpErr(http.StatusForbidden, "PERMISSION_DENIED", "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).")

// impersonate hands out a token of a service account.
func (g *gcpCloud) impersonate(r *gcpRequest) (any, error) {
	email, ok := strings.CutSuffix(r.PathValue("account"), impersonation)
	if !ok || r.PathValue("any") != "-" {
		return nil, gcpErr(http.StatusNotFound, "NOT_FOUND", "Method not found.")
	}
	var in struct {
		Scope     []string `json:"scope"`
		Lifetime  string   `json:"lifetime"`
		Delegates []string `json:"delegates"`
	}
	if err := json.Unmarshal(r.body, &in); err != nil || len(in.Scope) == 0 || len(in.Delegates) > 0 {
		return nil, gcpErr(http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.")
	}
	life := gcpTokenLife
	if in.Lifetime != "" {
		asked, err := time.ParseDuration(in.Lifetime)
		if err != nil || asked <= 0 || asked > gcpTokenLife {
			return nil, gcpErr(http.StatusBadRequest, "INVALID_ARGUMENT", "The lifetime is invalid.")
		}
		life = asked
	}
	target, ok := g.actors[email]
	if !ok {
		return nil, gcpErr(http.StatusNotFound, "NOT_FOUND", "Not found; Gaia id not found for email "+email)
	}
	if !slices.Contains(target.users, r.token.principal) {
		return nil, errNoImpersonation
	}
	expires := g.keys.now().Add(life)
	g.keys.mu.Lock()
	defer g.keys.mu.Unlock()
	name := g.keys.issue(gcpToken{account: target.account, key: r.token.key, principal: email, scopes: in.Scope, expires: expires})
	return map[string]any{"accessToken": name, "expireTime": expires.UTC().Format(time.RFC3339Nano)}, nil
}

// addPool makes a provider of a workload identity pool, or changes what it lets in.
func (g *gcpCloud) addPool(provider string, trust GCPTrust) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools[provider] = trust
}

// addActor makes a service account that may manage a project, and that these may act as.
func (g *gcpCloud) addActor(email, project string, users []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.actors[email] = gcpServiceAccount{&gcpAccount{project: g.project(project)}, users}
}
