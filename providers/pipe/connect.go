package pipe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// previewTimeout is how long a preview or a check may take. They have no context, and call no cloud.
const previewTimeout = 5 * time.Second

// Connect returns the driver at the other end of a pipe, where Serve runs. It asks the driver for its description, for which it waits as
// long as ctx allows, and refuses one that was built for another version of the contract. The driver is of use until r ends or w fails.
func Connect(ctx context.Context, r io.Reader, w io.Writer) (driver.Driver, error) {
	c := &client{hosts: map[uint64]driver.Host{}, requests: map[uint64]*request{}}
	c.peer = newPeer(c.handle, ended)
	c.peer.onBreak = c.endRequests
	//nolint:contextcheck // the pipe outlives the call that connects it
	go func() { _ = c.peer.run(r, w) }() // each call says that it broke
	if err := c.describe(ctx); err != nil {
		c.peer.fail(err)
		return nil, err
	}
	return c, nil
}

// describe asks the driver for its description. Of one that was built for another version of the contract nothing but name and version
// is read.
func (c *client) describe(ctx context.Context) error {
	var said json.RawMessage
	if err := c.peer.call(ctx, describe, nil, &said); err != nil {
		return err
	}
	var by struct {
		Name     string
		Contract int
	}
	unreadable := &driver.Error{Code: driver.Internal, Message: "the driver's description of itself can't be decoded"}
	if json.Unmarshal(said, &by) != nil {
		return unreadable
	}
	if err := (&driver.Description{Name: by.Name, Contract: by.Contract}).CheckContract(); err != nil {
		return err
	}
	if json.Unmarshal(said, &c.description) != nil {
		return unreadable
	}
	return nil
}

// client is the caller's side of a pipe.
type client struct {
	peer        *peer
	description driver.Description

	mu       sync.Mutex
	last     uint64
	hosts    map[uint64]driver.Host // by session
	requests map[uint64]*request    // requests under way, by the number that the driver chose
}

// request is a request to the cloud that began.
type request struct {
	service, operation string
	unwatch            func() bool
	end                func(driver.Call)
}

// finish reports to the host how the request ended.
func (r *request) finish(call driver.Call) {
	r.unwatch()
	r.end(call)
}

// finishUnanswered reports to the host that the request failed, because nobody will say how it ended.
func (r *request) finishUnanswered() {
	r.finish(driver.Call{Service: r.service, Operation: r.operation, Failed: true, Code: driver.Unavailable})
}

// Describe implements driver.Driver.
func (c *client) Describe() driver.Description { return c.description }

// Preview implements driver.Driver.
func (c *client) Preview(kind string, from, to json.RawMessage, applied driver.Applied) (changes []driver.Change, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), previewTimeout)
	defer cancel()
	err = c.peer.call(ctx, preview, previewCall{Kind: kind, From: from, To: to, Applied: applied}, &changes)
	return changes, err
}

// Check implements driver.Driver.
func (c *client) Check(kind string, draft driver.Draft) (refusals []driver.Refusal, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), previewTimeout)
	defer cancel()
	err = c.peer.call(ctx, check, checkCall{Kind: kind, Draft: draft}, &refusals)
	return refusals, err
}

// Open implements driver.Driver.
func (c *client) Open(ctx context.Context, with driver.Opening) (driver.Session, error) {
	c.mu.Lock()
	c.last++
	number := c.last
	if with.Host != nil {
		c.hosts[number] = with.Host
	}
	c.mu.Unlock()
	err := c.peer.call(ctx, open, openCall{
		Session: number, Config: with.Config, Credentials: with.Credentials.InClear(), HasHost: with.Host != nil,
	}, &struct{}{})
	if err != nil {
		c.close(number)
		return nil, err
	}
	s := &session{client: c, number: number}
	runtime.AddCleanup(s, c.close, number)
	return s, nil
}

// close forgets a session on either side.
func (c *client) close(number uint64) {
	c.mu.Lock()
	delete(c.hosts, number)
	c.mu.Unlock()
	body, err := json.Marshal(sessionCall{Session: number})
	if err == nil {
		c.peer.sendControl(frame{Method: closing, Body: body})
	}
}

