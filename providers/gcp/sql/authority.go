package sql

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// ownAuthority is the mode in which every instance has a certificate authority of its own. An instance that says nothing of one has it, too.
const ownAuthority = "GOOGLE_MANAGED_INTERNAL_CA"

// authorityRow: clients that trust the former authority could no longer connect, so the mode stays. No recording shows another than the one that
// nobody says, nor whether Cloud SQL changes it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#CaMode
var authorityRow = plain("gcp.serverCAMode", "ServerCaMode", haveAuthority).
	Immutable("create another Database with the mode and move the data there")

func haveAuthority(i *instance) *string {
	if i.Settings == nil {
		return nil
	}
	mode := i.ipConfiguration().ServerCaMode
	if slices.Contains([]string{"", "CA_MODE_UNSPECIFIED"}, mode) {
		mode = ownAuthority
	}
	return &mode
}

func setAuthority(p *instanceParams, into *sqladmin.DatabaseInstance) {
	ipConfigurationOf(into).ServerCaMode = *p.ServerCaMode
}

// sharesAuthority reports whether the authority of an instance signs for other servers, too.
func (i *instance) sharesAuthority() bool {
	mode := haveAuthority(i)
	return mode != nil && *mode != ownAuthority
}

// The kinds of addresses of an instance. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#SqlIpAddressType
const (
	publicAddress  = "PRIMARY"
	privateAddress = "PRIVATE"
)

// connectionTypes are the kinds of addresses in the words of the names of an instance.
var connectionTypes = map[string]string{publicAddress: "PUBLIC", privateAddress: "PRIVATE_SERVICES_ACCESS"}

// serverName returns the name that clients verify in the certificate of an instance, which they reach at an address of this kind; empty if there is none.
// The certificate of an authority of the instance's own names no host, and whoever has a certificate of that authority is the instance. A shared authority
// signs for all servers of the region, of whatever project: there only the name tells servers apart. Cloud SQL makes no DNS record for such a name, so it is
// no host to connect to. No recording shows names.
// https://cloud.google.com/sql/docs/postgres/configure-ssl-instance
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DnsNameMapping
func (i *instance) serverName(address string) string {
	if !i.sharesAuthority() {
		return ""
	}
	name := i.DnsName // of instances before dnsNames
	for _, n := range i.DnsNames {
		if n.DnsScope == "INSTANCE" && n.ConnectionType == connectionTypes[address] {
			name = n.Name
		}
	}
	return strings.TrimSuffix(name, ".")
}

const (
	// rotationAhead is how long before its end an authority may be about to be replaced. Authorities last ten years.
	// https://cloud.google.com/sql/docs/postgres/manage-ssl-instance
	rotationAhead = 365 * 24 * time.Hour
	// authoritiesLast is how long it takes at most to see the next authority of an instance whose present one ends soon,
	// unless a person asks for an observation.
	authoritiesLast = 24 * time.Hour
)

// authorities are those by which clients verify the servers. An instance itself says which one signed its certificate: it takes no call to know it. That is
// replaced only when somebody says so, and then at once: a client has to know the next one before. So in the last year of the present one, once a day, all
// that Cloud SQL lists are read.
type authorities struct {
	*session.Caller
	sql *sqladmin.Service

	mu   sync.Mutex
	read map[string]listedAuthorities // by instance
}

// listedAuthorities are those that an instance had at a time, while the one of that fingerprint had signed its certificate.
type listedAuthorities struct {
	active       string
	at           time.Time
	certificates string
}

// of returns the authorities of an instance, in PEM, the present one first.
func (a *authorities) of(ctx context.Context, have *sqladmin.DatabaseInstance) (string, error) {
	present := have.ServerCaCert
	if present == nil || !a.endsWithin(present, rotationAhead) || a.endsWithin(present, 0) { // once it has ended, no client gets in before the rotation
		return a.known(have), nil
	}
	last, known := a.last(have)
	if known && a.Now().Sub(last.at) < authoritiesLast && !table.AskedSince(ctx, last.at) {
		return last.certificates, nil
	}
	listed, err := a.list(ctx, have)
	switch code := driver.CodeOf(err); {
	case err == nil, code == driver.Denied, code == driver.Invalid, code == driver.NotFound: // what the instance says has to do
	case known:
		return last.certificates, nil
	default:
		return "", err
	}
	certificates := present.Cert
	for _, one := range listed {
		if one.Sha1Fingerprint != present.Sha1Fingerprint && !a.endsWithin(one, 0) {
			certificates = strings.TrimRight(certificates, "\n") + "\n" + one.Cert
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read == nil {
		a.read = map[string]listedAuthorities{}
	}
	a.read[have.Name] = listedAuthorities{present.Sha1Fingerprint, a.Now(), certificates}
	return certificates, nil
}

// known returns the authorities of an instance as far as it takes no call.
func (a *authorities) known(have *sqladmin.DatabaseInstance) string {
	if last, known := a.last(have); known {
		return last.certificates
	}
	if have.ServerCaCert == nil {
		return ""
	}
	return have.ServerCaCert.Cert
}

// last returns what was listed of an instance while its present authority had signed its certificate.
func (a *authorities) last(have *sqladmin.DatabaseInstance) (listedAuthorities, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, known := a.read[have.Name]
	return last, known && have.ServerCaCert != nil && last.active == have.ServerCaCert.Sha1Fingerprint
}

// list reads the authorities of an instance: the present one, the next one if there is one, and the former one.
func (a *authorities) list(ctx context.Context, have *sqladmin.DatabaseInstance) ([]*sqladmin.SslCert, error) {
	if (&instance{DatabaseInstance: have}).sharesAuthority() {
		out, err := session.Do(ctx, a.Caller, "instances.listServerCertificates", func(ctx context.Context) (*sqladmin.InstancesListServerCertificatesResponse, error) {
			return a.sql.Instances.ListServerCertificates(a.Project, have.Name).Context(ctx).Do()
		})
		if err != nil {
			return nil, err
		}
		return out.CaCerts, nil
	}
	out, err := session.Do(ctx, a.Caller, "instances.listServerCas", func(ctx context.Context) (*sqladmin.InstancesListServerCasResponse, error) {
		return a.sql.Instances.ListServerCas(a.Project, have.Name).Context(ctx).Do()
	})
	if err != nil {
		return nil, err
	}
	return out.Certs, nil
}

// endsWithin reports whether an authority ends within a time. One that does not say when lasts.
func (a *authorities) endsWithin(one *sqladmin.SslCert, d time.Duration) bool {
	end, err := time.Parse(time.RFC3339, one.ExpirationTime)
	return err == nil && end.Before(a.Now().Add(d))
}
