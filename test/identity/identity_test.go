package identity

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// TestIdentity is on an environment where sessions last as long as they do in the clouds.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newEnvironment(t, "steady", 2*time.Second, cluster.Options{ControllerManager: true}, localcloud.Options{})
	for name, test := range map[string]func(*fixture){
		"team":                     eachWay(all, verifyTeam),
		"platform":                 eachWay(all, verifyPlatform),
		"consent":                  eachWay(beginsWithToken, verifyConsent),
		"rotation":                 eachWay(beginsWithKey, verifyRotation),
		"revoked":                  eachWay(hasSession, verifyRevocation),
		"a team leaves":            eachWay(beginsWithToken, func(w *fixture, way signIn) { verifyLeaving(w, way, false) }),
		"a platform's team leaves": eachWay(beginsWithToken, func(w *fixture, way signIn) { verifyLeaving(w, way, true) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(s.fixture(t))
		})
	}
}

func all(signIn) bool               { return true }
func beginsWithToken(w signIn) bool { return w.web }
func beginsWithKey(w signIn) bool   { return !w.web }
func hasSession(w signIn) bool      { return w.session }

// eachWay runs a test for each of some ways in, in a fixture of its own.
func eachWay(applies func(signIn) bool, test func(*fixture, signIn)) func(*fixture) {
	return func(w *fixture) {
		for _, way := range signIns {
			if applies(way) {
				w.Run(way.name, func(t *testing.T) {
					t.Parallel()
					test(w.another(t), way)
				})
			}
		}
	}
}

// A team's own config: the bucket becomes Ready, and to the cloud it is who it should be, from the first call to the last.
func verifyTeam(w *fixture, way signIn) {
	n := w.tenant("shop", true)
	id := way.allow(w, config+"-"+way.cloud.name, n)
	b := w.bucket(n, "orders", w.use(n, way.cloud, id))
	w.ready(b)
	w.verifyCaller(way, id, n, b)
}

func (w *fixture) verifyCaller(way signIn, id identity, n tenant, b *v1alpha1.Bucket) {
	w.Helper()
	if diff := cmp.Diff([]string{id.caller(n)}, way.callers(w, b.Status.ExternalName)); diff != "" {
		w.Errorf("who came for %s/%s (-want +got):\n%s", b.Namespace, b.Name, diff)
	}
	if id.sessions == nil {
		return
	}
	want := id.sessions(n)
	for _, session := range w.Cloud.AWSSessions() {
		if session.Name != want[0].Name {
			continue
		}
		same := func(s localcloud.AWSSession) bool {
			return cmp.Equal(s, session, cmpopts.IgnoreFields(localcloud.AWSSession{}, "Issued", "Expires"), cmpopts.EquateEmpty())
		}
		known := false
		for _, s := range want {
			known = known || same(s)
		}
		if !known {
			w.Errorf("a session that nobody wanted: %+v\nwant one of %+v", session, want)
		}
	}
}

// A platform's config, used by two teams through a class. With a web identity or a role each team is somebody else to the cloud,
// and never the other.
func verifyPlatform(w *fixture, way signIn) {
	a, b := w.tenant("a", true), w.tenant("b", true)
	name := w.name + "-" + way.cloud.name
	id := way.allow(w, name, a, b)
	if roles := id.chain.AssumeRoles; len(roles) > 0 && roles[0].ExternalID == "" {
		roles[0].ExternalID = string(a.uid) // the trust is for one external id
	}
	spec := w.offer(way.cloud, id)
	for _, n := range []tenant{a, b} {
		w.wants(way.cloud, id, n)
	}
	mine, theirs := w.bucket(a, "orders", spec), w.bucket(b, "orders", spec)
	w.ready(mine, theirs)
	for n, bucket := range map[tenant]*v1alpha1.Bucket{a: mine, b: theirs} {
		if diff := cmp.Diff([]string{id.caller(n)}, way.callers(w, bucket.Status.ExternalName)); diff != "" {
			w.Errorf("who came for %s (-want +got):\n%s", n.name, diff)
		}
	}
}

// A ServiceAccount is used as long as its namespace says that it may be.
func verifyConsent(w *fixture, way signIn) {
	n := w.tenant("shop", false)
	id := way.allow(w, config+"-"+way.cloud.name, n)
	failed := failureLog.mark()
	b := w.bucket(n, "orders", w.use(n, way.cloud, id))
	w.denied([]*v1alpha1.Bucket{b}, serviceAccount, v1alpha1.AnnotationIssueTokens)
	if got := w.tokens.count(n.name); got > 0 {
		w.Errorf("%d requests for tokens before there was consent", got)
	}
	// Else what it does not tell of others would prove nothing. It comes after the status.
	w.Eventually("the log tells of the turn that failed", func() bool { return len(failureLog.of(w, failed)) > 0 })
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: serviceAccount}}
	consent := func(value string) {
		edit(w, account, func(a *corev1.ServiceAccount) {
			a.Annotations = map[string]string{v1alpha1.AnnotationIssueTokens: value}
		})
	}
	consent("true")
	w.ready(b)
	consent("false")
	w.denied([]*v1alpha1.Bucket{b}, serviceAccount, v1alpha1.AnnotationIssueTokens)
	consent("true")
	w.ready(b)
}
