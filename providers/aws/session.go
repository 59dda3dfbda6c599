package aws

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

// A session is one identity in one region: what its clients share, and its account once that was asked for.
type session struct {
	region  string
	custom  bool   // the endpoint is not AWS's own
	store   *store // nil if it leads to AWS
	timeout time.Duration
	now     func() time.Time
	errors  errorTable
	account atomic.Pointer[string]
	arn     atomic.Pointer[string] // of the identity, known with the account
	role    string                 // the ARN of the role that the identity ends in, with its path; empty if the provider config names none
	signer  *signer                // nil if the credentials never run out
	config  aws.Config             // of the clients, of which each kind makes its own
	sts     *sts.Client
}

// sessionOptions are what all sessions of a driver share. None may be missing.
type sessionOptions struct {
	// HTTPClient makes the calls.
	HTTPClient *http.Client
	// CallTimeout bounds a call to AWS, its retries included.
	CallTimeout time.Duration
	// Now is the clock by which sessions are renewed and Retry-After dates are read.
	Now func() time.Time
	// Errors say what the error codes of all services mean that are called.
	Errors errorTable
}

// newSession returns a session of an account and a region. It does not call the cloud.
func newSession(ctx context.Context, options sessionOptions, cfg driver.Opening) (*session, error) {
	s := &session{region: cfg.Location, custom: cfg.Endpoint != "", timeout: options.CallTimeout, now: options.Now, errors: options.Errors, role: roleIn(cfg.Chain)}
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
	if s.custom {
		shared.BaseEndpoint = aws.String(cfg.Endpoint)
	}
	identity, err := newIdentity(ctx, s, shared, cfg)
	if err != nil {
		return nil, err
	}
	s.signer, _ = identity.(*signer)
	shared.Credentials = identity
	s.config, s.sts = shared, sts.NewFromConfig(shared)
	return s, nil
}

// newRetryer retries broken connections and failures of the server a few times. Throttling is not
// retried here: it must reach the caller, who slows down the whole account. Nor is a step to the identity that failed,
// which was tried again already.
func newRetryer(errors errorTable) aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.MaxBackoff = maxBackoff
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(errors.notFinal)}, retry.DefaultRetryables...)
	})
}

// notFinal keeps errors of our own and throttling from being retried, and leaves all else to the SDK.
func (t errorTable) notFinal(err error) aws.Ternary {
	if _, ours := errors.AsType[*driver.Error](err); ours || t.codeOf(apiCode(err), httpStatus(err)) == driver.Throttled {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// leastTLS is the version of TLS that the client uses at least.
const leastTLS = 1.2

// newHTTPClient returns the client that all connections share. It follows no redirects: S3's lead to
// other regions, where the signature is wrong.
func newHTTPClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{} //nolint:gosec // its MinVersion comes next
	}
	transport.TLSClientConfig.MinVersion = tls.VersionTLS12 // leastTLS
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

// identity asks AWS for the account, and keeps it for calls that can say whose bucket they expect.
func (s *session) identity(ctx context.Context) (driver.AccountID, error) {
	if s.store != nil {
		return ownerInStore(ctx, s)
	}
	out, err := call(ctx, s, "GetCallerIdentity", s.sts.GetCallerIdentity, &sts.GetCallerIdentityInput{})
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

// callerARN returns the ARN of the identity, and asks for it if nobody did yet.
func callerARN(ctx context.Context, s *session) (string, error) {
	if s.arn.Load() == nil {
		if _, err := s.identity(ctx); err != nil {
			return "", err
		}
	}
	return aws.ToString(s.arn.Load()), nil
}

// meaningOf says what an error code means that came without an error of the SDK, as in the answer to a batch.
func (s *session) meaningOf(code string) driver.Code { return s.errors.codeOf(code, 0) }

// s3Compatible reports whether the session leads to a store of another maker that has the API of S3, and to nothing else.
func (s *session) s3Compatible() bool { return s.store != nil }

// owner returns the account that a bucket must belong to, nil as long as nobody asked for it. Names of
// deleted buckets can be taken by anybody: AWS then refuses the call.
func (s *session) owner() *string { return s.account.Load() }

// call makes one call with a deadline and wraps its error, here and nowhere else. A store that lacks what the call is about is not asked each time.
func call[I, O, Opt any](ctx context.Context, s *session, op string, do func(context.Context, *I, ...func(*Opt)) (*O, error), in *I, opts ...func(*Opt)) (*O, error) {
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

// tokenOf returns the token of a page; nil for the first.
func tokenOf(req driver.ListRequest) *string {
	if req.Page == "" {
		return nil
	}
	return &req.Page
}
