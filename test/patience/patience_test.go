package patience

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestOver(t *testing.T) {
	tests := map[string]struct {
		load float64
		want time.Duration // when the wait is over, to five seconds
	}{
		"a quiet machine":                {load: 0.1, want: Quiet},
		"a processor for each process":   {load: 1, want: Quiet},
		"four processes want each":       {load: 4, want: 4 * Quiet},
		"a machine that does not get on": {load: 1000, want: Longest},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, began := newWait(func() float64 { return c.load }, time.Now), time.Now()
				for !w.Over() {
					time.Sleep(5 * time.Second)
				}
				if lasted := time.Since(began); lasted < c.want || lasted > c.want+10*time.Second {
					t.Errorf("the wait is over after %s, want %s", lasted, c.want)
				}
			})
		})
	}
}

func TestOverCountsTheLoadAtEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, began := 4.0, time.Now()
		w := newWait(func() float64 { return busy }, time.Now)
		for !w.Over() {
			time.Sleep(5 * time.Second)
			if time.Since(began) >= 2*Quiet { // half of what the machine has to do is done
				busy = 1
			}
		}
		if lasted, want := time.Since(began), 2*Quiet+Quiet/2; lasted < want || lasted > want+10*time.Second {
			t.Errorf("the wait is over after %s, want %s", lasted, want)
		}
	})
}

func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := Context(t.Context())
		defer cancel()
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, ErrOver) {
			t.Errorf("the wait ends because of %v, want %v", cause, ErrOver)
		}
	})
	t.Run("of a wait that ends in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := Context(t.Context())
			cancel()
			<-ctx.Done()
			if cause := context.Cause(ctx); errors.Is(cause, ErrOver) {
				t.Errorf("the wait ends because of %v", cause)
			}
		})
	})
}

func TestACleanupCanWait(t *testing.T) {
	t.Run("a test that has ended", func(t *testing.T) {
		t.Cleanup(func() {
			ctx, cancel := ForTest(t)
			defer cancel()
			if ctx.Err() != nil {
				t.Errorf("the wait of a cleanup is over before it begins: %v", context.Cause(ctx))
			}
		})
	})
}
