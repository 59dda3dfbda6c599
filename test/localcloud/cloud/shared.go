package cloud

import (
	"sync/atomic"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/oidc"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
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

// Shared is what all services of a cloud share. It is safe for concurrent use.
type Shared struct {
	Ledger traffic.Ledger
	Faults traffic.Faults

	Options Options
	Engines *engine.Engines
	Issuers oidc.Issuers
	Fresh   FreshNames
	Clock   *Clock
	Closing chan struct{}
	// AWSAddress and GCPAddress are where the endpoints listen.
	AWSAddress, GCPAddress string
	// pageLimit is how many entries a page has at most; 0 for no limit but the clouds' own.
	pageLimit atomic.Int64
}

// New returns what the services share of a cloud whose database servers keep their data in a folder.
func New(opts Options, dir string) *Shared {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.SessionNow == nil {
		opts.SessionNow = time.Now
	}
	opts.Dir = dir
	return &Shared{
		Options: opts, Engines: engine.New(dir, opts.ListenersOnly), Closing: make(chan struct{}), Clock: &Clock{now: opts.Now},
	}
}

// AWSEndpoint is the URL that serves S3, RDS and STS.
func (c *Shared) AWSEndpoint() string { return "http://" + c.AWSAddress }

// GCPEndpoint is the URL that serves Cloud Storage (/storage/v1/), Cloud SQL Admin (/v1/projects/… and
// /sql/v1beta4/projects/…), and the makers of tokens: /token, /v1/token and
// /v1/projects/-/serviceAccounts/….
func (c *Shared) GCPEndpoint() string { return "http://" + c.GCPAddress }
