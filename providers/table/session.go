package table

import (
	"context"
	"errors"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Handler implements the calls of a session for one kind. Handle returns one.
type Handler interface {
	observe(context.Context, driver.Request, driver.Secrets) (driver.Observation, error)
	list(context.Context, driver.ListRequest) (driver.Page, error)
	create(context.Context, driver.Request, driver.Secrets) (driver.Result, error)
	update(context.Context, driver.Request, driver.Edit, driver.Secrets) (driver.Result, error)
	do(context.Context, driver.Request, driver.Command, driver.Secrets) (driver.Result, error)
	delete(context.Context, driver.Request, driver.Secrets) (driver.Result, error)
}

// Refuse returns a Handler for a kind that this session does not support although the cloud has it. All its calls
// return err, without a call to the cloud.
func Refuse(err error) Handler { return refuser{err} }

type refuser struct{ err error }

func (r refuser) observe(context.Context, driver.Request, driver.Secrets) (driver.Observation, error) {
	return driver.Observation{}, r.err
}
func (r refuser) list(context.Context, driver.ListRequest) (driver.Page, error) {
	return driver.Page{}, r.err
}
func (r refuser) create(context.Context, driver.Request, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, r.err
}
func (r refuser) update(context.Context, driver.Request, driver.Edit, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, r.err
}
func (r refuser) do(context.Context, driver.Request, driver.Command, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, r.err
}
func (r refuser) delete(context.Context, driver.Request, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, r.err
}

// An IdentityFunc asks the cloud to which account the credentials lead.
type IdentityFunc func(context.Context) (driver.AccountID, error)

// NewSession returns a session that passes the calls for each kind to its handler. cloud is the name of the cloud in
// errors.
func NewSession(cloud string, identity IdentityFunc, kinds map[string]Handler) driver.Session {
	return &session{cloud: cloud, identity: identity, kinds: kinds}
}

type session struct {
	cloud    string
	identity IdentityFunc
	kinds    map[string]Handler
}

// Identity implements driver.Session.
func (s *session) Identity(ctx context.Context) (driver.AccountID, error) { return s.identity(ctx) }

// Observe implements driver.Session.
func (s *session) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Observation{}, err
	}
	return h.observe(ctx, req, secrets)
}

// List implements driver.Session.
func (s *session) List(ctx context.Context, kind string, req driver.ListRequest) (driver.Page, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Page{}, err
	}
	page, err := h.list(ctx, req)
	if errors.Is(err, errNoListing) {
		return driver.Page{}, driver.NoList(s.cloud, kind)
	}
	return page, err
}

// Create implements driver.Session.
func (s *session) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Result{}, err
	}
	return h.create(ctx, req, secrets)
}

// Update implements driver.Session.
func (s *session) Update(ctx context.Context, kind string, req driver.Request, edit driver.Edit, secrets driver.Secrets) (driver.Result, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Result{}, err
	}
	return h.update(ctx, req, edit, secrets)
}

// Do implements driver.Session.
func (s *session) Do(ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Result{}, err
	}
	return h.do(ctx, req, command, secrets)
}

// Delete implements driver.Session.
func (s *session) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	h, err := s.handler(kind)
	if err != nil {
		return driver.Result{}, err
	}
	return h.delete(ctx, req, secrets)
}

func (s *session) handler(kind string) (Handler, error) {
	h, has := s.kinds[kind]
	if !has {
		return nil, driver.NoKind(s.cloud, kind)
	}
	return h, nil
}

// Handle returns the handler of a kind with the parameters S.
func Handle[S any](external External[S]) Handler { return handler[S]{external} }

type handler[S any] struct{ external External[S] }

func (h handler[S]) observe(ctx context.Context, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	typed, err := typed[S](req, secrets)
	if err != nil {
		return driver.Observation{}, err
	}
	return h.external.Observe(WithAsked(ctx, req.AskedAt), typed)
}

func (h handler[S]) list(ctx context.Context, req driver.ListRequest) (driver.Page, error) {
	return h.external.List(ctx, req)
}

func (h handler[S]) create(ctx context.Context, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	typed, err := typed[S](req, secrets)
	if err != nil {
		return driver.Result{}, err
	}
	return h.external.Create(ctx, typed)
}

func (h handler[S]) update(ctx context.Context, req driver.Request, edit driver.Edit, secrets driver.Secrets) (driver.Result, error) {
	typed, err := typed[S](req, secrets)
	if err != nil {
		return driver.Result{}, err
	}
	return h.external.Update(ctx, typed, edit)
}

func (h handler[S]) do(ctx context.Context, req driver.Request, command driver.Command, secrets driver.Secrets) (driver.Result, error) {
	typed, err := typed[S](req, secrets)
	if err != nil {
		return driver.Result{}, err
	}
	return h.external.Do(ctx, typed, command)
}

func (h handler[S]) delete(ctx context.Context, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	typed, err := typed[S](req, secrets)
	if err != nil {
		return driver.Result{}, err
	}
	return h.external.Delete(ctx, typed)
}

// typed returns a request with the parameters of its kind.
func typed[S any](req driver.Request, secrets driver.Secrets) (Request[S], error) {
	spec, err := driver.SpecOf[S](req.Spec)
	if err != nil {
		return Request[S]{}, err
	}
	return Request[S]{Request: req, Spec: *spec, Login: driver.Login{Username: req.Username, Password: secrets.Own.InClear()}, ParentLogin: secrets.Parent}, nil
}

// Of returns the External for one kind of a session. Its requests have the kind's own parameters.
func Of[S any](s driver.Session, kind string) External[S] { return part[S]{s, kind} }

type part[S any] struct {
	session driver.Session
	kind    string
}

// Observe implements External.
func (p part[S]) Observe(ctx context.Context, req Request[S]) (driver.Observation, error) {
	return p.session.Observe(ctx, p.kind, req.untyped(), req.secrets())
}

// List implements External.
func (p part[S]) List(ctx context.Context, req driver.ListRequest) (driver.Page, error) {
	return p.session.List(ctx, p.kind, req)
}

// Create implements External.
func (p part[S]) Create(ctx context.Context, req Request[S]) (driver.Result, error) {
	return p.session.Create(ctx, p.kind, req.untyped(), req.secrets())
}

// Update implements External.
func (p part[S]) Update(ctx context.Context, req Request[S], edit driver.Edit) (driver.Result, error) {
	return p.session.Update(ctx, p.kind, req.untyped(), edit, req.secrets())
}

// Do implements External.
func (p part[S]) Do(ctx context.Context, req Request[S], command driver.Command) (driver.Result, error) {
	return p.session.Do(ctx, p.kind, req.untyped(), command, req.secrets())
}

// Delete implements External.
func (p part[S]) Delete(ctx context.Context, req Request[S]) (driver.Result, error) {
	return p.session.Delete(ctx, p.kind, req.untyped(), req.secrets())
}

// untyped returns the request as it crosses the contract.
func (r Request[S]) untyped() driver.Request {
	req := r.Request
	req.Spec, req.Username = driver.NewSpec(&r.Spec), r.Login.Username
	return req
}

// secrets returns what travels beside the request.
func (r Request[S]) secrets() driver.Secrets {
	return driver.Secrets{Own: driver.Password(r.Login.Password), Parent: r.ParentLogin}
}
