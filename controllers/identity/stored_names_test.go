package identity

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// What earlier releases stored is found under the same names for ever: the retained copy, its labels, the keys of tokens in it, and
// the finalizer of a config in use.
func TestStoredNames(t *testing.T) {
	team := &config{key: Key{KindProviderConfig, "shop", "team"}, object: &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{UID: "0c1d"}}}
	platform := &config{key: Key{Kind: KindClusterProviderConfig, Name: "web"}, object: &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{UID: "2e3f"}}}
	data := map[string][]byte{"key": []byte("value")}
	for _, tt := range []struct {
		name string
		cfg  *config
		want *corev1.Secret
		// token is the key of the token of namespace bakery.
		token string
	}{
		{"a team's", team, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "mooring-system", Name: "credentials-0c1d",
			Labels: map[string]string{"mooring.dev/kind": "ProviderConfig", "mooring.dev/uid": "0c1d"}}, Data: data}, "token"},
		{"a platform's", platform, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "mooring-system", Name: "credentials-2e3f",
			Labels: map[string]string{"mooring.dev/kind": "ClusterProviderConfig", "mooring.dev/uid": "2e3f"}}, Data: data}, "token.bakery"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, newCopy("mooring-system", tt.cfg, data)); diff != "" {
				t.Errorf("the retained copy (-want +got):\n%s", diff)
			}
			if got := tokenName(tt.cfg, "bakery"); got != tt.token {
				t.Errorf("the token is under %q, want %q", got, tt.token)
			}
		})
	}
	if v1alpha1.FinalizerInUse != "mooring.dev/in-use" {
		t.Errorf("the finalizer is %q", v1alpha1.FinalizerInUse)
	}
}
