package leadership

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// tries is how often each takeover happens: when the leader stops, and when the other looks at the lease, is another moment each time.
const tries = 500

// TestTakeover holds how long nobody leads, by client-go's own elector: at most Takeover if the leader fails, and two looks at the lease
// if it releases it. The process that led holds the lease no more by then, even if it only hung.
func TestTakeover(t *testing.T) {
	for _, tt := range []struct {
		name     string
		releases bool
		// The other leads not before earliest, and not after latest.
		earliest, latest time.Duration
	}{
		{"the leader fails", false, RenewDeadline, Takeover},
		{"the leader releases the lease", true, 0, 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var shortest, longest time.Duration
			for n := range tries {
				synctest.Test(t, func(t *testing.T) {
					// Not a multiple of the retry period, so that the leader stops at another moment between two renewals each time.
					took := takeover(t, tt.releases, time.Minute+time.Duration(n)*RetryPeriod/tries)
					if n == 0 {
						shortest = took
					}
					shortest, longest = min(shortest, took), max(longest, took)
				})
			}
			t.Logf("the other leads after %v to %v", shortest, longest)
			if shortest < tt.earliest || longest > tt.latest {
				t.Errorf("the other leads after %v to %v, want %v to %v", shortest, longest, tt.earliest, tt.latest)
			}
		})
	}
}

// takeover stops a leader that has led for some time, and returns how long it takes until another leads.
func takeover(t *testing.T, releases bool, led time.Duration) time.Duration {
	t.Helper()
	shared := &record{}
	ctx := klog.NewContext(t.Context(), logr.Discard())
	first, firstLeads, stop := candidate(ctx, t, shared, "first", releases)
	<-firstLeads
	second, secondLeads, end := candidate(ctx, t, shared, "second", releases)
	time.Sleep(led)
	if !first.IsLeader() || second.IsLeader() {
		t.Fatalf("held by the leader: %t, by the other: %t", first.IsLeader(), second.IsLeader())
	}
	stopped := time.Now()
	stop()
	<-secondLeads
	took := time.Since(stopped)
	if first.IsLeader() {
		t.Error("both hold the lease")
	}
	end()
	return took
}

// TestLeaderThatHung: it goes on where it was after another took over, and leaves the lease of that one as it is.
func TestLeaderThatHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &record{}
		ctx := klog.NewContext(t.Context(), logr.Discard())
		first, firstLeads, stop := candidate(ctx, t, shared, "first", true)
		<-firstLeads
		_, secondLeads, end := candidate(ctx, t, shared, "second", true)
		time.Sleep(time.Minute)
		hangs := make(chan struct{})
		first.Interface.(*shareLock).hangs.Store(&hangs)
		<-secondLeads
		close(hangs)
		time.Sleep(Duration)
		shared.mu.Lock()
		if after := shared.writers[slices.Index(shared.writers, "second"):]; slices.Contains(after, "first") {
			t.Errorf("the lease was written by %v once the second had it", after)
		}
		shared.mu.Unlock()
		stop()
		end()
	})
}

// candidate runs an elector with the times that the manager is given. leads is closed when it leads. Stopped, it releases the lease or fails
// in silence.
func candidate(ctx context.Context, t *testing.T, shared *record, name string, releases bool) (lease *Lease, leads chan struct{}, stop context.CancelFunc) {
	t.Helper()
	lease, leads = &Lease{Interface: &shareLock{record: shared, identity: name}, Now: time.Now}, make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lease, LeaseDuration: Duration, RenewDeadline: RenewDeadline, RetryPeriod: RetryPeriod, ReleaseOnCancel: releases,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(leads) }, OnStoppedLeading: func() {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop = context.WithCancel(ctx)
	go elector.Run(ctx)
	return lease, leads, stop
}

// A record is what the API server stores of a lease: one version after the other, and none is overwritten unseen.
type record struct {
	mu      sync.Mutex
	version int
	stored  resourcelock.LeaderElectionRecord
	writers []string // who wrote each version
}

// A shareLock is one candidate's access to a record.
type shareLock struct {
	resourcelock.Interface
	*record
	identity string
	seen     int
	hangs    atomic.Pointer[chan struct{}] // closed once the process goes on; nil while it never stood
}

func (l *shareLock) Identity() string   { return l.identity }
func (l *shareLock) Describe() string   { return "lease" }
func (l *shareLock) RecordEvent(string) {}

func (l *shareLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if err := l.ask(ctx); err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.version == 0 {
		return nil, nil, apierrors.NewNotFound(coordinationv1.Resource("leases"), "lease")
	}
	l.seen = l.version
	copied := l.stored
	raw, err := json.Marshal(copied)
	return &copied, raw, err
}

func (l *shareLock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.Update(ctx, r)
}

func (l *shareLock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if err := l.ask(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen != l.version {
		return apierrors.NewConflict(coordinationv1.Resource("leases"), "lease", nil)
	}
	l.version++
	l.seen, l.stored, l.writers = l.version, r, append(l.writers, l.identity)
	return nil
}

// ask is how a request fares: one of a process that stands waits, and fails if its deadline has passed by then.
func (l *shareLock) ask(ctx context.Context) error {
	if hangs := l.hangs.Load(); hangs != nil {
		<-*hangs
	}
	return ctx.Err()
}

// TestTakeoverIsDocumented: what documents promise is what TestTakeover holds.
func TestTakeoverIsDocumented(t *testing.T) {
	promise := fmt.Sprintf("within %d seconds", int(Takeover.Seconds()))
	for _, file := range []string{
		"../../charts/mooring/values.yaml", "../../charts/mooring/README.md", "../../docs/troubleshooting.md",
		"../../docs/runbooks/MooringNoLeader.md", "../../docs/adr/0010-no-call-without-the-lease.md",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), promise) {
			t.Errorf("%s does not say that another replica takes over %s", file, promise)
		}
	}
}
