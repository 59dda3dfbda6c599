package localcloud

import (
	"crypto"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/oidc"
	"github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

type (
	// Options configures Start.
	Options = cloud.Options
	// Durations says how long the clouds' states last.
	Durations = cloud.Durations

	// A Call is one request that reached the local cloud.
	Call = traffic.Call
	// A Ledger keeps every call.
	Ledger = traffic.Ledger
	// A Filter selects calls.
	Filter = traffic.Filter
	// Side says which calls a Filter selects: those that read or those that write.
	Side = traffic.Side
	// A Fault makes calls go wrong.
	Fault = traffic.Fault
	// Faults is the set of faults in force.
	Faults = traffic.Faults
	// A FaultKind is a way for a call to go wrong.
	FaultKind = traffic.FaultKind

	// AWSTrust is whom a role lets in.
	AWSTrust = amazon.Trust
	// AWSSession is a session of a role, as it was handed out.
	AWSSession = amazon.Session
	// RDSLimits are the limits of an account in RDS.
	RDSLimits = rds.Limits
	// GCPTrust is what a workload identity pool's provider lets in.
	GCPTrust = google.Trust
	// GCPToken is an access token, as it was handed out.
	GCPToken = google.Token
	// GCPCaller is where an identity calls from, and what it may.
	GCPCaller = google.Caller
	// An Issuer stands in for a Kubernetes cluster that issues tokens.
	Issuer = oidc.Issuer
)

// The values of Side.
const (
	Any    = traffic.Any
	Reads  = traffic.Reads
	Writes = traffic.Writes
)

// The kinds of faults.
const (
	Latency      = traffic.Latency
	Throttled    = traffic.Throttled
	ServerError  = traffic.ServerError
	Denied       = traffic.Denied
	Hang         = traffic.Hang
	RequestLost  = traffic.RequestLost
	ResponseLost = traffic.ResponseLost
	Refused      = traffic.Refused
	Conflict     = traffic.Conflict
	Stale        = traffic.Stale
	FailLate     = traffic.FailLate
	Page         = traffic.Page
	Blank        = traffic.Blank
	ForeignXML   = traffic.ForeignXML
	ForeignJSON  = traffic.ForeignJSON
	Cut          = traffic.Cut
)

// GCPPrincipal is the name of the identity that a pool gives a subject.
func GCPPrincipal(provider, subject string) string { return google.Principal(provider, subject) }

// NewIssuer returns an issuer with a key of its own.
func NewIssuer(url string) *Issuer { return oidc.NewIssuer(url) }

// ParseJWKS reads the keys of a Kubernetes cluster as its API server shows them at /openid/v1/jwks.
func ParseJWKS(raw []byte) ([]crypto.PublicKey, error) { return oidc.ParseJWKS(raw) }

// ServiceAccountSubject is the subject of the tokens of a ServiceAccount.
func ServiceAccountSubject(namespace, name string) string {
	return oidc.ServiceAccountSubject(namespace, name)
}
