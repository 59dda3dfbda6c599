package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// secrets reads the Secrets of provider configs from the API server, one by one.
type secrets struct{ live client.Reader }

// read returns what the Secret of a config holds. It refuses one that is not whole: a Secret is often emptied
// before it is deleted.
func (s secrets) read(ctx context.Context, cfg *config) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := s.live.Get(ctx, *cfg.secret, secret)
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
