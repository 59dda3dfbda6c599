package identity

import (
	"context"
	"fmt"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// held is what this process knows of the hold of one config. Its mutex makes who holds, renews the copy, or lets go
// do so one after the other.
type held struct {
	mu   sync.Mutex
	kept kept // zero: nothing is known
	// tokens are those in the copy, by namespace; nil: not known.
	tokens map[string]keptToken
}

func (s *Store) heldOf(key Key) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds == nil {
		s.holds = map[Key]*held{}
	}
	h := s.holds[key]
	if h == nil {
		h = &held{}
		s.holds[key] = h
	}
	return h
}

// Hold makes sure that what a deletion in a namespace will need stays: the config, by a finalizer, and its credentials,
// by a copy in Mooring's own namespace, of a Secret or of a token. The tenant's Secret bears no finalizer, so that it
// can be replaced by deleting and creating it. It must be called before anything is created in the cloud. All who
// call it at the same time share one attempt, and what was made sure of once is not looked at again.
func (s *Store) Hold(ctx context.Context, key Key, namespace string) error {
	_, err, _ := s.holding.Do(key.Namespace+"/"+key.String()+"/"+namespace, func() (any, error) {
		return nil, s.hold(ctx, key, namespace)
	})
	return err
}

// hold is Hold; without a namespace it holds what all namespaces share.
func (s *Store) hold(ctx context.Context, key Key, namespace string) error {
	h := s.heldOf(key)
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
	if controllerHolds(cfg) && h.kept.isOf(cfg) && h.keeps(cfg, t, s.Now()) {
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
	if !controllerHolds(cfg) && !cfg.object.GetDeletionTimestamp().IsZero() {
		return &Refusal{v1alpha1.ReasonProviderConfigDeleting, fmt.Sprintf("%s is being deleted; use another provider config", cfg.key)}
	}
	known, err := s.copyFor(ctx, h, cfg, t)
	if err != nil {
		return err
	}
	if !controllerHolds(cfg) {
		stored := cfg.object.DeepCopyObject().(client.Object)
		controllerutil.AddFinalizer(cfg.object, v1alpha1.FinalizerInUse)
		err := s.Client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
		if err != nil {
			return err
		}
	}
	h.kept = known
	return nil
}

// copyFor makes the copy for a config, and in it the token of a tenant, if there is one.
func (s *Store) copyFor(ctx context.Context, h *held, cfg *config, t tenant) (kept, error) {
	if cfg.secret != nil {
		data, err := s.readSecret(ctx, cfg)
		if err != nil {
			return kept{}, err
		}
		_, err = s.writeCopy(ctx, cfg, true, onlySecret(cfg, data))
		h.tokens = nil
		return keptOf(cfg, data), err
	}
	if t == (tenant{}) {
		return keptOf(cfg, nil), nil
	}
	fresh, err := s.token(ctx, cfg.tokenKey(t), half)
	if err != nil {
		return kept{}, err
	}
	return keptOf(cfg, nil), s.writeTokens(ctx, h, cfg, map[tenant]token{t: fresh}, nil)
}

// letGo undoes Hold, unless users finds that somebody came. The copy goes first: without the finalizer nobody would
// look for it.
func (s *Store) letGo(ctx context.Context, cfg *config, users func() (map[string]int, error)) error {
	if !controllerHolds(cfg) {
		return nil
	}
	h := s.heldOf(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	// Whoever called Hold before this is counted now, and who calls it later holds anew, however far this gets.
	h.kept, h.tokens = kept{}, nil
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

func controllerHolds(cfg *config) bool {
	return controllerutil.ContainsFinalizer(cfg.object, v1alpha1.FinalizerInUse)
}
