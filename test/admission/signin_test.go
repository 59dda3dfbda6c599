package admission

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/system"
)

// signInCloud is a cloud that takes a token of the API server, and remembers the last.
type signInCloud struct {
	driver.Driver
	token string
}

func (g *signInCloud) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	return signedIn{signInCloud: g, cfg: cfg}, nil
}

// signedIn is a session of a signInCloud.
type signedIn struct {
	driver.Session
	*signInCloud
	cfg driver.Opening
}

func (s signedIn) Identity(ctx context.Context) (driver.AccountID, error) {
	token, err := s.cfg.Host.Token(ctx, amazon)
	s.token = token
	return "555555555555", err
}

// Mooring signs in with the rights that it has, in the bounds of its policy, and with what it kept once a namespace is
// leaving.
func TestMooringSignsIn(t *testing.T) {
	self := fixture(t).User(system.Installed)
	installTokens(t, self)
	leaving := fmt.Sprintf("leaving-%d", time.Now().UnixNano()) // it can't be used a second time
	ensure(t, namespace(leaving), serviceAccount(leaving, "cloud", consent), webConfig())
	system.Eventually(t, "the policy knows the ServiceAccount", func() bool {
		return request(t.Context(), self, leaving, "cloud", 3600, amazon) == nil
	})
	cloud := &signInCloud{Driver: mem.New(mem.Options{}).Driver()}
	newStore := func() *identity.Store {
		return identity.New(identity.Options{
			Client: self, Reader: self, Drivers: map[string]driver.Driver{"aws": cloud},
			Namespace: system.Namespace, Refresh: time.Minute, Limiters: account.New(1, time.Now, nil), Now: time.Now,
		})
	}
	use := identity.Request{Key: identity.Key{Kind: identity.KindClusterProviderConfig, Name: "web"}, Namespace: leaving}
	signIn := func(store *identity.Store, use identity.Request) error {
		conn, err := store.Connect(t.Context(), use)
		if err == nil {
			_, err = conn.Account(t.Context())
		}
		return err
	}

	store := newStore()
	if err := errors.Join(signIn(store, use), store.Protect(t.Context(), use.Key, use.Namespace)); err != nil {
		t.Fatal(err)
	}
	if got := userOf(t, cloud.token); got != "system:serviceaccount:"+leaving+":cloud" {
		t.Errorf("signed in as %q", got)
	}

	kept := cloud.token
	if err := shared.Client.Delete(t.Context(), namespace(leaving)); err != nil { // it stays Terminating
		t.Fatal(err)
	}
	store, cloud.token = newStore(), ""
	if err := store.Protect(t.Context(), use.Key, use.Namespace); refusal(err) != v1alpha1.ReasonCredentialsNotFound {
		t.Errorf("held in a leaving namespace: %v", err)
	}
	use.Bound, use.Deleting = true, true
	if err := signIn(store, use); err != nil || cloud.token != kept {
		t.Errorf("a deletion in a leaving namespace: %v, with the kept token: %t", err, cloud.token == kept)
	}
	if err := shared.Client.Delete(t.Context(), serviceAccount(leaving, "cloud", nil)); err != nil {
		t.Fatal(err)
	}
	store, cloud.token = newStore(), ""
	if err := signIn(store, use); err != nil || cloud.token != kept {
		t.Errorf("a deletion without a ServiceAccount: %v, with the kept token: %t", err, cloud.token == kept)
	}
}

func webConfig() *v1alpha1.ClusterProviderConfig {
	c := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	c.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	c.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud", RoleARN: "arn:aws:iam::555555555555:role/mooring"}
	c.Spec.AllowedNamespaces, c.Spec.DirectUse = &metav1.LabelSelector{}, true
	return c
}

// userOf asks the API server whose token it is.
func userOf(t *testing.T, token string) string {
	t.Helper()
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{amazon}}}
	if err := shared.Client.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.User.Username
}

func refusal(err error) v1alpha1.Reason {
	if r, ok := errors.AsType[*identity.ValidationError](err); ok {
		return r.Reason
	}
	return ""
}
