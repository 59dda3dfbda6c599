package admission

import (
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

const (
	amazon = "sts.amazonaws.com"
	google = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/mooring"
)

func serviceAccount(namespace, name string, annotations map[string]string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: annotations}}
}

var consent = map[string]string{v1alpha1.AnnotationIssueTokens: "true"}

// request requests a token as somebody.
func request(ctx context.Context, c client.Client, namespace, account string, seconds int64, audiences ...string) error {
	tr := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: audiences, ExpirationSeconds: &seconds}}
	if seconds == 0 {
		tr.Spec.ExpirationSeconds = nil
	}
	return c.SubResource("token").Create(ctx, serviceAccount(namespace, account, nil), tr)
}

// installTokens installs the policy, and makes the namespaces and ServiceAccounts of its tests.
func installTokens(t *testing.T, self client.Client) {
	t.Helper()
	ensure(t, namespace("shop"),
		serviceAccount("shop", "cloud", consent), serviceAccount("shop", "other", nil),
		serviceAccount("shop", "declined", map[string]string{v1alpha1.AnnotationIssueTokens: "false"}),
		serviceAccount("shop", "late", map[string]string{"a": "b"}), serviceAccount("kube-system", "cloud", consent))
	apply(t, "admission", "tokens.yaml")
	system.Eventually(t, "the policy is in force", func() bool {
		refused := apierrors.IsForbidden(request(t.Context(), self, "shop", "other", 3600, amazon))
		return refused && request(t.Context(), self, "shop", "cloud", 3600, amazon) == nil
	})
}

// What Mooring's own user may ask for, and that the same is nobody else's business.
func TestTokens(t *testing.T) {
	self := fixture(t).User(system.Installed)
	installTokens(t, self)
	others := fixture(t).User("system:serviceaccount:mooring-system:other", cluster.Administrators)
	for _, tt := range []struct {
		name               string
		namespace, account string
		seconds            int64
		audiences          []string
		want               string // in the refusal
	}{
		{"for AWS", "shop", "cloud", 3600, []string{amazon}, ""},
		{"for Google Cloud", "shop", "cloud", 600, []string{google}, ""},
		{"for the usual time", "shop", "cloud", 0, []string{amazon}, ""},
		{"for the API server", "shop", "cloud", 3600, nil, "one audience"},
		{"for the API server by name", "shop", "cloud", 3600, []string{"https://kubernetes.default.svc.cluster.local"}, "one audience"},
		{"for anybody", "shop", "cloud", 3600, []string{"vault"}, "one audience"},
		{"for a cloud and the API server", "shop", "cloud", 3600, []string{amazon, "https://kubernetes.default.svc"}, "one audience"},
		{"for what only looks like a cloud", "shop", "cloud", 3600, []string{"sts.amazonaws.com.example"}, "one audience"},
		{"for what a cloud stands in", "shop", "cloud", 3600, []string{"https://example//iam.googleapis.com/"}, "one audience"},
		{"for longer", "shop", "cloud", 3601, []string{amazon}, "one hour at most"},
		{"without the annotation", "shop", "other", 3600, []string{amazon}, "lacks the annotation"},
		{"annotated false", "shop", "declined", 3600, []string{amazon}, "lacks the annotation"},
		{"annotated otherwise", "shop", "late", 3600, []string{amazon}, "lacks the annotation"},
		{"in the system's namespace", "kube-system", "cloud", 3600, []string{amazon}, "namespaces of Kubernetes itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := request(t.Context(), self, tt.namespace, tt.account, tt.seconds, tt.audiences...)
			if (err == nil) != (tt.want == "") || err != nil && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Mooring: %v, want %q", err, tt.want)
			}
			if err := request(t.Context(), others, tt.namespace, tt.account, tt.seconds, tt.audiences...); err != nil {
				t.Errorf("somebody else: %v", err)
			}
		})
	}
}

// Consent can be given and taken back.
func TestTokensFollowTheAnnotation(t *testing.T) {
	self := fixture(t).User(system.Installed)
	installTokens(t, self)
	account := serviceAccount("shop", "undecided", nil)
	ensure(t, account)
	for _, value := range []string{"true", "false"} {
		account.Annotations = map[string]string{v1alpha1.AnnotationIssueTokens: value}
		if err := shared.Client.Update(t.Context(), account); err != nil {
			t.Fatal(err)
		}
		system.Eventually(t, "what is annotated "+value+" counts", func() bool {
			err := request(t.Context(), self, "shop", "undecided", 3600, amazon)
			return value == "true" && err == nil || value == "false" && apierrors.IsForbidden(err)
		})
	}
}
