package gcp

import (
	"context"
	"net/http"
	"time"

	"cloud.google.com/go/storage"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
	folders "google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/token"
)

// Public endpoints. They are always named, so that no variable of the environment can point a client
// elsewhere.
const (
	publicStorage = "https://storage.googleapis.com"
	publicSQL     = "https://sqladmin.googleapis.com"
)

// A session is what one connection's kinds share.
type session struct {
	project    string
	location   string // where to create what names no location; may be empty
	storageURL string // of Cloud Storage, without a path
	timeout    time.Duration
	now        func() time.Time
	calls      driver.Host
	tokens     *tokens
	storage    *storage.Client
	folders    *folders.Service // of Cloud Storage too: its newer client has no managed folders
	sql        *sqladmin.Service
}

func newSession(o Options, cfg driver.Opening) (*session, error) {
	s := &session{project: cfg.Account.GCP.Project, location: cfg.Location, storageURL: publicStorage, timeout: o.CallTimeout, now: o.Now, calls: cfg.Host}
	sqlURL := publicSQL
	if cfg.Endpoint != "" {
		s.storageURL, sqlURL = cfg.Endpoint, cfg.Endpoint
	}
	steps, requests := o.Transport, o.Transport
	if cfg.Host != nil {
		steps, requests = &watchedStep{cfg.Host, o.Transport}, &watched{cfg.Host, o.Transport}
	}
	identity, err := newChain(s, cfg, &http.Client{Transport: steps, Timeout: o.CallTimeout})
	if err != nil {
		return nil, err
	}
	s.tokens = token.New(o.Now, identity.fetch)
	// WithoutAuthentication keeps the clients from looking for an identity of their own: ours is in
	// the HTTP client, and a tenant must never get Mooring's.
	common := []option.ClientOption{
		option.WithHTTPClient(&http.Client{Transport: &authorized{s.tokens, requests}}),
		option.WithoutAuthentication(),
	}
	ctx := context.Background()
	if s.storage, err = storage.NewClient(ctx, append(common, option.WithEndpoint(s.storageURL+"/storage/v1/"), storage.WithDisabledClientMetrics())...); err != nil {
		return nil, invalid("the Cloud Storage client can't be made: %v", err)
	}
	// Each call is made once. Who calls again, and when, is for the controller to say: it knows the
	// budget of the account, and looks before it writes.
	s.storage.SetRetry(storage.WithPolicy(storage.RetryNever))
	if s.folders, err = folders.NewService(ctx, append(common, option.WithEndpoint(s.storageURL+"/storage/v1/"))...); err != nil {
		return nil, invalid("the Cloud Storage client can't be made: %v", err)
	}
	if s.sql, err = sqladmin.NewService(ctx, append(common, option.WithEndpoint(sqlURL+"/"))...); err != nil {
		return nil, invalid("the Cloud SQL client can't be made: %v", err)
	}
	return s, nil
}

// identity returns the project. A Google identity is not bound to a project, each call names its own: so the
// project is what the configuration says. What is asked of Google is whether it accepts the
// credentials at all, by having it make a token. A token from before counts too: a key that was revoked since is
// found out by the first call. No API is called, because none is sure to be among a tenant's rights.
func (s *session) identity(ctx context.Context) (driver.AccountID, error) {
	_, err := do(ctx, s, "token", func(ctx context.Context) (struct{}, error) {
		_, err := s.tokens.Get(ctx)
		if err != nil {
			err = &tokenError{err}
		}
		return struct{}{}, err
	})
	if err != nil {
		return "", err
	}
	return driver.AccountID(s.project), nil
}

// do makes one call under a deadline, and wraps its error.
func do[T any](ctx context.Context, s *session, op string, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return *new(T), s.wrap(op, err)
	}
	ctx, ended := s.watch(ctx, op)
	v, err := call(ctx)
	if err != nil {
		err = s.wrap(op, err)
		ended(err)
		return *new(T), err
	}
	ended(nil)
	return v, nil
}
