package localcloud

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// Durations says how long the clouds' states last. Zero values mean "at once".
type Durations struct {
	Create time.Duration // an instance: creating, PENDING_CREATE
	Modify time.Duration // an instance: modifying; a Cloud SQL operation
	// ModifyOnset is how long an RDS instance that was modified rests on as it was, the new values pending, before it
	// shows that it is modifying.
	ModifyOnset time.Duration
	Delete      time.Duration // an instance: deleting
	RoleRemoval time.Duration // a role that is taken from an RDS instance: still there
	Snapshot    time.Duration // a final snapshot or backup: creating
	// StorageOptimization is how long storage can't grow again after it grew (RDS: six hours).
	StorageOptimization time.Duration
	// NameReserved is how long the name of a deleted Cloud SQL instance can't be used again. It was
	// a week for years; today Cloud SQL gives names free at once.
	NameReserved time.Duration
}

// Options configures Start. The zero value is usable.
type Options struct {
	// Listen is AWS's address, on loopback only; default 127.0.0.1:0. Google Cloud has the next port, or any
	// where this one is 0.
	Listen    string
	Dir       string           // where database servers keep their data; default a temporary folder, in memory if this machine has plenty, removed by Close
	Now       func() time.Time // the cloud's clock, default time.Now
	Durations Durations
	// ListenersOnly gives every database instance a bare TCP listener in place of a real server.
	ListenersOnly bool
	// Quotas; 0 means the service's own default, negative means none.
	InstanceQuota int
	// RateLimits enforces the request rates of Google Cloud: a bucket create or delete every two
	// seconds for a project, an update a second for a bucket, 180 Cloud SQL calls a minute for an identity.
	RateLimits bool
	// SessionNow is the clock by which the sessions of AWS and the access tokens of Google Cloud that this cloud hands out begin
	// and end, default time.Now. It is another than Now because clients count these lives too: give their drivers the same clock.
	SessionNow func() time.Time
	// LogInterval is how often the changes of a server that keeps backups are saved: up to its last multiple an RDS instance can be restored. 0 is RDS's own.
	LogInterval time.Duration
	// MetricDelay is how long CloudWatch and Cloud Monitoring take to show a value. 0 is what they usually take, and with a negative one they show it at once.
	MetricDelay time.Duration
}

// A Cloud is a running local cloud. It is safe for concurrent use.
type Cloud struct {
	Ledger Ledger
	Faults Faults

	opts     Options
	dir      string
	ownsDir  bool
	aws      *awsCloud
	gcp      *gcpCloud
	engines  *engine.Engines
	issuers  issuers
	fresh    freshNames
	trusting sync.Map // the roles that RDS may assume since TrustRDS, by their ARN
	clock    *clockLog
	servers  []*http.Server
	closing  chan struct{}
	// pageLimit is how many entries a page has at most; 0 for no limit but the clouds' own.
	pageLimit atomic.Int64
	once      sync.Once
}

// Start starts the local cloud. The caller must Close it.
func Start(opts Options) (*Cloud, error) {
	if opts.Listen == "" {
		opts.Listen = "127.0.0.1:0"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.SessionNow == nil {
		opts.SessionNow = time.Now
	}
	c := &Cloud{opts: opts, dir: opts.Dir, closing: make(chan struct{}), clock: &clockLog{now: opts.Now}}
	if c.dir == "" {
		dir, err := engine.Scratch("mooring-localcloud-")
		if err != nil {
			return nil, err
		}
		c.dir, c.ownsDir = dir, true
	}
	c.engines = engine.New(c.dir, opts.ListenersOnly)
	c.aws, c.gcp = newAWSCloud(c), newGCPCloud(c)
	for _, side := range []struct {
		handler http.Handler
		address *string
		port    int // after the one that Options.Listen names
	}{{c.aws, &c.aws.address, 0}, {c.gcp, &c.gcp.address, 1}} {
		listener, err := listenLoopback(opts.Listen, side.port)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		*side.address = listener.Addr().String()
		server := &http.Server{Handler: side.handler, ReadHeaderTimeout: 10 * time.Second}
		c.servers = append(c.servers, server)
		go func() { _ = server.Serve(listener) }()
	}
	return c, nil
}

// listenLoopback listens on an address, or as many ports further as next says, if it names a port.
func listenLoopback(address string, next int) (net.Listener, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", address, err)
	}
	port, err := strconv.Atoi(service)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: the port must be a number", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("listen address %q: the local cloud listens on loopback only", address)
	}
	if port != 0 {
		port += next
	}
	return net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}

