package identity

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// quotaCheck is how often an account is asked how much of its quotas is used. Nobody who asks to reconcile an object
// shortens it: no object says anything of quotas.
const quotaCheck = time.Hour

// A Quota reports the usage of one quota of an account in a location.
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

// quotasSeen is what the cloud said last, of which account and location, when that was, and when it was asked last.
type quotasSeen struct {
	asked, answered   time.Time
	account, location string
	usage             []Quota
	// told are the names of those that people were told of.
	told map[string]bool
}

// idleCheck is how often it is looked whether objects take any of them, if none did.
const idleCheck = 10 * time.Minute

// staleAfter is how long what a cloud said of quotas counts, if it says nothing more.
const staleAfter = 3 * quotaCheck

// ask asks the cloud for what objects of some kinds take, if it is time to. An error says nothing of the credentials, and what was known stays for a while. kinds is called only then.
func (q *quotas) ask(ctx context.Context, cfg *config, conn *Connection, kinds func() ([]string, error)) error {
	reader, tells := conn.Session.(driver.QuotaReader)
	account := string(conn.KnownAccount())
	last := q.of(cfg.key)
	if last.account != account || last.location != conn.Location {
		last = quotasSeen{account: account, location: conn.Location}
	}
	if !tells || account == "" || q.now().Sub(last.asked) < quotaCheck {
		return nil
	}
	of, err := kinds()
	if err != nil {
		return err
	}
	found, err := reader.Quotas(ctx, of)
	if last.asked = q.now(); err == nil && len(found) == 0 {
		last.asked = last.asked.Add(idleCheck - quotaCheck)
	}
	if err == nil {
		last.answered, last.usage, last.told = last.asked, nil, nearly(found, last.told)
		for _, usage := range found {
			last.usage = append(last.usage, Quota{conn.Provider, account, conn.Location, usage})
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.seen == nil {
		q.seen = map[Key]quotasSeen{}
	}
	q.seen[cfg.key] = last
	return nil
}

// nearly returns the names of those that people should know of. One that they were told of has to fall well below the threshold before it no longer is.
func nearly(found []driver.QuotaUsage, told map[string]bool) map[string]bool {
	now := map[string]bool{}
	for _, u := range found {
		if u.UsedFrom(nearlyUsed) || told[u.Name] && u.UsedFrom(usedLess) {
			now[u.Name] = true
		}
	}
	return now
}

// Percentages of a quota: from nearlyUsed on people are told, and below usedLess no longer.
const nearlyUsed, usedLess = 80, 75

// of returns what is known of a config.
func (q *quotas) of(key Key) quotasSeen {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.current(q.seen[key])
}

// current drops what is too old to count.
func (q *quotas) current(seen quotasSeen) quotasSeen {
	if q.now().Sub(seen.answered) >= staleAfter {
		seen.usage, seen.told = nil, nil
	}
	return seen
}

// nearlyUsed says which quotas of a config people should know of, without numbers that change; nothing if there are none.
func (q *quotas) nearlyUsed(key Key) string {
	seen := q.of(key)
	var lines []string
	for _, u := range seen.usage {
		if seen.told[u.Name] {
			lines = append(lines, fmt.Sprintf("%d%% or more of the quota of %d %s in %s is used", usedLess, u.Max, u.What, u.Location))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, ", and ") + ": beyond it the cloud refuses more. Ask it for a higher quota, or delete what nobody needs"
}

// all returns what is known of each config.
func (q *quotas) all() (all []Quota) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, seen := range q.seen {
		all = append(all, q.current(seen).usage...)
	}
	return all
}

func (q *quotas) forget(key Key) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.seen, key)
}
