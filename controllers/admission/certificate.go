package admission

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

const (
	// life is how long a certificate is valid. A third of that is left when it is renewed.
	life = 90 * 24 * time.Hour
	// skew is how far the clocks of replicas and API servers may be apart.
	skew = time.Hour
)

// A certificate is one to serve with, and the authorities that whoever calls is to trust. PEM, all of it, as in a Secret.
type certificate struct {
	cert, key   []byte
	authorities []byte // the one that signed cert is the last
}

// newCertificate makes an authority, a certificate that it signs, and forgets the authority's key: it signs nothing else.
// trusted are the authorities that stay trusted beside the new one.
func newCertificate(names []string, now time.Time, trusted []byte) (*certificate, error) {
	authority, authorityKey, err := sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: "mooring-webhook-authority"}, IsCA: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}, now, nil, nil)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	cert, key, err := sign(template, now, authority, authorityKey)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return &certificate{
		cert: encode(cert), key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		authorities: append(bytes.Clone(trusted), encode(authority)...),
	}, nil
}

// sign makes a key, and a certificate of it that parent signs, or else it itself.
func sign(template *x509.Certificate, now time.Time, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("make a serial number: %w", err)
	}
	template.SerialNumber, template.BasicConstraintsValid = serial, true
	template.NotBefore, template.NotAfter = now.Add(-skew), now.Add(life)
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, nil, fmt.Errorf("make a certificate: %w", err)
	}
	made, err := x509.ParseCertificate(der)
	return made, key, err
}

// load returns the certificate ready to serve with, or what is wrong with it.
func (c *certificate) load(names []string) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(c.cert, c.key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.authorities)
	for _, name := range names {
		// Whether its time has come or is over is another question.
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: pair.Leaf.NotBefore}); err != nil {
			return nil, err
		}
	}
	return &pair, nil
}

// due says whether a certificate is to be renewed.
func due(c *tls.Certificate, now time.Time) bool {
	return now.After(c.Leaf.NotAfter.Add(-c.Leaf.NotAfter.Sub(c.Leaf.NotBefore) / 3))
}

// newest returns the last of the authorities if it is still valid: all that need be trusted beside a new one.
func newest(authorities []byte, now time.Time) []byte {
	all, err := decode(authorities)
	if err != nil || len(all) == 0 || now.After(all[len(all)-1].NotAfter) {
		return nil
	}
	return encode(all[len(all)-1])
}

// contains says whether a bundle holds all the authorities.
func contains(bundle, authorities []byte) bool {
	held, err := decode(bundle)
	if err != nil {
		return false
	}
	wanted, err := decode(authorities)
	if err != nil {
		return false
	}
	for _, w := range wanted {
		found := false
		for _, h := range held {
			found = found || w.Equal(h)
		}
		if !found {
			return false
		}
	}
	return true
}

func encode(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func decode(bundle []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for len(bytes.TrimSpace(bundle)) > 0 {
		block, rest := pem.Decode(bundle)
		if block == nil {
			return nil, errors.New("no PEM")
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all, bundle = append(all, c), rest
	}
	return all, nil
}
