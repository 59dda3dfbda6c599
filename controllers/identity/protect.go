package identity

import (
	"context"
	"fmt"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// protection is what this process knows of how one config is protected. Its mutex makes those who protect, renew the copy or
// unprotect do so one after the other.
type protection struct {
	mu       sync.Mutex
	retained retained // zero: nothing is known
	// tokens are those in the copy, by namespace; nil: not known.
	tokens map[string]retainedToken
}

func (s *Store) protectionOf(key Key) *protection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.protections == nil {
		s.protections = map[Key]*protection{}
	}
	h := s.protections[key]
	if h == nil {
		h = &protection{}
		s.protections[key] = h
	}
	return h
}

// Protect makes sure that what a deletion in a namespace will need is retained: the config, by a finalizer, and its credentials,
// by a copy in Mooring's own namespace, of a Secret or of a token. The tenant's Secret gets no finalizer, so that it
// can be replaced by deleting and creating it. It must be called before anything is created in the cloud. All who
// call it at the same time share one attempt, and what was ensured once is not read again.
func (s *Store) Protect(ctx context.Context, key Key, namespace string) error {
	_, err, _ := s.protecting.Do(key.Namespace+"/"+key.String()+"/"+namespace, func() (any, error) {
		return nil, s.protect(ctx, key, namespace)
	})
	return err
}

// protect is Protect; without a namespace it protects what all namespaces share.
func (s *Store) protect(ctx context.Context, key Key, namespace string) error {
	h := s.protectionOf(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	cfg, err := s.load(ctx, s.Client, key)
	if err != nil {
		return err
	}
	if err := s.supported(cfg); err != nil {
		return err
	}
	t, err := s.tokenTenant(ctx, cfg, namespace)
	if err != nil {
		return err
	}
	if hasFinalizer(cfg) && h.retained.isOf(cfg) && h.hasToken(cfg, t, s.Now()) {
		return nil
	}
	// A cache that is behind may show a finalizer that is gone.
	if cfg, err = s.load(ctx, s.Reader, key); err != nil {
		return err
	}
	if err := s.supported(cfg); err != nil {
		return err
	}
	if t, err = s.tokenTenant(ctx, cfg, namespace); err != nil {
		return err
	}
	if !hasFinalizer(cfg) && !cfg.object.GetDeletionTimestamp().IsZero() {
		return &ValidationError{v1alpha1.ReasonProviderConfigDeleting, fmt.Sprintf("%s is being deleted; use another provider config", cfg.key)}
	}
	known, err := s.copyFor(ctx, h, cfg, t)
	if err != nil {
		return err
	}
	if !hasFinalizer(cfg) {
		stored := cfg.object.DeepCopyObject().(client.Object)
		controllerutil.AddFinalizer(cfg.object, v1alpha1.FinalizerInUse)
		err := s.Client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
		if err != nil {
			return err
		}
	}
	h.retained = known
	return nil
}

// copyFor makes the copy for a config, and in it the token of a tenant, if there is one.
func (s *Store) copyFor(ctx context.Context, h *protection, cfg *config, t tenant) (retained, error) {
	if cfg.secret != nil {
		data, err := s.readSecret(ctx, cfg)
		if err != nil {
			return retained{}, err
		}
		_, err = s.writeCopy(ctx, cfg, true, onlySecret(cfg, data))
		h.tokens = nil
		return retainedOf(cfg, data), err
	}
	if t == (tenant{}) {
		return retainedOf(cfg, nil), nil
	}
	fresh, err := s.token(ctx, cfg.tokenKey(t), renewRetainedAfter)
	if err != nil {
		return retained{}, err
	}
	return retainedOf(cfg, nil), s.writeTokens(ctx, h, cfg, map[tenant]token{t: fresh}, nil)
}

// unprotect undoes Protect, unless users finds an object that uses the config. The copy is deleted first: without the finalizer
// nobody would look for it.
func (s *Store) unprotect(ctx context.Context, cfg *config, users func() (map[string]int, error)) error {
	if !hasFinalizer(cfg) {
		return nil
	}
	h := s.protectionOf(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	// An object that called Protect before this is counted now; one that calls it later protects anew, however far this gets.
	h.retained, h.tokens = retained{}, nil
	if n, err := users(); err != nil || len(n) > 0 {
		return err
	}
	if err := s.dropCopy(ctx, cfg); err != nil {
		return err
	}
	stored := cfg.object.DeepCopyObject().(client.Object)
	controllerutil.RemoveFinalizer(cfg.object, v1alpha1.FinalizerInUse)
	err := s.Client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err)
}

func hasFinalizer(cfg *config) bool {
	return controllerutil.ContainsFinalizer(cfg.object, v1alpha1.FinalizerInUse)
}
