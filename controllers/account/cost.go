package account

import (
	"maps"
	"time"
)

// A costKey says which reconciliations take alike of the budgets: those of one kind and priority.
type costKey struct {
	kind     string
	priority Priority
}

// costOf returns what a reconciliation is expected to take of each budget: at least one call of those that its kind is known to use. Calls
// that are made for no object, such as the question for the account, are nobody's: no object waits until they can be made.
func (l *limiter) costOf(kind string, p Priority) map[*budget]float64 {
	cost := map[*budget]float64{}
	for other := range priorities {
		for b := range l.costs[costKey{kind, other}] {
			cost[b] = 1
		}
	}
	for b, calls := range l.costs[costKey{kind, p}] {
		cost[b] = max(1, calls)
	}
	return cost
}

// learn takes in what a reconciliation took. One that was cut short by a refusal would have taken more.
func (l *limiter) learn(s *Slot) {
	key := costKey{s.request.Kind, s.request.Priority}
	if l.costs[key] == nil {
		l.costs[key] = map[*budget]float64{}
	}
	costs := l.costs[key]
	for b, made := range s.made {
		took, before := float64(made), costs[b]
		switch {
		case len(s.refused) > 0:
			costs[b] = max(before, took+1)
		case before == 0:
			costs[b] = took
		default:
			costs[b] = before + (took-before)/4
		}
		if s.request.Priority == Resync && len(s.refused) == 0 && !s.request.Observed.IsZero() {
			b.observed(l.all.now().Sub(s.request.Observed))
		}
	}
}

// wait returns how long it takes until the calls of a reconciliation can be made; 0 for now.
func (l *limiter) wait(kind string, p Priority) (longest time.Duration) {
	for b, calls := range l.costOf(kind, p) {
		longest = max(longest, b.until(calls, l.all.now()))
	}
	return longest
}

// setAside takes what a reconciliation is expected to take out of the budgets that have a limit.
func (l *limiter) setAside(r *request) map[*budget]float64 {
	aside := l.costOf(r.Kind, r.Priority)
	maps.DeleteFunc(aside, func(b *budget, _ float64) bool { return !b.limited() })
	for b, calls := range aside {
		b.tokens -= calls
	}
	return aside
}

// giveBack puts back what was set aside and not taken.
func (l *limiter) giveBack(aside map[*budget]float64) {
	for b, calls := range aside {
		b.tokens += calls
	}
}

// budgetOf returns the budget of a name.
func (l *limiter) budgetOf(name string) *budget {
	b := l.budgets[name]
	if b == nil {
		b = &budget{name: name}
		l.budgets[name] = b
	}
	return b
}

// A Budget reports how much one class of an account's API calls is used. A class is a set of operations that the cloud
// counts together when it limits their rate. ID is empty while the account is not known.
type Budget struct {
	Provider, ID string
	// Name is the name of the class, for example "Cloud SQL calls".
	Name string
	// Limit is the rate at which calls are made at most, in calls per minute; 0 while no limit is known. Resyncs is how
	// many calls of the last minute were made for periodic observations and were accepted by the cloud.
	Limit, Resyncs float64
	// Period is the average time between two periodic observations of one object; 0 while it is not known.
	Period time.Duration
}

// Budgets returns the budgets of all accounts whose limit is known.
func (all *Limiters) Budgets() (budgets []Budget) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for key, l := range all.all {
		for _, b := range l.usage() {
			b.Provider, b.ID = all.providerOf(key), key.ID
			budgets = append(budgets, b)
		}
	}
	return budgets
}

// Budgets returns the budgets of the source's account whose limit is known.
func (s *Source) Budgets() []Budget {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	return s.limiter.usage()
}

// BudgetsOf returns the budgets of the account to which a source leads; nil if there is no such source.
func (all *Limiters) BudgetsOf(source string) []Budget {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.sources[source]; s != nil {
		return s.limiter.usage()
	}
	return nil
}

func (l *limiter) usage() (budgets []Budget) {
	now := l.all.now()
	for _, b := range l.budgets {
		if b.fill(now); b.limited() {
			budgets = append(budgets, Budget{
				Name: b.name, Limit: 60 * b.rate, Resyncs: float64(b.resyncs.count(now, time.Minute)), Period: b.period,
			})
		}
	}
	return budgets
}

// RateLimited reports whether objects of a kind have to wait because the account's call rate is limited: one of them
// had to wait for a budget recently.
func (s *Source) RateLimited(kind string) bool {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	now := s.all.now()
	for b := range s.limiter.costOf(kind, Resync) {
		if b.fill(now); b.limited() && now.Sub(b.waited) < recently {
			return true
		}
	}
	return false
}

// recently is how long after somebody had to wait for a budget objects that are observed late may be late because of that.
const recently = 5 * time.Minute
