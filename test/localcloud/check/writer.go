package check

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// A SteadyWriter writes rows to one address all the time, as a client does that connects anew for each, and counts those that were acknowledged.
type SteadyWriter struct {
	acknowledged atomic.Int64
	stop         chan struct{}
	done         sync.WaitGroup
}

// WriteSteadily begins. write gets the number of a row.
func WriteSteadily(write func(n int) error) *SteadyWriter {
	w := &SteadyWriter{stop: make(chan struct{})}
	w.done.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-w.stop:
				return
			default:
				if write(n) == nil {
					w.acknowledged.Add(1)
				}
			}
		}
	})
	return w
}

// AwaitMore waits until so many more rows are acknowledged.
func (w *SteadyWriter) AwaitMore(t *testing.T, rows int64) {
	t.Helper()
	before := w.acknowledged.Load()
	Await(t, fmt.Sprintf("%d acknowledged rows more than %d", rows, before), func() (bool, string) {
		now := w.acknowledged.Load()
		return now >= before+rows, fmt.Sprint(now)
	})
}

// End ends it, and returns how many rows were acknowledged.
func (w *SteadyWriter) End() int64 {
	close(w.stop)
	w.done.Wait()
	return w.acknowledged.Load()
}
