package session

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// publicSTS exchanges tokens of other issuers, publicIAM hands out tokens of service accounts to act as.
	// https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token
	// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
	publicSTS = "https://sts.googleapis.com"
	publicIAM = "https://iamcredentials.googleapis.com"
	// PoolPrefix makes a provider's name the full one, which is what tokens for it must have as audience.
	PoolPrefix = "//iam.googleapis.com/"
	// maxAnswer bounds what is read of an answer with a token in it.
	maxAnswer = 1 << 20
)

// actingScopes are what a token needs that is of no other use than to act as a service account: generateAccessToken takes
// this one or cloud-platform, which permits everything.
var actingScopes = []string{"https://www.googleapis.com/auth/iam"}

var (
	providerFormat = regexp.MustCompile(`^projects/[0-9]+/locations/global/workloadIdentityPools/[a-z0-9-]+/providers/[a-z0-9-]+$`)
	emailFormat    = regexp.MustCompile(`^[a-z0-9.-]+@[a-z0-9.-]+$`)
)

// A chain is the steps by which an identity is reached: a base, and a service account to act as.
//
// The calls are made here because Google's own packages for them either have no other endpoint than the public one or
// report refusals as mere text.
type chain struct {
	session *Session
	cfg     driver.Opening
	client  *http.Client
	base    func(ctx context.Context, scopes []string) (*oauth2.Token, error)
}

// newChain reads the steps, and calls nobody.
func newChain(s *Session, cfg driver.Opening, client *http.Client) (*chain, error) {
	if err := checkChain(cfg); err != nil {
		return nil, err
	}
	c := &chain{session: s, cfg: cfg, client: client}
	switch {
	case cfg.Chain.WebIdentity != nil:
		c.base = c.webIdentity
	case cfg.Ambient:
		c.base = func(ctx context.Context, scopes []string) (*oauth2.Token, error) {
			return ambientToken(ctx, client, scopes)
		}
	default:
		key, err := readKey(cfg.Credentials)
		if err != nil {
			return nil, err
		}
		c.base = func(ctx context.Context, scopes []string) (*oauth2.Token, error) {
			return key.token(ctx, client, cfg.Endpoint, scopes, s.Now)
		}
	}
	return c, nil
}

// checkChain refuses steps that are not of this cloud, or that can't be gone.
func checkChain(cfg driver.Opening) error {
	if err := cfg.OneBase(); err != nil {
		return err
	}
	web, target := cfg.Chain.WebIdentity, cfg.Chain.ImpersonateServiceAccount
	switch {
	case web != nil && !providerFormat.MatchString(web.Provider):
		return Invalid("credentials.webIdentity.provider is %q: write it as projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER", web.Provider)
	case target != "" && !emailFormat.MatchString(target):
		return Invalid("credentials.impersonateServiceAccount is %q: write it as NAME@PROJECT.iam.gserviceaccount.com", target)
	case len(cfg.Chain.AssumeRoles) > 0:
		return Invalid("credentials.assumeRoles is only for AWS: for Google Cloud, use impersonateServiceAccount")
	}
	return nil
}

// fetch goes all steps. What lies between is not kept: both tokens would have to be renewed together.
func (c *chain) fetch(ctx context.Context) (*oauth2.Token, time.Time, error) {
	target := c.cfg.Chain.ImpersonateServiceAccount
	scopes := serviceScopes
	if target != "" {
		scopes = actingScopes
	}
	token, err := c.step(ctx, func(ctx context.Context) (*oauth2.Token, error) { return c.base(ctx, scopes) })
	if err == nil && target != "" {
		token, err = c.step(ctx, func(ctx context.Context) (*oauth2.Token, error) { return c.impersonate(ctx, token, target) })
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	return token, token.Expiry, nil
}

// step gives one step its deadline.
func (c *chain) step(ctx context.Context, do func(context.Context) (*oauth2.Token, error)) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, c.session.timeout)
	defer cancel()
	return do(ctx)
}

// webIdentity exchanges a token of a ServiceAccount for one of the pool's identity. Scopes are the caller's, as with
// Google's own library: https://pkg.go.dev/golang.org/x/oauth2/google/externalaccount#Config.
func (c *chain) webIdentity(ctx context.Context, scopes []string) (*oauth2.Token, error) {
	audience := PoolPrefix + c.cfg.Chain.WebIdentity.Provider
	subject, err := c.cfg.WebToken(ctx, audience)
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:jwt"},
		"subject_token":        {subject},
		"audience":             {audience},
		"scope":                {strings.Join(scopes, " ")},
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	asked := c.session.Now()
	err = c.post(ctx, c.url(publicSTS, "/v1/token"), "application/x-www-form-urlencoded", []byte(form.Encode()), nil, &answer)
	if err == nil && answer.AccessToken == "" {
		err = errUnreadable
	}
	if err != nil {
		return nil, c.refusedExchange(subject, err)
	}
	return &oauth2.Token{AccessToken: answer.AccessToken, Expiry: asked.Add(time.Duration(answer.ExpiresIn) * time.Second)}, nil
}

// impersonate returns a token of a service account that the holder of another may act as.
func (c *chain) impersonate(ctx context.Context, by *oauth2.Token, email string) (*oauth2.Token, error) {
	body, err := json.Marshal(map[string]any{"scope": serviceScopes, "lifetime": "3600s"})
	if err != nil {
		return nil, err
	}
	var answer struct {
		AccessToken string    `json:"accessToken"`
		ExpireTime  time.Time `json:"expireTime"`
	}
	address := c.url(publicIAM, "/v1/projects/-/serviceAccounts/"+email+":generateAccessToken")
	err = c.post(ctx, address, "application/json", body, by, &answer)
	if err == nil && answer.AccessToken == "" {
		err = errUnreadable
	}
	if err != nil {
		return nil, c.refusedImpersonation(email, err)
	}
	return &oauth2.Token{AccessToken: answer.AccessToken, Expiry: answer.ExpireTime}, nil
}

// url returns where a service is: at its public address, or at the endpoint that takes the place of all of them.
func (c *chain) url(public, path string) string {
	if c.cfg.Endpoint != "" {
		public = c.cfg.Endpoint
	}
	return public + path
}

// post makes a call, with a token if there is one. A refusal is an error of the kind that the service's own clients give.
func (c *chain) post(ctx context.Context, address, contentType string, body []byte, by *oauth2.Token, answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", contentType)
	if by != nil {
		by.SetAuthHeader(r)
	}
	response, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if by != nil {
		if err := googleapi.CheckResponse(response); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return &url.Error{Op: "Post", URL: address, Err: err} // the connection broke
	}
	if response.StatusCode != http.StatusOK {
		return &oauth2.RetrieveError{Response: response, Body: text}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return errUnreadable
	}
	return nil
}
