package drivertest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Witness keeps what a driver tells of its requests. Its Host goes into a driver.Opening; the calls of the driver are made
// with the context of Caller.
type Witness struct {
	mu      sync.Mutex
	begun   int
	unasked int // begun on behalf of nobody
	told    []driver.Call
}

type callerKey struct{}

// Caller is a context by which a Witness sees on whose behalf a request is made.
func Caller(t testing.TB) context.Context {
	return context.WithValue(t.Context(), callerKey{}, true)
}

// Host returns a host that does what another one does, if that is not nil, and tells the Witness of requests.
func (w *Witness) Host(of driver.Host) driver.Host {
	if of == nil {
		return driver.HostFuncs{Calls: w.begin}
	}
	return driver.HostFuncs{Tokens: of.Token, Calls: w.begin}
}

func (w *Witness) begin(ctx context.Context, _, _ string) (context.Context, func(driver.Call)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	if ctx.Value(callerKey{}) == nil {
		w.unasked++
	}
	return ctx, func(call driver.Call) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, call)
	}
}

// Told returns what was told, in the order in which the requests ended.
func (w *Witness) Told() []driver.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told)
}

// Verify compares what was told with the requests that reached the cloud, whatever their order, without their codes. codes
// says how many failed, by code.
func (w *Witness) Verify(t testing.TB, reached []driver.Call, codes map[driver.Code]int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun != len(w.told) {
		t.Errorf("%d requests begun, %d ended", w.begun, len(w.told))
	}
	if w.unasked > 0 {
		t.Errorf("%d of %d requests do not know on whose behalf they are made", w.unasked, w.begun)
	}
	var told []driver.Call
	failed := map[driver.Code]int{}
	for _, c := range w.told {
		if c.Failed {
			failed[c.Code]++
		}
		c.Code = 0
		told = append(told, c)
	}
	order := func(a, b driver.Call) int {
		return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.RequestID, b.RequestID), cmp.Compare(a.Status, b.Status))
	}
	slices.SortFunc(reached, order)
	slices.SortFunc(told, order)
	if diff := gocmp.Diff(reached, told); diff != "" {
		t.Errorf("requests (-that reached the cloud +told):\n%s", diff)
	}
	if diff := gocmp.Diff(codes, failed); diff != "" {
		t.Errorf("codes of those that failed (-want +told):\n%s", diff)
	}
}
