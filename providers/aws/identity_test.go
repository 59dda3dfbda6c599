package aws_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	roleOne  = "arn:aws:iam::" + awstest.Account + ":role/mooring"
	roleTwo  = "arn:aws:iam::" + awstest.Other + ":role/team/shop"
	issuer   = "https://cluster.example"
	audience = "sts.amazonaws.com"
)

var tenant = driver.Tenant{Namespace: "shop", NamespaceUID: "6a9f-uid", ProviderConfig: "main"}

// What is wrong with a credentials Secret is said with the next move, and in the same words at each look: a message that changes is stored each time.
func TestSecretsThatAreRefused(t *testing.T) {
	const id, secret = v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey
	for name, tt := range map[string]struct {
		secret driver.Credentials
		want   string
	}{
		"keys of another kind": {driver.Credentials{id: []byte("a"), secret: []byte("b"), "file": nil, "config": nil, "url": nil}, `has the key "config": remove it`},
		"none":                 {driver.Credentials{}, `has no value for the key "` + id + `": set it`},
		"an empty value":       {driver.Credentials{id: []byte("a"), secret: nil}, `has no value for the key "` + secret + `": set it`},
		"line breaks":          {driver.Credentials{id: []byte("a\n"), secret: []byte("b\n")}, `the value of "` + id + `" in the credentials Secret has`},
	} {
		for range 20 {
			_, err := aws.New(aws.Options{}).Open(t.Context(), driver.Opening{
				Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: awstest.Region}}, Location: awstest.Region},
				Credentials: tt.secret,
			})
			if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%s: %v, want %s", name, err, tt.want)
			}
		}
	}
}

// A reach is a local cloud with roles, and a driver whose clock the test holds.
type reach struct {
	*awstest.Environment
	cluster *localcloud.Issuer
	clock   *awstest.Clock
}

// cluster is made once, since making a key takes a tenth of a second.
var cluster = sync.OnceValue(func() *localcloud.Issuer { return localcloud.NewIssuer(issuer) })

func newReach(t *testing.T) *reach {
	t.Helper()
	return newReachWith(t, localcloud.Options{})
}

func newReachWith(t *testing.T, options localcloud.Options) *reach {
	t.Helper()
	w := awstest.New(t, options)
	r := &reach{Environment: w, cluster: cluster(), clock: awstest.NewClockAt(time.Now())}
	w.TrustIssuer(issuer, r.cluster.Key())
	w.AWSRole(roleOne, localcloud.AWSTrust{
		Principals: []string{awstest.Account}, ExternalID: tenant.NamespaceUID, TagSession: true, RequireTags: []string{"mooring:namespace"},
		Issuer: issuer, Subjects: []string{localcloud.ServiceAccountSubject("shop", "buyer")},
	})
	w.AWSRole(roleTwo, localcloud.AWSTrust{Principals: []string{roleOne}, ExternalID: "agreed", TagSession: true})
	w.Ledger.Reset()
	return r
}

// assuming is a config with static keys and one role.
func (r *reach) assuming() driver.Opening {
	return driver.Opening{
		Config:      driver.Config{Location: awstest.Region, Tenant: tenant, Chain: v1alpha1.IdentityChain{AssumeRoles: []v1alpha1.AssumeRole{{RoleARN: roleOne}}}},
		Credentials: r.Keys(awstest.Account),
	}
}

// web is a config with a web identity.
func (r *reach) web() driver.Opening {
	return driver.Opening{
		Config: driver.Config{Location: awstest.Region, Tenant: tenant, Chain: v1alpha1.IdentityChain{WebIdentity: &v1alpha1.WebIdentity{ServiceAccountName: "buyer", RoleARN: roleOne}}},
		Host: driver.HostFuncs{Tokens: func(_ context.Context, audience string) (string, error) {
			return r.cluster.Token("shop", "buyer", audience, time.Hour), nil
		}},
	}
}

