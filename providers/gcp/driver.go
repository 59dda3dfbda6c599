package gcp

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// Options configures New. The zero value is usable.
type Options struct {
	// Endpoint replaces Google's public endpoints for every connection that names none itself.
	Endpoint string
	// Transport carries all calls; default a clone of http.DefaultTransport, shared by all connections.
	Transport http.RoundTripper
	// CallTimeout is the deadline of each single call; default 15 seconds.
	CallTimeout time.Duration
	// Now is the clock, by which tokens are renewed too; default time.Now.
	Now func() time.Time
}

// New returns the driver of Google Cloud.
func New(o Options) driver.Driver {
	if o.Transport == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 32
		o.Transport = transport
	}
	if o.CallTimeout <= 0 {
		o.CallTimeout = 15 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the driver's default clock
	}
	return &gcp{o, describe()}
}

type gcp struct {
	opts        Options
	description driver.Description
}

// Open implements driver.Driver. It reads the key, and calls nobody.
func (g *gcp) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	if cfg.Account.GCP == nil || cfg.Account.GCP.Project == "" {
		return nil, session.Invalid("the account names no project of Google Cloud: set gcp.project")
	}
	endpoint := cfg.Endpoint
	if endpoint == "" {
		endpoint = g.opts.Endpoint
	}
	endpoint = strings.TrimSuffix(endpoint, "/")
	if u, err := url.Parse(endpoint); endpoint != "" && (err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https")) {
		return nil, session.Invalid("the endpoint %q is not a URL: write it as https://host", endpoint)
	}
	location := cfg.Location
	if location == "" {
		location = cfg.Account.GCP.Region
	}
	cfg.Location, cfg.Endpoint = location, endpoint
	s, err := session.New(cfg, g.opts.Transport, g.opts.CallTimeout, g.opts.Now)
	if err != nil {
		return nil, err
	}
	handlers := kinds.Handlers(s)
	if err := s.Failed(); err != nil {
		return nil, err
	}
	return table.NewSession("Google Cloud", s.Identity, handlers), nil
}
