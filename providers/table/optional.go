package table

import (
	"context"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// optionalTime bounds what an observation waits for an Optional.
	optionalTime = 5 * time.Second
	// deniedPause is after how long a cloud is asked again that refused to this identity, and failedPause of one that answered with another error, or did not answer.
	deniedPause = time.Hour
	failedPause = time.Minute
)

// Optional makes calls that an observation does not depend on. An error is ignored, and the call is not made again for
// a while. All objects of a session share one Optional. It is safe for concurrent use.
type Optional struct {
	Now func() time.Time

	mu    sync.Mutex
	ended time.Time // when the last call that failed did so
	until time.Time // when the cloud may be asked again
}

// Try makes the call, unless one failed a short time ago. It also makes it if a user requested the observation since
// then, because the user may have granted the permission. A success ends the pause for all objects. Try reports whether
// the call was made and succeeded.
func (o *Optional) Try(ctx context.Context, call func(context.Context) error) bool {
	if o.paused(ctx) {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, optionalTime)
	defer cancel()
	err := call(limited)
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.until = time.Time{} // what was granted holds for all objects
		return true
	}
	if ctx.Err() != nil { // it is the caller who gave up
		return false
	}
	pause := failedPause
	if driver.CodeOf(err) == driver.Denied {
		pause = deniedPause
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = o.Now()
	o.until = o.ended.Add(pause)
	return false
}

func (o *Optional) paused(ctx context.Context) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Now().Before(o.until) && !AskedSince(ctx, o.ended)
}
