package identity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Store hands out connections. It is safe for concurrent use.
type Store struct {
	// Client reads provider configs and namespaces from a cache, and writes.
	Client client.Client
	// Reader reads Secrets and ServiceAccounts, one by one, and what must not be old, from the API server.
	Reader client.Reader
	// Drivers are the clouds, by the name in a provider config.
	Drivers map[string]driver.Driver
	// Namespace is Mooring's own: the credentials of cluster configs are there, and private copies.
	Namespace string
	// Refresh is how long credentials are used before their Secret, or ServiceAccount, is read again.
	Refresh time.Duration
	// DeniedPause is how long a cloud that refuses an identity is not asked about it again, at most. The pauses grow up to that.
	DeniedPause time.Duration
	// Limiters limit how many objects of one account are reconciled at once.
	Limiters *account.Limiters
	// Calls returns who is told of the requests to a cloud; nil for nobody.
	Calls func(provider string) driver.Calls
	Now   func() time.Time

	mu          sync.Mutex
	conns       pool
	protections map[Key]*protection
	protecting  singleflight.Group
	tokens      tokens
}

// Use says who asks for a connection, and for what.
type Use struct {
	Key       Key
	Namespace string
	// Location is the object's own; empty for the config's region.
	Location string
	// ByClass: the config was named by the object's class, not by the object.
	ByClass bool
	// Bound: the object has a name in the cloud; Deleting: it is being deleted.
	Bound    bool
	Deleting bool
}

// Connect returns the connection for a use. An error of type *ValidationError is for a person to correct.
func (s *Store) Connect(ctx context.Context, use Use) (*Connection, error) {
	cfg, err := s.load(ctx, s.Client, use.Key)
	if err != nil {
		return nil, err
	}
	if err := s.validateUse(ctx, cfg, use); err != nil {
		return nil, err
	}
	if err := s.supported(cfg); err != nil {
		return nil, err
	}
	location := use.Location
	if location == "" {
		location = cfg.region()
	}
	if location == "" {
		return nil, &ValidationError{v1alpha1.ReasonInvalid,
			fmt.Sprintf("there is no location: set spec.location, or a region in %s", cfg.key)}
	}
	t, err := s.tenantOf(ctx, cfg, use.Namespace)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, cfg, t, location, use.Deleting)
}

// slots returns the slots of the account that a config leads to. Until the cloud says which account that is, the one in the
// config's status, maybe from an earlier process, is good enough for this purpose and for no other.
func (s *Store) slots(cfg *config) *account.Source {
	name := cfg.key.source()
	first := account.Key{Source: name}
	if last := cfg.status(); last.AccountID != "" && last.Provider == cfg.provider() {
		first = account.Key{Provider: last.Provider, ID: last.AccountID, Endpoint: cfg.endpoint}
	}
	return s.Limiters.Source(name, cfg.provider(), first)
}

// forget drops what is known of a config that is gone.
func (s *Store) forget(key Key) {
	s.Limiters.Forget(key.source())
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.protections, key)
	s.conns.forget(key)
}
