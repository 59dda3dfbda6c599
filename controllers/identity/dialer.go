package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A dialer opens sessions with the clouds, and gives them the tokens that they ask for.
type dialer struct {
	tokens   *tokenSource
	copies   *copies
	limiters *account.Limiters
	// calls returns who is told of the requests to a cloud; nil for nobody.
	calls func(provider string) driver.Calls
	// deniedPause is how long a cloud that refuses an identity is not asked about it again, at most.
	deniedPause time.Duration
	now         func() time.Time
}

// connect fills a new connection.
func (d *dialer) connect(ctx context.Context, conn *Connection, cfg *config, t tenant, data map[string][]byte) (err error) {
	conn.issued = &issued{}
	settings := cfg.settings(t, conn.Location, data, d.tokenFunc(cfg, t, conn.issued))
	conn.Slots = d.slots(cfg)
	if conn.Session, err = d.dial(ctx, cfg, settings, conn.Slots); err != nil {
		return err
	}
	conn.Cloud, conn.Provider, conn.Region, conn.endpoint = cfg.cloud, cfg.provider(), cfg.region(), cfg.endpoint
	conn.Settings = cfg.account
	conn.now, conn.longest = d.now, d.deniedPause
	conn.expected = driver.AccountID(cfg.account.Field(cfg.cloud.Account.ID))
	return nil
}

// dial asks the config's driver for a connection, whose calls are counted against the budgets of the account; slots are nil where none are made.
func (d *dialer) dial(ctx context.Context, cfg *config, settings driver.Opening, slots *account.Source) (driver.Session, error) {
	if cfg.unsupported != nil {
		return nil, cfg.unsupported
	}
	host, _ := settings.Host.(driver.HostFuncs) // none, where no tokens are needed
	if d.calls != nil {
		host.Calls = d.calls(cfg.provider())
	}
	if slots != nil {
		host.Calls = slots.Calls(host.Calls, cfg.cloud.Budgets, settings.Location)
	}
	if host.Calls != nil {
		settings.Host = host
	}
	opened, err := cfg.driver.Open(ctx, settings)
	if err == nil {
		return opened, nil
	}
	message := driver.Redact(err.Error(), secretValues(cfg, settings.Credentials)...)
	if driver.CodeOf(err) == driver.NotFound {
		return nil, &ValidationError{v1alpha1.ReasonInvalid, message}
	}
	return nil, &ValidationError{v1alpha1.ReasonCredentialsInvalid, fmt.Sprintf("%s: %s", cfg.key, message)}
}

// slots returns the slots of the account that a config leads to. Until the cloud says which account that is, the one in the
// config's status, maybe from an earlier process, is good enough for this purpose and for no other.
func (d *dialer) slots(cfg *config) *account.Source {
	name := cfg.key.source()
	first := account.Key{Source: name}
	if last := cfg.status(); last.AccountID != "" && last.Provider == cfg.provider() {
		first = account.Key{Provider: last.Provider, ID: last.AccountID, Endpoint: cfg.endpoint}
	}
	return d.limiters.Source(name, cfg.provider(), first)
}

// tokenFunc returns what a driver gets tokens by, nil for an identity without. Where the tenant's namespace issues none
// any more, the one that is retained for deletions is given: who is not being deleted has no connection by then.
func (d *dialer) tokenFunc(cfg *config, t tenant, given *issued) driver.TokenFunc {
	web := cfg.chain.WebIdentity
	if web == nil {
		return nil
	}
	return func(ctx context.Context, audience string) (string, error) {
		key := tokenKey{t, web.ServiceAccountName, audience}
		current, err := d.tokens.token(ctx, key, renewAfter)
		if refusal, refused := errors.AsType[*ValidationError](err); refused {
			current, err = d.copies.token(ctx, cfg, key, refusal)
		}
		if err != nil {
			return "", withCode(err)
		}
		given.add(current.value)
		return current.value, nil
	}
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
