package gcp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	issuer   = "https://cluster.example"
	pool     = "projects/123456789/locations/global/workloadIdentityPools/clusters/providers/one"
	shopUser = "shop@" + project + ".iam.gserviceaccount.com"
	keyUser  = "mooring@" + project + ".iam.gserviceaccount.com" // whom the key is of
)

// cluster is made once, since making a key takes a tenth of a second.
var cluster = sync.OnceValue(func() *localcloud.Issuer { return localcloud.NewIssuer(issuer) })

// A reach is a local cloud with a pool and a service account, and a driver whose clock the test holds.
type reach struct {
	*cloud
	t       *testing.T
	cluster *localcloud.Issuer
	clock   *clock
}

func newReach(t *testing.T) *reach {
	t.Helper()
	r := &reach{cloud: newCloud(t, localcloud.Durations{}), t: t, cluster: cluster(), clock: &clock{now: time.Now()}}
	subject := localcloud.ServiceAccountSubject("shop", "buyer")
	r.TrustIssuer(issuer, r.cluster.Key())
	r.GCPPool(pool, localcloud.GCPTrust{Issuer: issuer, Subjects: []string{subject}, Project: project})
	r.GCPServiceAccount(shopUser, project, keyUser, localcloud.GCPPrincipal(pool, subject))
	return r
}

func (r *reach) key() driver.Opening { return r.config(project) }

// web is a config with a web identity.
func (r *reach) web() driver.Opening {
	cfg := r.config(project)
	cfg.Credentials, cfg.Tenant = nil, driver.Tenant{Namespace: "shop", ProviderConfig: "main"}
	cfg.Chain.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "buyer", Provider: pool}
	cfg.Host = driver.HostFuncs{Tokens: func(_ context.Context, audience string) (string, error) {
		return r.cluster.Token("shop", "buyer", audience, time.Hour), nil
	}}
	return cfg
}

func acting(config func(*reach) driver.Opening) func(*reach) driver.Opening {
	return func(r *reach) driver.Opening {
		cfg := config(r)
		cfg.Chain.ImpersonateServiceAccount = shopUser
		return cfg
	}
}

