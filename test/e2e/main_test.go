package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/dynamic"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// syncPeriod is how often the shared manager looks at a converged object.
const syncPeriod = 2 * time.Second

// patience is how long anything may take on a machine that others use too.
const patience = 2 * time.Minute

// durations are long enough for every state of the clouds to be passed through, and seen.
var durations = localcloud.Durations{
	Create: 200 * time.Millisecond, Modify: 100 * time.Millisecond,
	Delete: 200 * time.Millisecond, Snapshot: 300 * time.Millisecond, ModifyOnset: 50 * time.Millisecond,
}

// TestMain lets more tests run at once than there are processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(logr.Discard())
	code := m.Run()
	if !whole.end() {
		code = max(code, 1)
	}
	os.Exit(code)
}

// A stage is what all tests of the package share.
type stage struct {
	*system.Stage
	watch dynamic.Interface
}

var (
	whole    span // of the package
	theStage *stage
	begin    sync.Once
	worlds   atomic.Int64
)

// newStage starts a stage with a manager.
func newStage(t testing.TB, o localcloud.Options) *stage {
	t.Helper()
	s := system.NewStage(t, cluster.Options{Audit: true}, o)
	client, err := dynamic.NewForConfig(s.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	s.Run(t, controllers.Options{SyncPeriod: syncPeriod}, nil)
	return &stage{Stage: s, watch: client}
}

// shared returns the stage, which the first test starts.
func shared(t *testing.T) *stage {
	t.Helper()
	begin.Do(func() {
		whole.TB = t
		theStage = newStage(&whole, localcloud.Options{Durations: durations, ListenersOnly: true, InstanceQuota: -1})
		whole.Cleanup(func() { verifySecretsUnlisted(theStage.Stage) })
	})
	if theStage == nil {
		t.Skip("SKIPPED, NOT TESTED: there is no stage; the first test says why")
	}
	return theStage
}

// verifySecretsUnlisted checks that in all of the tests the manager read Secrets by name alone. A list or a watch would
// put every Secret of the cluster into its memory.
func verifySecretsUnlisted(s *system.Stage) {
	all, err := s.Cluster.Audit().Since(0)
	ours := all.Where(cluster.By(system.User))
	if err != nil || ours.Count(cluster.On("buckets")) == 0 {
		whole.Error("the audit log tells nothing of the manager:", err)
	}
	byName := func(r cluster.Request) bool { return r.Verb == "get" || cluster.Writes(r) }
	if rest := ours.Where(cluster.On("secrets"), cluster.Not(byName)); len(rest) > 0 {
		whole.Error("Secrets were listed or watched:\n", rest)
	}
}

// A span is a testing.TB that outlasts the test in which it began: what starts in it ends with the package.
type span struct {
	testing.TB
	mu     sync.Mutex
	ends   []func()
	failed bool
}

// Context implements testing.TB.
func (s *span) Context() context.Context { return context.Background() }

// Cleanup implements testing.TB.
func (s *span) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, f)
}

// Error implements testing.TB: by now there is no test left to tell.
func (s *span) Error(args ...any) {
	s.failed = true
	fmt.Fprintln(os.Stderr, args...)
}

// end ends what began, last first, and reports whether all went well.
func (s *span) end() bool {
	for len(s.ends) > 0 {
		last := len(s.ends) - 1
		s.ends[last]()
		s.ends = s.ends[:last]
	}
	return !s.failed
}