// AWSEndpoint is the URL that serves S3, RDS and STS.
func (c *Cloud) AWSEndpoint() string { return "http://" + c.aws.address }

// RDSAuthorities returns the certificate authorities, in PEM, that sign the certificates of RDS servers. AWS lets people download them, and reports
// none in the answers of the API.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL.html
func (c *Cloud) RDSAuthorities() (string, error) {
	a, err := c.engines.Authority()
	if err != nil {
		return "", err
	}
	return a.PEM, nil
}

// AlterPassword sets a user's password at the server that listens at an address, as whoever is logged in there does by SQL: the cloud's API does not tell.
func (c *Cloud) AlterPassword(host string, port int, user, password string) error {
	return c.engines.AlterPassword(host, port, user, password)
}

// GCPEndpoint is the URL that serves Cloud Storage (/storage/v1/), Cloud SQL Admin (/v1/projects/… and
// /sql/v1beta4/projects/…), and the makers of tokens: /token, /v1/token and
// /v1/projects/-/serviceAccounts/….
func (c *Cloud) GCPEndpoint() string { return "http://" + c.gcp.address }

// Close stops the servers, ends every database process and removes what Start made.
func (c *Cloud) Close() error {
	var errs []error
	c.once.Do(func() {
		close(c.closing)
		for _, s := range c.servers {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			if s.Shutdown(ctx) != nil {
				_ = s.Close()
			}
			cancel()
		}
		errs = append(errs, c.engines.Close())
		if c.ownsDir {
			errs = append(errs, os.RemoveAll(c.dir))
		}
	})
	return errors.Join(errs...)
}

// A reply is a whole response, held back until the faults have had their say.
type reply struct {
	status int
	header http.Header
	body   []byte
	code   string // the cloud's error code, for the ledger
}

// requestID returns what the answer names the request.
func (r reply) requestID() string {
	for _, name := range []string{"X-Amz-Request-Id", "X-Amzn-Requestid", "X-Guploader-Uploadid"} {
		if id := r.header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// A service answers calls in one cloud API's dialect.
type service interface {
	// fail returns the dialect's response for Throttled, ServerError, Denied or Conflict.
	fail(kind FaultKind, call Call) reply
	// act performs the call. injected is "" or one of Stale and FailLate, which only it can honour.
	act(call *Call, r *http.Request, body []byte, injected FaultKind) reply
}

// serve takes one identified call through faults, service and ledger.
func (c *Cloud) serve(w http.ResponseWriter, r *http.Request, body []byte, call Call, s service) {
	call.Time = c.opts.Now()
	start := time.Now()
	fault, hit := c.Faults.take(call, body)
	call.Fault, call.injected = fault.Kind, fault
	var answer *reply
	switch kind := fault.Kind; kind {
	case Throttled, ServerError, Denied, Conflict, Refused:
		failed := s.fail(kind, call)
		answer = &failed
	case Hang:
		c.Faults.hanging.Add(1)
		defer c.Faults.hanging.Add(-1)
		select {
		case <-r.Context().Done():
		case <-c.closing:
		}
	case RequestLost:
	case Page, Blank, ForeignXML, ForeignJSON:
		answer = stranger(kind)
	default:
		if kind == Latency {
			select {
			case <-time.After(fault.Delay):
			case <-r.Context().Done():
			case <-c.closing:
			}
		}
		injected := FaultKind("")
		if kind == Stale || kind == FailLate {
			injected = kind
		}
		done := s.act(&call, r, body, injected)
		call.Committed = done.status < http.StatusBadRequest
		call.Code = done.code
		if kind == Cut {
			done.body = done.body[:len(done.body)/2]
		}
		if kind != ResponseLost {
			answer = &done
		}
	}
	call.Took = time.Since(start)
	if answer != nil {
		call.Status, call.Code, call.RequestID = answer.status, answer.code, answer.requestID()
	}
	c.Ledger.record(call)
	if hit && fault.Hook != nil {
		fault.Hook(call)
	}
	if answer == nil {
		panic(http.ErrAbortHandler) // cuts the connection without a response
	}
	maps.Copy(w.Header(), answer.header)
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body)
}

// EngineAvailable reports whether this machine has the server program for an engine, which is postgres, mysql or mariadb.
func EngineAvailable(name string) error { return engine.Available(name) }
