package identity

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// A renewer keeps the private copies up to date: with the Secret, and with tokens that are not old.
type renewer struct {
	namespaces  *namespaces
	tokens      *tokenSource
	copies      *copies
	protections *protections
	now         func() time.Time
}

// renewSecret brings the private copy up to date with the Secret. It creates none: a cache that is behind may
// show the finalizer on a config whose last user is gone, and nobody would delete the copy. If it is missing, the next Protect
// creates it.
func (r *renewer) renewSecret(ctx context.Context, cfg *config, data map[string][]byte) error {
	h := r.protections.of(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	current := retainedOf(cfg, data)
	if h.retained == current {
		return nil
	}
	written, err := r.copies.write(ctx, cfg, false, onlySecret(cfg, data))
	if err != nil {
		return err
	}
	switch {
	case written == nil:
		h.retained = retained{}
	case h.retained.uid == current.uid: // else Protect decides whether something is missing
		h.retained = current
	}
	h.tokens = nil
	return nil
}

// renewTokens renews the tokens that deletions may need when half their life is gone, and drops those of tenants without
// users. What can't be renewed now is tried again: there is half an hour for it, so it fails nothing else.
func (r *renewer) renewTokens(ctx context.Context, cfg *config, users func() (map[string]int, error)) {
	if cfg.chain.WebIdentity == nil || cfg.unsupported != nil {
		return
	}
	due, left, err := r.dueTokens(ctx, cfg, users)
	if err == nil && (len(due) > 0 || left) {
		err = r.refreshTokens(ctx, cfg, due, users)
	}
	if err != nil {
		logf.FromContext(ctx).Error(err, "tokens that deletions may need were not renewed; Mooring retries at the next reconciliation")
	}
}

// dueTokens returns the tenants whose token is to be renewed, and whether others have left one behind.
func (r *renewer) dueTokens(ctx context.Context, cfg *config, users func() (map[string]int, error)) (due []tenant, left bool, err error) {
	h := r.protections.of(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tokens == nil { // an earlier process retained them
		data, err := r.copies.read(ctx, cfg)
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
		t, wanted, err := r.wantsToken(ctx, h, cfg, namespace)
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
func (r *renewer) wantsToken(ctx context.Context, h *protection, cfg *config, namespace string) (tenant, bool, error) {
	ns, err := r.namespaces.read(ctx, namespace)
	if err != nil {
		return tenant{}, false, err
	}
	t := tenant{ns.Name, ns.UID}
	if k, ok := h.tokens[namespace]; ok {
		return t, !k.isFor(cfg.tokenKey(t)) || !k.youngerThan(renewRetainedAfter, r.now()), nil
	}
	return t, cfg.allowed(ns.Labels), nil
}

// refreshTokens requests tokens for tenants, and writes them into the copy all at once.
func (r *renewer) refreshTokens(ctx context.Context, cfg *config, due []tenant, users func() (map[string]int, error)) error {
	var errs []error
	fresh := map[tenant]token{}
	for _, t := range due {
		current, err := r.tokens.token(ctx, cfg.tokenKey(t), renewRetainedAfter)
		if _, refused := errors.AsType[*ValidationError](err); refused {
			continue // the namespace has to mend it, or is leaving: its objects say so
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fresh[t] = current
	}
	h := r.protections.of(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	// An object that called Protect before this is counted now; one that calls it later adds a token after this.
	counted, err := users()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	maps.DeleteFunc(fresh, func(t tenant, current token) bool {
		return counted[t.namespace] == 0 || h.hasNewer(cfg.tokenKey(t), current)
	})
	return errors.Join(append(errs, r.copies.writeTokens(ctx, h, cfg, fresh, counted))...)
}
