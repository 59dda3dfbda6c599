package account

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Slot lets one object be reconciled. While it is held, the calls that the reconciliation is expected to make are
// reserved in the account's budgets.
type Slot struct {
	via     *Source
	limiter *limiter
	request request
	// aside are the calls that are set aside and were not made yet, and made are those that were made.
	aside map[*budget]float64
	made  map[*budget]int
	// refused are those of which the cloud refused a call because there were too many.
	refused  map[*budget]bool
	released bool
}

// Release gives the slot back. answered reports whether the cloud answered any call. Only the first Release of a slot
// has an effect.
func (s *Slot) Release(answered bool) {
	s.via.all.mu.Lock()
	defer s.via.all.mu.Unlock()
	if s.released {
		return
	}
	s.released = true
	l := s.limiter
	l.learn(s)
	l.giveBack(s.aside)
	l.release(answered)
	if now := s.via.limiter; answered && now != l { // the account became known meanwhile, and it answers
		now.answered()
	}
}

// RateLimited reports whether the cloud refused a call of this reconciliation because of the account's call rate. If
// so, the account's budget decides when the next call can be made.
func (s *Slot) RateLimited() bool {
	s.via.all.mu.Lock()
	defer s.via.all.mu.Unlock()
	return len(s.refused) > 0
}

// longestRetryAfter is the longest pause that a cloud can ask for.
const longestRetryAfter = time.Minute

// RetryAfter records how long the cloud asked the caller to wait when it refused a call. No call of the budget that was
// exceeded is planned before; a wait of more than a minute counts as one minute.
func (s *Slot) RetryAfter(wait time.Duration) {
	s.via.all.mu.Lock()
	defer s.via.all.mu.Unlock()
	until := s.via.all.now().Add(min(wait, longestRetryAfter))
	for b := range s.refused {
		if until.After(b.paused) {
			b.paused = until
		}
	}
}

type slotKey struct{}

// Session returns a session that makes its calls within the slot, so that they are counted for it.
func (s *Slot) Session(next driver.Session) driver.Session { return &session{next, s} }

// A session makes calls with a slot.
type session struct {
	driver.Session
	slot *Slot
}

func (s *session) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, slotKey{}, s.slot)
}

// Observe implements driver.Session.
func (s *session) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	return s.Session.Observe(s.with(ctx), kind, req, secrets)
}

// List implements driver.Session.
func (s *session) List(ctx context.Context, kind string, req driver.ListRequest) (driver.Page, error) {
	return s.Session.List(s.with(ctx), kind, req)
}

// Create implements driver.Session.
func (s *session) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	return s.Session.Create(s.with(ctx), kind, req, secrets)
}

// Update implements driver.Session.
func (s *session) Update(ctx context.Context, kind string, req driver.Request, edit driver.Edit, secrets driver.Secrets) (driver.Result, error) {
	return s.Session.Update(s.with(ctx), kind, req, edit, secrets)
}

// Do implements driver.Session.
func (s *session) Do(ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	return s.Session.Do(s.with(ctx), kind, req, command, secrets)
}

// Delete implements driver.Session.
func (s *session) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	return s.Session.Delete(s.with(ctx), kind, req, secrets)
}

// Calls returns a hook that counts the calls of a session against the account's budgets, and passes them on to next,
// which may be nil. budgets are the classes in which the cloud counts calls. location is where the session works.
func (s *Source) Calls(next driver.Calls, budgets []driver.Budget, location string) driver.Calls {
	return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
		ctx, told := next.Begin(ctx, service, operation)
		name, counts := classOf(budgets, service, operation, location)
		if !counts || ctx.Err() != nil { // the request is not made
			return ctx, told
		}
		slot, _ := ctx.Value(slotKey{}).(*Slot)
		end := s.begin(name, slot)
		return ctx, func(call driver.Call) {
			end(call.Failed && call.Code == driver.Throttled, call.Failed && call.Code == driver.Unavailable)
			told(call)
		}
	}
}

// begin counts a call against a budget, and returns what takes in how it ended.
func (s *Source) begin(name string, slot *Slot) (end func(refused, lost bool)) {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	b := s.limiter.budgetOf(name)
	b.fill(s.all.now())
	epoch, resync := b.epoch, false
	if slot != nil {
		resync = slot.request.Priority == Resync
		slot.made[b]++
	}
	if slot != nil && slot.aside[b] >= 1 {
		slot.aside[b]--
	} else {
		b.takeUnplanned()
	}
	return func(refused, lost bool) {
		s.all.mu.Lock()
		defer s.all.mu.Unlock()
		now := s.all.now()
		switch {
		case refused:
			b.refuse(epoch, now)
			if slot != nil {
				slot.refused[b] = true
			}
		case !lost:
			b.took(resync, now)
		}
	}
}
