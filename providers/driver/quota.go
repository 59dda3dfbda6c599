package driver

import "context"

// A QuotaUsage is the limit and the usage of one quota, in the account and location of a session.
type QuotaUsage struct {
	// Name is the cloud's name of the quota. What says in words what it counts.
	Name, What string
	// Used and Max are in the unit of What.
	Used, Max int64
}

// UsedFrom reports whether at least a percentage of the quota is used.
func (q QuotaUsage) UsedFrom(percentage int64) bool {
	return q.Max > 0 && 100*q.Used >= percentage*q.Max
}

// A QuotaReader is a Session that can read the usage of quotas that limit how many objects can be created.
type QuotaReader interface {
	// Quotas returns the quotas that objects of the given kinds use, sorted by name. It makes one read call, or none if
	// no quota applies.
	Quotas(ctx context.Context, kinds []string) ([]QuotaUsage, error)
}
