package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// credentials reads the Secret of a config, or asks whether its ServiceAccount is to be used; ambient credentials are there
// anyway. A deletion may use the private copy in their place; then missing says what is wrong with them.
func (s *Store) credentials(ctx context.Context, cfg *config, t tenant, deleting bool) (data map[string][]byte, missing, err error) {
	if web := cfg.chain.WebIdentity; web != nil {
		err = s.checkConsent(ctx, t.namespace, web.ServiceAccountName)
		if refusal, refused := errors.AsType[*ValidationError](err); refused && deleting {
			_, err := s.retainedToken(ctx, cfg, cfg.tokenKey(t), refusal)
			return nil, refusal, err
		}
		return nil, nil, err
	}
	if cfg.secret == nil {
		return nil, nil, nil
	}
	data, err = s.readSecret(ctx, cfg)
	if _, refused := errors.AsType[*ValidationError](err); refused && deleting {
		copied, copyErr := s.readCopy(ctx, cfg)
		if copyErr != nil {
			return nil, nil, copyErr
		}
		if missingKey(cfg, copied) == "" {
			return copied, err, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if hasFinalizer(cfg) {
		if err := s.renewCopy(ctx, cfg, data); err != nil {
			return nil, nil, err
		}
	}
	return data, nil, nil
}

// readSecret returns what the Secret of a config holds. It refuses one that is not whole: a Secret is often emptied
// before it is deleted.
func (s *Store) readSecret(ctx context.Context, cfg *config) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, *cfg.secret, secret)
	if apierrors.IsNotFound(err) {
		return nil, &ValidationError{v1alpha1.ReasonCredentialsNotFound,
			fmt.Sprintf("%s: there is no %s with its credentials; create it", cfg.key, cfg.secretName())}
	}
	if err != nil {
		return nil, fmt.Errorf("read credentials of %s: %w", cfg.key, err)
	}
	if key := missingKey(cfg, secret.Data); key != "" {
		return nil, &ValidationError{v1alpha1.ReasonCredentialsNotFound,
			fmt.Sprintf("%s: %s has no key %s; add it", cfg.key, cfg.secretName(), key)}
	}
	return secret.Data, nil
}

// missingKey returns a key without which credentials are of no use, "" if there are all.
func missingKey(cfg *config, data map[string][]byte) string {
	for _, key := range cfg.cloud.Secret.Required {
		if len(data[key]) == 0 {
			return key
		}
	}
	return ""
}

// secretValues returns all values of a credentials Secret, whatever their keys: none may be shown. Of a value that is JSON, such as the
// key of a service account, no string may be shown either, unless the driver says that it is none of the secrets. What the config's own
// spec says, such as the account or the region, is no secret: messages have to name it.
func secretValues(cfg *config, data map[string][]byte) []string {
	var values []string
	for _, key := range slices.Sorted(maps.Keys(data)) {
		values = append(values, string(data[key]))
		var parsed any
		if json.Unmarshal(data[key], &parsed) == nil {
			values = append(values, stringsIn(parsed, cfg.cloud.Secret.Public)...)
		}
	}
	return slices.DeleteFunc(values, cfg.names)
}

// names reports whether a field of the account in the config's spec has a value, whatever white space is around that.
func (c *config) names(value string) bool {
	value = strings.TrimSpace(value)
	return slices.ContainsFunc(v1alpha1.AccountFields(c.provider()), func(field string) bool { return c.account.Field(field) == value })
}

// stringsIn returns the strings in JSON, except the values of public keys.
func stringsIn(value any, public []string) (found []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			found = append(found, stringsIn(item, public)...)
		}
	case map[string]any:
		for key, item := range v {
			if !slices.Contains(public, key) {
				found = append(found, stringsIn(item, public)...)
			}
		}
	}
	return found
}
