package oidc

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Why a token of a Kubernetes cluster is refused.
var (
	ErrIssuer    = errors.New("nobody trusts the issuer")
	errSignature = errors.New("the signature is wrong")
	ErrAudience  = errors.New("it is for another audience")
	ErrExpired   = errors.New("it has expired")
)

// Issuers are the Kubernetes clusters that the clouds know the keys of, by URL.
type Issuers struct {
	mu   sync.Mutex
	keys map[string][]jwt.VerificationKey
}

// claims are what is read of a token.
type claims struct {
	Issuer, Subject string
}

// Verify reads a token that must be for one of the audiences. Its life is compared with the wall clock, because that is what
// those who issue tokens go by.
func (i *Issuers) Verify(token string, audiences ...string) (claims, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var read jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(token, &read, func(*jwt.Token) (any, error) {
		keys, ok := i.keys[read.Issuer]
		if !ok {
			return nil, ErrIssuer
		}
		return jwt.VerificationKeySet{Keys: keys}, nil
	}, jwt.WithValidMethods([]string{"RS256", "ES256"}), jwt.WithExpirationRequired())
	out := claims{Issuer: read.Issuer, Subject: read.Subject}
	switch {
	case errors.Is(err, ErrIssuer):
		return out, ErrIssuer
	case errors.Is(err, jwt.ErrTokenExpired):
		return out, ErrExpired
	case err != nil:
		return out, errSignature
	}
	for _, audience := range audiences {
		if slices.Contains(read.Audience, audience) {
			return out, nil
		}
	}
	return out, ErrAudience
}

// ParseJWKS reads the keys of a Kubernetes cluster as its API server shows them at /openid/v1/jwks.
func ParseJWKS(raw []byte) ([]crypto.PublicKey, error) {
	var set struct {
		Keys []struct{ Kty, Crv, N, E, X, Y string }
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, err
	}
	var keys []crypto.PublicKey
	for _, k := range set.Keys {
		switch {
		case k.Kty == "RSA":
			keys = append(keys, &rsa.PublicKey{N: new(big.Int).SetBytes(unpacked(k.N)), E: int(new(big.Int).SetBytes(unpacked(k.E)).Int64())})
		case k.Kty == "EC" && k.Crv == "P-256":
			key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, unpacked(k.X), unpacked(k.Y)))
			if err != nil {
				return nil, err
			}
			keys = append(keys, key)
		default:
			return nil, fmt.Errorf("a key of type %q %q: RSA and EC P-256 can be read", k.Kty, k.Crv)
		}
	}
	return keys, nil
}

func unpacked(text string) []byte {
	raw, _ := base64.RawURLEncoding.DecodeString(text) // a key that is wrong verifies nothing
	return raw
}

// An Issuer stands in for a Kubernetes cluster that issues tokens to its ServiceAccounts, for tests that run none.
type Issuer struct {
	URL     string
	Private *rsa.PrivateKey
}

// NewIssuer returns an issuer with a key of its own.
func NewIssuer(url string) *Issuer {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return &Issuer{URL: url, Private: private}
}

// Key returns what verifies the issuer's tokens.
func (i *Issuer) Key() crypto.PublicKey { return &i.Private.PublicKey }

// Token returns a token of a ServiceAccount for an audience, as an API server issues it; life may be negative.
func (i *Issuer) Token(namespace, serviceAccount, audience string, life time.Duration) string {
	now := time.Now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": i.URL, "sub": ServiceAccountSubject(namespace, serviceAccount), "aud": []string{audience},
		"iat": now.Add(min(life, 0)).Add(-time.Second).Unix(), "exp": now.Add(life).Unix(),
		"kubernetes.io": map[string]any{"namespace": namespace, "serviceaccount": map[string]any{"name": serviceAccount}},
	}).SignedString(i.Private)
	if err != nil {
		panic(err) // an RSA key can always sign
	}
	return token
}

// ServiceAccountSubject is the subject of the tokens of a ServiceAccount.
func ServiceAccountSubject(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}

// Trust makes tokens good that one of these keys signed and that name this issuer, in place of those given before.
func (i *Issuers) Trust(issuer string, keys []crypto.PublicKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.keys == nil {
		i.keys = map[string][]jwt.VerificationKey{}
	}
	i.keys[issuer] = nil
	for _, key := range keys {
		i.keys[issuer] = append(i.keys[issuer], key)
	}
}