func (r *reach) openConfig(cfg driver.Opening) driver.Session {
	r.T.Helper()
	conn, err := aws.New(aws.Options{Endpoint: r.AWSEndpoint(), Now: r.clock.Now}).Open(r.T.Context(), cfg)
	if err != nil {
		r.T.Fatal(err)
	}
	return conn
}

// look observes one thing of each service.
func look(ctx context.Context, conn driver.Session) error {
	_, bucket := drivertest.Buckets(conn).Observe(ctx, awstest.BucketOf("shop-identity", v1alpha1.BucketParameters{}))
	_, database := drivertest.Databases(conn).Observe(ctx, awstest.DatabaseOf("shop-identity", nil))
	return errors.Join(bucket, database)
}

func TestReach(t *testing.T) {
	tags := map[string]string{"mooring:namespace": "shop", "mooring:providerConfig": "main"}
	user := "arn:aws:iam::" + awstest.Account + ":user/mooring"
	one := "arn:aws:sts::" + awstest.Account + ":assumed-role/mooring/mooring-shop-main"
	two := "arn:aws:sts::" + awstest.Other + ":assumed-role/shop/mooring-shop-main"
	first := localcloud.AWSSession{Role: roleOne, Name: "mooring-shop-main", By: user, ExternalID: tenant.NamespaceUID, Tags: tags}
	second := localcloud.AWSSession{Role: roleTwo, Name: "mooring-shop-main", By: one, ExternalID: "agreed", Tags: tags}
	signedIn := localcloud.AWSSession{Role: roleOne, Name: "mooring-shop-main", By: "system:serviceaccount:shop:buyer"}
	for name, tc := range map[string]struct {
		config   func(*reach) driver.Opening
		caller   string
		account  driver.AccountID
		tags     map[string]string
		sessions []localcloud.AWSSession
	}{
		"a role":       {(*reach).assuming, one, awstest.Account, tags, []localcloud.AWSSession{first}},
		"web identity": {(*reach).web, one, awstest.Account, nil, []localcloud.AWSSession{signedIn}},
		"two roles": {func(r *reach) driver.Opening {
			cfg := r.assuming()
			cfg.Chain.AssumeRoles = append(cfg.Chain.AssumeRoles, v1alpha1.AssumeRole{RoleARN: roleTwo, ExternalID: "agreed"})
			return cfg
		}, two, awstest.Other, tags, []localcloud.AWSSession{first, second}},
		"a web identity, then a role": {func(r *reach) driver.Opening {
			cfg := r.web()
			cfg.Chain.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: roleTwo, ExternalID: "agreed"}}
			return cfg
		}, two, awstest.Other, tags, []localcloud.AWSSession{signedIn, second}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			conn := r.openConfig(tc.config(r))
			if n := r.Ledger.Count(localcloud.Filter{}); n > 0 {
				t.Errorf("Open made %d calls", n)
			}
			if got, err := conn.Identity(t.Context()); err != nil || got != tc.account {
				t.Errorf("identity %q, %v, want %q", got, err, tc.account)
			}
			if err := look(t.Context(), conn); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(tc.sessions, r.AWSSessions(), cmpopts.IgnoreFields(localcloud.AWSSession{}, "Issued", "Expires"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("sessions (-want +got):\n%s", diff)
			}
			for _, service := range []string{"s3", "rds"} {
				for _, call := range r.Ledger.Calls(localcloud.Filter{Service: service}) {
					if call.Caller != tc.caller || call.Region != awstest.Region || !cmp.Equal(call.Tags, tc.tags, cmpopts.EquateEmpty()) {
						t.Errorf("%s came from %s in %s with %v", call.Operation, call.Caller, call.Region, call.Tags)
					}
				}
			}
		})
	}
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
	for name, tc := range map[string]struct {
		config func(*reach) driver.Opening
		edit   func(*reach, *driver.Opening)
		want   driver.Code
		says   []string
	}{
		"another external id": {(*reach).assuming, func(_ *reach, cfg *driver.Opening) { cfg.Chain.AssumeRoles[0].ExternalID = "guessed" },
			driver.Denied, []string{roleOne, `"guessed"`, "sts:ExternalId", "sts:TagSession"}},
		"another namespace": {(*reach).assuming, func(_ *reach, cfg *driver.Opening) { cfg.Tenant.NamespaceUID = "another-uid" },
			driver.Denied, []string{roleOne, `"another-uid"`}},
		"no external id": {(*reach).assuming, func(_ *reach, cfg *driver.Opening) { cfg.Tenant.NamespaceUID = "" },
			driver.Denied, []string{"without an external id"}},
		"no leave to tag": {(*reach).assuming, func(r *reach, _ *driver.Opening) {
			r.AWSRole(roleOne, localcloud.AWSTrust{Principals: []string{awstest.Account}})
		}, driver.Denied, []string{"not authorized to perform: sts:TagSession"}},
		"the second role": {(*reach).assuming, func(_ *reach, cfg *driver.Opening) {
			cfg.Chain.AssumeRoles = append(cfg.Chain.AssumeRoles, v1alpha1.AssumeRole{RoleARN: roleTwo})
		}, driver.Denied, []string{roleTwo}},
		"no such role": {(*reach).assuming, func(r *reach, _ *driver.Opening) { r.RemoveAWSRole(roleOne) }, driver.Denied, []string{roleOne}},
		"keys that were revoked": {(*reach).assuming, func(r *reach, _ *driver.Opening) { r.RevokeAWSKeys(awstest.Account) },
			driver.Denied, []string{roleOne}},
		"too many calls": {(*reach).assuming, func(r *reach, _ *driver.Opening) {
			r.Faults.Add(localcloud.Fault{Kind: localcloud.Throttled, Filter: localcloud.Filter{Service: "sts"}})
		}, driver.Throttled, []string{roleOne}},
		"STS fails": {(*reach).assuming, func(r *reach, _ *driver.Opening) {
			r.Faults.Add(localcloud.Fault{Kind: localcloud.ServerError, Filter: localcloud.Filter{Service: "sts"}})
		}, driver.Unavailable, []string{roleOne}},
		"STS is not reached": {(*reach).web, func(r *reach, _ *driver.Opening) {
			r.Faults.Add(localcloud.Fault{Kind: localcloud.RequestLost, Filter: localcloud.Filter{Service: "sts"}})
		}, driver.Unavailable, []string{roleOne}},

		"another subject": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: func(_ context.Context, audience string) (string, error) {
				return r.cluster.Token("shop", "thief", audience, time.Hour), nil
			}}
		}, driver.Denied, []string{roleOne, "system:serviceaccount:shop:buyer", "OIDC provider", audience}},
		"another audience": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: token(r, "elsewhere", time.Hour)}
		},
			driver.Denied, []string{"audience"}},
		"a token that has expired": {(*reach).web, func(r *reach, cfg *driver.Opening) {
			cfg.Host = driver.HostFuncs{Tokens: token(r, audience, -time.Minute)}
		},
			driver.Denied, []string{"expired"}},
		"another cluster": {(*reach).web, func(r *reach, _ *driver.Opening) { r.cluster = localcloud.NewIssuer("https://other.example") },
			driver.Denied, []string{"https://other.example"}},
		"a forged token": {(*reach).web, func(r *reach, _ *driver.Opening) { r.cluster = localcloud.NewIssuer(issuer) },
			driver.Denied, nil},
		"no token for you":          {(*reach).web, failing(&driver.Error{Code: driver.Denied, Op: "token", Message: "annotate it"}), driver.Denied, []string{"annotate it"}},
		"too many tokens":           {(*reach).web, failing(&driver.Error{Code: driver.Throttled, Op: "token"}), driver.Throttled, nil},
		"no token, of no such name": {(*reach).web, failing(&driver.Error{Code: driver.NotFound, Op: "token"}), driver.Denied, nil},
		"no token, who knows why":   {(*reach).web, failing(errors.New("etcd")), driver.Unavailable, []string{"buyer"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			cfg := tc.config(r)
			tc.edit(r, &cfg)
			conn := r.openConfig(cfg)
			_, identity := conn.Identity(t.Context())
			bucket, inS3 := drivertest.Buckets(conn).Observe(t.Context(), awstest.BucketOf("shop-identity", v1alpha1.BucketParameters{}))
			database, inRDS := drivertest.Databases(conn).Observe(t.Context(), awstest.DatabaseOf("shop-identity", nil))
			if bucket.State != driver.Unknown || database.State != driver.Unknown {
				t.Errorf("states %v and %v of what nobody could look at", bucket.State, database.State)
			}
			for _, err := range []error{identity, inS3, inRDS} {
				awstest.WantCode(t, err, tc.want)
				for _, part := range append(tc.says, "") {
					if !strings.Contains(fmt.Sprint(err), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
				if fmt.Sprint(err) != fmt.Sprint(identity) || strings.Contains(fmt.Sprintf("%v %+v", err, err), "eyJ") {
					t.Errorf("%q and %q: not stable, or it shows a token", err, identity)
				}
			}
		})
	}
}

