package e2e

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

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

// limited says that Mooring is installed with a list of namespaces to watch, and has rights in these alone; otherwise it
// watches all. `make test` runs the package in both modes.
var limited = os.Getenv("MOORING_E2E_NAMESPACES") == "limited"

// alsoLimited are the tests that run in the limited mode, unless -run names others. The mode has two things of its own. It
// has rights in each namespace: TestRights of test/chart shows that they are the same rights, and these tests must use each
// of them. And it has a cache for each namespace, which may lag behind: these tests lead objects of each kind and cloud through
// their lifecycle, count writes and calls, and count objects across namespaces.
var alsoLimited = []string{
	"TestBucketLife", "TestDatabaseLife", "TestClass", "TestBucketClass", "TestConnection", "TestConnectionSecretIsKept", "TestConvergedIsSilent",
	"TestWritesFromApplyToReady", "TestCallsOfALife", "TestWhatExistsAlready", "TestRetainAndTakeBack", "TestVanished",
	"TestDisruptiveOnApproval", "TestDeletionOfADatabase", "TestUnusableClusterConfigIsTold", "TestTenantsAreNotToldWhose",
	"TestUsersOfAnAccount", "TestSeldom", "TestClassLimitHoldsUnderARush", "TestClassRollout",
}

// A test that was renamed would otherwise leave the limited mode without a word.
func TestAlsoLimitedExist(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				there[f.Name.Name] = true
			}
		}
	}
	for _, name := range alsoLimited {
		if !there[name] {
			t.Errorf("there is no %s to run in the limited mode", name)
		}
	}
}

// TestMain lets more tests run at once than there are processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(logr.Discard())
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	if all && limited {
		if err := flag.Set("test.run", "^("+strings.Join(alsoLimited, "|")+")$"); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	suite.end()
	verifyRights(code == 0 && all)
	if suite.failed || panicked() {
		code = max(code, 1)
	}
	os.Exit(code)
}

// panicked reports whether a reconciliation ended in a panic, and says so.
func panicked() bool {
	n, err := system.Panics()
	switch {
	case err != nil:
		fmt.Println("FAIL:", err)
	case n > 0:
		fmt.Printf("FAIL: %d reconciliations ended in a panic\n", n)
	}
	return err != nil || n > 0
}

// An environment is what all tests of the package share.
type environment struct {
	*system.Environment
	// fixtures counts those that were made, of which there may be room for so many.
	fixtures atomic.Int64
	room     int64
}

var (
	suite             packageScope // of the package
	sharedEnvironment *environment
	begin             sync.Once
)

// install starts an environment with Mooring installed on it as its chart does that, for all namespaces or, if limited, for those
// named, which it makes then. Nothing of it runs yet. All that it asks of the API server is judged in the end.
func install(t testing.TB, o localcloud.Options, namespaces ...string) *system.Environment {
	t.Helper()
	s := system.NewEnvironment(t, cluster.Options{Audit: true}, o)
	values := system.Values{}
	if limited {
		values["namespaces"] = namespaces
		for _, name := range namespaces {
			if err := system.EnsureNamespace(t.Context(), s.Client, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Install(t, values)
	t.Cleanup(func() { suite.record(s) })
	return s
}

// newEnvironment starts an environment with a manager, and with room for so many fixtures.
func newEnvironment(t testing.TB, o localcloud.Options, room int) *environment {
	t.Helper()
	s := newIdleEnvironment(t, o, room)
	s.StartManager(t, controllers.Options{SyncPeriod: syncPeriod}, nil)
	return s
}

// newIdleEnvironment starts one on which no manager runs yet.
func newIdleEnvironment(t testing.TB, o localcloud.Options, room int) *environment {
	t.Helper()
	namespaces := make([]string, room)
	for i := range namespaces {
		namespaces[i] = namespaceName(int64(i + 1))
	}
	s := install(t, o, namespaces...)
	return &environment{Environment: s, room: int64(room)}
}

// room is for more fixtures than the tests of the package make when they run once.
const room = 300

func times() int { return int(flag.Lookup("test.count").Value.(flag.Getter).Get().(uint)) }

// shared returns the environment, which the first test starts.
func shared(t *testing.T) *environment {
	t.Helper()
	begin.Do(func() {
		suite.TB = t
		sharedEnvironment = newEnvironment(&suite, localcloud.Options{Durations: durations, ListenersOnly: true, InstanceQuota: -1}, room*times())
	})
	if sharedEnvironment == nil {
		t.Skip("SKIPPED, NOT TESTED: there is no environment; the first test says why")
	}
	return sharedEnvironment
}

// verifyRights checks what Mooring asked of the API servers in all of the tests: nothing that it has no right to, and Secrets
// by name alone, since a list or a watch would put every Secret of the cluster into its memory. After all tests of a mode
// there is no right that it has and never used.
func verifyRights(all bool) {
	if sharedEnvironment == nil {
		return
	}
	ours := suite.requests
	if ours.Count(cluster.On("buckets")) == 0 {
		suite.Error("the audit logs tell nothing of the manager")
	}
	if refused := ours.Where(cluster.Unauthorized); len(refused) > 0 {
		suite.Error("Mooring has no right to what it does:\n", refused)
	}
	byName := func(r cluster.Request) bool { return r.Verb == "get" || cluster.Writes(r) }
	if rest := ours.Where(cluster.On("secrets"), cluster.Not(byName)); len(rest) > 0 {
		suite.Error("Secrets were listed or watched:\n", rest)
	}
	if unused := sharedEnvironment.Rights.Unused(ours); all && len(unused) > 0 {
		suite.Error("rights that nothing made use of; take their markers out of controllers, or test what needs them:\n", unused)
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
