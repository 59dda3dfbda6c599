package identity

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tenant is the namespace that an identity is for, as it is now: one that is made anew under the same name is another.
// It is zero where all namespaces share one identity.
type tenant struct {
	namespace string
	uid       types.UID
}

// perTenant reports whether each namespace that uses the config is somebody else to the cloud: a token is of a
// ServiceAccount of that namespace, and the session of a role is tagged with it.
func (c *config) perTenant() bool {
	return c.key.Kind == KindClusterProviderConfig && (c.chain.WebIdentity != nil || len(c.chain.AssumeRoles) > 0)
}

// namespaces reads namespaces, and so finds out who a tenant is.
type namespaces struct {
	// cached may be behind; live reads from the API server.
	cached, live client.Reader
}

// tenantOf returns whom a config identifies as when an object of a namespace uses it.
func (n *namespaces) tenantOf(ctx context.Context, cfg *config, namespace string) (tenant, error) {
	switch {
	case cfg.key.Kind == KindProviderConfig && cfg.chained():
		namespace = cfg.key.Namespace
	case !cfg.perTenant(): // keys are whoever's they are, and the config is of one namespace anyway
		return tenant{}, nil
	}
	ns, err := n.read(ctx, namespace)
	if err != nil {
		return tenant{}, err
	}
	return tenant{ns.Name, ns.UID}, nil
}

// tokenTenant returns whose token is retained for a deletion in a namespace: nobody's, if the config signs in without.
func (n *namespaces) tokenTenant(ctx context.Context, cfg *config, namespace string) (tenant, error) {
	if cfg.chain.WebIdentity == nil || namespace == "" {
		return tenant{}, nil
	}
	return n.tenantOf(ctx, cfg, namespace)
}

// validateUse refuses an object that may not use a config. Deletion is never refused.
func (n *namespaces) validateUse(ctx context.Context, c *config, use Request) error {
	if use.Deleting {
		return nil
	}
	if c.key.Kind != KindClusterProviderConfig {
		return c.validateUse(use, nil)
	}
	ns, err := n.read(ctx, use.Namespace)
	if err != nil {
		return err
	}
	return c.validateUse(use, ns.Labels)
}

// read reads a namespace. Where the cache shows one that is leaving, another of that name may have come since, and
// must not be taken for it.
func (n *namespaces) read(ctx context.Context, name string) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := n.cached.Get(ctx, client.ObjectKey{Name: name}, ns)
	if apierrors.IsNotFound(err) || err == nil && !ns.DeletionTimestamp.IsZero() {
		ns = &corev1.Namespace{}
		err = n.live.Get(ctx, client.ObjectKey{Name: name}, ns)
	}
	if err != nil {
		return nil, fmt.Errorf("read namespace %q: %w", name, err)
	}
	return ns, nil
}
