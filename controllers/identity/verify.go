package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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

func failed(err error) answer { return answer{message: err.Error(), err: err} }

// account returns the account that a config leads to, and what to say of it.
func (r *Reconciler) account(ctx context.Context, cfg *config, users map[string]int) answer {
	if !cfg.perTenant() {
		return r.accountOf(ctx, cfg, "")
	}
	var refused []answer
	namespaces := slices.Sorted(maps.Keys(users))
	for _, namespace := range namespaces[:min(candidates, len(namespaces))] {
		a := r.accountOf(ctx, cfg, namespace)
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
	if err := r.validateWithoutTenant(ctx, cfg); err != nil {
		return failed(err)
	}
	return answer{
		account: driver.AccountID(cfg.status().AccountID),
		message: "each namespace has its own identity here; Mooring verifies the account once a namespace uses it",
	}
}

// accountOf asks the cloud for the account to which a config leads a namespace.
func (r *Reconciler) accountOf(ctx context.Context, cfg *config, namespace string) answer {
	if err := r.Store.supported(cfg); err != nil {
		return failed(err)
	}
	t, err := r.Store.tenantOf(ctx, cfg, namespace)
	if err != nil {
		return failed(err)
	}
	conn, err := r.Store.open(ctx, cfg, t, locationOf(cfg), !cfg.object.GetDeletionTimestamp().IsZero())
	if err == nil {
		err = cfg.invalid
	}
	if err != nil {
		return failed(err)
	}
	account, err := conn.verify(ctx, r.Check-r.cadence()/2)
	if err != nil {
		if driver.CodeOf(err) == driver.Denied {
			conn.Recheck()
		}
		return answer{message: conn.Redact(err.Error()), err: err}
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
func (r *Reconciler) validateWithoutTenant(ctx context.Context, cfg *config) error {
	if err := r.Store.supported(cfg); err != nil {
		return err
	}
	if cfg.invalid != nil {
		return cfg.invalid
	}
	var data map[string][]byte
	if cfg.secret != nil {
		var err error
		if data, err = r.Store.readSecret(ctx, cfg); err != nil {
			return err
		}
	}
	nobody := tenant{namespace: r.Store.Namespace, uid: "nobody"} // to open calls no cloud
	_, err := r.Store.dial(ctx, cfg, cfg.settings(nobody, locationOf(cfg), data, r.Store.tokenFunc(cfg, nobody, &issued{})))
	return err
}
