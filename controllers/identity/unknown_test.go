package identity

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A provider config may have been stored by a later release, with a block that this one drops. It is no other cloud's.
func TestUnknownCloudIsNotSupported(t *testing.T) {
	web := &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
	for name, change := range map[string]func(*v1alpha1.ClusterProviderConfigSpec){
		"with a Secret": func(c *v1alpha1.ClusterProviderConfigSpec) { c.AWS = nil },
		"with a web identity": func(c *v1alpha1.ClusterProviderConfigSpec) {
			c.AWS, c.Credentials.SecretRef, c.Credentials.WebIdentity = nil, nil, web
		},
		"a cloud without a driver": func(c *v1alpha1.ClusterProviderConfigSpec) {
			c.AWS, c.GCP = nil, &v1alpha1.GCPAccount{Project: "project-1", Region: "europe-west3"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := platformConfig(change)
			h := newFixture(t, cfg, keys(system, "keys", "111"))
			delete(h.Drivers, "gcp")
			deleting := platform
			deleting.Deleting, deleting.Bound = true, true
			for _, use := range []Request{platform, deleting} {
				if _, err := h.Connect(t.Context(), use); reasonOf(err) != v1alpha1.ReasonNotSupported || !strings.Contains(err.Error(), "aws") {
					t.Errorf("Connect, deleting %t: %v", use.Deleting, err)
				}
			}
			if refusal, err := h.MayUse(t.Context(), h.Reader, platform); err != nil || refusal == nil || refusal.Reason != v1alpha1.ReasonNotSupported {
				t.Errorf("MayUse: %v, %v", refusal, err)
			}
			if err := h.Protect(t.Context(), platform.Key, "shop"); reasonOf(err) != v1alpha1.ReasonNotSupported {
				t.Errorf("Hold: %v", err)
			}
			for _, n := range []int{0, 1} {
				r := h.Reconciler(ReconcilerOptions{Kind: KindClusterProviderConfig, Check: time.Minute, Users: shopUsers(&n)})
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "platform"}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg); err != nil {
				t.Fatal(err)
			}
			if c := cfg.Status.Conditions; len(c) != 1 || c[0].Status != "False" || c[0].Reason != string(v1alpha1.ReasonNotSupported) || cfg.Status.Provider != "" {
				t.Errorf("status %+v", cfg.Status)
			}
			if len(h.cloud.with) != 0 {
				t.Error("a driver of another cloud was opened")
			}
		})
	}
}

// Nobody knows what else people keep in a credentials Secret, so none of it is shown.
func TestAllOfASecretIsRedacted(t *testing.T) {
	const odd = "value-of-a-key-that-no-cloud-knows"
	secret := keys("shop", "keys", "111222333444")
	secret.Data["SOMETHING_ELSE"] = []byte(odd)
	h := newFixture(t, teamConfig(), secret)
	conn, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	if got := conn.Redact("cloud says " + odd + " and " + secretValue); strings.Contains(got, odd) || strings.Contains(got, secretValue) {
		t.Errorf("told %q", got)
	}
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data["SOMETHING_ELSE"] = []byte(odd + "-2") })
	h.now = h.now.Add(h.Refresh)
	if conn, err = h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	if got := conn.Redact("cloud says " + odd + "-2"); strings.Contains(got, odd) || strings.Contains(got, "-2") {
		t.Errorf("after an edit of the Secret it told %q", got)
	}
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data["SOMETHING_ELSE"] = []byte(odd + "-3") })
	h.now = h.now.Add(h.Refresh)
	h.cloud.refuse = &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf("the Secret has %s-3", odd)}
	if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonCredentialsInvalid || strings.Contains(err.Error(), odd) {
		t.Errorf("a driver that refuses to open it: %v", err)
	}
}

// A part of a secret must not be replaced before all of it, and a part of a key is one too.
func TestPartsOfASecretAreRedacted(t *testing.T) {
	const key = "-----BEGIN PRIVATE KEY-----\nMIIE-S3cr3t\n-----END PRIVATE KEY-----\n"
	secret := keys("shop", "keys", "admin")
	secret.Data["Z_DSN"] = []byte("admin:S3cr3t@host\n")
	secret.Data["GOOGLE"] = []byte(`{"type": "service_account", "client_email": "m@shop.example", "nested": [{"private_key": ` + strconv.Quote(key) + `}]}`)
	h := newFixture(t, teamConfig(), secret)
	h.cloud.public = []string{"type", "client_email"}
	conn, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		"dial admin:S3cr3t@host: refused":                "dial (secret): refused",
		"dial admin:S3cr3t@host/of-the-object: refused":  "dial (secret): refused",
		"bad key " + key + "!":                           "bad key (secret)!",
		"bad key " + strconv.Quote(key) + "!":            `bad key "(secret)"!`,
		"service_account m@shop.example may not do that": "service_account m@shop.example may not do that",
	} {
		if got := conn.Redact(message, "host/of-the-object"); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

// People keep the account's id and its region beside the keys. Messages that name them are of no use without them.
func TestWhatTheConfigSaysIsNoSecret(t *testing.T) {
	const account, region = "111222333444", "eu-central-1"
	secret := keys("shop", "keys", account)
	secret.Data["ACCOUNT"], secret.Data["REGION"] = []byte(account+"\n"), []byte(region)
	secret.Data["KEY"] = []byte(`{"project_id": "` + account + `", "other": "555666777888"}`)
	cfg := teamConfig()
	cfg.Spec.AWS.AccountID = account
	h := newFixture(t, cfg, secret)
	conn, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	const message = "it is in account 111222333444 in eu-central-1, but "
	if got := conn.Redact(message + "555666777888 " + secretValue); got != message+"(secret) (secret)" {
		t.Errorf("got %q", got)
	}
}
