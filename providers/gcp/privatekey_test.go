package gcp_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
)

// mersenneKey makes a valid RSA key from two Mersenne primes 2^p-1 and 2^q-1, so that a long one takes no time to find.
func mersenneKey(t *testing.T, p, q uint) *rsa.PrivateKey {
	t.Helper()
	one := big.NewInt(1)
	prime := func(exponent uint) *big.Int { return new(big.Int).Sub(new(big.Int).Lsh(one, exponent), one) }
	key := &rsa.PrivateKey{Primes: []*big.Int{prime(p), prime(q)}}
	key.N, key.E = new(big.Int).Mul(key.Primes[0], key.Primes[1]), 65537
	phi := new(big.Int).Mul(new(big.Int).Sub(key.Primes[0], one), new(big.Int).Sub(key.Primes[1], one))
	if key.D = new(big.Int).ModInverse(big.NewInt(int64(key.E)), phi); key.D == nil {
		t.Fatal("these primes make no key")
	}
	return key
}

func pkcs8(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// A tenant's key is judged by its length before anything is computed with it: a long one would keep a processor busy for
// minutes, without a deadline.
func TestPrivateKeysOutOfBounds(t *testing.T) {
	good := rsaKey(t, 2048)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long := mersenneKey(t, 4423, 4253) // 8676 bits
	for _, tt := range []struct {
		name, kind string
		der        []byte
		want       string // part of the refusal; empty if the key is taken
	}{
		{"2048 bits", "PRIVATE KEY", pkcs8(t, good), ""},
		{"2048 bits, PKCS #1", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(good), ""},
		{"7470 bits", "PRIVATE KEY", pkcs8(t, mersenneKey(t, 4253, 3217)), ""},
		{"8676 bits", "PRIVATE KEY", pkcs8(t, long), "8676 bits"},
		{"8676 bits, PKCS #1", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(long), "8676 bits"},
		{"1024 bits", "PRIVATE KEY", pkcs8(t, rsaKey(t, 1024)), "1024 bits"},
		{"2048 bits and a long exponent", "RSA PRIVATE KEY", withExponent(t, good, new(big.Int).Lsh(good.D, 40_000)), "a number of more than 8192 bits"},
		{"no RSA key", "PRIVATE KEY", pkcs8(t, curve), "can't be read"},
		{"garbage", "PRIVATE KEY", []byte("garbage"), "can't be read"},
		{"a book", "PRIVATE KEY", make([]byte, 1<<19), "too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, err := json.Marshal(map[string]string{
				"type": "service_account", "client_email": "m@p.iam.gserviceaccount.com", "private_key_id": "1",
				"private_key": string(pem.EncodeToMemory(&pem.Block{Type: tt.kind, Bytes: tt.der})),
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = gcp.New(gcp.Options{}).Open(t.Context(), driver.Opening{
				Config:      driver.Config{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: project}}},
				Credentials: driver.Credentials{v1alpha1.SecretKeyGCPCredentials: text},
			})
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want it to be refused because %q", err, tt.want)
			}
		})
	}
}

// withExponent returns a key in PKCS #1 whose private exponent is another number.
func withExponent(t *testing.T, key *rsa.PrivateKey, exponent *big.Int) []byte {
	t.Helper()
	key.Precompute()
	p := key.Precomputed
	der, err := asn1.Marshal(struct {
		Version                     int
		N, E, D, P, Q, Dp, Dq, QInv *big.Int
	}{0, key.N, big.NewInt(int64(key.E)), exponent, key.Primes[0], key.Primes[1], p.Dp, p.Dq, p.Qinv})
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func rsaKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
