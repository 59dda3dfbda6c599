package localcloud_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

type serviceAccountKey struct {
	Type         string `json:"type"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientEmail  string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
}

func parseKey(t *testing.T, raw []byte) (key serviceAccountKey, private *rsa.PrivateKey) {
	t.Helper()
	if err := json.Unmarshal(raw, &key); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(key.PrivateKey))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key, parsed.(*rsa.PrivateKey)
}

func TestGCPTokenIsIssuedForGoodAssertionsOnly(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	key, private := parseKey(t, g.GCPKey("acme"))
	other, _ := parseKey(t, g.GCPKey("globex"))
	if other.PrivateKeyID == key.PrivateKeyID || other.ClientEmail == key.ClientEmail {
		t.Fatal("two projects share an identity")
	}
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	tests := []struct {
		name   string
		change func(claims jwt.MapClaims, header map[string]any) (signer any)
		method jwt.SigningMethod
		want   string // the error; empty for a token
	}{
		{name: "good"},
		{name: "signed by a stranger", change: func(jwt.MapClaims, map[string]any) any { return stranger }, want: "invalid_grant"},
		{name: "not signed", method: jwt.SigningMethodNone, change: func(jwt.MapClaims, map[string]any) any { return jwt.UnsafeAllowNoneSignatureType }, want: "invalid_grant"},
		{name: "signed with a shared secret", method: jwt.SigningMethodHS256, change: func(jwt.MapClaims, map[string]any) any { return []byte("secret") }, want: "invalid_grant"},
		{name: "for somebody else", change: func(c jwt.MapClaims, _ map[string]any) any {
			c["aud"] = "https://oauth2.googleapis.com/token"
			return nil
		}, want: "invalid_grant"},
		{name: "expired", change: func(c jwt.MapClaims, _ map[string]any) any {
			c["iat"], c["exp"] = now.Add(-2*time.Hour).Unix(), now.Add(-time.Hour).Unix()
			return nil
		}, want: "invalid_grant"},
		{name: "from the future", change: func(c jwt.MapClaims, _ map[string]any) any {
			c["iat"], c["exp"] = now.Add(time.Hour).Unix(), now.Add(2*time.Hour).Unix()
			return nil
		}, want: "invalid_grant"},
		{name: "too long", change: func(c jwt.MapClaims, _ map[string]any) any { c["exp"] = now.Add(24 * time.Hour).Unix(); return nil }, want: "invalid_grant"},
		{name: "no expiry", change: func(c jwt.MapClaims, _ map[string]any) any { delete(c, "exp"); return nil }, want: "invalid_grant"},
		{name: "unknown issuer", change: func(c jwt.MapClaims, _ map[string]any) any { c["iss"] = "nobody@example.com"; return nil }, want: "invalid_grant"},
		{name: "issuer of another key", change: func(_ jwt.MapClaims, h map[string]any) any { h["kid"] = other.PrivateKeyID; return nil }, want: "invalid_grant"},
		{name: "unknown key", change: func(_ jwt.MapClaims, h map[string]any) any { h["kid"] = "0"; return nil }, want: "invalid_grant"},
		{name: "no scope", change: func(c jwt.MapClaims, _ map[string]any) any { delete(c, "scope"); return nil }, want: "invalid_scope"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			claims := jwt.MapClaims{
				"iss": key.ClientEmail, "aud": key.TokenURI, "scope": storage.DevstorageFullControlScope,
				"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
			}
			method, signer := test.method, any(private)
			if method == nil {
				method = jwt.SigningMethodRS256
			}
			token := jwt.NewWithClaims(method, claims)
			token.Header["kid"] = key.PrivateKeyID
			if test.change != nil {
				if by := test.change(claims, token.Header); by != nil {
					signer = by
				}
			}
			signed, err := token.SignedString(signer)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.PostForm(key.TokenURI, url.Values{"grant_type": {google.GCPJWTBearer}, "assertion": {signed}})
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
			if got.Error != test.want || (got.AccessToken != "") != (test.want == "") {
				t.Fatalf("got %+v, want error %q", got, test.want)
			}
		})
	}
}

func TestGCPKeyIsTheSameEachTime(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	if string(g.GCPKey("acme")) != string(g.GCPKey("acme")) {
		t.Fatal("the key changed")
	}
}

func TestGCPCallsNeedAToken(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	call := func(authorization string) error {
		request, _ := http.NewRequest(http.MethodGet, g.GCPEndpoint()+"/storage/v1/b?project=acme", nil)
		request.Header.Set("Authorization", authorization)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return googleapi.CheckResponse(response)
	}
	sdk.WantGCP(t, call(""), 401, "required")
	sdk.WantGCP(t, call("Bearer ya29.c.nonsense"), 401, "authError")
	sdk.WantGCP(t, call("Basic ya29.c.nonsense"), 401, "required")

	transport := g.Raw.Transport.(*oauth2.Transport)
	token, err := transport.Source.Token()
	if err != nil {
		t.Fatal(err)
	}
	good := "Bearer " + token.AccessToken
	sdk.WantGCP(t, call(good), 0, "")
	g.Clock.Advance(7 * 24 * time.Hour) // tokens live on the wall clock
	sdk.WantGCP(t, call(good), 0, "")
	g.RevokeGCPKey("acme")
	sdk.WantGCP(t, call(good), 401, "authError")
	_, _, fresh := g.Clients(t, "acme")
	_, err = fresh.Get(g.GCPEndpoint() + "/storage/v1/b?project=acme")
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || !strings.Contains(string(refused.Body), `"invalid_grant"`) {
		t.Fatalf("got %v, want invalid_grant", err)
	}
	g.RestoreGCPKey("acme")
	sdk.WantGCP(t, call(good), 0, "")
	g.ExpireGCPTokens()
	sdk.WantGCP(t, call(good), 401, "authError")
}

func TestGCPKeyIsRotated(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	get := func(c *http.Client) error {
		response, err := c.Get(g.GCPEndpoint() + "/storage/v1/b?project=acme")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		return googleapi.CheckResponse(response)
	}
	_, _, used := g.Clients(t, "acme")
	_, _, unused := g.Clients(t, "acme")
	sdk.WantGCP(t, get(used), 0, "")
	for range 2 {
		before, private := parseKey(t, g.GCPKey("acme"))
		g.RotateGCPKey("acme")
		if after, other := parseKey(t, g.GCPKey("acme")); after.PrivateKeyID == before.PrivateKeyID || other.Equal(private) {
			t.Error("the key is the same")
		}
		g.RestoreGCPKey("acme") // is for the new key
		sdk.WantGCP(t, get(used), 401, "authError")
		var refused *oauth2.RetrieveError
		if err := get(unused); !errors.As(err, &refused) || !strings.Contains(string(refused.Body), `"invalid_grant"`) {
			t.Fatalf("got %v, want invalid_grant", err)
		}
		_, _, fresh := g.Clients(t, "acme")
		sdk.WantGCP(t, get(fresh), 0, "")
		used = fresh
	}
}

func TestGCPScopesBindTheToken(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	tests := []struct {
		scope, method, path string
		want                int
	}{
		{storage.DevstorageReadOnlyScope, "GET", "/storage/v1/b?project=acme", 0},
		{storage.DevstorageReadOnlyScope, "POST", "/storage/v1/b?project=acme", 403},
		{storage.DevstorageReadOnlyScope, "GET", "/v1/projects/acme/instances", 403},
		{sqladmin.SqlserviceAdminScope, "GET", "/v1/projects/acme/instances", 0},
		{sqladmin.SqlserviceAdminScope, "GET", "/storage/v1/b?project=acme", 403},
		{sqladmin.CloudPlatformScope, "GET", "/sql/v1beta4/projects/acme/instances", 0},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path+" with "+test.scope, func(t *testing.T) {
			client := g.Scoped(t, "acme", test.scope)
			request, _ := http.NewRequest(test.method, g.GCPEndpoint()+test.path, strings.NewReader(`{}`))
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			sdk.WantGCP(t, googleapi.CheckResponse(response), test.want, "")
		})
	}
}

func TestGCPProjectsAreApart(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	ctx := context.Background()
	if err := g.Storage.Bucket("acme-logs").Create(ctx, "acme", nil); err != nil {
		t.Fatal(err)
	}
	buckets, sql, _ := g.Clients(t, "globex")
	_, err := buckets.Bucket("acme-logs").Attrs(ctx)
	sdk.WantGCP(t, err, 403, "forbidden")
	sdk.WantGCP(t, buckets.Bucket("acme-logs").Delete(ctx), 403, "forbidden")
	sdk.WantGCP(t, buckets.Bucket("acme-logs").Create(ctx, "globex", nil), 409, "conflict")
	sdk.WantGCP(t, buckets.Bucket("mine").Create(ctx, "acme", nil), 403, "forbidden")
	_, err = buckets.Buckets(ctx, "acme").Next()
	sdk.WantGCP(t, err, 403, "forbidden")
	_, err = sql.Instances.Get("acme", "orders").Do()
	sdk.WantGCP(t, err, 403, "notAuthorized")
	_, err = sql.Instances.Get("acme", "missing").Do()
	sdk.WantGCP(t, err, 403, "notAuthorized")
	_, err = sql.Instances.Insert("acme", sdk.Orders()).Do()
	sdk.WantGCP(t, err, 403, "notAuthorized")
	_, err = sql.Instances.Get("globex", "orders").Do()
	sdk.WantGCP(t, err, 404, "instanceDoesNotExist")
}

func TestGCPUnknownPathsAndMembers(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	tests := []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/", "", 404},
		{"GET", "/storage/v2/b", "", 404},
		{"PUT", "/v1/projects/acme/instances", "{}", 404},
		{"POST", "/v1/projects/acme/instances/orders/explode", "{}", 404},
		{"POST", "/storage/v1/b?project=acme", `{"name":"acme-logs","lables":{}}`, 400},
		{"POST", "/storage/v1/b?project=acme", `{"name":"acme-logs","versioning":{"on":true}}`, 400},
		{"POST", "/storage/v1/b?project=acme", `{"name":"acme-logs","versioning":{"enabled":"yes"}}`, 400},
		{"POST", "/storage/v1/b?project=acme", `{"name":`, 400},
		{"POST", "/v1/projects/acme/instances", `{"name":"orders","settings":{"tear":"db-f1-micro"}}`, 400},
		{"GET", "/storage/v1/b?project=acme&pageToken=!", "", 400},
		{"GET", "/storage/v1/b?project=acme&fields=items(name", "", 0},
		{"GET", "/storage/v1/b?project=acme&fields=items)", "", 400},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path+" "+test.body, func(t *testing.T) {
			request, _ := http.NewRequest(test.method, g.GCPEndpoint()+test.path, strings.NewReader(test.body))
			response, err := g.Raw.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			sdk.WantGCP(t, googleapi.CheckResponse(response), test.want, "")
		})
	}
}

// An access token ends by the clock of sessions, which no other clock moves.
func TestGCPTokenLife(t *testing.T) {
	clock := &check.Clock{At: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}
	g := sdk.StartGCP(t, localcloud.Options{SessionNow: clock.Now})
	list := func() error { return g.Send(t, http.MethodGet, "/storage/v1/b?project=acme", "", nil) }
	for _, tc := range []struct {
		after  time.Duration
		status int
	}{{0, 0}, {time.Hour - time.Second, 0}, {time.Second, http.StatusUnauthorized}} {
		clock.Advance(tc.after)
		status := 0
		if refused, ok := errors.AsType[*googleapi.Error](list()); ok {
			status = refused.Code
		}
		if status != tc.status {
			t.Errorf("%v later: status %d, want %d", tc.after, status, tc.status)
		}
	}
	want := []localcloud.GCPToken{{Principal: "mooring@acme.iam.gserviceaccount.com", Issued: clock.Now().Add(-time.Hour), Expires: clock.Now()}}
	if diff := cmp.Diff(want, g.GCPTokens()); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}