// handle answers the calls of a session's host.
func (c *client) handle(ctx context.Context, method string, body json.RawMessage) (any, error) {
	var a hostCall
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	c.mu.Lock()
	host := c.hosts[a.Session]
	r := c.requests[a.Number]
	if method == ended {
		delete(c.requests, a.Number)
	}
	c.mu.Unlock()
	switch {
	case method == ended && r != nil:
		r.finish(a.Call)
		return struct{}{}, nil
	case host == nil:
		return nil, &driver.Error{Code: driver.Unavailable, Message: "the session is closed"}
	case method == token:
		return host.Token(ctx, a.Audience)
	case method == begin:
		return c.beginRequest(ctx, host, a)
	}
	return nil, fmt.Errorf("there is no method %q", method)
}

// beginRequest reports to a host that a request begins. If the driver gave up waiting or the pipe broke, the request is ended here: its
// Ended came before it was registered, or never comes.
func (c *client) beginRequest(ctx context.Context, host driver.Host, a hostCall) (beginAnswer, error) {
	requested, end := host.Begin(context.WithoutCancel(ctx), a.Service, a.Operation)
	r := &request{service: a.Service, operation: a.Operation, end: end}
	r.unwatch = context.AfterFunc(requested, func() {
		if body, err := json.Marshal(stopRequest{Number: a.Number}); err == nil {
			c.peer.sendControl(frame{Method: stop, Body: body})
		}
	})
	c.mu.Lock()
	unwanted := ctx.Err() != nil || c.requests[a.Number] != nil
	if !unwanted {
		c.requests[a.Number] = r
	}
	c.mu.Unlock()
	if unwanted {
		r.finishUnanswered()
		return beginAnswer{}, unavailable("the request was not made: the driver does not wait for it", ctx.Err())
	}
	return beginAnswer{Forbidden: requested.Err() != nil}, nil
}

// endRequests ends all requests that are under way: nobody will say how they ended.
func (c *client) endRequests() {
	c.mu.Lock()
	requests := c.requests
	c.requests = map[uint64]*request{}
	c.mu.Unlock()
	for _, r := range requests {
		r.finishUnanswered()
	}
}

// session is a session at the other end.
type session struct {
	client *client
	number uint64
}

// call makes a call of the session.
func (s *session) call(ctx context.Context, method string, a sessionCall, out any) error {
	a.Session = s.number
	err := s.client.peer.call(ctx, method, a, out)
	runtime.KeepAlive(s)
	return err
}

// Identity implements driver.Session.
func (s *session) Identity(ctx context.Context) (account driver.AccountID, err error) {
	err = s.call(ctx, identity, sessionCall{}, &account)
	return account, err
}

// Observe implements driver.Session.
func (s *session) Observe(ctx context.Context, kind string, req driver.Request) (seen driver.Observation, err error) {
	err = s.call(ctx, observe, sessionCall{Kind: kind, Request: req}, &seen)
	return seen, err
}

// List implements driver.Session.
func (s *session) List(ctx context.Context, kind string, req driver.ListRequest) (page driver.Page, err error) {
	err = s.call(ctx, list, sessionCall{Kind: kind, List: req}, &page)
	return page, err
}

// Create implements driver.Session.
func (s *session) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (done driver.Result, err error) {
	err = s.call(ctx, create, sessionCall{Kind: kind, Request: req}.with(secrets), &done)
	return done, err
}

// Update implements driver.Session.
func (s *session) Update(ctx context.Context, kind string, req driver.Request, changes []driver.Change, secrets driver.Secrets) (done driver.Result, err error) {
	err = s.call(ctx, update, sessionCall{Kind: kind, Request: req, Changes: changes}.with(secrets), &done)
	return done, err
}

// Do implements driver.Session.
func (s *session) Do(ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets) (done driver.Result, err error) {
	err = s.call(ctx, do, sessionCall{Kind: kind, Request: req, Command: command}.with(secrets), &done)
	return done, err
}

// Delete implements driver.Session.
func (s *session) Delete(ctx context.Context, kind string, req driver.Request) (done driver.Result, err error) {
	err = s.call(ctx, remove, sessionCall{Kind: kind, Request: req}, &done)
	return done, err
}
