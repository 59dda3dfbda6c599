package identity

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// quotaCheck is how often an account is asked how much of its quotas is used.
const quotaCheck = time.Hour

// A Quota is how much is used of a quota of an account in a location.
type Quota struct {
	Provider, Account, Location string
	driver.QuotaUsage
}

// quotas say how much is used of the quotas that keep an account from taking more objects, where its cloud tells that. They are those of a config's own region. It is safe for
// concurrent use.
type quotas struct {
	now  func() time.Time
	mu   sync.Mutex
	seen map[Key]quotasSeen
}

// quotasSeen is what the cloud said last, and when it was asked.
type quotasSeen struct {
	at    time.Time
	usage []Quota
}

// ask asks the cloud for what objects of some kinds take, if it is time to. What it refuses says nothing of the credentials, and is asked again in an hour. kinds is called only then.
func (q *quotas) ask(ctx context.Context, cfg *config, conn *Connection, kinds func() ([]string, error)) error {
	reader, tells := conn.Session.(driver.QuotaReader)
	q.mu.Lock()
	due := q.now().Sub(q.seen[cfg.key].at) >= quotaCheck
	q.mu.Unlock()
	if !tells || !due || conn.KnownAccount() == "" {
		return nil
	}
	of, err := kinds()
	if err != nil {
		return err
	}
	found, _ := reader.Quotas(ctx, of)
	now := quotasSeen{at: q.now()}
	for _, usage := range found {
		now.usage = append(now.usage, Quota{conn.Provider, string(conn.KnownAccount()), conn.Location, usage})
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.seen == nil {
		q.seen = map[Key]quotasSeen{}
	}
	q.seen[cfg.key] = now
	return nil
}

// nearlyUsed says which quotas of a config people should know of; nothing if there are none.
func (q *quotas) nearlyUsed(key Key) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var lines []string
	for _, u := range q.seen[key].usage {
		if u.NearlyUsed() {
			lines = append(lines, fmt.Sprintf("%d of %d %s are used in %s", u.Used, u.Max, u.What, u.Location))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, ", and ") + ": beyond that the cloud refuses more. Ask it for a higher quota, or delete what nobody needs"
}

// all returns what is known of each config.
func (q *quotas) all() (all []Quota) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seen := range q.seen {
		all = append(all, seen.usage...)
	}
	return all
}

func (q *quotas) forget(key Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.seen, key)
}
