package fault

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestUnreachableAccount: 500 objects of an account that does not answer say so without a call each. Those that are deleted leave
// the queue at once, and the rest goes on when the account answers again. It counts conditions and calls, and measures no time.
func TestUnreachableAccount(t *testing.T) {
	const all, kept = 500, 141
	s := newSlots(t, 32, nil)
	first := s.life
	s.answer(unreachable)
	await(t, "the account is known not to answer", func() string {
		if n := s.metric(t, "mooring_account_concurrency_limit"); n != 1 {
			return fmt.Sprintf("it has %v slots", n)
		}
		return ""
	})
	s.answer(blocked) // whatever call comes next holds the account's only slot, until the end
	for i := range all {
		s.create(t, fmt.Sprintf("b-%04d", i), map[string]string{"kept": fmt.Sprint(i >= all-kept)})
	}
	for most := -1; most < all-1; { // as long as it goes on; one may hold the slot
		await(t, "more objects say that their account does not answer", func() string {
			n := s.told(t, v1alpha1.ReasonRetrying)
			if n <= most {
				return fmt.Sprintf("%d do, and %d did, of %d", n, most, all)
			}
			most = n
			return ""
		})
	}
	if n := s.calls.Load(); n > 1 {
		t.Errorf("%d calls for that, want 1 at most: the one that holds the slot", n)
	}

	first.must(t, s.Client.DeleteAllOf(t.Context(), &v1alpha1.Bucket{}, client.InNamespace(first.name), client.MatchingLabels{"kept": "false"}))
	await(t, "only objects that exist are in the queue", func() string {
		if n := s.metric(t, "mooring_account_queue_depth"); n > kept+1 {
			return fmt.Sprintf("%v are", n)
		}
		return ""
	})
	s.answer(served)
	await(t, "the others are Ready", func() string {
		if n := s.told(t, v1alpha1.ReasonReady); n < kept+1 {
			return fmt.Sprintf("%d are", n)
		}
		return ""
	})
	if n := s.Cloud.Ledger.Count(localcloud.Filter{Account: first.account, Operation: "CreateBucket"}); n > kept+2 {
		t.Errorf("%d buckets were made, want those of the %d objects that were kept", n, kept+1)
	}
}

// TestFullAccount: a new object that waits for a slot of an account that answers says so once that lasts. What is converged
// waits silently.
func TestFullAccount(t *testing.T) {
	var ahead atomic.Int64 // of the clock
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	s := newSlots(t, 2, now) // one slot
	s.life.awaitReady(t)
	s.answer(blocked)
	s.create(t, "slow", nil)
	await(t, "the slot is taken", func() string {
		if n := s.calls.Load(); n != 1 {
			return fmt.Sprintf("%d calls wait for an answer", n)
		}
		return ""
	})
	s.life.patch(t, func(o client.Object) { o.SetAnnotations(map[string]string{v1alpha1.AnnotationReconcile: "now"}) })
	converged := s.life.get(t).GetResourceVersion()
	s.create(t, "new", nil)
	await(t, "both wait", func() string {
		if n := s.metric(t, "mooring_account_queue_depth"); n != 2 {
			return fmt.Sprintf("%v wait", n)
		}
		return ""
	})
	if n := s.told(t, v1alpha1.ReasonQueued); n > 0 {
		t.Errorf("%d objects say that they wait: that is a write for each, and they have hardly waited", n)
	}
	ahead.Store(int64(time.Minute))
	await(t, "the new object says that it waits", func() string {
		o := &v1alpha1.Bucket{}
		s.life.must(t, s.Client.Get(t.Context(), client.ObjectKey{Namespace: s.life.name, Name: "new"}, o))
		c := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
		if c == nil || c.Reason != string(v1alpha1.ReasonQueued) || !strings.Contains(c.Message, s.life.account) {
			return conditions(o.Status.Conditions)
		}
		return ""
	})
	if got := s.life.get(t).GetResourceVersion(); got != converged {
		t.Error("an object that is as declared was written to because it waits")
	}
	s.answer(served)
	await(t, "all are Ready", func() string {
		if n := s.told(t, v1alpha1.ReasonReady); n != 3 {
			return fmt.Sprintf("%d are", n)
		}
		return ""
	})
}

