package localcloud

import (
	"sync"
	"time"
)

// MakeIdentity makes an IAM role or user (by its ARN), or an identity of Google Cloud (such as serviceAccount:reader@project.iam.gserviceaccount.com), that the clouds
// do not see everywhere before lag has passed by their clock: policies that name it are refused until then, as if it was not there, and RDS does not take it for a role of
// monitoring. The clouds name no time: it is seconds, and minutes now and then.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html#troubleshoot_general_eventual-consistency
// https://cloud.google.com/iam/docs/access-change-propagation
func (c *Cloud) MakeIdentity(name string, lag time.Duration) {
	c.fresh.mu.Lock()
	defer c.fresh.mu.Unlock()
	if c.fresh.until == nil {
		c.fresh.until = map[string]time.Time{}
	}
	c.fresh.until[name] = c.opts.Now().Add(lag)
}

// freshNames are the identities that were made a moment ago.
type freshNames struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (f *freshNames) has(name string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Before(f.until[name])
}
