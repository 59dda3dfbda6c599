package identity

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Options configure a Store.
type Options struct {
	// Client reads provider configs and namespaces from a cache, and writes to the API server.
	Client client.Client
	// Reader reads from the API server: Secrets and ServiceAccounts, one by one, and what must be up to date.
	Reader client.Reader
	// Drivers are the drivers by the name of the cloud, as a provider config has it.
	Drivers map[string]driver.Driver
	// Namespace is Mooring's own namespace. It has the credentials of ClusterProviderConfigs and the retained copies of
	// all credentials.
	Namespace string
	// Refresh is how long credentials are used before their Secret or ServiceAccount is read again.
	Refresh time.Duration
	// DeniedPause is the longest wait before an identity that the cloud denied is tried again. The waits grow up to it.
	DeniedPause time.Duration
	// Limiters limit how many objects of one account are reconciled at once.
	Limiters *account.Limiters
	// Calls returns a hook that records the requests to a cloud; it may return nil.
	Calls func(provider string) driver.Calls
	Now   func() time.Time
}

// A Store returns connections, and protects the credentials and configs that they depend on. It is safe for concurrent
// use.
type Store struct {
	limiters  *account.Limiters
	client    client.Client
	configs   *resolver
	tenants   *namespaces
	protector *protector
	renewer   *renewer
	connector *connector
	verifier  *verifier
	// authorities are those of database servers.
	authorities *authorities
}

// New returns a Store with options.
func New(o Options) *Store {
	configs := &resolver{drivers: o.Drivers, namespace: o.Namespace}
	tenants := &namespaces{cached: o.Client, live: o.Reader}
	secrets, accounts := secrets{o.Reader}, serviceAccounts{o.Reader}
	tokens := &tokenSource{client: o.Client, accounts: accounts, now: o.Now}
	copies := &copies{client: o.Client, live: o.Reader, namespace: o.Namespace, now: o.Now}
	known := &protections{}
	renewer := &renewer{namespaces: tenants, tokens: tokens, copies: copies, protections: known, now: o.Now}
	dialer := &dialer{tokens: tokens, copies: copies, limiters: o.Limiters, calls: o.Calls, deniedPause: o.DeniedPause, now: o.Now}
	authorities := &authorities{live: o.Reader}
	connector := &connector{
		pool: &pool{}, credentials: &credentials{secrets: secrets, accounts: accounts, copies: copies, renewer: renewer},
		tokens: tokens, dialer: dialer, authorities: authorities, refresh: o.Refresh, now: o.Now,
	}
	return &Store{
		limiters: o.Limiters, client: o.Client, configs: configs, tenants: tenants, renewer: renewer, connector: connector, authorities: authorities,
		protector: &protector{
			client: o.Client, live: o.Reader, configs: configs, namespaces: tenants, secrets: secrets, tokens: tokens, copies: copies,
			protections: known, now: o.Now,
		},
		verifier: &verifier{namespaces: tenants, secrets: secrets, connector: connector, dialer: dialer, namespace: o.Namespace, quotas: &quotas{now: o.Now}},
	}
}

// A Request says which object needs a connection, and which provider config it uses.
type Request struct {
	Key       Key
	Namespace string
	// Location is the object's location. If it is empty, the region of the provider config is used.
	Location string
	// ByClass: the object's class names the provider config, not the object itself.
	ByClass bool
	// Bound: the object has a name in the cloud. Deleting: the object is being deleted.
	Bound    bool
	Deleting bool
}

// Connect returns the connection for a request. An error of type *ValidationError is for a person to correct.
func (s *Store) Connect(ctx context.Context, use Request) (*Connection, error) {
	cfg, err := s.configs.load(ctx, s.client, use.Key)
	if err != nil {
		return nil, err
	}
	if err := s.tenants.validateUse(ctx, cfg, use); err != nil {
		return nil, err
	}
	if cfg.unsupported != nil {
		return nil, cfg.unsupported
	}
	location := use.Location
	if location == "" {
		location = cfg.region()
	}
	if location == "" {
		return nil, &ValidationError{v1alpha1.ReasonInvalid,
			fmt.Sprintf("there is no location: set spec.location, or a region in %s", cfg.key)}
	}
	t, err := s.tenants.tenantOf(ctx, cfg, use.Namespace)
	if err != nil {
		return nil, err
	}
	return s.connector.open(ctx, cfg, t, location, use.Deleting)
}

// NamespaceUID returns the uid of the namespace in which an object was created. created is the object's creation time.
//
// Nothing is created in a namespace that is being deleted. So if the cached namespace was not being deleted at that
// time, it is the object's. Otherwise the API server is asked, as for the zero time, which stands for now.
func (s *Store) NamespaceUID(ctx context.Context, name string, created time.Time) (string, error) {
	ns := &corev1.Namespace{}
	if !created.IsZero() {
		switch err := s.client.Get(ctx, client.ObjectKey{Name: name}, ns); {
		case err == nil && (ns.DeletionTimestamp.IsZero() || created.Before(ns.DeletionTimestamp.Time)):
			return string(ns.UID), nil
		case err != nil && !apierrors.IsNotFound(err):
			return "", fmt.Errorf("read namespace %q: %w", name, err)
		}
	}
	if err := s.tenants.live.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
		return "", fmt.Errorf("read namespace %q: %w", name, err)
	}
	return string(ns.UID), nil
}

// Protect retains what a later deletion in the namespace needs: the provider config, by a finalizer, and its
// credentials, by a copy in Mooring's own namespace. Call it before anything is created in the cloud. An error of type
// *ValidationError is for a person to correct.
func (s *Store) Protect(ctx context.Context, key Key, namespace string) error {
	return s.protector.ensure(ctx, key, namespace)
}

// forget drops what is known of a config that is gone.
func (s *Store) forget(key Key) {
	s.limiters.Forget(key.source())
	s.protector.protections.forget(key)
	s.connector.pool.forget(key)
	s.verifier.quotas.forget(key)
}

// Quotas returns the usage of the quotas of all accounts to which provider configs lead, where the cloud reports it.
func (s *Store) Quotas() []Quota { return s.verifier.quotas.all() }
