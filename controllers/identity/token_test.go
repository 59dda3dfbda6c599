package identity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Each tenant signs in with a token of its own ServiceAccount, for exactly the audience that was asked for.
func TestTokensAreTheTenantsOwn(t *testing.T) {
	h := newFixture(t, webPlatform(), webTeam(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"), serviceAccount(system, "true"))
	for _, use := range []Request{in("shop"), in("bakery"), team} {
		if err := h.signIn(use); err != nil {
			t.Error(err)
		}
	}
	// The team's and the platform's identity in the shop are the same ServiceAccount.
	want := []string{"shop/cloud " + audience, "bakery/cloud " + audience}
	if diff := cmp.Diff(want, h.takeIssued()); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
	if got := h.cloud.tokens; got[0] == got[1] || got[0] != got[2] {
		t.Errorf("signed in with %q", got)
	}
	if _, err := h.cloud.with[0].Host.Token(t.Context(), "//iam.googleapis.com/x"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"shop/cloud //iam.googleapis.com/x"}, h.takeIssued()); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
}

// Whose ServiceAccount must not be used is told so, in words that say what to do.
func TestTokensNeedConsent(t *testing.T) {
	forbidden := apierrors.NewForbidden(corev1.Resource("serviceaccounts"), "cloud", errors.New("no"))
	for _, tt := range []struct {
		name    string
		objects []client.Object
		down    error
		want    v1alpha1.Reason // of a refusal by Connect
		code    driver.Code     // of the error that a driver gets, if it asks
		says    string
	}{
		{"none", nil, nil, v1alpha1.ReasonCredentialsNotFound, driver.Denied, "no ServiceAccount cloud in namespace shop"},
		{"other namespaces' only", []client.Object{serviceAccount(system, "true"), serviceAccount("bakery", "true")}, nil,
			v1alpha1.ReasonCredentialsNotFound, driver.Denied, "no ServiceAccount cloud in namespace shop"},
		{"without the annotation", []client.Object{serviceAccount("shop", "")}, nil, v1alpha1.ReasonDenied, driver.Denied,
			`ServiceAccount cloud may not be used: it lacks the annotation mooring.dev/issue-tokens: "true"`},
		{"annotated otherwise", []client.Object{serviceAccount("shop", "yes")}, nil, v1alpha1.ReasonDenied, driver.Denied, "issue-tokens"},
		{"no answer", []client.Object{serviceAccount("shop", "true")}, errors.New("connection refused"), "", driver.Unavailable, "does not answer"},
		{"not allowed to ask", []client.Object{serviceAccount("shop", "true")}, forbidden, "", driver.Denied, "refuses"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFixture(t, append(tt.objects, webPlatform())...)
			h.issuer.down = tt.down
			_, err := h.Connect(t.Context(), platform)
			if got := reasonOf(err); err == nil || got != tt.want || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Connect: %q, %v", got, err)
			}
			cfg, err := h.configs.load(t.Context(), h.Client, platform.Key)
			if err != nil {
				t.Fatal(err)
			}
			_, err = h.connector.dialer.tokenFunc(cfg, tenant{"shop", "uid-of-shop"}, &issued{})(t.Context(), audience)
			if driver.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("for a driver: %v, %v", driver.CodeOf(err), err)
			}
			if got := h.takeIssued(); got != nil {
				t.Errorf("issued %v", got)
			}
		})
	}
}

// Consent that is taken back ends the use, and consent that is given again begins it, without anybody's doing.
func TestConsentIsCheckedAgain(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	for _, consent := range []string{"true", "", "true"} {
		edit(h, serviceAccount("shop", ""), func(a *corev1.ServiceAccount) { a.Annotations = serviceAccount("", consent).Annotations })
		h.now = h.now.Add(h.Refresh)
		want := v1alpha1.Reason("")
		if consent == "" {
			want = v1alpha1.ReasonDenied
		}
		if err := h.signIn(platform); reasonOf(err) != want {
			t.Errorf("annotated %q: %v", consent, err)
		}
	}
}

