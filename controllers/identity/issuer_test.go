package identity

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
)

// issuer is the part of an API server that issues tokens.
type issuer struct {
	mu      sync.Mutex
	issued  []string // namespace/ServiceAccount audience
	leaving string   // a namespace that is being deleted
	down    error    // the answer to all requests
	before  func()
}

func (h *fixture) issue(ctx context.Context, c client.Client, sub string, obj, body client.Object, _ ...client.SubResourceCreateOption) error {
	i, request := &h.issuer, body.(*authenticationv1.TokenRequest)
	if i.before != nil {
		i.before()
	}
	if sub != "token" || ctx.Err() != nil {
		return fmt.Errorf("subresource %s, %w", sub, ctx.Err())
	}
	name := corev1.Resource("serviceaccounts")
	switch {
	case i.down != nil:
		return i.down
	case i.leaving == obj.GetNamespace():
		err := apierrors.NewForbidden(name, obj.GetName(), fmt.Errorf("because it is being terminated"))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
		return err
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), &corev1.ServiceAccount{}); err != nil {
		return err
	}
	if diff := cmp.Diff(int64(3600), *request.Spec.ExpirationSeconds); diff != "" || len(request.Spec.Audiences) != 1 {
		h.t.Errorf("asked for %+v", request.Spec)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.issued = append(i.issued, fmt.Sprintf("%s/%s %s", obj.GetNamespace(), obj.GetName(), request.Spec.Audiences[0]))
	expires := h.now.Add(time.Hour)
	request.Status.ExpirationTimestamp = metav1.NewTime(expires)
	request.Status.Token = mint(h.t, len(i.issued), claims{
		Subject:  "system:serviceaccount:" + obj.GetNamespace() + ":" + obj.GetName(),
		Audience: request.Spec.Audiences, Issued: float64(h.now.Unix()), Expires: float64(expires.Unix()),
	})
	return nil
}

// mint returns a token with claims, the serial'th of its issuer.
func mint(t *testing.T, serial int, c claims) string {
	t.Helper()
	payload, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("e30.%s.%s-%d", base64.RawURLEncoding.EncodeToString(payload), secretValue, serial)
}

// takeIssued returns what was issued since the last time.
func (h *fixture) takeIssued() []string {
	h.issuer.mu.Lock()
	defer h.issuer.mu.Unlock()
	taken := h.issuer.issued
	h.issuer.issued = nil
	return taken
}

// serviceAccount is one that may be used, unless consent is something else than "true".
func serviceAccount(namespace, consent string) *corev1.ServiceAccount {
	a := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "cloud"}}
	if consent != "" {
		a.Annotations = map[string]string{v1alpha1.AnnotationIssueTokens: consent}
	}
	return a
}

// webPlatform is a platform's config that signs in as a ServiceAccount of each namespace.
func webPlatform() *v1alpha1.ClusterProviderConfig {
	return platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
		c.Credentials.SecretRef = nil
		c.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud", RoleARN: "arn:aws:iam::555555555555:role/mooring"}
	})
}

// webTeam is a team's config that signs in as a ServiceAccount of its namespace.
func webTeam() *v1alpha1.ProviderConfig {
	c := teamConfig()
	c.Spec.Credentials.SecretRef = nil
	c.Spec.Credentials.WebIdentity = webPlatform().Spec.Credentials.WebIdentity
	return c
}

// in returns a use of the platform's config by another namespace.
func in(namespace string) Request {
	use := platform
	use.Namespace = namespace
	return use
}

// toDelete returns a use for a deletion.
func toDelete(use Request) Request {
	use.Bound, use.Deleting = true, true
	return use
}

// signIn connects, and asks for the account.
func (h *fixture) signIn(use Request) error {
	conn, err := h.Connect(h.t.Context(), use)
	if err != nil {
		return err
	}
	_, err = conn.Account(h.t.Context())
	return err
}

// restart makes the store forget all, as a new process would have.
func (h *fixture) restart() {
	h.Limiters = account.New(4, h.Now, nil)
	h.Store = New(h.Options)
}
