package session

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	smithymiddleware "github.com/aws/smithy-go/middleware"

	"github.com/mooring-dev/mooring/providers/driver"
)

const (
	// maxAttempts and maxBackoff bound the SDK's own retries. What lasts longer is the caller's to
	// pace, object by object.
	maxAttempts = 3
	maxBackoff  = 200 * time.Millisecond
	// maxCalls is how many calls of one connection may be under way: an account that hangs must not
	// use up the process's sockets.
	maxCalls = 64
)

// A Session is one identity in one region: what its clients share, and its account once that was asked for.
type Session struct {
	Region  string
	Custom  bool   // the endpoint is not AWS's own
	store   *store // nil if it leads to AWS
	timeout time.Duration
	Now     func() time.Time
	errors  Errors
	account atomic.Pointer[string]
	arn     atomic.Pointer[string] // of the identity, known with the account
	Role    string                 // the ARN of the role that the identity ends in, with its path; empty if the provider config names none
	signer  *signer                // nil if the credentials never run out
	Config  aws.Config             // of the clients, of which each kind makes its own
	sts     *sts.Client
}

// Options are what all sessions of a driver share. None may be missing.
type Options struct {
	// HTTPClient makes the calls.
	HTTPClient *http.Client
	// CallTimeout bounds a call to AWS, its retries included.
	CallTimeout time.Duration
	// Now is the clock by which sessions are renewed and Retry-After dates are read.
	Now func() time.Time
	// Errors say what the error codes of all services mean that are called.
	Errors Errors
}

// Open returns a session of an account and a region. It does not call the cloud.
func Open(ctx context.Context, options Options, cfg driver.Opening) (*Session, error) {
	s := &Session{Region: cfg.Location, Custom: cfg.Endpoint != "", timeout: options.CallTimeout, Now: options.Now, errors: options.Errors, Role: roleIn(cfg.Chain)}
	shared := aws.Config{
		Region:     cfg.Location,
		HTTPClient: options.HTTPClient,
		Retryer:    func() aws.Retryer { return newRetryer(options.Errors) },
		APIOptions: []middlewareOption{middleware.AddUserAgentKey("mooring"), limit(make(chan struct{}, maxCalls)), watch(cfg.Host, options.Errors), genuine(false)},
	}
	var err error
	if s.store, err = storeOf(cfg, options.Now); err != nil {
		return nil, err
	}
	if s.Custom {
		shared.BaseEndpoint = aws.String(cfg.Endpoint)
	}
	identity, err := newIdentity(ctx, s, shared, cfg)
	if err != nil {
		return nil, err
	}
	s.signer, _ = identity.(*signer)
	shared.Credentials = identity
	s.Config, s.sts = shared, sts.NewFromConfig(shared)
	return s, nil
}

// newRetryer retries broken connections and failures of the server a few times. Throttling is not
// retried here: it must reach the caller, who slows down the whole account. Nor is a step to the identity that failed,
// which was tried again already.
func newRetryer(errors Errors) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.MaxBackoff = maxBackoff
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(errors.notFinal)}, retry.DefaultRetryables...)
	})
}

// notFinal keeps errors of our own and throttling from being retried, and leaves all else to the SDK.
func (t Errors) notFinal(err error) aws.Ternary {
	if _, ours := errors.AsType[*driver.Error](err); ours || t.codeOf(ErrorCode(err), httpStatus(err)) == driver.Throttled {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// LeastTLS is the version of TLS that the client uses at least.
const LeastTLS = 1.2

// NewHTTPClient returns the client that all connections share. It follows no redirects: S3's lead to
// other regions, where the signature is wrong.
func NewHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{} //nolint:gosec // its MinVersion comes next
	}
	transport.TLSClientConfig.MinVersion = tls.VersionTLS12 // LeastTLS
	transport.MaxIdleConns = 256
	transport.MaxIdleConnsPerHost = 64
	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return &http.Client{
		Transport:     plainBodies{transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// plainBodies shows the bodies of requests to net/http as readers and nothing more. The SDK closes a body as soon as the
// answer begins, and its WriteTo then fails with io.EOF. net/http takes that for a broken request and closes the
// connection, so that the rest of a large answer is lost whenever the answer begins at once.
type plainBodies struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p plainBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r = r.WithContext(r.Context()) // a copy: the caller's request must not change
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return p.RoundTripper.RoundTrip(r)
}

// limit bounds the calls of one connection that are under way at once. It stands before watch: what waits here was not sent
// yet, and who may forbid a request is asked when its turn has come.
func limit(slots chan struct{}) middlewareOption {
	return func(stack *smithymiddleware.Stack) error {
		return stack.Finalize.Add(smithymiddleware.FinalizeMiddlewareFunc("MooringSlots",
			func(ctx context.Context, in smithymiddleware.FinalizeInput, next smithymiddleware.FinalizeHandler) (smithymiddleware.FinalizeOutput, smithymiddleware.Metadata, error) {
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return smithymiddleware.FinalizeOutput{}, smithymiddleware.Metadata{}, ctx.Err()
				}
				defer func() { <-slots }()
				return next.HandleFinalize(ctx, in)
			}), smithymiddleware.After)
	}
}

// Identity asks AWS for the account, and keeps it for calls that can say whose bucket they expect.
func (s *Session) Identity(ctx context.Context) (driver.AccountID, error) {
	if s.store != nil {
		return ownerInStore(ctx, s)
	}
	out, err := Call(ctx, s, "GetCallerIdentity", s.sts.GetCallerIdentity, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", err
	}
	if aws.ToString(out.Account) == "" {
		return "", &driver.Error{Code: driver.Internal, Op: "GetCallerIdentity", Message: "AWS names no account"}
	}
	s.arn.Store(out.Arn)
	s.account.Store(out.Account)
	return driver.AccountID(*out.Account), nil
}

// CallerARN returns the ARN of the identity, and asks for it if nobody did yet.
func CallerARN(ctx context.Context, s *Session) (string, error) {
	if s.arn.Load() == nil {
		if _, err := s.Identity(ctx); err != nil {
			return "", err
		}
	}
	return aws.ToString(s.arn.Load()), nil
}

// MeaningOf says what an error code means that came without an error of the SDK, as in the answer to a batch.
func (s *Session) MeaningOf(code string) driver.Code { return s.errors.codeOf(code, 0) }

// S3Compatible reports whether the session leads to a store of another maker that has the API of S3, and to nothing else.
func (s *Session) S3Compatible() bool { return s.store != nil }

// Owner returns the account that a bucket must belong to, nil as long as nobody asked for it. Names of
// deleted buckets can be taken by anybody: AWS then refuses the call.
func (s *Session) Owner() *string { return s.account.Load() }

// Call makes one call with a deadline and wraps its error, here and nowhere else. A store that lacks what the call is about is not asked each time.
func Call[I, O, Opt any](ctx context.Context, s *Session, op string, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I, opts ...func(*Opt)) (*O, error) {
	if err := s.store.known(ctx, op, in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := signed(ctx, s, do, in, opts)
	if err != nil {
		return nil, s.store.note(op, in, s.wrap(op, err))
	}
	s.store.answered(op, in)
	return out, nil
}

// Page returns the token of a page; nil for the first.
func Page(req driver.ListRequest) *string {
	if req.Page == "" {
		return nil
	}
	return &req.Page
}
