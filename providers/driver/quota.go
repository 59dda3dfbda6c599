package driver

import "context"

// A QuotaUsage is how many of something an account may have where a session works, and how many it has.
type QuotaUsage struct {
	// Name is the cloud's own for it, What is what it counts, in words.
	Name, What string
	// Used and Max are in the unit of What.
	Used, Max int64
}

// UsedFrom reports whether a percentage is used at least.
func (q QuotaUsage) UsedFrom(percentage int64) bool {
	return q.Max > 0 && 100*q.Used >= percentage*q.Max
}

// A QuotaReader is a Session that can say how much is used of the quotas that keep its cloud from creating objects.
type QuotaReader interface {
	// Quotas asks the cloud, by one call that reads, for those of what objects of some kinds take, in their order by name. It makes no call if that is nothing.
	Quotas(ctx context.Context, kinds []string) ([]QuotaUsage, error)
}
