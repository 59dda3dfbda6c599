package identity

import (
	"flag"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// patience is how long anything may take on a machine that others use too.
const patience = 2 * time.Minute

// slack is what a machine that others use too may add to what is promised within a time.
const slack = 15 * time.Second

// TestMain lets more tests run at once than there are processors: nearly all of their time is waiting.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	flag.Parse()
	logf.SetLogger(journal.logger())
	os.Exit(m.Run())
}

// A stage is a control plane, a cloud that trusts it, and a manager with the rights that it has where it is installed.
type stage struct {
	*system.Environment
	name   string
	issuer string
	// clock is the drivers' own, theirs the controllers'.
	clock, theirs *clock
	// period is how often objects are looked at, and how long credentials are used before they are looked at again.
	period  time.Duration
	history *history
	tokens  *tokens
	worlds  atomic.Int64
	// left are the namespaces that were deleted, in which nothing is made any more.
	left sync.Map
}

// newStage starts a stage, whose tests have ended when it ends.
func newStage(t *testing.T, name string, period time.Duration, co cluster.Options, lo localcloud.Options) *stage {
	t.Helper()
	co.Audit, lo.ListenersOnly = true, true
	s := &stage{name: name, clock: &clock{}, theirs: &clock{}, period: period, tokens: newTokens(t)}
	s.Environment = system.NewEnvironment(t, co, lo)
	s.Install(t, nil)
	var err error
	if s.issuer, err = s.TrustCluster(t.Context()); err != nil {
		t.Fatal(err)
	}
	watching, err := client.NewWithWatch(s.Cluster.Config(), client.Options{Scheme: s.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	s.history = follow(t, watching)
	t.Cleanup(func() { s.verifyAudit(t) })
	s.StartManager(t, controllers.Options{SyncPeriod: period, Now: s.theirs.Now, Drivers: map[string]driver.Driver{
		"aws": aws.New(aws.Options{Endpoint: s.Cloud.AWSEndpoint(), Now: s.clock.Now}),
		"gcp": gcp.New(gcp.Options{Endpoint: s.Cloud.GCPEndpoint(), Now: s.clock.Now}),
	}}, s.tokens.wrap)
	return s
}

// A clock is the real one, put forward by a test.
type clock struct{ ahead atomic.Int64 }

// Now is the time by the clock.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) forward(by time.Duration) { c.ahead.Add(int64(by)) }
