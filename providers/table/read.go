package table

import "sync"

// mostReads is how many reads are remembered: more than there are objects that a session observes at the same time. Beyond that all are forgotten.
const mostReads = 256

// reads remembers what was read last of objects, so that an update need not read it again where its write carries the version of what was read. It is safe
// for concurrent use.
type reads[H any] struct {
	mu   sync.Mutex
	last map[string]*H
}

// keep remembers what was read of an object, and returns how it is called: alike for each read of the object, because the last one is as good as any before.
func (r *reads[H]) keep(parent, name string, have *H) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || len(r.last) >= mostReads {
		r.last = map[string]*H{}
	}
	key := parent + "/" + name
	r.last[key] = have
	return key
}

// take returns what was read, once; nil if it is not known.
func (r *reads[H]) take(key string) *H {
	r.mu.Lock()
	defer r.mu.Unlock()
	have := r.last[key]
	delete(r.last, key)
	return have
}
