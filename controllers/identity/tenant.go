package identity

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/providers/driver"
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

// tenantOf returns whom a config identifies as when an object of a namespace uses it.
func (s *Store) tenantOf(ctx context.Context, cfg *config, namespace string) (tenant, error) {
	switch {
	case cfg.key.Kind == KindProviderConfig && cfg.chained():
		namespace = cfg.key.Namespace
	case !cfg.perTenant(): // keys are whoever's they are, and the config is of one namespace anyway
		return tenant{}, nil
	}
	ns, err := s.namespace(ctx, namespace)
	if err != nil {
		return tenant{}, err
	}
	return tenant{ns.Name, ns.UID}, nil
}

// namespace reads a namespace. Where the cache shows one that is leaving, another of that name may have come since, and
// must not be taken for it.
func (s *Store) namespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := s.Client.Get(ctx, client.ObjectKey{Name: name}, ns)
	if apierrors.IsNotFound(err) || err == nil && !ns.DeletionTimestamp.IsZero() {
		ns = &corev1.Namespace{}
		err = s.Reader.Get(ctx, client.ObjectKey{Name: name}, ns)
	}
	if err != nil {
		return nil, fmt.Errorf("read namespace %q: %w", name, err)
	}
	return ns, nil
}

// settings returns what a driver opens the config's account with.
func (c *config) settings(t tenant, location string, credentials map[string][]byte, token driver.TokenFunc) driver.Opening {
	with := driver.Opening{
		Config: driver.Config{
			Account: c.account, Location: location, Endpoint: c.endpoint, Ambient: c.ambient, Chain: c.chain,
			Tenant: driver.Tenant{Namespace: t.namespace, NamespaceUID: string(t.uid), ProviderConfig: c.key.Name},
		},
		Credentials: credentials,
	}
	if token != nil {
		with.Host = driver.HostFuncs{Tokens: token}
	}
	return with
}