func TestBases(t *testing.T) {
	r := newReach(t)
	for name, edit := range map[string]func(*driver.Opening){
		"none": func(cfg *driver.Opening) { cfg.Credentials = nil },
		"two":  func(cfg *driver.Opening) { cfg.Ambient = true },
		"all": func(cfg *driver.Opening) {
			cfg.Ambient, cfg.Chain.WebIdentity, cfg.Host = true, r.web().Chain.WebIdentity, r.web().Host
		},
		"web without a role":          func(cfg *driver.Opening) { *cfg = r.web(); cfg.Chain.WebIdentity.RoleARN = "" },
		"web without tokens":          func(cfg *driver.Opening) { *cfg = r.web(); cfg.Host = nil },
		"a role without a name":       func(cfg *driver.Opening) { cfg.Chain.AssumeRoles[0].RoleARN = "" },
		"an account of another cloud": func(cfg *driver.Opening) { cfg.Chain.ImpersonateServiceAccount = "a@b.iam.gserviceaccount.com" },
	} {
		cfg := r.assuming()
		edit(&cfg)
		if _, err := aws.New(aws.Options{}).Open(t.Context(), cfg); err == nil || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%s: got %v, want Invalid", name, err)
		}
	}
}

// Every name makes a session's name that AWS takes.
func TestSessionNames(t *testing.T) {
	for name, who := range map[string]driver.Tenant{
		"nobody":          {},
		"long":            {Namespace: strings.Repeat("n", 63), ProviderConfig: strings.Repeat("p", 253)},
		"cut at a hyphen": {Namespace: strings.Repeat("n", 55), ProviderConfig: "p"},
		"dots":            {Namespace: "shop", ProviderConfig: "a.b"},
		"odd":             {Namespace: "shop", ProviderConfig: "ä/b c"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			r.AWSRole(roleOne, localcloud.AWSTrust{Principals: []string{awstest.Account}, TagSession: true})
			cfg := r.assuming()
			cfg.Tenant = who
			if err := look(t.Context(), r.openConfig(cfg)); err != nil {
				t.Error(err)
			}
		})
	}
}