// A token is used for most of its life. A renewal that fails is no reason to fail as long as there is one that is good.
func TestTokensAreRenewedAhead(t *testing.T) {
	down := errors.New("connection refused")
	for _, tt := range []struct {
		name string
		age  time.Duration
		down error
		want int // tokens issued
		code error
	}{
		{name: "just issued"},
		{name: "young", age: 47 * time.Minute},
		{name: "young, and no answer", age: 47 * time.Minute, down: down},
		{name: "old", age: 48 * time.Minute, want: 1},
		{name: "old, and no answer", age: 48 * time.Minute, down: down},
		{name: "too old, and no answer", age: 51 * time.Minute, down: down, code: down},
		{name: "expired", age: 2 * time.Hour, want: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
			if err := h.signIn(platform); err != nil {
				t.Fatal(err)
			}
			h.takeIssued()
			h.now, h.issuer.down = h.now.Add(tt.age), tt.down
			value, err := h.cloud.with[0].Host.Token(t.Context(), audience)
			if !errors.Is(err, tt.code) || (err == nil) != (tt.code == nil) || len(h.takeIssued()) != tt.want {
				t.Errorf("%v", err)
			}
			if renewed := value != h.cloud.tokens[0]; err == nil && renewed != (tt.want > 0) {
				t.Errorf("another token: %t", renewed)
			}
		})
	}
}

// Many who need a token at the same time are one request, and none of them can end it for the others.
func TestTokensAreShared(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	if _, err := h.Connect(t.Context(), platform); err != nil {
		t.Fatal(err)
	}
	token := h.cloud.with[0].Host.Token
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h.issuer.before = func() { <-gate }
		impatient, cancel := context.WithCancel(t.Context())
		given := make(chan error, 1)
		go func() { _, err := token(impatient, audience); given <- err }()
		synctest.Wait()
		for range 10 {
			go func() {
				if _, err := token(t.Context(), audience); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		cancel()
		if err := <-given; driver.CodeOf(err) != driver.Unavailable {
			t.Errorf("who gave up got %v", err)
		}
		close(gate)
		synctest.Wait()
	})
	if got := h.takeIssued(); len(got) != 1 {
		t.Errorf("issued %v", got)
	}
}

// A cloud that refuses a token may take a new one; one that goes on refusing is not reason enough for more and more.
func TestRefusedTokensAreReplaced(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	var issued []int
	for range 4 {
		conn, err := h.Connect(t.Context(), platform)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.cloud.with[0].Host.Token(t.Context(), audience); err != nil {
			t.Fatal(err)
		}
		issued = append(issued, len(h.takeIssued()))
		conn.ReloadCredentials()
		h.now = h.now.Add(h.Refresh / 2)
	}
	if diff := cmp.Diff([]int{1, 0, 0, 1}, issued); diff != "" {
		t.Errorf("issued every half a minute (-want +got):\n%s", diff)
	}
}

// What a token is cut out of: every message, also those of a token that came after the connection, or was replaced since.
func TestTokensAreRedacted(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	conn, err := h.Connect(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	if got := conn.Redact("nothing to hide"); got != "nothing to hide" {
		t.Errorf("before there was a token: %q", got)
	}
	for range 2 {
		if _, err := h.cloud.with[0].Host.Token(t.Context(), audience); err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(time.Hour)
	}
	h.cloud.identity = &driver.Error{Code: driver.Denied, Op: "AssumeRole", Message: "not welcome: " + secretValue}
	if _, err := conn.Account(t.Context()); err == nil {
		t.Fatal("there is no error to redact")
	}
	given := strings.Join(h.cloud.tokens, " and ")
	if got := conn.Redact("sent " + given); strings.Contains(got, secretValue) || len(h.cloud.tokens) == 0 {
		t.Errorf("redacted to %q", got)
	}
	first := mint(t, 1, claims{Subject: "system:serviceaccount:shop:cloud", Audience: []string{audience},
		Issued: float64(h.now.Add(-2 * time.Hour).Unix()), Expires: float64(h.now.Add(-time.Hour).Unix())})
	if got := conn.Redact(first); strings.Contains(got, secretValue) {
		t.Errorf("the first one is shown: %q", got)
	}
}

// A config's own status does not tell tokens either.
func TestStatusTellsNoToken(t *testing.T) {
	h := newFixture(t, webTeam(), serviceAccount("shop", "true"))
	h.cloud.identity = echo{h.cloud}
	h.reconcileTeam(1)
	cfg := webTeam()
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg); err != nil {
		t.Fatal(err)
	}
	ready := cfg.Status.Conditions[0]
	if ready.Status != "False" || !strings.Contains(ready.Message, "refused") || strings.Contains(ready.Message, secretValue) {
		t.Errorf("%+v", ready)
	}
}

// echo is an error of a cloud that says which token it was given.
type echo struct{ cloud *opened }

func (e echo) Error() string { return "refused " + strings.Join(e.cloud.tokens, " ") }
