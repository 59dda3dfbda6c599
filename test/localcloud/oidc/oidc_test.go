package oidc_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestParseJWKS(t *testing.T) {
	packed := base64.RawURLEncoding.EncodeToString
	cluster := localcloud.NewIssuer("https://cluster.example")
	public := cluster.Key().(*rsa.PublicKey)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := curve.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"keys": []map[string]string{
		{"use": "sig", "kty": "RSA", "kid": "1", "alg": "RS256", "n": packed(public.N.Bytes()), "e": packed(big.NewInt(int64(public.E)).Bytes())},
		{"use": "sig", "kty": "EC", "kid": "2", "alg": "ES256", "crv": "P-256", "x": packed(point[1:33]), "y": packed(point[33:])},
	}})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := localcloud.ParseJWKS(raw)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []interface{ Equal(crypto.PublicKey) bool }{public, &curve.PublicKey} {
		if !want.Equal(keys[i]) {
			t.Errorf("key %d is another", i)
		}
	}
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	cloud.TrustIssuer(cluster.URL, keys...)
	if got, err := cloud.Issuers.Verify(cluster.Token("shop", "buyer", "a", time.Hour), "b", "a"); err != nil || got.Subject != "system:serviceaccount:shop:buyer" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "[]", `{"keys":[{"kty":"oct"}]}`, `{"keys":[{"kty":"EC","crv":"P-256"}]}`} {
		if _, err := localcloud.ParseJWKS([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
