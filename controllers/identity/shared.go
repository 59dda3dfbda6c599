package identity

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// sharedDeadline bounds a shared call if the context of the first caller has no deadline.
const sharedDeadline = time.Minute

// A panicked is what a shared call panicked with.
type panicked struct {
	value any
	stack []byte
}

// Error implements error.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.value, p.stack) }

// share runs one call for all who ask for the same at the same time. The call has the deadline of the first caller, and is not cancelled with
// its context: the others wait for the same answer. Nobody waits after being cancelled, or after a deadline. A panic of the call is one of
// each caller.
func share[T any](ctx context.Context, group *singleflight.Group, key string, call func(context.Context) (T, error)) (result T, err error) {
	var own atomic.Bool // the call is this caller's, and ends at its deadline
	answer := group.DoChan(key, func() (answer any, err error) {
		own.Store(true)
		ctx, cancel := outlasting(ctx)
		defer cancel()
		defer func() {
			if value := recover(); value != nil {
				answer, err = nil, &panicked{value, debug.Stack()}
			}
		}()
		return call(ctx)
	})
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		if own.Load() && errors.Is(ctx.Err(), context.DeadlineExceeded) { // the call ends too, and its error says more
			return
		}
		close(ended)
	})
	defer stop()
	select {
	case <-ended:
		return result, fmt.Errorf("wait for an answer that others asked for too: %w", context.Cause(ctx))
	case got := <-answer:
		if p, ok := errors.AsType[*panicked](got.Err); ok {
			panic(p)
		}
		result, _ = got.Val.(T)
		return result, got.Err
	}
}

// outlasting returns a context with the deadline of another, or with one of its own, that is not cancelled with it.
func outlasting(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, has := ctx.Deadline(); has {
		return context.WithDeadline(context.WithoutCancel(ctx), deadline)
	}
	return context.WithTimeout(context.WithoutCancel(ctx), sharedDeadline)
}