// The config's endpoint and region are those of STS too.
func TestReachElsewhere(t *testing.T) {
	r := newReach(t)
	cfg := r.assuming()
	cfg.Endpoint, cfg.Location = r.AWSEndpoint(), "eu-west-3"
	conn, err := aws.New(aws.Options{Endpoint: "http://127.0.0.1:1"}).Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Identity(t.Context()); err != nil {
		t.Error(err)
	}
	for _, call := range r.Ledger.Calls(localcloud.Filter{}) {
		if call.Region != "eu-west-3" {
			t.Errorf("%s went to %s", call.Operation, call.Region)
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
			conn := r.openConfig(r.assuming())
			if err := look(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			if fault != "" {
				r.Faults.Add(localcloud.Fault{Kind: fault, Filter: localcloud.Filter{Operation: "AssumeRole"}})
			}
			r.clock.Advance(56 * time.Minute)
			var failed atomic.Int64
			done := make(chan bool)
			for range 20 {
				go func() {
					for range 5 {
						if look(t.Context(), conn) != nil { // as one that waits for a renewal which hangs, in the end
							failed.Add(1)
						}
					}
					done <- true
				}()
			}
			for range 20 {
				<-done
			}
			if n := failed.Load(); n > 0 {
				t.Errorf("%d of 100 failed", n)
			}
			want := 1
			if fault == "" {
				want = 2
			}
			await(t, "the renewal, which no call waits for", func() bool { return len(r.AWSSessions()) >= want })
			if n := len(r.AWSSessions()); n != want {
				t.Errorf("%d sessions, want %d", n, want)
			}
		})
	}
}

