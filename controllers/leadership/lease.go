package leadership

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/mooring-dev/mooring/providers/driver"
)

// The timing of the lease.
const (
	// Duration is how long the lease is valid after a renewal. Another replica may acquire it so long after the last
	// renewal that the replica observed.
	Duration = 15 * time.Second
	// RenewDeadline is how long the leader retries to renew the lease before it stops leading.
	RenewDeadline = 10 * time.Second
	// RetryPeriod is the interval at which the leader renews the lease. The other replicas read it at 1 to 2.2 times
	// this interval.
	RetryPeriod = time.Second
	// Takeover is the longest time between the failure of the leader and the start of another one; the documents
	// promise it. It is longer than Duration, because another replica may observe the last renewal, and the end of the
	// lease, each one read late.
	Takeover = 20 * time.Second
)

// ErrLost is the cause of the canceled context of a request that a replica makes without leading.
var ErrLost = errors.New("this replica does not lead any more, so it makes no call")

// A Lease is the lock for the leader election, and records when this process last renewed it. It is safe for concurrent
// use.
type Lease struct {
	resourcelock.Interface
	// Now is the clock. Its times must have a monotonic reading as well as a wall clock reading, as those of time.Now
	// have.
	Now func() time.Time

	mu      sync.Mutex
	renewed time.Time // before the request that renewed it; zero while it is not ours
	holder  string    // who held it when it was last read or written
}

// New returns the Lease with a name in a namespace. pod is the uid of the Pod of this process. A Pod has one such
// process at a time, so a container that restarts after a crash continues the lease of the previous container. pod is
// empty outside a Pod; then each process has an identity of its own.
func New(cfg *rest.Config, namespace, name, pod string, now func() time.Time) (*Lease, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find a name to hold the lease by: %w", err)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.Timeout = RenewDeadline / 2 // one that hangs must leave time for another
	client, err := coordination.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("reach the lease: %w", err)
	}
	if pod == "" {
		pod = string(uuid.NewUUID())
	}
	lock := &resourcelock.LeaseLock{Client: client, LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + pod}}
	lock.LeaseMeta.Namespace, lock.LeaseMeta.Name = namespace, name
	return &Lease{Interface: lock, Now: now}, nil
}

// Get implements resourcelock.Interface.
func (l *Lease) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.Interface.Get(ctx)
	if err == nil {
		l.read(record.HolderIdentity)
	}
	return record, raw, err
}

// Create implements resourcelock.Interface.
func (l *Lease) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(record, func() error { return l.Interface.Create(ctx, record) })
}

// Update implements resourcelock.Interface. It does not release a lease that another replica holds. client-go's elector
// (v0.37) would: after a suspension it reads the new leader's record, and compares the holder with what it knew before.
func (l *Lease) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.write(record, func() error { return l.Interface.Update(ctx, record) })
}

func (l *Lease) write(record resourcelock.LeaderElectionRecord, write func() error) error {
	began := l.Now()
	released := record.HolderIdentity != l.Identity()
	if released && !l.giveUp() {
		return nil
	}
	err := write()
	if err == nil && !released {
		l.renew(began)
	}
	return err
}

func (l *Lease) read(holder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holder = holder
}

func (l *Lease) renew(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed, l.holder = at, l.Identity()
}

// giveUp holds the lease no more, whether or not the API server is told, and reports whether there is something to tell.
func (l *Lease) giveUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = time.Time{}
	return l.holder == l.Identity()
}

// IsLeader reports whether this process leads, and no other replica can have acquired the lease.
func (l *Lease) IsLeader() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.renewed.IsZero() {
		return false
	}
	now := l.Now()
	// A machine that was suspended may have stopped either of its clocks. From RenewDeadline on this process gives up anyway;
	// the rest is for requests that are on their way.
	return now.Sub(l.renewed) < RenewDeadline && now.Round(0).Sub(l.renewed.Round(0)) < RenewDeadline
}

// Calls is a driver.Calls that allows requests only while this process leads. Otherwise it returns a context that is
// canceled with the cause ErrLost.
func (l *Lease) Calls(ctx context.Context, _, _ string) (context.Context, func(driver.Call)) {
	if !l.IsLeader() {
		ended, cancel := context.WithCancelCause(ctx)
		cancel(ErrLost)
		ctx = ended
	}
	return ctx, func(driver.Call) {}
}
