package sql

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlAuthorities are those that an instance trusts: the one that signed the certificate of its server, the one that is to sign the next, and the one
// that signed the former. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/listServerCas
type sqlAuthorities struct{ active, next, former *engine.Authority }

func (a sqlAuthorities) all() (all []*engine.Authority) {
	for _, one := range []*engine.Authority{a.active, a.next, a.former} {
		if one != nil {
			all = append(all, one)
		}
	}
	return all
}

// sharesAuthority reports whether the servers of a region share the authority that signs the certificate of an instance.
func sharesAuthority(resource google.Object) bool {
	return serverAuthority(google.Typed[sqladmin.DatabaseInstance](resource)) != "GOOGLE_MANAGED_INTERNAL_CA"
}

// newServerAuthority makes an authority of an instance's own; or one below the root that all regions share. No recording shows the latter, nor whether
// Cloud SQL reports the root with it: here it does, as clients of the connectors take several certificates in one text.
// https://github.com/GoogleCloudPlatform/cloud-sql-jdbc-socket-factory/pull/2060
func (s *Service) newServerAuthority(resource google.Object) (_ *engine.Authority, err error) {
	if !sharesAuthority(resource) {
		return engine.NewAuthority("Google Cloud SQL Server CA", nil)
	}
	if s.root == nil {
		if s.root, err = engine.NewAuthority("Google Cloud SQL Root CA", nil); err != nil {
			return nil, err
		}
	}
	return engine.NewAuthority("Google Cloud SQL Server CA of a region", s.root)
}

// firstCertificate has an authority sign the certificate of a new instance.
func (s *Service) firstCertificate(in *sqlInstance, resource google.Object) (_ *engine.Signed, err error) {
	region, _ := resource["region"].(string)
	by := s.regional[region]
	if by == nil || !sharesAuthority(resource) {
		if by, err = s.newServerAuthority(resource); err != nil {
			return nil, err
		}
	}
	if sharesAuthority(resource) {
		s.regional[region] = by
	}
	in.authorities.active = by
	return by.Sign(serverIdentity(in, resource))
}

// serverIdentity is what the certificate of an instance says. That of an authority of its own names the instance in the common name, and no host: clients
// can verify the authority only. That of a shared one names the hosts of dnsNames. No recording shows either.
// https://cloud.google.com/sql/docs/postgres/configure-ssl-instance https://github.com/GoogleCloudPlatform/cloudsql-proxy/issues/194
func serverIdentity(in *sqlInstance, resource google.Object) engine.Identity {
	who := engine.Identity{Common: in.project + ":" + in.Name}
	if sharesAuthority(resource) {
		for _, domain := range sqlDomains {
			who.Hosts = append(who.Hosts, strings.TrimSuffix(sqlHost(in, resource, domain), "."))
		}
	}
	return who
}

// sqlDomains are those of the names of instances, by the kinds of their connections.
var sqlDomains = map[string]string{"PUBLIC": "sql.goog.", "PRIVATE_SERVICES_ACCESS": "sql-psa.goog."}

// sqlHost is a name of an instance. Nobody resolves it unless the customer makes a record for it.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#DnsNameMapping
func sqlHost(in *sqlInstance, resource google.Object, domain string) string {
	region, _ := resource["region"].(string)
	label := func(of string) string {
		sum := sha256.Sum256([]byte(of))
		return hex.EncodeToString(sum[:6])
	}
	return label(in.project+"/"+in.engineID) + "." + label(in.project) + "." + region + "." + domain
}

// certified is what an instance says of its certificate: the authority that signed it, and where servers share that, the names in it. No recording shows
// names.
func (s *Service) certified(in *sqlInstance, resource google.Object) google.Object {
	out := google.Object{"serverCaCert": sqlServerCert(in.Name, in.authorities.active)}
	if !sharesAuthority(resource) {
		return out
	}
	var names []any
	for _, a := range google.Typed[sqladmin.DatabaseInstance](google.Object{"ipAddresses": s.addresses(in, resource)}).IpAddresses {
		kind := "PUBLIC"
		if a.Type == "PRIVATE" {
			kind = "PRIVATE_SERVICES_ACCESS"
		}
		names = append(names, google.Object{"name": sqlHost(in, resource, sqlDomains[kind]), "connectionType": kind, "dnsScope": "INSTANCE", "recordManager": "CUSTOMER"})
	}
	out["dnsNames"] = names
	return out
}

