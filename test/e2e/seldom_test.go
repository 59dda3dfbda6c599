package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Some things Mooring does seldom, or as its other tests do not run it: it takes turns, answers the API server, signs in with
// tokens, and gets along with an API server that is older, or that has no room for a while. It has the rights for all
// that, which are judged with those of all other tests.
func TestSeldom(t *testing.T) {
	t.Parallel()
	s := newIdleEnvironment(t, localcloud.Options{Durations: durations, ListenersOnly: true, InstanceQuota: -1}, 1)
	lease, err := leadership.New(s.Config(), system.Namespace, controllers.LeaderLease, "", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	address := system.FreeAddress(t)
	if err := admission.Apply(t.Context(), s.Client, "https://"+address); err != nil {
		t.Fatal(err)
	}
	server := &oldServer{}
	s.StartManager(t, controllers.Options{SyncPeriod: syncPeriod, Lease: lease, WebhookAddress: address}, server.wrap)
	w := s.fixture(t)
	c := system.NewCloud(s.Cloud, "aws")
	w.Run("tokens", func(t *testing.T) { w.in(t).signsIn(c) })
	w.Run("admission", func(t *testing.T) { w.in(t).answers(c) })
	w.Run("no room", func(t *testing.T) { w.in(t).repeats(c, server) })
	if !lease.IsLeader() {
		t.Error("it works, and does not lead")
	}
}

// signsIn has a Bucket made by whom a token of the namespace's ServiceAccount is for. The team's config names authorities in its own namespace, too.
func (w *fixture) signsIn(c *system.Cloud) {
	w.Helper()
	issuer, err := w.TrustCluster(w.Context())
	w.Must(err)
	const arn = "arn:aws:iam::" + system.AWSAccount + ":role/web"
	account := &corev1.ServiceAccount{ObjectMeta: w.Meta("cloud")}
	account.Annotations = map[string]string{v1alpha1.AnnotationIssueTokens: "true"}
	w.Cloud.AWSRole(arn, localcloud.AWSTrust{Issuer: issuer, Subjects: []string{localcloud.ServiceAccountSubject(w.Namespace, account.Name)}})
	config := &v1alpha1.ProviderConfig{ObjectMeta: w.Meta("team")}
	config.Spec.AWS = &v1alpha1.AWSAccount{Region: system.AWSRegion}
	config.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: account.Name, RoleARN: arn}
	config.Spec.DatabaseCAConfigMapRef = w.authorities(c, w.Namespace, "team-ca")
	b := &v1alpha1.Bucket{ObjectMeta: w.Meta("signed")}
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: config.Name}
	for _, o := range []client.Object{account, config} {
		w.Must(w.Client.Create(w.Context(), o))
	}
	w.create(b)
	w.ready(b)
	w.delete(b)
	w.awaitDeleted(b)
}

// answers has objects refused that their classes do not allow: nothing is refused on the word of a cache, so that the classes
// are read anew.
func (w *fixture) answers(c *system.Cloud) {
	w.Helper()
	others := v1alpha1.ClassSpec{
		ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: c.Config},
		AllowedNamespaces: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "others"}},
	}
	meta := metav1.ObjectMeta{Name: "others"}
	w.Must(w.Client.Create(w.Context(), &v1alpha1.BucketClass{ObjectMeta: meta, Spec: v1alpha1.BucketClassSpec{ClassSpec: others}}))
	w.Must(w.Client.Create(w.Context(), &v1alpha1.DatabaseClass{ObjectMeta: meta, Spec: v1alpha1.DatabaseClassSpec{ClassSpec: others}}))
	b, d := &v1alpha1.Bucket{ObjectMeta: w.Meta("photos")}, &v1alpha1.Database{ObjectMeta: w.Meta("orders")}
	b.Spec.ClassName, d.Spec.ClassName = meta.Name, meta.Name
	for _, o := range []client.Object{b, d} {
		w.Eventually("a "+system.KindOf(o)+" of a class for others is refused", func() bool {
			err := w.Client.Create(w.Context(), o.DeepCopyObject().(client.Object), client.DryRunAll)
			return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "is not allowed in namespace "+w.Namespace)
		})
	}
}

// repeats has the same thing happen to an object again, while nothing of it can be written: the same Event is told again.
func (w *fixture) repeats(c *system.Cloud, server *oldServer) {
	w.Helper()
	b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
	w.create(b)
	w.ready(b)
	w.Disturb()
	server.full.Store(true)
	w.delete(b)
	events := &eventsv1.EventList{}
	w.AwaitList(events, "its end is told again", func() bool {
		return slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool {
			return e.Regarding.Name == b.Name && e.Reason == v1alpha1.EventDeleted && e.Series != nil
		})
	})
	server.full.Store(false)
	w.Disturb()
	w.awaitDeleted(b)
}

// An oldServer is an API server that can't yet begin a watch with what there is, as those before Kubernetes 1.32, so that
// it is listed; and one that has no room for changes of Buckets for a while.
type oldServer struct{ full atomic.Bool }

func (s *oldServer) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		switch {
		case r.URL.Query().Get("sendInitialEvents") == "true":
			return answer(r, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", nil))
		case s.full.Load() && r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/buckets/"):
			return answer(r, apierrors.NewServiceUnavailable("etcd has no space left"))
		}
		return next.RoundTrip(r)
	})
}

// answer is what an API server answers with an error.
func answer(r *http.Request, err *apierrors.StatusError) (*http.Response, error) {
	status := err.ErrStatus
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, wrong := json.Marshal(status)
	if wrong != nil {
		return nil, wrong
	}
	return &http.Response{
		Request: r, StatusCode: int(status.Code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
