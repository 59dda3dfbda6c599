package fault

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestShutdown stops a manager while the cloud takes its time over a creation: the call is finished, and what
// came of it is recorded, before the manager ends.
func TestShutdown(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true})
	underWay := make(chan struct{})
	var once sync.Once
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/instances") {
			once.Do(func() { close(underWay) })
		}
		return http.DefaultTransport.RoundTrip(r)
	})
	m, err := system.Start(t.Context(), rest.CopyConfig(w.user), nil, controllers.Options{
		Drivers:    map[string]driver.Driver{"gcp": gcp.New(gcp.Options{Endpoint: w.Cloud.GCPEndpoint(), Transport: transport})},
		SyncPeriod: syncPeriod, ConsistencyWindow: settle, Workers: 2,
	}, controllers.ManagerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	exposed.follow(m)
	l := w.prepared(t, system.TargetOf("Database", "gcp"))
	w.Cloud.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Account: l.account, Operation: "instances.insert"}, Kind: localcloud.Latency, Delay: 2 * time.Second,
	})
	l.enterPhase(creation)
	l.declare(t)
	select {
	case <-underWay:
	case <-time.After(10 * time.Minute):
		t.Fatal("nothing was created")
	}
	if err := m.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	calls := w.Cloud.Ledger.Calls(localcloud.Filter{Account: l.account, Operation: "instances.insert"})
	if len(calls) != 1 || calls[0].Status != http.StatusOK || calls[0].Took < 2*time.Second {
		t.Errorf("the creation did not finish: %+v", calls)
	}
	if status := system.StatusOf(l.get(t)); status.Operation == "" {
		t.Errorf("what came of it is not recorded:\n%s", conditions(status.Conditions))
	}
}
