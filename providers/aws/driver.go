package aws

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/mooring-dev/mooring/providers/aws/rds"
	"github.com/mooring-dev/mooring/providers/aws/s3"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// Options configures New. The zero value is usable.
type Options struct {
	// Endpoint is the URL of all services, where a connection's config names none; empty for AWS's own.
	Endpoint string
	// HTTPClient makes the calls of all connections; default one with a transport of its own.
	HTTPClient *http.Client
	// CallTimeout bounds a call to AWS, its retries included; default 15 s.
	CallTimeout time.Duration
	// Now is the clock by which sessions are renewed and Retry-After dates are read; default time.Now.
	Now func() time.Time
}

// errorCodes say what the error codes of all services mean.
var errorCodes = session.Join(s3.Errors, rds.Errors)

// A cloud is the driver: what its connections share.
type cloud struct {
	options     Options
	description driver.Description
}

// New returns the driver for Amazon Web Services.
func New(options Options) driver.Driver {
	if options.HTTPClient == nil {
		options.HTTPClient = session.NewHTTPClient()
	}
	if options.CallTimeout <= 0 {
		options.CallTimeout = 15 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now //nolint:forbidigo // the driver's default clock
	}
	return &cloud{options: options, description: describe()}
}

// regionFormat is what names of regions look like, by the partitions that the SDK knows. It also keeps them from
// forming another host name.
var regionFormat = regexp.MustCompile(`^((us|eu|ap|sa|ca|me|af|il|mx|cn)(-(gov|iso|isob|isoe|isof))?-(north|south|east|west|central|northeast|northwest|southeast|southwest)|eusc-de-east)-[0-9]{1,2}$`)

// Open implements driver.Driver.
func (c *cloud) Open(ctx context.Context, cfg driver.Opening) (driver.Session, error) {
	if !regionFormat.MatchString(cfg.Location) {
		return nil, &driver.Error{Code: driver.NotFound, Message: fmt.Sprintf("%q is not an AWS region: use a name such as eu-central-1", cfg.Location)}
	}
	if cfg.Endpoint == "" {
		cfg.Endpoint = c.options.Endpoint
	}
	s, err := session.Open(ctx, session.Options{HTTPClient: c.options.HTTPClient, CallTimeout: c.options.CallTimeout, Now: c.options.Now, Errors: errorCodes}, cfg)
	if err != nil {
		return nil, err
	}
	return &withQuotas{Session: table.NewSession("AWS", s.Identity, kinds.Handlers(s)), of: s}, nil
}
