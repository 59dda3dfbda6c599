package gather

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// asker is a cloud that asks for a token when it is asked who it is, and tells the token in its answer.
type asker struct{ driver.Driver }

func (asker) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	return asked{cfg: cfg}, nil
}

type asked struct {
	driver.Session
	cfg driver.Opening
}

func (a asked) Identity(ctx context.Context) (driver.AccountID, error) {
	token, err := a.cfg.Host.Token(ctx, "sts.amazonaws.com")
	return "", errors.Join(errors.New("not welcome: "+token), err)
}

// A token that came in the course of a reconciliation is cut out of what that says, like a secret that was there before.
func TestNoTokenIsTold(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	cfg := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	cfg.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	cfg.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cfg,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "uid-of-shop"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cloud",
			Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
	).Build()
	store := identity.New(identity.Options{Client: c, Reader: c, Drivers: map[string]driver.Driver{"aws": asker{mem.New(mem.Options{}).Driver()}}, Limiters: account.New(1, time.Now, nil), Now: time.Now})
	key := identity.Key{Kind: identity.KindProviderConfig, Namespace: "shop", Name: "team"}
	conn, err := store.Connect(t.Context(), identity.Request{Key: key, Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Account(t.Context())
	if err == nil || !strings.Contains(err.Error(), "fake-token") {
		t.Fatalf("there is nothing to cut out of %v", err)
	}
	known := reconciliation.State{Connection: conn}
	if got := known.Redactor()(err.Error()); strings.Contains(got, "fake-token") || !strings.Contains(got, "not welcome") {
		t.Errorf("told %q", got)
	}
	known.Secrets = []string{"fake-t"}
	if got := known.Redactor()(err.Error()); strings.Contains(got, "oken") { // a part of the token
		t.Errorf("the rest of the token is shown: %q", got)
	}
}
