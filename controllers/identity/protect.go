package identity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/client-go/util/retry"
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

// protections are those of all configs.
type protections struct {
	mu  sync.Mutex
	all map[Key]*protection
}

func (p *protections) of(key Key) *protection {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[Key]*protection{}
	}
	h := p.all[key]
	if h == nil {
		h = &protection{}
		p.all[key] = h
	}
	return h
}

// forget drops what is known of a config that is gone.
func (p *protections) forget(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, key)
}

// A protector retains what deletions will need, and lets go of it after the last user.
type protector struct {
	// client reads provider configs from a cache, and writes; live reads them from the API server.
	client      client.Client
	live        client.Reader
	configs     *resolver
	namespaces  *namespaces
	secrets     secrets
	tokens      *tokenSource
	copies      *copies
	protections *protections
	now         func() time.Time
	protecting  singleflight.Group
}

// ensure makes sure that what a deletion in a namespace will need is retained: the config, by a finalizer, and its credentials,
// by a copy in Mooring's own namespace, of a Secret or of a token. The tenant's Secret gets no finalizer, so that it
// can be replaced by deleting and creating it. It must be called before anything is created in the cloud. All who
// call it at the same time share one attempt, and what was ensured once is not read again.
func (p *protector) ensure(ctx context.Context, key Key, namespace string) error {
	_, err := share(ctx, &p.protecting, key.Namespace+"/"+key.String()+"/"+namespace, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, p.protect(ctx, key, namespace)
	})
	return err
}

// protect is ensure; without a namespace it protects what all namespaces share.
func (p *protector) protect(ctx context.Context, key Key, namespace string) error {
	h := p.protections.of(key)
	h.mu.Lock()
	defer h.mu.Unlock()
	cfg, err := p.configs.load(ctx, p.client, key)
	if err != nil {
		return err
	}
	if cfg.unsupported != nil {
		return cfg.unsupported
	}
	t, err := p.namespaces.tokenTenant(ctx, cfg, namespace)
	if err != nil {
		return err
	}
	if hasFinalizer(cfg) && h.retained.isOf(cfg) && h.hasToken(cfg, t, p.now()) {
		return nil
	}
	// Mooring itself writes the status of a config, and an object would have to be observed again if a conflict ended its reconciliation.
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return p.protectStored(ctx, h, key, namespace) })
}

// protectStored protects a config as the API server has it: a cache that is behind may show a finalizer that is gone.
func (p *protector) protectStored(ctx context.Context, h *protection, key Key, namespace string) error {
	cfg, err := p.configs.load(ctx, p.live, key)
	if err != nil {
		return err
	}
	if cfg.unsupported != nil {
		return cfg.unsupported
	}
	t, err := p.namespaces.tokenTenant(ctx, cfg, namespace)
	if err != nil {
		return err
	}
	if !hasFinalizer(cfg) && !cfg.object.GetDeletionTimestamp().IsZero() {
		return &ValidationError{v1alpha1.ReasonProviderConfigDeleting, fmt.Sprintf("%s is being deleted; use another provider config", cfg.key)}
	}
	known, err := p.copyFor(ctx, h, cfg, t)
	if err != nil {
		return err
	}
	if !hasFinalizer(cfg) {
		stored := cfg.object.DeepCopyObject().(client.Object)
		controllerutil.AddFinalizer(cfg.object, v1alpha1.FinalizerInUse)
		err := p.client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
		if err != nil {
			return err
		}
	}
	h.retained = known
	return nil
}

// copyFor makes the copy for a config, and in it the token of a tenant, if there is one.
func (p *protector) copyFor(ctx context.Context, h *protection, cfg *config, t tenant) (retained, error) {
	if cfg.secret != nil {
		data, err := p.secrets.read(ctx, cfg)
		if err != nil {
			return retained{}, err
		}
		_, err = p.copies.write(ctx, cfg, true, onlySecret(cfg, data))
		h.tokens = nil
		return retainedOf(cfg, data), err
	}
	if t == (tenant{}) {
		return retainedOf(cfg, nil), nil
	}
	fresh, err := p.tokens.token(ctx, cfg.tokenKey(t), renewRetainedAfter)
	if err != nil {
		return retained{}, err
	}
	return retainedOf(cfg, nil), p.copies.writeTokens(ctx, h, cfg, map[tenant]token{t: fresh}, nil)
}

// unprotect undoes Protect, unless users finds an object that uses the config. The copy is deleted first: without the finalizer
// nobody would look for it.
func (p *protector) unprotect(ctx context.Context, cfg *config, users func() (map[string]int, error)) error {
	if !hasFinalizer(cfg) {
		return nil
	}
	h := p.protections.of(cfg.key)
	h.mu.Lock()
	defer h.mu.Unlock()
	// An object that called Protect before this is counted now; one that calls it later protects anew, however far this gets.
	h.retained, h.tokens = retained{}, nil
	if n, err := users(); err != nil || len(n) > 0 {
		return err
	}
	if err := p.copies.drop(ctx, cfg); err != nil {
		return err
	}
	stored := cfg.object.DeepCopyObject().(client.Object)
	controllerutil.RemoveFinalizer(cfg.object, v1alpha1.FinalizerInUse)
	err := p.client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err)
}

func hasFinalizer(cfg *config) bool {
	return controllerutil.ContainsFinalizer(cfg.object, v1alpha1.FinalizerInUse)
}
