package pipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Serve lets a driver answer what Connect asks through a pipe. It returns nil when the caller closes the pipe, and the first error if the
// pipe breaks in either direction. It may still be reading from r when it returns after a failed write: close r then.
func Serve(r io.Reader, w io.Writer, d driver.Driver) error {
	s := &server{driver: d, sessions: map[uint64]driver.Session{}, requests: map[uint64]context.CancelFunc{}}
	s.peer = newPeer(s.handle, closing, stop)
	if err := s.peer.run(r, w); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// server is the driver's side of a pipe.
type server struct {
	peer   *peer
	driver driver.Driver

	mu       sync.Mutex
	last     uint64
	sessions map[uint64]driver.Session
	requests map[uint64]context.CancelFunc // to the cloud, under way
}

func (s *server) handle(ctx context.Context, method string, body json.RawMessage) (any, error) {
	switch method {
	case describe:
		return s.driver.Describe(), nil
	case preview:
		p, err := from[previewCall](body)
		if err != nil {
			return nil, err
		}
		return s.driver.Preview(p.Kind, p.From, p.To, p.Applied)
	case check:
		c, err := from[checkCall](body)
		if err != nil {
			return nil, err
		}
		return s.driver.Check(c.Kind, c.Draft)
	case open:
		return struct{}{}, s.open(ctx, body)
	case stop:
		return nil, s.stop(body)
	}
	return s.call(ctx, method, body)
}

// from decodes the body of a call.
func from[T any](body json.RawMessage) (message T, err error) {
	if err := json.Unmarshal(body, &message); err != nil {
		return message, &driver.Error{Code: driver.Invalid, Message: "the message can't be decoded"}
	}
	return message, nil
}

func (s *server) open(ctx context.Context, body json.RawMessage) error {
	o, err := from[openCall](body)
	if err != nil {
		return err
	}
	with := driver.Opening{Config: o.Config, Credentials: o.Credentials}
	if o.HasHost {
		with.Host = &remoteHost{s, o.Session}
	}
	opened, err := s.driver.Open(ctx, with)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A caller that gives up sends cancel, then Close. If Close came already, it found no session, and this context is over.
	if err := ctx.Err(); err != nil {
		return unavailable("the session was not opened: its caller gave up", err)
	}
	s.sessions[o.Session] = opened
	return nil
}

// stop ends a request to the cloud: its host forbids it.
func (s *server) stop(body json.RawMessage) error {
	b, err := from[stopRequest](body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.requests[b.Number]; end != nil { // or it ended by itself
		end()
	}
	return nil
}

// call makes a call of a session.
func (s *server) call(ctx context.Context, method string, body json.RawMessage) (any, error) {
	a, err := from[sessionCall](body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	opened := s.sessions[a.Session]
	if method == closing {
		delete(s.sessions, a.Session)
	}
	s.mu.Unlock()
	if opened == nil {
		return nil, &driver.Error{Code: driver.Unavailable, Message: "the session is closed"}
	}
	switch method {
	case closing:
		return nil, nil
	case identity:
		return opened.Identity(ctx)
	case observe:
		return opened.Observe(ctx, a.Kind, a.Request)
	case list:
		return opened.List(ctx, a.Kind, a.List)
	case create:
		return opened.Create(ctx, a.Kind, a.Request, a.secrets())
	case update:
		return opened.Update(ctx, a.Kind, a.Request, a.Changes, a.secrets())
	case do:
		return opened.Do(ctx, a.Kind, a.Request, a.Command, a.secrets())
	case remove:
		return opened.Delete(ctx, a.Kind, a.Request)
	}
	return nil, fmt.Errorf("there is no method %q", method)
}

// remoteHost is the host of a session, at the other end.
type remoteHost struct {
	server  *server
	session uint64
}

// Token implements driver.Host.
func (h *remoteHost) Token(ctx context.Context, audience string) (value string, err error) {
	err = h.server.peer.call(ctx, token, hostCall{Session: h.session, Audience: audience}, &value)
	return value, err
}

// Begin implements driver.Host. Where the host can't be asked, the request is not made. The request has its number before the host is asked: a
// Stop may come before the answer.
func (h *remoteHost) Begin(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
	s := h.server
	requested, end := context.WithCancel(ctx)
	s.mu.Lock()
	s.last++
	number := s.last
	s.requests[number] = end
	s.mu.Unlock()
	var permission beginAnswer
	if err := s.peer.call(ctx, begin, hostCall{Session: h.session, Number: number, Service: service, Operation: operation}, &permission); err != nil || permission.Forbidden {
		end()
	}
	return requested, func(call driver.Call) {
		end()
		s.mu.Lock()
		delete(s.requests, number)
		s.mu.Unlock()
		body, err := json.Marshal(hostCall{Session: h.session, Number: number, Call: call})
		if err == nil {
			_ = s.peer.send(context.WithoutCancel(ctx), frame{Method: ended, Body: body}, nil) // or the pipe broke
		}
	}
}
