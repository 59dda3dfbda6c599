package identity

import (
	"context"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// hasToken reports whether a tenant's token is known to be in the copy.
func (h *protection) hasToken(cfg *config, t tenant, now time.Time) bool {
	if t == (tenant{}) {
		return true
	}
	k, ok := h.tokens[t.namespace]
	return ok && k.isFor(cfg.tokenKey(t)) && now.Before(k.expires)
}

// hasNewer reports whether the copy has a token for the same use that was issued since: the namespace was made anew meanwhile, and protected
// again. Both times are by the API server's clock.
func (h *protection) hasNewer(key tokenKey, than token) bool {
	issued, _ := parse(than.value)
	k, ok := h.tokens[key.namespace]
	return ok && k.claims.are(key) && k.issued.After(issued.issued)
}

// token returns the token that was retained for a deletion. It may be good for less than drivers are promised, as there is
// no other. If it has expired, or there is none, what is refused stays refused.
func (c *copies) token(ctx context.Context, cfg *config, key tokenKey, refusal *ValidationError) (token, error) {
	data, err := c.read(ctx, cfg)
	if err != nil {
		return token{}, tokenError(key.account, err)
	}
	k, ok := retainedTokens(cfg, data)[key.namespace]
	switch {
	case !ok || !k.isFor(key):
		return token{}, refusal
	case !c.now().Before(k.expires):
		return token{}, &ValidationError{refusal.Reason, refusal.Message + "; the token that was stored for deletions has expired"}
	}
	return k.token, nil
}

// writeTokens puts tokens into the copy, and makes one for them if need be. Of users, unless nil, those who are not among
// them have theirs dropped. The protection's mutex must be locked.
func (c *copies) writeTokens(ctx context.Context, h *protection, cfg *config, fresh map[tenant]token, users map[string]int) error {
	data, err := c.write(ctx, cfg, len(fresh) > 0, func(copied map[string][]byte) {
		maps.DeleteFunc(copied, func(name string, _ []byte) bool {
			namespace, ok := tokenNamespace(cfg, name)
			return !ok || users != nil && users[namespace] == 0 // not ok: the config began with a Secret before
		})
		for t, current := range fresh {
			copied[tokenName(cfg, t.namespace)] = []byte(current.value)
		}
	})
	if err != nil {
		return fmt.Errorf("store tokens for deletions: %w", err)
	}
	h.recordTokens(cfg, data, fresh)
	return nil
}

// recordTokens records what is in the copy now.
func (h *protection) recordTokens(cfg *config, data map[string][]byte, fresh map[tenant]token) {
	uids := map[string]types.UID{}
	for namespace, k := range h.tokens {
		uids[namespace] = k.uid
	}
	for t := range fresh {
		uids[t.namespace] = t.uid
	}
	if h.retained.uid == cfg.object.GetUID() { // else Protect decides whether something is missing
		h.retained = retainedOf(cfg, nil) // what there was of a Secret is gone
	}
	h.tokens = retainedTokens(cfg, data)
	for namespace, k := range h.tokens {
		k.uid = uids[namespace]
		h.tokens[namespace] = k
	}
}
