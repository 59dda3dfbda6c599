package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// tokenTenant returns whose token is retained for a deletion in a namespace: nobody's, if the config signs in without.
func (s *Store) tokenTenant(ctx context.Context, cfg *config, namespace string) (tenant, error) {
	if cfg.chain.WebIdentity == nil || namespace == "" {
		return tenant{}, nil
	}
	return s.tenantOf(ctx, cfg, namespace)
}

// hasToken reports whether a tenant's token is known to be in the copy.
func (h *protection) hasToken(cfg *config, t tenant, now time.Time) bool {
	if t == (tenant{}) {
		return true
	}
	k, ok := h.tokens[t.namespace]
	return ok && k.isFor(cfg.tokenKey(t)) && now.Before(k.expires)
}

// retainedToken returns the token that was retained for a deletion. It may be good for less than drivers are promised, as there is
// no other. If it has expired, or there is none, what is refused stays refused.
func (s *Store) retainedToken(ctx context.Context, cfg *config, key tokenKey, refusal *ValidationError) (token, error) {
	data, err := s.readCopy(ctx, cfg)
	if err != nil {
		return token{}, tokenError(key.account, err)
	}
	k, ok := retainedTokens(cfg, data)[key.namespace]
	switch {
	case !ok || !k.isFor(key):
		return token{}, refusal
	case !s.Now().Before(k.expires):
		return token{}, &ValidationError{refusal.Reason, refusal.Message + "; the token that was stored for deletions has expired"}
	}
	return k.token, nil
}

// renewTokens renews the tokens that deletions may need when half their life is gone, and drops those of tenants without
// users. What can't be renewed now is tried again: there is half an hour for it, so it fails nothing else.
func (s *Store) renewTokens(ctx context.Context, cfg *config, users func() (map[string]int, error)) {
	if cfg.chain.WebIdentity == nil || s.supported(cfg) != nil {
		return
	}
	due, left, err := s.dueTokens(ctx, cfg, users)
	if err == nil && (len(due) > 0 || left) {
		err = s.refreshTokens(ctx, cfg, due, users)
	}
	if err != nil {
		logf.FromContext(ctx).Error(err, "tokens that deletions may need were not renewed; Mooring retries at the next reconciliation")
	}
}

// dueTokens returns the tenants whose token is to be renewed, and whether others have left one behind.
func (s *Store) dueTokens(ctx context.Context, cfg *config, users func() (map[string]int, error)) (due []tenant, left bool, err error) {
	h := s.protectionOf(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tokens == nil { // an earlier process retained them
		data, err := s.readCopy(ctx, cfg)
		if err != nil {
			return nil, false, err
		}
		h.tokens = retainedTokens(cfg, data)
	}
	counted, err := users()
	if err != nil {
		return nil, false, err
	}
	for namespace := range h.tokens {
		left = left || counted[namespace] == 0
	}
	for _, namespace := range slices.Sorted(maps.Keys(counted)) {
		t, wanted, err := s.wantsToken(ctx, h, cfg, namespace)
		if apierrors.IsNotFound(err) {
			continue // it has just gone, and its objects with it
		}
		if err != nil {
			return nil, false, err
		}
		if wanted {
			due = append(due, t)
		}
	}
	return due, left, nil
}

// wantsToken reports whether a namespace's token in the copy is old, or is missing: then only a namespace that may use the
// config is given one.
func (s *Store) wantsToken(ctx context.Context, h *protection, cfg *config, namespace string) (tenant, bool, error) {
	ns, err := s.namespace(ctx, namespace)
	if err != nil {
		return tenant{}, false, err
	}
	t := tenant{ns.Name, ns.UID}
	if k, ok := h.tokens[namespace]; ok {
		return t, !k.isFor(cfg.tokenKey(t)) || !k.youngerThan(renewRetainedAfter, s.Now()), nil
	}
	return t, cfg.allowed(ns.Labels), nil
}

// refreshTokens requests tokens for tenants, and writes them into the copy all at once.
func (s *Store) refreshTokens(ctx context.Context, cfg *config, due []tenant, users func() (map[string]int, error)) error {
	var errs []error
	fresh := map[tenant]token{}
	for _, t := range due {
		current, err := s.token(ctx, cfg.tokenKey(t), renewRetainedAfter)
		if _, refused := errors.AsType[*ValidationError](err); refused {
			continue // the namespace has to mend it, or is leaving: its objects say so
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fresh[t] = current
	}
	h := s.protectionOf(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	// An object that called Protect before this is counted now; one that calls it later adds a token after this.
	counted, err := users()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	maps.DeleteFunc(fresh, func(t tenant, _ token) bool { return counted[t.namespace] == 0 })
	return errors.Join(append(errs, s.writeTokens(ctx, h, cfg, fresh, counted))...)
}

// writeTokens puts tokens into the copy, and makes one for them if need be. Of users, unless nil, those who are not among
// them have theirs dropped. The protection's mutex must be locked.
func (s *Store) writeTokens(ctx context.Context, h *protection, cfg *config, fresh map[tenant]token, users map[string]int) error {
	data, err := s.writeCopy(ctx, cfg, len(fresh) > 0, func(copied map[string][]byte) {
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