func (r *reach) openConfig(cfg driver.Opening) driver.Session {
	r.t.Helper()
	conn, err := gcp.New(gcp.Options{Endpoint: r.GCPEndpoint(), Transport: r.sent, Now: r.clock.Now}).Open(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// look observes one thing of each service.
func look(ctx context.Context, conn driver.Session) error {
	_, bucket := drivertest.Buckets(conn).Observe(ctx, bucketRequest{Request: driver.Request{Name: "shop-identity"}})
	_, database := drivertest.Databases(conn).Observe(ctx, databaseRequest{Request: driver.Request{Name: "shop-identity"}})
	return errors.Join(bucket, database)
}

// tokens lists the calls that hand out tokens.
func (r *reach) tokens() []string {
	var names []string
	for _, call := range r.Ledger.Calls(localcloud.Filter{}) {
		if call.Service == "token" || call.Service == "iamcredentials" {
			names = append(names, call.Operation)
		}
	}
	return names
}

func TestReach(t *testing.T) {
	principal := localcloud.GCPPrincipal(pool, localcloud.ServiceAccountSubject("shop", "buyer"))
	for name, tc := range map[string]struct {
		config func(*reach) driver.Opening
		caller string
		steps  []string
	}{
		"a key":                             {(*reach).key, keyUser, []string{"token"}},
		"web identity":                      {(*reach).web, principal, []string{"exchange"}},
		"a key, acting as another":          {acting((*reach).key), shopUser, []string{"token", "generateAccessToken"}},
		"a web identity, acting as another": {acting((*reach).web), shopUser, []string{"exchange", "generateAccessToken"}},
		"ambient":                           {ambient, keyUser, []string{"token"}},
		"ambient, acting as another":        {acting(ambient), shopUser, []string{"token", "generateAccessToken"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			conn := r.openConfig(tc.config(r))
			if n := r.Ledger.Count(localcloud.Filter{}); n > 0 {
				t.Errorf("Open made %d calls", n)
			}
			if got, err := conn.Identity(t.Context()); err != nil || got != project {
				t.Errorf("identity %q, %v", got, err)
			}
			if err := look(t.Context(), conn); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tc.steps, r.tokens()); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			for _, service := range []string{"storage", "sqladmin"} {
				for _, call := range r.Ledger.Calls(localcloud.Filter{Service: service}) {
					if call.Caller != tc.caller {
						t.Errorf("%s came from %s", call.Operation, call.Caller)
					}
				}
			}
		})
	}
}

// ambient gives the process an identity by a file, as a mounted key is.
func ambient(r *reach) driver.Opening {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "key.json")
	if err := os.WriteFile(path, r.GCPKey(project), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
	cfg := r.config(project)
	cfg.Credentials, cfg.Ambient = nil, true
	return cfg
}

func TestReachRefused(t *testing.T) {
	token := func(r *reach, audience string, life time.Duration) driver.TokenFunc {
		return func(context.Context, string) (string, error) {
			return r.cluster.Token("shop", "buyer", audience, life), nil
		}
	}
	failing := func(err error) func(*reach, *driver.Opening) {
		return func(_ *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: func(context.Context, string) (string, error) { return "", err }}
		}
	}
	fault := func(kind localcloud.FaultKind, operation string) func(*reach, *driver.Opening) {
		return func(r *reach, _ *driver.Opening) {
			r.Faults.Add(localcloud.Fault{Kind: kind, Filter: localcloud.Filter{Operation: operation}})
		}
	}
	for name, tc := range map[string]struct {
		config func(*reach) driver.Opening
		edit   func(*reach, *driver.Opening)
		want   driver.Code
		says   []string
	}{
		"another subject": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: func(_ context.Context, audience string) (string, error) {
				return r.cluster.Token("shop", "thief", audience, time.Hour), nil
			}}
		}, driver.Denied, []string{pool, "system:serviceaccount:shop:buyer", "attribute condition"}},
		"another audience": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: token(r, "sts.amazonaws.com", time.Hour)}
		},
			driver.Denied, []string{"audience"}},
		"a token that has expired": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: token(r, "//iam.googleapis.com/"+pool, -time.Minute)}
		}, driver.Denied, []string{"stale"}},
		"another cluster": {(*reach).web, func(r *reach, _ *driver.Opening) { r.cluster = localcloud.NewIssuer("https://other.example") },
			driver.Denied, []string{"https://other.example"}},
		"a forged token": {(*reach).web, func(r *reach, _ *driver.Opening) { r.cluster = localcloud.NewIssuer(issuer) }, driver.Denied, nil},
		"no such provider": {(*reach).web, func(_ *reach, cfg *driver.Opening) { cfg.Chain.WebIdentity.Provider += "-two" },
			driver.Denied, []string{pool + "-two"}},
		"no rights of its own": {(*reach).web, func(r *reach, _ *driver.Opening) {
			r.GCPPool(pool, localcloud.GCPTrust{Issuer: issuer})
		}, driver.Denied, nil},
		"no token for you":          {(*reach).web, failing(&driver.Error{Code: driver.Denied, Op: "token", Message: "annotate it"}), driver.Denied, []string{"annotate it"}},
		"too many tokens":           {(*reach).web, failing(&driver.Error{Code: driver.Throttled, Op: "token"}), driver.Throttled, nil},
		"no token, of no such name": {(*reach).web, failing(&driver.Error{Code: driver.NotFound, Op: "token"}), driver.Denied, nil},
		"no token, who knows why":   {(*reach).web, failing(errors.New("etcd")), driver.Unavailable, []string{"buyer"}},
		"too many exchanges":        {(*reach).web, fault(localcloud.Throttled, "exchange"), driver.Throttled, []string{pool}},
		"the exchange fails":        {(*reach).web, fault(localcloud.ServerError, "exchange"), driver.Unavailable, []string{pool}},
		"the exchange is cut off":   {(*reach).web, fault(localcloud.RequestLost, "exchange"), driver.Unavailable, []string{pool}},

		"may not act, by pool": {acting((*reach).web), func(r *reach, _ *driver.Opening) { r.GCPServiceAccount(shopUser, project) },
			driver.Denied, []string{shopUser, "roles/iam.workloadIdentityUser", localcloud.GCPPrincipal(pool, "system:serviceaccount:shop:buyer")}},
		"may not act, by key": {acting((*reach).key), func(r *reach, _ *driver.Opening) { r.GCPServiceAccount(shopUser, project) },
			driver.Denied, []string{shopUser, "roles/iam.serviceAccountTokenCreator"}},
		"nobody to act as": {acting((*reach).key), func(_ *reach, cfg *driver.Opening) {
			cfg.Chain.ImpersonateServiceAccount = "nobody@" + project + ".iam.gserviceaccount.com"
		}, driver.Denied, []string{"nobody@"}},
		"a key that was revoked":  {acting((*reach).key), func(r *reach, _ *driver.Opening) { r.RevokeGCPKey(project) }, driver.Denied, nil},
		"too many acts":           {acting((*reach).key), fault(localcloud.Throttled, "generateAccessToken"), driver.Throttled, []string{shopUser}},
		"the act fails":           {acting((*reach).key), fault(localcloud.ServerError, "generateAccessToken"), driver.Unavailable, []string{shopUser}},
		"the act is cut off":      {acting((*reach).key), fault(localcloud.RequestLost, "generateAccessToken"), driver.Unavailable, []string{shopUser}},
		"in a project of another": {acting((*reach).key), func(r *reach, _ *driver.Opening) { r.GCPServiceAccount(shopUser, "another-project", keyUser) }, driver.Denied, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			cfg := tc.config(r)
			tc.edit(r, &cfg)
			conn := r.openConfig(cfg)
			_, identity := conn.Identity(t.Context())
			bucket, inStorage := drivertest.Buckets(conn).Observe(t.Context(), bucketRequest{Request: driver.Request{Name: "shop-identity"}})
			database, inSQL := drivertest.Databases(conn).Observe(t.Context(), databaseRequest{Request: driver.Request{Name: "shop-identity"}})
			if name == "no rights of its own" || name == "in a project of another" {
				// Who it is has been settled; what it may do is for the services to say, and of buckets that are not there they say nothing.
				if identity != nil || inSQL == nil || driver.CodeOf(inSQL) != tc.want {
					t.Errorf("got %v and %v", identity, inSQL)
				}
				return
			}
			if bucket.State != driver.Unknown || database.State != driver.Unknown {
				t.Errorf("states %v and %v of what nobody could look at", bucket.State, database.State)
			}
			for _, err := range []error{identity, inStorage, inSQL} {
				if err == nil || driver.CodeOf(err) != tc.want {
					t.Errorf("got %v (%v), want %v", err, driver.CodeOf(err), tc.want)
				}
				for _, part := range append(tc.says, "") {
					if !strings.Contains(fmt.Sprint(err), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
				if strings.Contains(fmt.Sprintf("%v %+v", err, err), "eyJ") {
					t.Errorf("%q shows a token", err)
				}
			}
		})
	}
}

