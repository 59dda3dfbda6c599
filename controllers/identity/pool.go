package identity

import (
	"container/list"
	"sync"
	"time"
)

// Limits of what is remembered: a tenant who stays away costs nothing, and many tenants no more than so much.
const (
	maxConnections = 1000
	maxIdle        = time.Hour
)

// connKey says what a connection is for. namespace is the tenant's, if there is one.
type connKey struct {
	config    Key
	namespace string
	location  string
}

// A pool remembers the connections that were used last. Who holds one that is dropped works on with it.
type pool struct {
	mu    sync.Mutex
	all   map[connKey]*list.Element
	order list.List // of *entry: who was used last is first
}

// entry returns what is cached under a key, and makes room for it.
func (p *pool) entry(key connKey, now time.Time) *entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[connKey]*list.Element{}
	}
	for last := p.order.Back(); last != nil && now.Sub(last.Value.(*entry).used) >= maxIdle; last = p.order.Back() {
		p.drop(last)
	}
	at := p.all[key]
	if at == nil {
		at = p.order.PushFront(&entry{key: key})
		p.all[key] = at
	}
	p.order.MoveToFront(at)
	at.Value.(*entry).used = now
	if len(p.all) > maxConnections {
		p.drop(p.order.Back())
	}
	return at.Value.(*entry)
}

// forget drops the connections of a config.
func (p *pool) forget(config Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, at := range p.all {
		if key.config == config {
			p.drop(at)
		}
	}
}

// drop drops one. The mutex must be locked.
func (p *pool) drop(at *list.Element) {
	delete(p.all, at.Value.(*entry).key)
	p.order.Remove(at)
}
