package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// syncPeriod is how often the shared manager looks at a converged object.
const syncPeriod = 2 * time.Second

// durations are long enough for every state of the clouds to be passed through, and seen.
var durations = localcloud.Durations{
	Create: 200 * time.Millisecond, Modify: 100 * time.Millisecond,
	Delete: 200 * time.Millisecond, Snapshot: 300 * time.Millisecond, ModifyOnset: 50 * time.Millisecond,
}

// limitedTests run once more on an environment where Mooring is installed with a list of namespaces to watch, and has rights in
// these alone. TestRights of test/chart shows that they are the same rights, but one that is asked for everywhere is not given there.
// And there is a cache for each namespace, which may lag behind the others: these tests lead objects of each kind through their
// lifecycle in one cloud, and count objects.
var limitedTests = map[string]func(*testing.T){
	"TestBucketLife":                  TestBucketLife,
	"TestDatabaseLife":                TestDatabaseLife,
	"TestClass":                       TestClass,
	"TestBucketClass":                 TestBucketClass,
	"TestClassLimitHoldsUnderARush":   TestClassLimitHoldsUnderARush,
	"TestUsersOfAnAccount":            TestUsersOfAnAccount,
	"TestUnusableClusterConfigIsTold": TestUnusableClusterConfigIsTold,
	"TestTenantsAreNotToldWhose":      TestTenantsAreNotToldWhose,
	"TestConnectionSecretIsKept":      TestConnectionSecretIsKept,
	"TestDeletionOfADatabase":         TestDeletionOfADatabase,
	"TestRetainAndTakeBack":           TestRetainAndTakeBack,
	"TestSnapshotOfADatabase":         TestSnapshotOfADatabase,
	"TestSnapshotsExpire":             TestSnapshotsExpire,
	"TestVanished":                    TestVanished,
	"TestSeldom":                      TestSeldom,
}

// TestLimited runs limitedTests. What they make use of is judged in the end as for all tests.
func TestLimited(t *testing.T) {
	t.Parallel()
	for name, test := range limitedTests {
		t.Run(name, test)
	}
}

// TestLimitedConverged: with a cache for each namespace, too, nothing is written to what is as declared.
func TestLimitedConverged(t *testing.T) { TestConvergedIsSilent(t) }

// TestLimitedWrites: nor does a cache that lags behind the others make an object cost more writes until it is Ready.
func TestLimitedWrites(t *testing.T) { TestWritesFromApplyToReady(t) }

// TestMain lets more tests run at once than there are processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(logr.Discard())
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	code := cluster.Run(m)
	complete := code == 0 && all
	for _, s := range []*installation{suite, limitedSuite} {
		s.end()
		s.verifyRights(complete)
		if s.failed {
			code = max(code, 1)
		}
	}
	if panicked(all) {
		code = max(code, 1)
	}
	os.Exit(code)
}

// panicked reports whether a reconciliation ended in a panic, and says so. Of some tests alone there may be none that runs a controller.
func panicked(all bool) bool {
	n, err := system.Panics()
	switch {
	case err != nil && !all:
		return false
	case err != nil:
		fmt.Println("FAIL:", err)
	case n > 0:
		fmt.Printf("FAIL: %d reconciliations ended in a panic\n", n)
	}
	return err != nil || n > 0
}

// An environment is what all tests of an installation share.
type environment struct {
	*system.Environment
	clouds map[string]*system.Cloud
	// fixtures counts those that were made, of which there may be room for so many.
	fixtures atomic.Int64
	room     int64
	limited  bool
	metrics  prometheus.Gatherer // of the manager; nil where a test starts it
}

// An installation is a way in which Mooring is installed, with the environment that the tests of the package share there. What starts
// in it ends with the package.
type installation struct {
	packageScope
	// limited: to the namespaces that it names.
	limited bool
	// room is for more fixtures than the tests make when they run once.
	room   int
	begin  sync.Once
	shared *environment
}

var (
	suite        = &installation{room: 300}
	limitedSuite = &installation{limited: true, room: 80}
)

// suiteOf returns the installation that a test is about, or that starts something.
func suiteOf(t testing.TB) *installation {
	if s, ok := t.(*installation); ok {
		return s
	}
	if strings.HasPrefix(t.Name(), "TestLimited") {
		return limitedSuite
	}
	return suite
}

// own has room for two tests with an environment of their own: others wait, and take over their control planes.
var own = make(chan struct{}, 2)

// install starts an environment with Mooring installed on it as its chart does that, for all namespaces or, if limited, for those
// named, which it makes then. Nothing of it runs yet. All that it asks of the API server is judged in the end.
func install(t testing.TB, o localcloud.Options, namespaces ...string) *system.Environment {
	t.Helper()
	return installWith(t, system.Values{}, o, namespaces...)
}

