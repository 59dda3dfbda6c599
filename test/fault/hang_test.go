package fault

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestHangingAccount: an account whose cloud does not answer keeps its own objects waiting and nobody else's. No call that hangs
// is answered before an object of another account was edited five times, so that no clock decides.
func TestHangingAccount(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	for _, s := range system.Targets {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			calls := &unanswered{next: http.DefaultTransport.(*http.Transport).Clone(), failed: make(chan struct{})}
			healthy, sick := w.prepared(t, s), w.prepared(t, s)
			m, err := system.Start(t.Context(), rest.CopyConfig(w.user), nil, controllers.Options{
				Drivers: map[string]driver.Driver{
					"aws": aws.New(aws.Options{Endpoint: w.Cloud.AWSEndpoint(), HTTPClient: &http.Client{Transport: calls}, CallTimeout: time.Hour}),
					"gcp": gcp.New(gcp.Options{Endpoint: w.Cloud.GCPEndpoint(), Transport: calls, CallTimeout: time.Hour}),
				},
				SyncPeriod: syncPeriod, ConsistencyWindow: settle, Workers: 32,
			}, controllers.ManagerOptions{Namespaces: []string{healthy.name, sick.name}})
			if err != nil {
				t.Fatal(err)
			}
			exposed.follow(m)
			t.Cleanup(m.Kill)
			t.Cleanup(func() { calls.hang("") })
			healthy.besideHanging(t, sick, calls)
		})
	}
}

// besideHanging edits a healthy object while 40 objects of another account get no answer: at first many at once, and, after
// the first calls have failed for that, one at a time.
func (l *lifecycle) besideHanging(t *testing.T, sick *lifecycle, calls *unanswered) {
	t.Helper()
	for _, one := range []*lifecycle{l, sick} {
		one.enterPhase(creation)
		one.perform(t, creation)
	}
	calls.hang(sick.name)
	for i := range 40 {
		o := sick.object()
		o.SetName(fmt.Sprintf("%s-%d", sick.name, i))
		sick.must(t, l.Client.Create(t.Context(), o))
	}
	for _, when := range []string{"unknown", "known"} {
		await(t, "calls hang", func() string {
			if calls.hanging() == 0 {
				return "none does"
			}
			return ""
		})
		l.edits(t, when)
		if calls.hanging() == 0 {
			t.Error("no call hangs any more, so that nothing was tested")
		}
		calls.fail()
	}
}

// edits edits a healthy object five times, and waits each time until the edit has reached the cloud.
func (l *lifecycle) edits(t *testing.T, tag string) {
	t.Helper()
	l.enterPhase(edit)
	for i := range 5 {
		l.patch(t, func(o client.Object) {
			value := v1alpha1.TagValue(fmt.Sprintf("%s-%d", tag, i))
			switch o := o.(type) {
			case *v1alpha1.Bucket:
				o.Spec.Tags["edit"] = value
			case *v1alpha1.Database:
				o.Spec.Tags["edit"] = value
			}
		})
		await(t, "the edit reaches the cloud", func() string {
			done := 0
			for n := range maps.Values(l.committed()) {
				done += n
			}
			if done <= i {
				return fmt.Sprint(done)
			}
			return ""
		})
		l.awaitReady(t)
	}
}

// An unanswered transport leaves the calls about one lifecycle without an answer, whatever their deadline, until the test has them
// fail as those that have timed out.
type unanswered struct {
	next http.RoundTripper

	mu     sync.Mutex
	about  string        // what calls must contain to hang
	failed chan struct{} // closed when the calls fail that hang
	count  int           // of calls that hang
}

// hang has calls about a lifecycle hang from now on, and those fail that did; "" is of no lifecycle.
func (u *unanswered) hang(about string) {
	u.mu.Lock()
	u.about = about
	u.mu.Unlock()
	u.fail()
}

// fail has those calls fail that hang now. Later ones hang again.
func (u *unanswered) fail() {
	u.mu.Lock()
	defer u.mu.Unlock()
	close(u.failed)
	u.failed, u.count = make(chan struct{}), 0
}

func (u *unanswered) hanging() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count
}

// RoundTrip implements http.RoundTripper.
func (u *unanswered) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	u.mu.Lock()
	failed, hangs := u.failed, u.about != "" && strings.Contains(r.URL.String()+string(body), u.about)
	if hangs {
		u.count++
	}
	u.mu.Unlock()
	if !hangs {
		return u.next.RoundTrip(r)
	}
	<-failed
	return nil, context.DeadlineExceeded
}
