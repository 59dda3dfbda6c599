package aws

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Options configures New. The zero value is usable.
type Options struct {
	// Endpoint is the URL of all services, where a connection's config names none; empty for AWS's own.
	Endpoint string
	// HTTPClient makes the calls of all connections; default one with a transport of its own.
	HTTPClient *http.Client
	// CallTimeout bounds a call to AWS, its retries included; default 15 s.
	CallTimeout time.Duration
	// Now is the clock by which Retry-After dates are read; default time.Now.
	Now func() time.Time
}

// A cloud is the driver: what its connections share.
type cloud struct {
	options Options
}

// New returns the driver for Amazon Web Services.
func New(options Options) driver.Driver {
	if options.HTTPClient == nil {
		options.HTTPClient = newHTTPClient()
	}
	if options.CallTimeout <= 0 {
		options.CallTimeout = 15 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now //nolint:forbidigo // the driver's default clock
	}
	return &cloud{options: options}
}

// regionFormat is what names of regions look like, by the partitions that the SDK knows. It also keeps them from
// forming another host name.
var regionFormat = regexp.MustCompile(`^((us|eu|ap|sa|ca|me|af|il|mx|cn)(-(gov|iso|isob|isoe|isof))?-(north|south|east|west|central|northeast|northwest|southeast|southwest)|eusc-de-east)-[0-9]{1,2}$`)

// Open implements driver.Driver. Without credentials in cfg the connection uses what the process itself
// runs with: it is the caller who keeps tenants from that.
func (c *cloud) Open(ctx context.Context, cfg driver.Config) (*driver.Conn, error) {
	if !regionFormat.MatchString(cfg.Location) {
		return nil, &driver.Error{Code: driver.NotFound, Op: "Open", Message: fmt.Sprintf("%q is no AWS region: use a name like eu-central-1", cfg.Location)}
	}
	identity, err := c.identity(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Endpoint == "" {
		cfg.Endpoint = c.options.Endpoint
	}
	s := newSession(c.options, cfg, identity)
	return &driver.Conn{
		Identity:  s.identity,
		Databases: &databases{s},
		Buckets:   &buckets{s},
	}, nil
}

// identity returns what signs the calls. Of a Secret only the three keys of static credentials are
// taken; all else is refused, so that no Secret can name files, URLs or programs.
func (c *cloud) identity(ctx context.Context, cfg driver.Config) (aws.CredentialsProvider, error) {
	if cfg.Ambient {
		// The HTTP client is the SDK's own here: with AWS_CA_BUNDLE set, the SDK takes none that it can't extend.
		ambient, err := config.LoadDefaultConfig(ctx, config.WithRegion(cfg.Location))
		if err != nil {
			return nil, &driver.Error{Code: driver.Invalid, Op: "Open", Message: "the environment's AWS configuration can't be read", Err: err}
		}
		return ambient.Credentials, nil
	}
	values := map[string]string{}
	for key, value := range cfg.Credentials {
		switch key {
		case v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey, v1alpha1.SecretKeyAWSSessionToken:
			values[key] = string(value)
		default:
			return nil, invalid("Open", "the credentials Secret has the key %q: only %s, %s and %s are taken", key,
				v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey, v1alpha1.SecretKeyAWSSessionToken)
		}
	}
	for _, key := range []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey} {
		if values[key] == "" {
			return nil, invalid("Open", "the credentials Secret needs the key %q", key)
		}
	}
	for key, value := range values {
		if !headerSafe(value) {
			return nil, invalid("Open", "the value of %q in the credentials Secret has spaces, line breaks or characters that are not ASCII", key)
		}
	}
	return credentials.NewStaticCredentialsProvider(values[v1alpha1.SecretKeyAWSAccessKeyID],
		values[v1alpha1.SecretKeyAWSSecretAccessKey], values[v1alpha1.SecretKeyAWSSessionToken]), nil
}

// headerSafe reports whether a value can stand in an HTTP header as it is. A line break at the end is
// the usual slip of whoever makes a Secret from a file.
func headerSafe(value string) bool {
	for _, r := range value {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	return true
}

func invalid(op, format string, args ...any) *driver.Error {
	return &driver.Error{Code: driver.Invalid, Op: op, Message: fmt.Sprintf(format, args...)}
}
