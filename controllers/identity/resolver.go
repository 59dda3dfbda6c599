package identity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A resolver resolves keys to provider configs: it reads them, and finds the drivers of their clouds.
type resolver struct {
	drivers map[string]driver.Driver
	// namespace is Mooring's own, where the Secrets of cluster configs are.
	namespace string
}

// load reads a provider config.
func (r *resolver) load(ctx context.Context, from client.Reader, key Key) (*config, error) {
	if key.Kind == KindClusterProviderConfig {
		o := &v1alpha1.ClusterProviderConfig{}
		if err := get(ctx, from, key, o); err != nil {
			return nil, err
		}
		return r.describe(r.fromCluster(key, o)), nil
	}
	o := &v1alpha1.ProviderConfig{}
	if err := get(ctx, from, key, o); err != nil {
		return nil, err
	}
	c := &config{
		key: key, object: o, account: o.Spec.Account, direct: true, chain: o.Spec.Credentials.IdentityChain,
		databaseCA: caSourceOf(o.Spec.DatabaseCAConfigMapRef, key.Namespace), allowed: func(map[string]string) bool { return true },
	}
	if ref := o.Spec.Credentials.SecretRef; ref != nil {
		c.secret = &client.ObjectKey{Namespace: key.Namespace, Name: ref.Name}
	}
	return r.describe(c), nil
}

func (r *resolver) fromCluster(key Key, o *v1alpha1.ClusterProviderConfig) *config {
	c := &config{key: key, object: o, account: o.Spec.Account, endpoint: o.Spec.Endpoint, direct: o.Spec.DirectUse,
		ambient: o.Spec.Credentials.Ambient != nil, chain: o.Spec.Credentials.IdentityChain,
		databaseCA: caSourceOf(o.Spec.DatabaseCAConfigMapRef, r.namespace)}
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.AllowedNamespaces) // nothing, if there is none
	if err != nil {
		selector = labels.Nothing()
		c.invalid = &ValidationError{v1alpha1.ReasonInvalid, fmt.Sprintf("%s: spec.allowedNamespaces: %v; correct it", key, err)}
	}
	c.allowed = func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }
	if ref := o.Spec.Credentials.SecretRef; ref != nil {
		c.secret = &client.ObjectKey{Namespace: r.namespace, Name: ref.Name}
	}
	return c
}

func get(ctx context.Context, from client.Reader, key Key, into client.Object) error {
	err := from.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, into)
	if apierrors.IsNotFound(err) {
		return &ValidationError{v1alpha1.ReasonProviderConfigNotFound,
			fmt.Sprintf("there is no %s; create it, or change spec.providerConfigRef", key)}
	}
	return err
}

// describe adds to a config the driver of its cloud, or why there is none.
func (r *resolver) describe(c *config) *config {
	drv, ok := r.drivers[c.provider()]
	if !ok {
		c.unsupported = r.unsupported(c)
		return c
	}
	c.driver, c.cloud = drv, drv.Describe()
	return c
}

// unsupported returns the error for a config whose cloud no driver describes.
func (r *resolver) unsupported(c *config) error {
	cloud, known := c.provider(), strings.Join(slices.Sorted(maps.Keys(r.drivers)), ", ")
	if cloud == "" {
		return &ValidationError{v1alpha1.ReasonNotSupported, fmt.Sprintf(
			"%s: its spec has no account of a cloud that this build of Mooring knows (%s); install a release that knows the cloud, or use another provider config", c.key, known)}
	}
	return &ValidationError{v1alpha1.ReasonNotSupported, fmt.Sprintf(
		"%s: this build of Mooring has no driver for %s, only for %s; install a build that has one, or use another provider config", c.key, cloud, known)}
}
