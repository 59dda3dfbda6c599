package cloud

// A Past is a resource as it is, and as it was before its last write: what a stale read sees. Nil is absent.
// Values are never changed in place, only replaced by changed copies.
type Past[T any] struct {
	Now, Before *T
	written     uint64 // the number of the last write, which orders the writes of a service
}

// Write replaces the resource. number is that of the write.
func (p *Past[T]) Write(next *T, number uint64) {
	p.Before, p.Now, p.written = p.Now, next, number
}

// Read returns the resource as a read sees it; p may be nil.
func (p *Past[T]) Read(stale bool) *T {
	switch {
	case p == nil:
		return nil
	case stale:
		return p.Before
	default:
		return p.Now
	}
}

// Newest returns the key of the last write in a map: where a list that is stale lags.
func Newest[K comparable, T any](all map[K]*Past[T]) (key K, ok bool) {
	var number uint64
	for k, p := range all {
		if p.written > number {
			key, number, ok = k, p.written, true
		}
	}
	return key, ok
}