// slots are an environment with one manager and one account of S3, of which the test says how it answers.
type slots struct {
	*environment
	life    *lifecycle // one bucket, converged
	manager *system.Manager
	// calls counts those to S3 that are blocked.
	calls atomic.Int64

	mu      sync.Mutex
	how     answering
	changed chan struct{} // closed when how changes
}

// answering is how the account answers.
type answering int

const (
	served answering = iota
	unreachable
	blocked
)

func newSlots(t *testing.T, workers int, now func() time.Time) *slots {
	t.Helper()
	s := &slots{environment: newEnvironment(t, cluster.Options{}, localcloud.Options{}), changed: make(chan struct{})}
	period := syncPeriod
	if now != nil {
		period = time.Hour // the test says when something is looked at
	}
	cloud := aws.New(aws.Options{Endpoint: s.Cloud.AWSEndpoint(), HTTPClient: &http.Client{Transport: s}, CallTimeout: time.Hour})
	m, err := system.Start(t.Context(), rest.CopyConfig(s.user), nil, controllers.Options{
		Drivers: map[string]driver.Driver{"aws": cloud}, SyncPeriod: period, ConsistencyWindow: settle, Workers: workers, Now: now,
	}, controllers.ManagerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	exposed.follow(m)
	s.manager = m
	t.Cleanup(func() {
		s.answer(served)
		m.Kill()
	})
	s.life = s.prepared(t, system.TargetOf("Bucket", "aws"))
	s.life.enterPhase(creation)
	s.life.perform(t, creation)
	return s
}

func (s *slots) answer(how answering) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.how = how
	close(s.changed)
	s.changed = make(chan struct{})
}

// RoundTrip implements http.RoundTripper. A call that is blocked stays so, whatever its caller's deadline; else the number of calls
// would depend on the time.
func (s *slots) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/" { // of STS
		return http.DefaultTransport.RoundTrip(r)
	}
	for counted := false; ; {
		s.mu.Lock()
		how, changed := s.how, s.changed
		s.mu.Unlock()
		switch {
		case how == unreachable:
			return nil, errors.New("connection refused")
		case how == blocked && !counted:
			counted = true
			s.calls.Add(1)
			fallthrough
		case how == blocked:
			<-changed
		default:
			return http.DefaultTransport.RoundTrip(r)
		}
	}
}

// create makes a bucket in the account.
func (s *slots) create(t *testing.T, name string, labels map[string]string) {
	t.Helper()
	b := &v1alpha1.Bucket{}
	b.SetNamespace(s.life.name)
	b.SetName(name)
	b.SetLabels(labels)
	b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: accountName}
	s.life.must(t, s.Client.Create(t.Context(), b))
}

// told counts the objects whose condition Ready has a reason.
func (s *slots) told(t *testing.T, reason v1alpha1.Reason) (n int) {
	t.Helper()
	list := &v1alpha1.BucketList{}
	s.life.must(t, s.cache.List(t.Context(), list, client.InNamespace(s.life.name), client.UnsafeDisableDeepCopy))
	for _, b := range list.Items {
		if c := meta.FindStatusCondition(b.Status.Conditions, v1alpha1.ConditionReady); c != nil && c.Reason == string(reason) {
			n++
		}
	}
	return n
}

// metric returns the value of a gauge of the account.
func (s *slots) metric(t *testing.T, name string) float64 {
	t.Helper()
	families, err := s.manager.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if family.GetName() == name && label.GetName() == "account" && label.GetValue() == s.life.account {
					return m.GetGauge().GetValue()
				}
			}
		}
	}
	return -1
}
