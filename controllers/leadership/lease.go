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

// How the lease is held.
const (
	// Duration is for how long it holds after it was renewed: who wants it waits so long after the last renewal that they saw.
	Duration = 15 * time.Second
	// RenewDeadline is for how long the leader tries to renew it before it gives up.
	RenewDeadline = 10 * time.Second
	// RetryPeriod is how often the leader renews it; the others look at it up to 2.2 times as seldom.
	RetryPeriod = time.Second
	// Takeover is how long it takes at most, if the leader fails, until another leads; documents promise it. Another may see the last
	// renewal one look late, and see one look late that it is Duration ago.
	Takeover = 20 * time.Second
)

// ErrLost is why no request is made.
var ErrLost = errors.New("this replica does not lead any more, so it makes no call")

// A Lease is the lock by which replicas take turns, and the memory of when it was last renewed. It is safe for
// concurrent use.
type Lease struct {
	resourcelock.Interface
	// Now is the clock. Its times must have both a wall clock's reading and a monotonic one.
	Now func() time.Time

	mu      sync.Mutex
	renewed time.Time // before the request that renewed it; zero while it is not ours
	holder  string    // who held it when it was last read or written
}

// New returns the Lease of a name. pod is the uid of the Pod whose container this process is. A Pod has one such process at a time,
// so a container that is restarted after a crash goes on with the lease of the one before. Without a Pod, pod is empty, and each
// process has an identity of its own.
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

// Update implements resourcelock.Interface. A release of what another holds is none: a leader that hung reads the lease of who took over
// before it gives up its own, and client-go's elector (v0.37) asks what it knew before whether that is its own.
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

// IsLeader reports whether this process leads, and nobody else can.
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

// Calls lets requests be made only while the lease is held. The context of others has ended, by ErrLost.
func (l *Lease) Calls(ctx context.Context, _, _ string) (context.Context, func(driver.Call)) {
	if !l.IsLeader() {
		ended, cancel := context.WithCancelCause(ctx)
		cancel(ErrLost)
		ctx = ended
	}
	return ctx, func(driver.Call) {}
}