// sqlServerCert is the certificate of an authority.
func sqlServerCert(instance string, a *engine.Authority) google.Object {
	sum := sha1.Sum(a.Certificate.Raw)
	return google.Object{
		"kind": "sql#sslCert", "certSerialNumber": "0", "cert": a.PEM, "instance": instance,
		"commonName":      "C=US,O=Google\\, Inc,CN=Google Cloud SQL Server CA," + a.Certificate.Subject.String(),
		"sha1Fingerprint": hex.EncodeToString(sum[:]), "createTime": sqlTime(a.Certificate.NotBefore), "expirationTime": sqlTime(a.Certificate.NotAfter),
	}
}

// ofAuthority returns the instance of a call that is for servers with an authority of their own, or with a shared one. No recording shows the refusal of
// the other, nor any of these calls. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/listServerCas
func (r *sqlRequest) ofAuthority(shared bool) (*sqlInstance, error) {
	in, err := r.instance()
	switch {
	case err != nil:
		return nil, err
	case in.authorities.active == nil || in.resource["serverCaCert"] == nil:
		return nil, errSQLNotRunning
	case shared && !sharesAuthority(in.resource):
		return nil, sqlInvalid("The instance has no certificate authority of Certificate Authority Service: use listServerCas, addServerCa and rotateServerCa.")
	case !shared && sharesAuthority(in.resource):
		return nil, sqlInvalid("The instance has a certificate authority of Certificate Authority Service: use listServerCertificates, addServerCertificate and rotateServerCertificate.")
	}
	return in, nil
}

func listAuthorities(in *sqlInstance) (certs []any) {
	for _, a := range in.authorities.all() {
		certs = append(certs, sqlServerCert(in.Name, a))
	}
	return certs
}

func (s *Service) listServerCas(r *sqlRequest) (any, error) {
	in, err := r.ofAuthority(false)
	if err != nil {
		return nil, err
	}
	return google.Object{"kind": "sql#instancesListServerCas", "activeVersion": google.Member(in.resource, "serverCaCert")["sha1Fingerprint"], "certs": listAuthorities(in)}, nil
}

// listServerCertificates lists the authorities, and not the certificates, which no client reads here.
func (s *Service) listServerCertificates(r *sqlRequest) (any, error) {
	in, err := r.ofAuthority(true)
	if err != nil {
		return nil, err
	}
	return google.Object{"kind": "sql#instancesListServerCertificates", "caCerts": listAuthorities(in)}, nil
}

func (s *Service) addServerCa(r *sqlRequest) (any, error)          { return s.addAuthority(r, false) }
func (s *Service) addServerCertificate(r *sqlRequest) (any, error) { return s.addAuthority(r, true) }

// addAuthority makes the authority that is to sign the next certificate. One that waits already is replaced.
func (s *Service) addAuthority(r *sqlRequest, shared bool) (any, error) {
	in, err := r.ofAuthority(shared)
	if err != nil {
		return nil, err
	}
	if _, err := r.free(); err != nil {
		return nil, err
	}
	next, err := s.newServerAuthority(in.resource)
	if err != nil {
		return nil, err
	}
	return s.begin(r, in, sqlWork{kind: "UPDATE", takes: s.cloud.Options.Durations.Modify, succeed: func() { in.authorities.next = next }}), nil
}

func (s *Service) rotateServerCa(r *sqlRequest) (any, error) { return s.rotateAuthority(r, false) }
func (s *Service) rotateServerCertificate(r *sqlRequest) (any, error) {
	return s.rotateAuthority(r, true)
}

// rotateAuthority has the authority that waits sign the certificate of the server.
func (s *Service) rotateAuthority(r *sqlRequest, shared bool) (any, error) {
	in, err := r.ofAuthority(shared)
	if err != nil {
		return nil, err
	}
	if _, err := r.free(); err != nil {
		return nil, err
	}
	next := in.authorities.next
	if next == nil {
		return nil, sqlInvalid("No certificate authority is waiting to be rotated in.")
	}
	certificate, err := next.Sign(serverIdentity(in, in.resource))
	if err != nil {
		return nil, err
	}
	return s.begin(r, in, sqlWork{
		kind: "UPDATE", takes: s.cloud.Options.Durations.Modify,
		server: func() error { return s.cloud.Engines.ReplaceCertificate(in.engineID, certificate) },
		succeed: func() {
			in.authorities = sqlAuthorities{active: next, former: in.authorities.active}
			google.Merge(in.resource, s.certified(in, in.resource))
		},
	}), nil
}