func TestBases(t *testing.T) {
	r := newReach(t)
	for name, edit := range map[string]func(*driver.Opening){
		"none":                 func(cfg *driver.Opening) { cfg.Credentials = nil },
		"two":                  func(cfg *driver.Opening) { cfg.Ambient = true },
		"web without tokens":   func(cfg *driver.Opening) { *cfg = r.web(); cfg.Host = nil },
		"web without provider": func(cfg *driver.Opening) { *cfg = r.web(); cfg.Chain.WebIdentity.Provider = "" },
		"a URL as provider": func(cfg *driver.Opening) {
			*cfg = r.web()
			cfg.Chain.WebIdentity.Provider = "https://evil.example/" + pool
		},
		"a path as account":     func(cfg *driver.Opening) { cfg.Chain.ImpersonateServiceAccount = "a@b/../../evil" },
		"roles of another kind": func(cfg *driver.Opening) { cfg.Chain.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: "arn"}} },
	} {
		cfg := r.key()
		edit(&cfg)
		if _, err := gcp.New(gcp.Options{}).Open(t.Context(), cfg); err == nil || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

// During a renewal, whether it goes well, fails or hangs, no call fails or waits.
func TestRenewal(t *testing.T) {
	for name, fault := range map[string]localcloud.FaultKind{
		"goes well": "", "is refused": localcloud.Denied, "fails": localcloud.ServerError, "hangs": localcloud.Hang,
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			conn := r.openConfig(acting((*reach).web)(r))
			if err := look(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			if fault != "" {
				r.Faults.Add(localcloud.Fault{Kind: fault, Filter: localcloud.Filter{Operation: "generateAccessToken"}})
			}
			r.clock.advance(56 * time.Minute)
			done := make(chan error)
			for range 20 {
				go func() {
					ctx := t.Context() // without a deadline: one that waits for a renewal which hangs fails in the end
					done <- errors.Join(look(ctx, conn), look(ctx, conn), look(ctx, conn))
				}()
			}
			for range 20 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if fault != "" {
				return
			}
			// Nobody waits for the renewal, so it may be under way still. The loop ends early only where it would hang.
			for end := time.Now().Add(5 * time.Minute); len(r.tokens()) < 4 && time.Now().Before(end); time.Sleep(time.Millisecond) {
			}
			if steps := r.tokens(); len(steps) != 4 {
				t.Errorf("steps %v, want one renewal", steps)
			}
		})
	}
}

// A token that the cloud no longer takes costs no failed call, whichever way it was come by.
func TestEndedToken(t *testing.T) {
	for name, config := range map[string]func(*reach) driver.Opening{
		"web identity": (*reach).web, "acting": acting((*reach).key), "ambient": ambient,
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			conn := r.openConfig(config(r))
			if err := look(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			r.ExpireGCPTokens()
			if err := look(t.Context(), conn); err != nil {
				t.Error(err)
			}
		})
	}
}
