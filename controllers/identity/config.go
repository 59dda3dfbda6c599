package identity

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The kinds of provider configs.
const (
	KindProviderConfig        = "ProviderConfig"
	KindClusterProviderConfig = "ClusterProviderConfig"
)

// A Key identifies a provider config. Namespace is empty for a ClusterProviderConfig.
type Key struct{ Kind, Namespace, Name string }

// KeyOf returns the key of the provider config to which an object in a namespace refers.
func KeyOf(ref *v1alpha1.ProviderConfigReference, namespace string) Key {
	if ref.Kind == KindClusterProviderConfig {
		return Key{Kind: KindClusterProviderConfig, Name: ref.Name}
	}
	return Key{Kind: KindProviderConfig, Namespace: namespace, Name: ref.Name}
}

// KeyOfBound returns the key of the provider config that is recorded in the status of an object in a namespace.
func KeyOfBound(by v1alpha1.BoundProviderConfig, namespace string) Key {
	return KeyOf(&v1alpha1.ProviderConfigReference{Kind: by.Kind, Name: by.Name}, namespace)
}

// String returns kind and name, as messages show them.
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
	// databaseCA names the authorities of database servers; nil if the spec names none.
	databaseCA *caSource
	// allowed and direct limit who may use it; they are open on a ProviderConfig.
	allowed func(namespaceLabels map[string]string) bool
	direct  bool
	// invalid is what keeps everybody from using it, but deletions: a spec that makes no sense. Nil if there is nothing.
	invalid error
	// driver is that of the account's cloud, and cloud what it says of itself. Without a driver nothing is known of the cloud, and
	// unsupported refuses everybody: it must not be taken for another.
	driver      driver.Driver
	cloud       driver.Description
	unsupported error
}

// provider is the name of the account's cloud; empty if the account has no block that this version of the API knows.
func (c *config) provider() string { return c.account.Cloud() }

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

// validateUse says why an object that is not being deleted may not use a config. labels are the namespace's, which count for a
// ClusterProviderConfig alone.
func (c *config) validateUse(use Request, labels map[string]string) error {
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

// ownRegions reports whether the config leads to servers whose regions have names of their own.
func (c *config) ownRegions() bool { return c.account.Has(c.cloud.Account.OwnRegions) }
