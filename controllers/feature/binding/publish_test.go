package binding

import (
	"context"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// workOf returns the work about an object whose cloud object works.
func workOf(object v1alpha1.ResourceObject) *featuretest.Work {
	w := &featuretest.Work{}
	w.Object, w.Want, w.Connection, w.Now = object, object, &identity.Connection{}, time.Now()
	w.View.Mark = driver.Mark{Cluster: "id", Namespace: object.GetNamespace(), Name: object.GetName(), UID: "uid-now"}
	w.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: w.View.Mark}
	w.Redact = w.Redactor()
	return w
}

// Renamed again and again, an object keeps a few Secrets of former names, each until its own time is over.
func TestFormerSecrets(t *testing.T) {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
	c := fake.NewClientBuilder().Build()
	start := time.Now()
	d := &publishing{binding: &binding{kind: kind.Bucket(), writer: c}, State: &reconciliation.State{Object: b, Want: b}, part: part{connections: Connections{}}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		d.connections[name] = Connection{Presence: Missing}
	}
	for i, name := range []string{"a", "b", "c", "b", "d", "e", "f"} {
		d.Now = start.Add(time.Duration(i) * time.Hour)
		d.bindSecret(name)
	}
	former := func() string {
		var names []string
		for _, f := range d.Status().FormerSecrets {
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
	in := reconciliation.State{Secrets: []string{secret}}
	secrets := schema.GroupResource{Resource: "secrets"}
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
		for before := range 520 {
			err := apierrors.NewForbidden(secrets, "login", errors.New(strings.Repeat("x", before)+form))
			got := refusedForGood(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "login"}}, err, in.Redactor()).Message
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
	missing := Connections{"wanted": {Presence: Missing}}
	for _, test := range []struct {
		name   string
		status v1alpha1.ResourceStatus
		wanted string
		read   Connections
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
			w := workOf(b)
			w.Now = now
			place.Set(&w.Parts, part{connections: test.read})
			name := "old"
			if test.read == nil {
				name = test.wanted
			}
			if _, err := (&binding{kind: kind.Bucket(), writer: c}).publish(t.Context(), w, outcome.Outcome{}); err == nil || !strings.Contains(err.Error(), "Secret "+name+" was not read") {
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

// A changed authority reaches the connection Secret. One that is not known any more takes none away, and costs no write.
func TestAuthoritiesReachTheConnectionSecret(t *testing.T) {
	for _, test := range []struct {
		name        string
		reported    string
		keeps       bool
		want        string
		wantWritten bool
	}{
		{"the same", "old", false, "old", false},
		{"another", "new", false, "new", true},
		{"none any more", "", false, "", true},
		{"not known", "", true, "old", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now"}}
			d.Spec.Engine, d.Spec.Connection = new(v1alpha1.EnginePostgres), &v1alpha1.Connection{SecretName: "orders-db"}
			w := workOf(d)
			at := driver.Endpoint{Host: "db.example", Port: 5432, Username: "postgres", Certificates: "old"}
			of, data := kind.Database().Binding(d, w.Cloud(), at, "one")
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders-db", Labels: map[string]string{
				v1alpha1.LabelKind: "Database", v1alpha1.LabelName: "orders", v1alpha1.LabelUID: "uid-now",
			}}, Type: of, Data: data}
			c := fake.NewClientBuilder().WithObjects(secret).Build()
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				t.Fatal(err)
			}
			version := secret.ResourceVersion
			b := &binding{kind.Database(), &Reader{API: c, Kind: kind.Database()}, c, knownLogin("one")}
			at.Certificates = test.reported
			w.Observation.Endpoint = at
			for range 2 {
				place.Set(&w.Parts, part{keepsCertificates: test.keeps})
				if err := b.read(t.Context(), &w.State, plan.Action{Verb: plan.Converge}); err != nil {
					t.Fatal(err)
				}
				if _, err := b.publish(t.Context(), w, outcome.Outcome{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				t.Fatal(err)
			}
			if got := string(secret.Data["certificates"]); got != test.want || (secret.ResourceVersion != version) != test.wantWritten {
				t.Errorf("got %q, written %t, want %q, written %t", got, secret.ResourceVersion != version, test.want, test.wantWritten)
			}
			if string(secret.Data["password"]) != "one" {
				t.Errorf("the password is %q", secret.Data["password"])
			}
		})
	}
}

// knownLogin is a login whose password was read.
type knownLogin string

func (l knownLogin) Password(reconciliation.State) Password {
	return Password{Read: true, Value: string(l)}
}
func (l knownLogin) ReadPassword(context.Context, *reconciliation.State) error { return nil }

// A connection Secret is written before the status tells of it, and goes all the same.
func TestSecretsGoWithTheirObject(t *testing.T) {
	for _, test := range []struct {
		name, told string
		labels     map[string]string
		stays      bool
		left       bool
	}{
		{name: "told of", told: "photos-access", labels: map[string]string{v1alpha1.LabelKind: "Bucket", v1alpha1.LabelName: "photos"}},
		{name: "not told of yet", labels: map[string]string{v1alpha1.LabelKind: "Bucket", v1alpha1.LabelName: "photos"}},
		{name: "of what stays", labels: map[string]string{v1alpha1.LabelKind: "Bucket", v1alpha1.LabelName: "photos"}, stays: true, left: true},
		{name: "of somebody else", left: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos-access", Labels: test.labels}, Type: "servicebinding.io/s3"}
			photos := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}}
			photos.Spec.Connection = &v1alpha1.Connection{SecretName: secret.Name}
			if test.told != "" {
				photos.Status.Binding = &v1alpha1.Binding{Name: test.told}
			}
			c, w := fake.NewClientBuilder().WithObjects(secret).Build(), workOf(photos)
			set := Of(kind.Bucket(), &Reader{API: c, Kind: kind.Bucket()}, c, nil)
			if err := set.Read(t.Context(), &w.State, plan.Action{Verb: plan.RemoveFinalizer, Orphaned: test.stays}); err != nil {
				t.Fatal(err)
			}
			if err := set.Drop(t.Context(), w, test.stays); err != nil {
				t.Fatal(err)
			}
			err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)
			if client.IgnoreNotFound(err) != nil || (err == nil) != test.left {
				t.Errorf("the Secret is answered with %v", err)
			}
		})
	}
}

// A field that the cloud does not keep says nothing about the login, so the connection Secret is still written.
func TestUsable(t *testing.T) {
	for name, tc := range map[string]struct {
		change driver.Change
		want   bool
	}{
		"a tag that is reset again and again":    {driver.Change{Field: "tags", From: "team=z", To: "team=b"}, true},
		"the database, which was just made":      {driver.Change{Field: "databaseName", To: "app"}, false},
		"the administrator, who was just made":   {driver.Change{Field: driver.FieldUsername, To: "boss"}, false},
		"another database than the one in there": {driver.Change{Field: "databaseName", From: "app", To: "foo", Effect: driver.Impossible}, true},
	} {
		w := workOf(&v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos"}})
		w.Differences = []driver.Change{tc.change}
		if got := Usable(w.State); got != tc.want {
			t.Errorf("%s: usable %t, want %t", name, got, tc.want)
		}
		if w.Observation.Available = false; Usable(w.State) {
			t.Errorf("%s: usable, and the cloud object does not work", name)
		}
	}
}
