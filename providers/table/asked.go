package table

import (
	"context"
	"time"
)

type askedKey struct{}

// WithAsked has an observation know when a person asked for it: driver.Request.AskedAt.
func WithAsked(ctx context.Context, at time.Time) context.Context {
	if at.IsZero() {
		return ctx
	}
	return context.WithValue(ctx, askedKey{}, at)
}

// AskedSince reports whether a person asked for the observation of ctx since a time. Whatever a driver looks at on a
// period of its own asks this of its last look, so that the period holds for nobody who asks. It takes the context,
// because such looks are deep below the request, and many are shared by all objects of a session.
func AskedSince(ctx context.Context, last time.Time) bool {
	at, asked := ctx.Value(askedKey{}).(time.Time)
	return asked && !last.After(at)
}
