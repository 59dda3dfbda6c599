package localcloud

// A past is a resource as it is, and as it was before its last write: what a stale read sees. Nil is absent.
// Values are never changed in place, only replaced by changed copies.
type past[T any] struct {
	now, before *T
	written     uint64 // the number of the last write, which orders the writes of a service
}

func (p *past[T]) write(next *T, number uint64) {
	p.before, p.now, p.written = p.now, next, number
}

// read returns the resource as a read sees it; p may be nil.
func (p *past[T]) read(stale bool) *T {
	switch {
	case p == nil:
		return nil
	case stale:
		return p.before
	default:
		return p.now
	}
}

// newest returns the key of the last write in a map: where a list that is stale lags.
func newest[K comparable, T any](all map[K]*past[T]) (key K, ok bool) {
	var number uint64
	for k, p := range all {
		if p.written > number {
			key, number, ok = k, p.written, true
		}
	}
	return key, ok
}
