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

// Kinds of provider configs.
const (
	KindProviderConfig        = "ProviderConfig"
	KindClusterProviderConfig = "ClusterProviderConfig"
)

// A Key names a provider config. Namespace is empty for a ClusterProviderConfig.
type Key struct{ Kind, Namespace, Name string }

// KeyOf returns the key of what a reference in a namespace means.
func KeyOf(ref *v1alpha1.ProviderConfigReference, namespace string) Key {
	if ref.Kind == KindClusterProviderConfig {
		return Key{Kind: KindClusterProviderConfig, Name: ref.Name}
	}
	return Key{Kind: KindProviderConfig, Namespace: namespace, Name: ref.Name}
}

// KeyOfBound returns the key of the config that an object in a namespace is bound by.
func KeyOfBound(by v1alpha1.BoundProviderConfig, namespace string) Key {
	return KeyOf(&v1alpha1.ProviderConfigReference{Kind: by.Kind, Name: by.Name}, namespace)
}

// String returns the key as people know it.
func (k Key) String() string { return k.Kind + " " + k.Name }

// source is the key as the account limiters know it.
func (k Key) source() string { return k.Kind + "/" + k.Namespace + "/" + k.Name }

// config is a provider config of either kind, as the rest of the package sees it.
type config struct {
	key      Key
	object   client.Object
	account  v1alpha1.Account
	endpoint string
	// secret is the Secret that holds the credentials; nil if the identity begins otherwise.
	secret *client.ObjectKey
	// ambient: the identity begins with Mooring's own.
	ambient bool
	// chain are the steps from there.
	chain v1alpha1.IdentityChain
	// allowed and direct limit who may use it; they are open on a ProviderConfig.
	allowed func(namespaceLabels map[string]string) bool
	direct  bool
	// invalid is what keeps everybody from using it, but deletions: a spec that makes no sense. Nil if there is nothing.
	invalid error
	// driver is that of the account's cloud, and cloud what it says of itself. Without a driver nothing is known of the cloud.
	driver driver.Driver
	cloud  driver.Description
}

// provider is the name of the account's cloud; empty if the account has no block that this version of the API knows.
func (c *config) provider() string { return c.account.Cloud() }

// supported refuses a config whose cloud no driver describes: it must not be taken for another.
func (s *Store) supported(c *config) error {
	if c.driver != nil {
		return nil
	}
	cloud, known := c.provider(), strings.Join(slices.Sorted(maps.Keys(s.Drivers)), ", ")
	if cloud == "" {
		return &ValidationError{v1alpha1.ReasonNotSupported, fmt.Sprintf(
			"%s: its spec has no account of a cloud that this build of Mooring knows (%s); install a release that knows the cloud, or use another provider config", c.key, known)}
	}
	return &ValidationError{v1alpha1.ReasonNotSupported, fmt.Sprintf(
		"%s: this build of Mooring has no driver for %s, only for %s; install a build that has one, or use another provider config", c.key, cloud, known)}
}

// find finds the driver of a config's cloud.
func (s *Store) find(c *config) *config {
	if drv, ok := s.Drivers[c.provider()]; ok {
		c.driver, c.cloud = drv, drv.Describe()
	}
	return c
}

func (c *config) status() *v1alpha1.ProviderConfigStatus {
	switch o := c.object.(type) {
	case *v1alpha1.ProviderConfig:
		return &o.Status
	case *v1alpha1.ClusterProviderConfig:
		return &o.Status
	default:
		panic(fmt.Sprintf("no provider config: %T", o))
	}
}

// load reads a provider config.
func (s *Store) load(ctx context.Context, from client.Reader, key Key) (*config, error) {
	if key.Kind == KindClusterProviderConfig {
		o := &v1alpha1.ClusterProviderConfig{}
		if err := get(ctx, from, key, o); err != nil {
			return nil, err
		}
		return s.find(s.fromCluster(key, o)), nil
	}
	o := &v1alpha1.ProviderConfig{}
	if err := get(ctx, from, key, o); err != nil {
		return nil, err
	}
	c := &config{
		key: key, object: o, account: o.Spec.Account, direct: true, chain: o.Spec.Credentials.IdentityChain,
		allowed: func(map[string]string) bool { return true },
	}
	if ref := o.Spec.Credentials.SecretRef; ref != nil {
		c.secret = &client.ObjectKey{Namespace: key.Namespace, Name: ref.Name}
	}
	return s.find(c), nil
}

func (s *Store) fromCluster(key Key, o *v1alpha1.ClusterProviderConfig) *config {
	c := &config{key: key, object: o, account: o.Spec.Account, endpoint: o.Spec.Endpoint, direct: o.Spec.DirectUse,
		ambient: o.Spec.Credentials.Ambient != nil, chain: o.Spec.Credentials.IdentityChain}
	selector, err := metav1.LabelSelectorAsSelector(o.Spec.AllowedNamespaces) // nothing, if there is none
	if err != nil {
		selector = labels.Nothing()
		c.invalid = &ValidationError{v1alpha1.ReasonInvalid, fmt.Sprintf("%s: spec.allowedNamespaces: %v; correct it", key, err)}
	}
	c.allowed = func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }
	if ref := o.Spec.Credentials.SecretRef; ref != nil {
		c.secret = &client.ObjectKey{Namespace: s.Namespace, Name: ref.Name}
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

// validateUse refuses an object that may not use a config. Deletion is never refused.
func (s *Store) validateUse(ctx context.Context, c *config, use Use) error {
	if use.Deleting {
		return nil
	}
	if c.key.Kind != KindClusterProviderConfig {
		return c.validateUse(use, nil)
	}
	ns, err := s.namespace(ctx, use.Namespace)
	if err != nil {
		return err
	}
	return c.validateUse(use, ns.Labels)
}

// validateUse says why an object that is not being deleted may not use a config. labels are the namespace's, which count for a
// ClusterProviderConfig alone.
func (c *config) validateUse(use Use, labels map[string]string) error {
	if c.invalid != nil {
		return c.invalid
	}
	if !c.object.GetDeletionTimestamp().IsZero() && !use.Bound {
		return &ValidationError{v1alpha1.ReasonProviderConfigDeleting, fmt.Sprintf("%s is being deleted; use another provider config", c.key)}
	}
	if !c.direct && !use.ByClass {
		return &ValidationError{v1alpha1.ReasonProviderConfigNotAllowed,
			fmt.Sprintf("%s can be used through a class only; set spec.className, or ask your platform team", c.key)}
	}
	if !c.allowed(labels) {
		return &ValidationError{v1alpha1.ReasonProviderConfigNotAllowed,
			fmt.Sprintf("%s is not allowed in namespace %s; ask your platform team, or use another provider config", c.key, use.Namespace)}
	}
	return nil
}

// chained reports whether it takes steps, and so a session, to reach the identity.
func (c *config) chained() bool {
	return c.chain.WebIdentity != nil || len(c.chain.AssumeRoles) > 0 || c.chain.ImpersonateServiceAccount != ""
}

// secretName says which Secret holds the credentials. Of a platform's it says where, or people would make it where they are.
func (c *config) secretName() string {
	if c.key.Kind == KindClusterProviderConfig {
		return fmt.Sprintf("Secret %s in namespace %s, which is your platform team's,", c.secret.Name, c.secret.Namespace)
	}
	return "Secret " + c.secret.Name
}

// region returns where objects are made that name no location.
func (c *config) region() string { return c.account.Field(c.cloud.Account.Region) }
