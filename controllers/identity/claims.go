package identity

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// claims is what a token says of itself. Nobody's word is taken for it but that of the private copy, which Mooring wrote.
type claims struct {
	Subject  string   `json:"sub"`
	Audience []string `json:"aud"`
	Issued   float64  `json:"iat"`
	Expires  float64  `json:"exp"`
}

// parse returns a token with its times, and what it claims; zero ones if it can't be read.
func parse(value string) (token, claims) {
	var c claims
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return token{}, claims{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &c) != nil {
		return token{}, claims{}
	}
	return token{value, time.Unix(int64(c.Issued), 0), time.Unix(int64(c.Expires), 0)}, c
}

// are reports whether a token is for what a key asks for.
func (c claims) are(key tokenKey) bool {
	return c.Subject == "system:serviceaccount:"+key.namespace+":"+key.account && slices.Contains(c.Audience, key.audience)
}

// A retainedToken is what is known of a token in the private copy.
type retainedToken struct {
	token
	claims claims
	// uid is of the tenant that it was retained for; empty if an earlier process did.
	uid types.UID
}

// retainedTokens returns the tokens in a private copy, by namespace.
func retainedTokens(cfg *config, data map[string][]byte) map[string]retainedToken {
	all := map[string]retainedToken{}
	for name, value := range data {
		if namespace, ok := tokenNamespace(cfg, name); ok {
			t, c := parse(string(value))
			all[namespace] = retainedToken{token: t, claims: c}
		}
	}
	return all
}

// isFor reports whether it is what a deletion of a tenant would need.
func (k retainedToken) isFor(key tokenKey) bool {
	return k.claims.are(key) && (k.uid == "" || k.uid == key.uid)
}

// Keys of the private copy that hold tokens: one for a team's config, one a namespace for a platform's.
const (
	keyToken    = "token"
	tokenPrefix = keyToken + "."
)

// tokenName returns the key of the private copy that holds a namespace's token.
func tokenName(cfg *config, namespace string) string {
	if cfg.key.Kind == KindProviderConfig {
		return keyToken
	}
	return tokenPrefix + namespace
}

// tokenNamespace undoes tokenName; not ok says that a key holds no token.
func tokenNamespace(cfg *config, name string) (namespace string, ok bool) {
	if cfg.key.Kind == KindProviderConfig {
		return cfg.key.Namespace, name == keyToken
	}
	return strings.CutPrefix(name, tokenPrefix)
}

// tokenKey returns whose tokens a tenant of a config with a web identity signs in with.
func (c *config) tokenKey(t tenant) tokenKey {
	return tokenKey{t, c.chain.WebIdentity.ServiceAccountName, c.cloud.Audience.Of(c.chain.WebIdentity)}
}
