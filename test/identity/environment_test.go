package identity

import (
	"flag"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestMain lets more tests run at once than there are processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(failureLog.logger())
	os.Exit(cluster.Run(m))
}

// An environment is a control plane, a cloud that trusts it, and a manager with the rights that it has where it is installed.
type environment struct {
	*system.Environment
	name   string
	issuer string
	// clock is the drivers' own, by which the clouds count the lives of sessions too; controllerClock is the controllers'.
	clock, controllerClock *system.Clock
	// period is how often objects are looked at, and how long credentials are used before they are looked at again.
	period   time.Duration
	recorder *system.Recorder
	tokens   *tokens
	fixtures atomic.Int64
	// deletedNamespaces are the namespaces that were deleted, in which nothing is made any more.
	deletedNamespaces sync.Map
}

// timeout is that of calls to the clouds: only one that hangs takes so long.
const timeout = 5 * time.Minute

// newEnvironment starts an environment, whose tests have ended when it ends.
func newEnvironment(t *testing.T, name string, period time.Duration, co cluster.Options, lo localcloud.Options) *environment {
	t.Helper()
	co.Audit, lo.ListenersOnly = true, true
	s := &environment{name: name, clock: &system.Clock{}, controllerClock: &system.Clock{}, period: period, tokens: newTokens(t)}
	lo.SessionNow = s.clock.Now
	s.Environment = system.NewEnvironment(t, co, lo)
	s.Install(t, nil)
	var err error
	if s.issuer, err = s.TrustCluster(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.recorder = system.Record(t, s.Environment, "")
	t.Cleanup(func() { s.recorder.CheckStates(t) })
	t.Cleanup(func() { s.verifyAudit(t) })
	s.StartManager(t, controllers.Options{SyncPeriod: period, Now: s.controllerClock.Now, Drivers: map[string]driver.Driver{
		"aws": aws.New(aws.Options{Endpoint: s.Cloud.AWSEndpoint(), Now: s.clock.Now, CallTimeout: timeout}),
		"gcp": gcp.New(gcp.Options{Endpoint: s.Cloud.GCPEndpoint(), Now: s.clock.Now, CallTimeout: timeout}),
	}}, s.tokens.wrap)
	return s
}
