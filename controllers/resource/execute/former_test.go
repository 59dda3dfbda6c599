package execute

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Renamed again and again, an object keeps a few Secrets of former names, each until its own time is over.
func TestFormerSecrets(t *testing.T) {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	c := fake.NewClientBuilder().Build()
	p := &Publisher{Writer: c, Kind: kind.Bucket()}
	start := time.Now()
	d := p.begin(Publication{Object: b, Want: b, Connections: credential.Connections{}}, credential.Memory{})
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		d.Connections[name] = credential.Connection{Presence: credential.Missing}
	}
	for i, name := range []string{"a", "b", "c", "b", "d", "e", "f"} {
		d.Now = start.Add(time.Duration(i) * time.Hour)
		d.bindSecret(name)
	}
	former := func() string {
		var names []string
		for _, f := range d.done.Former {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	}
	if got, want := former(), "a c b d e"; got != want {
		t.Fatalf("former Secrets are %q, want %q", got, want)
	}
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{6 * time.Hour, "c b d e"}, // four are enough
		{27*time.Hour - time.Second, "c b d e"},
		{27 * time.Hour, "b d e"}, // c was replaced after three hours
		{29 * time.Hour, "e"},
		{30 * time.Hour, ""},
	} {
		d.Now = start.Truncate(time.Second).Add(step.after)
		if err := d.dropExpired(t.Context(), "f"); err != nil {
			t.Fatal(err)
		}
		if got := former(); got != step.want {
			t.Errorf("after %v former Secrets are %q, want %q", step.after, got, step.want)
		}
	}
}

func TestRefusedForGood(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	terminating := apierrors.NewForbidden(secrets, "login", errors.New("it is being terminated"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	locked := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login"}, Immutable: new(true)}
	for _, tt := range []struct {
		name   string
		secret *corev1.Secret
		err    error
		want   string // what the message says; empty if it is to be tried again
	}{
		{"written", nil, nil, ""},
		{"immutable", locked, apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "login", nil), "delete it, and Mooring writes it again"},
		{"too large", nil, apierrors.NewRequestEntityTooLargeError("limit is 3145728"), "limit is 3145728"},
		{"a quota or a policy", nil, apierrors.NewForbidden(secrets, "login", errors.New("exceeded quota: small")), "exceeded quota: small"},
		{"a webhook", nil, apierrors.NewBadRequest("not on a Friday"), "not on a Friday"},
		{"the namespace goes", nil, terminating, ""},
		{"somebody was faster", nil, apierrors.NewConflict(secrets, "login", errors.New("stale")), ""},
		{"too many requests", nil, apierrors.NewTooManyRequests("later", 1), ""},
		{"out of order", nil, apierrors.NewInternalError(errors.New("etcd")), ""},
		{"no answer", nil, errors.New("connection refused"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			secret := tt.secret
			if secret == nil {
				secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login"}}
			}
			got := refusedForGood(secret, tt.err, func(message string) string { return message })
			if (got == nil) != (tt.want == "") {
				t.Fatalf("got %v, want %q", got, tt.want)
			}
			if got != nil && (got.Reason != v1alpha1.ReasonSecretNotWritten || !strings.Contains(got.Message, tt.want) || !strings.Contains(got.Message, "Secret login")) {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}

// A refusal that shows a secret is redacted before it is shortened: a part of a secret is one too, and not recognized.
func TestRefusalIsRedactedBeforeItIsShortened(t *testing.T) {
	const secret = "correct-horse-battery-staple"
	w := &publishing{Publication: Publication{Redact: func(message string) string { return message }}}
	w.done.Secrets = []string{secret}
	secrets := schema.GroupResource{Resource: "secrets"}
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
		for before := range 520 {
			err := apierrors.NewForbidden(secrets, "login", errors.New(strings.Repeat("x", before)+form))
			got := refusedForGood(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login"}}, err, w.redact).Message
			if strings.Contains(got, form[:8]) {
				t.Fatalf("after %d characters: %s", before, got)
			}
		}
	}
}

// A connection Secret that nobody read is not the same as one that does not exist: it is neither written nor deleted, and that is an error.
func TestSecretThatWasNotRead(t *testing.T) {
	now := time.Now()
	expired := []v1alpha1.FormerSecret{{Name: "old", KeptUntil: metav1.NewTime(now.Add(-time.Second))}}
	missing := credential.Connections{"wanted": {Presence: credential.Missing}}
	for _, test := range []struct {
		name   string
		status v1alpha1.ResourceStatus
		wanted string
		read   credential.Connections
	}{
		{"to be written", v1alpha1.ResourceStatus{}, "wanted", nil},
		{"of a former name", v1alpha1.ResourceStatus{Binding: &v1alpha1.Binding{Name: "old"}}, "wanted", missing},
		{"of a former name that expired", v1alpha1.ResourceStatus{FormerSecrets: expired}, "wanted", missing},
		{"no longer wanted", v1alpha1.ResourceStatus{Binding: &v1alpha1.Binding{Name: "old"}}, "", missing},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
			b.Status.ResourceStatus = test.status
			if test.wanted != "" {
				b.Spec.Connection = &v1alpha1.Connection{SecretName: test.wanted}
			}
			old := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "old"}, Type: "servicebinding.io/s3"}
			old.Labels = map[string]string{v1alpha1.LabelKind: "Bucket", v1alpha1.LabelName: b.Name}
			c := fake.NewClientBuilder().WithObjects(old).Build()
			p := &Publisher{Writer: c, Kind: kind.Bucket()}
			in := Publication{
				Object: b, Want: b, Cloud: &driver.Description{}, Usable: true, Now: now, Connections: test.read,
				Redact: func(message string) string { return message },
			}
			name := "old"
			if test.read == nil {
				name = test.wanted
			}
			if _, err := p.Publish(t.Context(), in, credential.Memory{}); err == nil || !strings.Contains(err.Error(), "Secret "+name+" was not read") {
				t.Errorf("it ended with %v", err)
			}
			secrets := &corev1.SecretList{}
			if err := c.List(t.Context(), secrets); err != nil {
				t.Fatal(err)
			}
			if test.read == nil && len(secrets.Items) != 1 || !slices.ContainsFunc(secrets.Items, func(s corev1.Secret) bool { return s.Name == "old" }) {
				t.Errorf("the Secrets are %v", secrets.Items)
			}
		})
	}
}