// installWith is install with values of the chart.
func installWith(t testing.TB, values system.Values, o localcloud.Options, namespaces ...string) *system.Environment {
	t.Helper()
	of := suiteOf(t)
	if _, forAll := t.(*installation); !forAll {
		own <- struct{}{}
		t.Cleanup(func() { <-own }) // when the environment has ended
	}
	s := system.NewEnvironment(t, cluster.Options{Audit: true}, o)
	if of.limited {
		values["namespaces"] = namespaces
		for _, name := range namespaces {
			if err := system.EnsureNamespace(t.Context(), s.Client, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Install(t, values)
	applyPolicies(t, s, values)
	t.Cleanup(func() { of.record(s) })
	return s
}

// applyPolicies makes the policies that concern what Mooring itself writes: approve, adopt and annotations.
func applyPolicies(t testing.TB, s *system.Environment, values system.Values) {
	t.Helper()
	policies, err := system.Render(t, values, "validatingadmissionpolicies")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range policies {
		if !strings.HasPrefix(o.GetName(), "mooring-a") {
			continue
		}
		if err := s.Client.Create(t.Context(), o); err != nil {
			t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
}

// newEnvironment starts an environment with a manager, and with room for so many fixtures.
func newEnvironment(t testing.TB, o localcloud.Options, room int) *environment {
	t.Helper()
	s := newIdleEnvironment(t, o, room)
	s.metrics = s.StartManager(t, controllers.Options{SyncPeriod: syncPeriod, MetricsObjectLimit: 1000}, nil).Metrics
	return s
}

// newIdleEnvironment starts one on which no manager runs yet.
func newIdleEnvironment(t testing.TB, o localcloud.Options, room int) *environment {
	t.Helper()
	namespaces := make([]string, room)
	for i := range namespaces {
		namespaces[i] = namespaceName(int64(i + 1))
	}
	return environmentOn(install(t, o, namespaces...), suiteOf(t).limited, room)
}

// environmentOn returns the environment of an installation.
func environmentOn(s *system.Environment, limited bool, room int) *environment {
	clouds := map[string]*system.Cloud{}
	for _, p := range system.Providers {
		clouds[p.Name] = system.NewCloud(s.Cloud, p.Name)
	}
	return &environment{Environment: s, clouds: clouds, room: int64(room), limited: limited}
}

func times() int { return int(flag.Lookup("test.count").Value.(flag.Getter).Get().(uint)) }

// shared returns the environment that tests share, which the first of them starts.
func shared(t *testing.T) *environment {
	t.Helper()
	s := suiteOf(t)
	s.begin.Do(func() {
		s.TB = t
		s.shared = newEnvironment(s, localcloud.Options{Durations: durations, ListenersOnly: true, InstanceQuota: -1}, s.room*times())
	})
	if s.shared == nil {
		t.Skip("SKIPPED, NOT TESTED: there is no environment; the first test says why")
	}
	return s.shared
}

// verifyRights checks what Mooring asked of the API servers in all of the tests: nothing that it has no right to, and Secrets
// by name, or by the label of those that it made: a list or a watch would put every Secret of the cluster into its memory. After all tests there is no
// right that it has and never used.
func (s *installation) verifyRights(all bool) {
	if s.shared == nil {
		return
	}
	ours := s.requests
	if ours.Count(cluster.On("buckets")) == 0 {
		s.Error("the audit logs tell nothing of the manager")
	}
	if refused := ours.Where(cluster.Unauthorized); len(refused) > 0 {
		s.Error("Mooring has no right to what it does:\n", refused)
	}
	chosen := func(r cluster.Request) bool {
		return r.Verb == "get" || cluster.Writes(r) || r.Labels == v1alpha1.LabelUID
	}
	if rest := ours.Where(cluster.On("secrets"), cluster.Not(chosen)); len(rest) > 0 {
		s.Error("Secrets were listed or watched:\n", rest)
	}
	if unused := s.shared.Rights.Unused(ours); all && len(unused) > 0 {
		s.Error("rights that nothing made use of; take their markers out of controllers, or test what needs them:\n", unused)
	}
}

// A packageScope is a testing.TB that outlasts the test in which it began: what starts in it ends with the package.
type packageScope struct {
	testing.TB
	mu     sync.Mutex
	ends   []func()
	failed bool
	// requests are Mooring's on environments that have ended.
	requests cluster.Requests
}

// Context implements testing.TB.
func (s *packageScope) Context() context.Context { return context.Background() }

// Cleanup implements testing.TB.
func (s *packageScope) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, f)
}

// Error implements testing.TB: by now there is no test left to tell.
func (s *packageScope) Error(args ...any) {
	s.failed = true
	fmt.Fprintln(os.Stderr, args...)
}

// record keeps what Mooring asked of an environment's API server.
func (s *packageScope) record(of *system.Environment) {
	all, err := of.Cluster.Audit().Since(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.Error(err)
	}
	s.requests = append(s.requests, all.Where(cluster.By(system.Installed))...)
}

// end ends what began, last first.
func (s *packageScope) end() {
	for len(s.ends) > 0 {
		last := len(s.ends) - 1
		s.ends[last]()
		s.ends = s.ends[:last]
	}
}
