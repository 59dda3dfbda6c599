package table

import (
	"context"
	"time"
)

type askedKey struct{}

// WithAsked returns a context with the time at which a user requested the observation: driver.Request.AskedAt.
func WithAsked(ctx context.Context, at time.Time) context.Context {
	if at.IsZero() {
		return ctx
	}
	return context.WithValue(ctx, askedKey{}, at)
}

// AskedSince reports whether a user requested the observation in ctx after a time. Use it for state that is read at a
// longer interval than observations: read it again if a user requested an observation since the last read. It takes a
// context, because such reads are far below the request, and are shared by all objects of a session.
func AskedSince(ctx context.Context, last time.Time) bool {
	at, asked := ctx.Value(askedKey{}).(time.Time)
	return asked && !last.After(at)
}
