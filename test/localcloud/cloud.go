package localcloud

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/cloudwatch"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/monitoring"
	"github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/s3"
	"github.com/mooring-dev/mooring/test/localcloud/secretsmanager"
	"github.com/mooring-dev/mooring/test/localcloud/sql"
	"github.com/mooring-dev/mooring/test/localcloud/storage"
	"github.com/mooring-dev/mooring/test/localcloud/sts"
)

// A Cloud is a running local cloud. It is safe for concurrent use.
type Cloud struct {
	*cloud.Shared

	dir     string
	ownsDir bool
	keys    *amazon.Keyring
	aws     *amazon.Endpoint
	gcp     *google.Endpoint
	s3      *s3.Service
	rds     *rds.Service
	storage *storage.Service
	sql     *sql.Service
	servers []*http.Server
	once    sync.Once
}

// Start starts the local cloud. The caller must Close it.
func Start(opts Options) (*Cloud, error) {
	if opts.Listen == "" {
		opts.Listen = "127.0.0.1:0"
	}
	c := &Cloud{dir: opts.Dir}
	if c.dir == "" {
		dir, err := engine.Scratch("mooring-localcloud-")
		if err != nil {
			return nil, err
		}
		c.dir, c.ownsDir = dir, true
	}
	c.Shared = cloud.New(opts, c.dir)
	c.startAWS()
	c.startGCP()
	for _, side := range []struct {
		handler http.Handler
		address *string
		port    int // after the one that Options.Listen names
	}{{c.aws, &c.AWSAddress, 0}, {c.gcp, &c.GCPAddress, 1}} {
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

// StartAWS makes the services of AWS, by the names that a signature has for them. CloudWatch is called monitoring there.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
// https://docs.aws.amazon.com/general/latest/gr/cw_region.html
func (c *Cloud) startAWS() {
	c.keys, c.s3, c.rds = amazon.NewKeyring(), s3.New(c.Shared), rds.New(c.Shared)
	c.aws = amazon.NewEndpoint(c.Shared, c.keys, map[string]amazon.Dialect{
		"sts": sts.New(c.Shared, c.keys), "s3": c.s3, "rds": c.rds,
		"monitoring": cloudwatch.New(c.Shared, c.rds), "secretsmanager": secretsmanager.New(c.Shared, c.rds),
	})
}

// StartGCP makes the services of Google Cloud.
func (c *Cloud) startGCP() {
	c.gcp = google.NewEndpoint(c.Shared)
	c.sql, c.storage = sql.New(c.Shared, c.gcp), storage.New(c.Shared, c.gcp)
	monitoring.Serve(c.gcp, c.sql)
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

// TrustIssuer makes both clouds take tokens that one of these keys signed, RSA or ECDSA, and that name this issuer. It is what
// an OIDC provider is in AWS, and what the issuer of a workload identity pool's provider is in Google Cloud. Keys given
// before for the issuer are forgotten. Which tokens lead where is for roles and pools to say: AWSRole, GCPPool.
func (c *Cloud) TrustIssuer(issuer string, keys ...crypto.PublicKey) { c.Issuers.Trust(issuer, keys) }

// RDSAuthorities returns the certificate authorities, in PEM, that sign the certificates of RDS servers. AWS lets people download them, and reports
// none in the answers of the API.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.SSL.html
func (c *Cloud) RDSAuthorities() (string, error) {
	a, err := c.Engines.Authority()
	if err != nil {
		return "", err
	}
	return a.PEM, nil
}

// AlterPassword sets a user's password at the server that listens at an address, as whoever is logged in there does by SQL.
// The cloud's API does not show it.
func (c *Cloud) AlterPassword(host string, port int, user, password string) error {
	return c.Engines.AlterPassword(host, port, user, password)
}

// Close stops the servers, ends every database process and removes what Start made.
func (c *Cloud) Close() error {
	var errs []error
	c.once.Do(func() {
		close(c.Closing)
		for _, s := range c.servers {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			if s.Shutdown(ctx) != nil {
				_ = s.Close()
			}
			cancel()
		}
		errs = append(errs, c.Engines.Close())
		if c.ownsDir {
			errs = append(errs, os.RemoveAll(c.dir))
		}
	})
	return errors.Join(errs...)
}

// EngineAvailable reports whether this machine has the server program for an engine, which is postgres, mysql or mariadb.
func EngineAvailable(name string) error { return engine.Available(name) }