// Sessions follow one another without a gap: while calls go on, each is renewed five minutes before it ends, once, and no call is refused.
func TestSessionsFollowOneAnother(t *testing.T) {
	clock := awstest.NewClock()
	r := newReachWith(t, localcloud.Options{SessionNow: clock.Now})
	conn, err := aws.New(aws.Options{Endpoint: r.AWSEndpoint(), Now: clock.Now}).Open(t.Context(), r.web())
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	var looks [4]atomic.Int64
	stop := make(chan struct{})
	for i := range looks {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := look(t.Context(), conn); err != nil {
					t.Error(err)
				}
				looks[i].Add(1)
			}
		})
	}
	const renewals = 3
	for n := range renewals {
		for i := range looks { // none is under way that was signed before the last renewal
			from := looks[i].Load()
			await(t, "calls go on", func() bool { return looks[i].Load() >= from+2 })
		}
		clock.Advance(55 * time.Minute)
		await(t, "the session is renewed", func() bool { return len(r.AWSSessions()) >= n+2 })
	}
	close(stop)
	callers.Wait()
	if n := len(r.AWSSessions()); n != 1+renewals {
		t.Errorf("%d sessions, want one, and one for each renewal", n)
	}
	for _, call := range r.Ledger.Calls(localcloud.Filter{}) {
		if call.Status == http.StatusForbidden || call.Code == "ExpiredToken" {
			t.Errorf("a call was refused: %+v", call)
		}
	}
}

// await waits until something is so that nobody waits for but the test. It gives up only where it would hang.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never comes to this: ", what)
		}
	}
}

// A session that AWS no longer takes costs no failed call, and an explicit deny that stays costs no session for each call.
func TestRevokedSession(t *testing.T) {
	for name, end := range map[string]func(*reach){
		"expired": func(r *reach) { r.ExpireAWSSessions() },
		"revoked": func(r *reach) { r.RevokeAWSSessions(roleOne); r.clock.Advance(2 * time.Minute) },
		"its role made anew": func(r *reach) {
			r.RemoveAWSRole(roleOne)
			r.AWSRole(roleOne, localcloud.AWSTrust{Principals: []string{awstest.Account}, TagSession: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReach(t)
			conn := r.openConfig(r.assuming())
			if err := look(t.Context(), conn); err != nil {
				t.Fatal(err)
			}
			end(r)
			done := make(chan error)
			for range 20 {
				go func() { done <- look(t.Context(), conn) }()
			}
			for range 20 {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if n := len(r.AWSSessions()); n != 2 {
				t.Errorf("%d sessions, want 2", n)
			}
		})
	}
	t.Run("denied for good", func(t *testing.T) {
		r := newReach(t)
		conn := r.openConfig(r.assuming())
		if err := look(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		r.RevokeAWSSessions(roleOne)
		r.clock.Advance(30 * time.Second) // too young to have been revoked
		for range 3 {
			awstest.WantCode(t, look(t.Context(), conn), driver.Denied)
		}
		if n := len(r.AWSSessions()); n != 1 {
			t.Errorf("%d sessions, want 1", n)
		}
	})
}
