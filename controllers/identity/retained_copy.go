package identity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// retained identifies what a private copy holds: the config, its Secret, and a fingerprint of what was copied. It never
// leaves memory.
type retained struct {
	uid    types.UID
	secret client.ObjectKey // zero if the identity does not begin with a Secret
	data   [sha256.Size]byte
}

func retainedOf(cfg *config, data map[string][]byte) retained {
	k := retained{uid: cfg.object.GetUID()}
	if cfg.secret == nil {
		return k
	}
	text, err := json.Marshal(needed(cfg, data))
	if err != nil {
		panic(err) // a map of bytes
	}
	k.secret, k.data = *cfg.secret, sha256.Sum256(text)
	return k
}

// isOf reports whether it is a config's as that is now, whatever its Secret holds.
func (k retained) isOf(cfg *config) bool {
	return k.uid == cfg.object.GetUID() && (cfg.secret == nil || k.secret == *cfg.secret)
}

// copyName is the name of the private copy of a config's credentials.
func copyName(cfg *config) string { return "credentials-" + string(cfg.object.GetUID()) }

// needed returns what a deletion needs of a Secret.
func needed(cfg *config, data map[string][]byte) map[string][]byte {
	part := map[string][]byte{}
	for _, key := range cfg.cloud.Secret.All() {
		if value, ok := data[key]; ok {
			part[key] = value
		}
	}
	return part
}

// copies reads and writes the private copies, which are Secrets in Mooring's own namespace.
type copies struct {
	client    client.Client
	live      client.Reader
	namespace string
	now       func() time.Time
}

// read returns what the private copy holds, nil if there is none.
func (c *copies) read(ctx context.Context, cfg *config) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := c.live.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: copyName(cfg)}, secret)
	if err = client.IgnoreNotFound(err); err != nil {
		return nil, fmt.Errorf("read the copy of %s's credentials: %w", cfg.key, err)
	}
	return secret.Data, nil
}

// onlySecret makes a copy one of a Secret: there were tokens in it if the config had a web identity before.
func onlySecret(cfg *config, data map[string][]byte) func(map[string][]byte) {
	return func(copied map[string][]byte) {
		clear(copied)
		maps.Copy(copied, needed(cfg, data))
	}
}

// maxCopy is how large a private copy may be, in bytes: Kubernetes takes a MiB.
const maxCopy = 900_000

// write makes the private copy what change makes of it, writing only if that differs. It returns what is in it then:
// nil if there is none, which without create may be.
func (c *copies) write(ctx context.Context, cfg *config, create bool, change func(map[string][]byte)) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := c.live.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: copyName(cfg)}, secret)
	missing := apierrors.IsNotFound(err)
	switch {
	case missing && !create:
		return nil, nil
	case err != nil && !missing:
		return nil, fmt.Errorf("read the copy of %s's credentials: %w", cfg.key, err)
	}
	data := maps.Clone(secret.Data)
	if data == nil {
		data = map[string][]byte{}
	}
	change(data)
	if n := size(data); n > maxCopy && n > size(secret.Data) {
		return nil, &ValidationError{v1alpha1.ReasonQuotaExceeded, fmt.Sprintf(
			"%s has so many namespaces that what their deletions need does not fit in one Secret; use another provider config for some of them", cfg.key)}
	}
	switch {
	case missing:
		err = c.client.Create(ctx, newCopy(c.namespace, cfg, data))
	case !maps.EqualFunc(secret.Data, data, slices.Equal[[]byte]):
		secret.Data = data
		err = c.client.Update(ctx, secret)
	}
	if err != nil {
		return nil, fmt.Errorf("store a copy of %s's credentials: %w", cfg.key, err)
	}
	return data, nil
}

func newCopy(namespace string, cfg *config, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: copyName(cfg),
			Labels: map[string]string{v1alpha1.LabelKind: cfg.key.Kind, v1alpha1.LabelUID: string(cfg.object.GetUID())},
		},
		Data: data,
	}
}

func size(data map[string][]byte) int {
	n := 0
	for key, value := range data {
		n += len(key) + len(value)
	}
	return n
}

func (c *copies) drop(ctx context.Context, cfg *config) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: copyName(cfg)}}
	if err := client.IgnoreNotFound(c.client.Delete(ctx, secret)); err != nil {
		return fmt.Errorf("delete the copy of %s's credentials: %w", cfg.key, err)
	}
	return nil
}
