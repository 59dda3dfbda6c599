package localcloud_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
	"github.com/mooring-dev/mooring/test/localcloud/sts"
)

const (
	testPool  = "projects/1/locations/global/workloadIdentityPools/p/providers/x"
	testActor = "shop@acme.iam.gserviceaccount.com"
	iamScope  = "https://www.googleapis.com/auth/iam"
)

// exchange asks for a token of the pool's identity; change edits the form.
func exchange(t *testing.T, c *localcloud.Cloud, token string, change func(url.Values)) (access, failure string) {
	t.Helper()
	form := url.Values{
		"grant_type": {google.GCPTokenExchange}, "subject_token_type": {google.GCPJWTType}, "requested_token_type": {google.GCPAccessType},
		"audience": {google.GCPIAM + testPool}, "scope": {iamScope}, "subject_token": {token},
	}
	if change != nil {
		change(form)
	}
	response, err := http.PostForm(c.GCPEndpoint()+"/v1/token", form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got struct {
		AccessToken string `json:"access_token"`
		Error       string `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got.AccessToken, got.Error
}

func TestGCPExchange(t *testing.T) {
	const issuer = "https://cluster.example"
	cluster, forger := localcloud.NewIssuer(issuer), localcloud.NewIssuer(issuer)
	g := sdk.StartGCP(t, localcloud.Options{})
	g.TrustIssuer(issuer, cluster.Key())
	g.TrustIssuer("https://x.example", forger.Key())
	g.GCPPool(testPool, localcloud.GCPTrust{Issuer: issuer, Subjects: []string{localcloud.ServiceAccountSubject("shop", "buyer")}, Project: "acme"})
	good := cluster.Token("shop", "buyer", google.GCPIAM+testPool, time.Hour)
	for name, tc := range map[string]struct {
		token  string
		change func(url.Values)
		want   string
	}{
		"good":                      {good, nil, ""},
		"with https":                {cluster.Token("shop", "buyer", "https:"+google.GCPIAM+testPool, time.Hour), nil, ""},
		"another subject":           {cluster.Token("shop", "thief", google.GCPIAM+testPool, time.Hour), nil, "unauthorized_client"},
		"another audience":          {cluster.Token("shop", "buyer", sts.StsAudience, time.Hour), nil, "invalid_grant"},
		"expired":                   {cluster.Token("shop", "buyer", google.GCPIAM+testPool, -time.Minute), nil, "invalid_grant"},
		"forged":                    {forger.Token("shop", "buyer", google.GCPIAM+testPool, time.Hour), nil, "invalid_grant"},
		"an issuer of another pool": {(&localcloud.Issuer{URL: "https://x.example", Private: forger.Private}).Token("shop", "buyer", google.GCPIAM+testPool, time.Hour), nil, "invalid_grant"},
		"another pool":              {good, func(f url.Values) { f.Set("audience", google.GCPIAM+testPool+"2") }, "invalid_target"},
		"no scope":                  {good, func(f url.Values) { f.Del("scope") }, "invalid_scope"},
		"another grant":             {good, func(f url.Values) { f.Set("grant_type", google.GCPJWTBearer) }, "invalid_request"},
	} {
		access, failure := exchange(t, g.Cloud, tc.token, tc.change)
		if failure != tc.want || (access != "") != (tc.want == "") {
			t.Errorf("%s: got %q, want %q", name, failure, tc.want)
		}
	}
}

func TestGCPImpersonation(t *testing.T) {
	const issuer = "https://cluster.example"
	cluster := localcloud.NewIssuer(issuer)
	g := sdk.StartGCP(t, localcloud.Options{})
	g.TrustIssuer(issuer, cluster.Key())
	g.GCPPool(testPool, localcloud.GCPTrust{Issuer: issuer})
	g.GCPServiceAccount(testActor, "acme", localcloud.GCPPrincipal(testPool, localcloud.ServiceAccountSubject("shop", "buyer")))
	call := func(access, path, body string) (string, error) {
		request, _ := http.NewRequest(http.MethodPost, g.GCPEndpoint()+"/v1/projects/-/serviceAccounts/"+path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+access)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if err := googleapi.CheckResponse(response); err != nil {
			return "", err
		}
		var out struct{ AccessToken string }
		return out.AccessToken, json.NewDecoder(response.Body).Decode(&out)
	}
	buyer, _ := exchange(t, g.Cloud, cluster.Token("shop", "buyer", google.GCPIAM+testPool, time.Hour), nil)
	narrow, _ := exchange(t, g.Cloud, cluster.Token("shop", "buyer", google.GCPIAM+testPool, time.Hour), func(f url.Values) { f.Set("scope", storage.DevstorageFullControlScope) })
	other, _ := exchange(t, g.Cloud, cluster.Token("shop", "other", google.GCPIAM+testPool, time.Hour), nil)
	full := `{"scope":["` + storage.DevstorageFullControlScope + `"],"lifetime":"3600s"}`
	for name, tc := range map[string]struct {
		access, path, body string
		status             int
	}{
		"good":               {buyer, testActor + google.Impersonation, full, 0},
		"another":            {other, testActor + google.Impersonation, full, 403},
		"too narrow a scope": {narrow, testActor + google.Impersonation, full, 403},
		"nobody":             {buyer, "nobody@acme.iam.gserviceaccount.com" + google.Impersonation, full, 404},
		"no token":           {"x", testActor + google.Impersonation, full, 401},
		"no scope":           {buyer, testActor + google.Impersonation, `{}`, 400},
		"too long":           {buyer, testActor + google.Impersonation, `{"scope":["x"],"lifetime":"7200s"}`, 400},
		"another method":     {buyer, testActor + ":signBlob", full, 404},
	} {
		access, err := call(tc.access, tc.path, tc.body)
		var failed *googleapi.Error
		if err != nil {
			failed, _ = err.(*googleapi.Error) //nolint:errorlint // CheckResponse wraps nothing
			if failed.Code != tc.status {
				t.Errorf("%s: got %v, want %d", name, err, tc.status)
			}
			continue
		}
		if tc.status != 0 || access == "" {
			t.Errorf("%s: got %q, want %d", name, access, tc.status)
		}
	}
}
