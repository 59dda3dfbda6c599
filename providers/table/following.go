package table

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Following implements read replicas. Adapter.Make creates a replica if the request says so, and Adapter.State
// reports its primary. All functions except Lag must be set.
type Following[S, H any] struct {
	// Withheld reports whether a change is not possible while the object is a replica, because the cloud does not let a
	// replica have the value in the spec. Such a change is not reported.
	Withheld func(req *Request[S], have *H, c driver.Change) bool
	// Promote promotes a replica by one call that is not repeated, and returns the operation that the call started, if
	// any. If the promotion is in progress, it makes no call and returns no error.
	Promote func(ctx context.Context, req *Request[S], have *H) (operation string, err error)
	// Lag returns the replication lag of an available replica; nil if the cloud does not report it. It is called only
	// for available replicas. An error must not make the observation fail, so there is none. Lag may be nil.
	Lag func(ctx context.Context, have *H) *time.Duration
}

// lag completes what an observation says of what the object follows.
func (f *Following[S, H]) lag(ctx context.Context, have *H, o *driver.Observation) {
	if f != nil && f.Lag != nil && o.Replication.GetFollows() != nil && o.State == driver.Ready && o.Available {
		o.Replication.GetFollows().Lag = f.Lag(ctx, have)
	}
}

// withhold takes out of the changes those that an object can't be made to have while it follows another one. What is applied stays as for a field that differs.
func (a *Adapter[S, H, P]) withhold(req *Request[S], have *H, o *driver.Observation) {
	if a.Following == nil || o.Replication.GetFollows() == nil {
		return
	}
	o.Changes = slices.DeleteFunc(o.Changes, func(c driver.Change) bool { return a.Following.Withheld(req, have, c) })
}

// promote ends that the object follows another one.
func (u *update[S, H, P]) promote(ctx context.Context) error {
	have, err := u.look(ctx, &Part[S, H, P]{})
	if err != nil {
		return err
	}
	var o driver.Observation
	if u.adapter.State(&u.req, have, &o); o.Replication.GetFollows() == nil {
		return nil
	}
	u.result.Operation, err = u.adapter.Following.Promote(ctx, &u.req, have)
	return err
}

// noReplicas is the answer to what only a kind with Capabilities.Replicas can.
func noReplicas(noun string) error {
	return &driver.Error{Code: driver.Unsupported, Message: fmt.Sprintf("a %s of this cloud can't follow another one", noun)}
}
