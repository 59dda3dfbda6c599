package session

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"google.golang.org/api/option"
)

// An API is one of Google's APIs, as its package calls it.
type API struct {
	// Name is what calls are counted by, for example storage.
	Name string
	// Title is what errors call it, for example Cloud Storage.
	Title string
	// Host is Google's own endpoint, without a path.
	Host string
	// Answers are those of each operation that is called.
	Answers map[string]Answer
	// Other is the answer to all operations that have none there.
	Other Answer
	// Refusals say what to do about refusals whose own words do not. Of those that are about one, the first counts.
	Refusals []Refusal
}

// answer returns by what the answers to an operation are known.
func (a *API) answer(operation string) Answer {
	if known, ok := a.Answers[operation]; ok {
		return known
	}
	return a.Other
}

// A Caller makes the calls of one API in a session.
type Caller struct {
	*Session
	api *API
}

// To returns what calls an API.
func (s *Session) To(a *API) *Caller { return &Caller{s, a} }

// URL returns where the API is, without a path.
func (c *Caller) URL() string { return cmp.Or(c.endpoint, c.api.Host) }

// Options returns what a client of the API is made with. The path is that of all its calls, and ends with a slash.
func (c *Caller) Options(path string) []option.ClientOption {
	return append(slices.Clone(c.options), option.WithEndpoint(c.URL()+path))
}

// HTTPClient returns what the calls are made by.
func (c *Caller) HTTPClient() *http.Client { return c.client }

// Made records why a client of the API can't be made, if err says so: Failed returns it.
func (c *Caller) Made(err error) {
	if err != nil && c.failed == nil {
		c.failed = Invalid("the %s client can't be made: %v", c.api.Title, err)
	}
}

// Do makes one call of an operation, under a deadline. Its errors carry a driver.Code. An answer that the operation can't have is an error, too.
func Do[T any](ctx context.Context, c *Caller, op string, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return *new(T), c.api.advise(op, c.wrap(op, err))
	}
	ctx, ended := c.watch(expecting(ctx, op, c.api.answer(op)), c.api.Name, op)
	v, err := call(ctx)
	if err != nil {
		err = c.api.advise(op, c.wrap(op, err))
		ended(err)
		return *new(T), err
	}
	ended(nil)
	return v, nil
}
