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

// What tests say to a cloud and read of it, by the names that they have here. Each is documented where it is declared.
type (
	Options   = cloud.Options
	Durations = cloud.Durations

	Call      = traffic.Call
	Ledger    = traffic.Ledger
	Filter    = traffic.Filter
	Side      = traffic.Side
	Fault     = traffic.Fault
	Faults    = traffic.Faults
	FaultKind = traffic.FaultKind

	AWSTrust   = amazon.Trust
	AWSSession = amazon.Session
	RDSLimits  = rds.Limits
	GCPTrust   = google.Trust
	GCPToken   = google.Token
	GCPCaller  = google.Caller
	Issuer     = oidc.Issuer
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
