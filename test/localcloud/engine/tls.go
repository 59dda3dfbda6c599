package engine

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificateLife is longer than any run; the engines use the machine's clock, not the cloud's.
const certificateLife = 10 * 365 * 24 * time.Hour

// An Authority signs the certificates of a cloud's database servers.
type Authority struct {
	Certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	PEM         string // its certificate, and those of the authorities above it
}

// NewAuthority makes an authority of that name, which the one above certifies; nil: which certifies itself.
func NewAuthority(name string, above *Authority) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	template := certificateTemplate(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	parent, signer, chain := template, key, ""
	if above != nil {
		parent, signer, chain = above.Certificate, above.key, above.PEM
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("make a certificate authority: %w", err)
	}
	return &Authority{Certificate: certificate, key: key, PEM: pemBlock("CERTIFICATE", der) + chain}, nil
}

// An Identity is what a certificate says of its server. Clients that are too old to look at other names read the common name.
type Identity struct {
	Common string
	Hosts  []string
	ips    []net.IP
}

// A Signed certificate of a server with the authorities that clients may not know, its key, and the authorities to verify it by, as PEM.
type Signed struct{ certificate, key, authorities string }

// Sign makes a server's key, and a certificate for it.
func (a *Authority) Sign(who Identity) (*Signed, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %q: %w", who.Common, err)
	}
	template := certificateTemplate(who.Common)
	template.IPAddresses, template.DNSNames = who.ips, who.Hosts
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Certificate, private.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %q: %w", who.Common, err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %q: %w", who.Common, err)
	}
	certificate := pemBlock("CERTIFICATE", der)
	if !bytes.Equal(a.Certificate.RawIssuer, a.Certificate.RawSubject) { // clients may know the authority above alone
		certificate += pemBlock("CERTIFICATE", a.Certificate.Raw)
	}
	return &Signed{certificate, pemBlock("PRIVATE KEY", pkcs8), a.PEM}, nil
}

func certificateTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // rand.Reader never fails
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(certificateLife),
	}
}

func pemBlock(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// ReplaceCertificate gives a server another certificate, which it shows to whoever connects from then on.
func (e *Engines) ReplaceCertificate(id string, to *Signed) error {
	return e.with(id, "replace the certificate", func(ctx context.Context, in *instance) error { return in.backing.replaceCertificate(ctx, to) })
}

// RequireTLS makes the server refuse whoever comes without TLS, or take them again. A stopped server does so once it is resumed.
func (e *Engines) RequireTLS(id string, only bool) error {
	return e.with(id, "require TLS", func(ctx context.Context, in *instance) error { return in.backing.requireTLS(ctx, only) })
}
