package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// anywhere stands for a location where only the account is asked about.
const anywhere = "global"

// enoughRefused is how many tenants the cloud has to deny before the config counts as denied, where each tenant has an identity of
// its own: one that is denied says little about the others.
const enoughRefused = 3

// candidates is how many tenants are looked at for that, at most: most may lack what they have to bring along.
const candidates = 20

// An answer is what the cloud says of a config's account, or why it does not.
type answer struct {
	account driver.AccountID
	message string
	err     error
}

// A verifier finds out to which account a config leads.
type verifier struct {
	namespaces *namespaces
	secrets    secrets
	connector  *connector
	dialer     *dialer
	quotas     *quotas
	// namespace is Mooring's own.
	namespace string
}

func failed(err error) answer { return answer{message: err.Error(), err: err} }

// A question is what is asked about the account of a config: its id, if the answer is as old as age, and how much is used of its quotas, of what objects of the kinds take that
// depend on the config. kinds is nil where nobody asks for that.
type question struct {
	age   time.Duration
	kinds func() ([]string, error)
}

// account returns the account that a config leads to, and what to say of it.
func (v *verifier) account(ctx context.Context, cfg *config, users map[string]int, ask question) answer {
	if !cfg.perTenant() {
		return v.accountOf(ctx, cfg, "", ask)
	}
	var refused []answer
	namespaces := slices.Sorted(maps.Keys(users))
	for _, namespace := range namespaces[:min(candidates, len(namespaces))] {
		a := v.accountOf(ctx, cfg, namespace, ask)
		if isTenantsProblem(a.err) {
			continue
		}
		if driver.CodeOf(a.err) != driver.Denied { // nil too
			return a
		}
		if refused = append(refused, a); len(refused) == enoughRefused {
			break
		}
	}
	if len(refused) > 0 {
		return refused[0]
	}
	if err := v.validateWithoutTenant(ctx, cfg); err != nil {
		return failed(err)
	}
	return answer{
		account: driver.AccountID(cfg.status().AccountID),
		message: "each namespace has its own identity here; Mooring verifies the account once a namespace uses it",
	}
}

// accountOf asks the cloud for the account to which a config leads a namespace.
func (v *verifier) accountOf(ctx context.Context, cfg *config, namespace string, ask question) answer {
	if cfg.unsupported != nil {
		return failed(cfg.unsupported)
	}
	t, err := v.namespaces.tenantOf(ctx, cfg, namespace)
	if err != nil {
		return failed(err)
	}
	conn, err := v.connector.open(ctx, cfg, t, locationOf(cfg), !cfg.object.GetDeletionTimestamp().IsZero())
	if err == nil {
		err = cfg.invalid
	}
	if err != nil {
		return failed(err)
	}
	account, err := conn.verify(ctx, ask.age)
	if err != nil {
		if driver.CodeOf(err) == driver.Denied {
			conn.ReloadCredentials()
		}
		return answer{message: conn.Redact(err.Error()), err: err}
	}
	if ask.kinds != nil {
		if err := v.quotas.ask(ctx, cfg, conn, ask.kinds); err != nil {
			return failed(err)
		}
	}
	return answer{account: account, message: fmt.Sprintf("the credentials lead to account %s", account)}
}

// locationOf returns where to ask about a config's account.
func locationOf(cfg *config) string {
	if region := cfg.region(); region != "" {
		return region
	}
	return anywhere
}

// isTenantsProblem reports whether an error is about what a tenant has to bring along, and says nothing about the config.
func isTenantsProblem(err error) bool {
	refusal, ok := errors.AsType[*ValidationError](err)
	return apierrors.IsNotFound(err) || ok && (refusal.Reason == v1alpha1.ReasonCredentialsNotFound || refusal.Reason == v1alpha1.ReasonDenied)
}

// validateWithoutTenant checks what can be checked of a config before a tenant comes: what its identity begins with, and whether
// the driver takes the rest.
func (v *verifier) validateWithoutTenant(ctx context.Context, cfg *config) error {
	if cfg.unsupported != nil {
		return cfg.unsupported
	}
	if cfg.invalid != nil {
		return cfg.invalid
	}
	var data map[string][]byte
	if cfg.secret != nil {
		var err error
		if data, err = v.secrets.read(ctx, cfg); err != nil {
			return err
		}
	}
	nobody := tenant{namespace: v.namespace, uid: "nobody"} // to open calls no cloud
	_, err := v.dialer.dial(ctx, cfg, cfg.settings(nobody, locationOf(cfg), data, v.dialer.tokenFunc(cfg, nobody, &issued{})), nil)
	return err
}
