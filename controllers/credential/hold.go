package credential

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Hold makes sure that what a deletion will need stays: the config, by a finalizer, and its credentials,
// by a copy in Mooring's own namespace. The tenant's Secret bears no finalizer, so that it can be
// replaced by deleting and creating it. It must be called before anything is created in the cloud. All who
// call it at the same time share one attempt.
func (s *Store) Hold(ctx context.Context, key Key) error {
	_, err, _ := s.holding.Do(key.Namespace+"/"+key.String(), func() (any, error) {
		cfg, err := s.load(ctx, key)
		if err != nil {
			return nil, err
		}
		return nil, s.hold(ctx, cfg)
	})
	return err
}

func (s *Store) hold(ctx context.Context, cfg *config) error {
	if controllerHolds(cfg) {
		return nil
	}
	if !cfg.object.GetDeletionTimestamp().IsZero() {
		return &Refusal{v1alpha1.ReasonProviderConfigDeleting, fmt.Sprintf("%s is being deleted; use another", cfg.key)}
	}
	if cfg.secret != nil {
		secret := &corev1.Secret{}
		if err := s.Reader.Get(ctx, *cfg.secret, secret); err != nil {
			return fmt.Errorf("hold credentials of %s: %w", cfg.key, err)
		}
		if err := s.renewCopy(ctx, cfg, secret.Data, true); err != nil {
			return err
		}
	}
	stored := cfg.object.DeepCopyObject().(client.Object)
	controllerutil.AddFinalizer(cfg.object, v1alpha1.FinalizerInUse)
	return s.Client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
}

// letGo undoes Hold. The copy goes first: without the finalizer nobody would look for it.
func (s *Store) letGo(ctx context.Context, cfg *config) error {
	if !controllerHolds(cfg) {
		return nil
	}
	copied := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: copyName(cfg)}}
	if err := client.IgnoreNotFound(s.Client.Delete(ctx, copied)); err != nil {
		return fmt.Errorf("drop the copy of %s's credentials: %w", cfg.key, err)
	}
	stored := cfg.object.DeepCopyObject().(client.Object)
	controllerutil.RemoveFinalizer(cfg.object, v1alpha1.FinalizerInUse)
	err := s.Client.Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	return client.IgnoreNotFound(err)
}

func controllerHolds(cfg *config) bool {
	return controllerutil.ContainsFinalizer(cfg.object, v1alpha1.FinalizerInUse)
}

// copyName is the name of the private copy of a config's credentials.
func copyName(cfg *config) string { return "credentials-" + string(cfg.object.GetUID()) }

func (s *Store) copyOf(ctx context.Context, cfg *config) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := s.Reader.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: copyName(cfg)}, secret)
	if apierrors.IsNotFound(err) {
		return nil, &Refusal{v1alpha1.ReasonCredentialsNotFound,
			fmt.Sprintf("%s: its Secret %s is gone and no copy was kept; create it again", cfg.key, cfg.secret.Name)}
	}
	return secret, err
}

// renewCopy brings the private copy up to date with the Secret, writing only if it differs. Only Hold makes one: a
// cache that is behind may show a config as held whose last user is gone, and nobody would delete it.
func (s *Store) renewCopy(ctx context.Context, cfg *config, data map[string][]byte, hold bool) error {
	kept := map[string][]byte{}
	for _, key := range append(requiredKeys(cfg.provider()), v1alpha1.SecretKeyAWSSessionToken) {
		if value, ok := data[key]; ok {
			kept[key] = value
		}
	}
	secret := &corev1.Secret{}
	name := client.ObjectKey{Namespace: s.Namespace, Name: copyName(cfg)}
	err := s.Reader.Get(ctx, name, secret)
	switch {
	case apierrors.IsNotFound(err) && !hold:
		return nil
	case apierrors.IsNotFound(err):
		secret = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: name.Namespace, Name: name.Name,
				Labels: map[string]string{v1alpha1.LabelKind: cfg.key.Kind, v1alpha1.LabelUID: string(cfg.object.GetUID())},
			},
			Data: kept,
		}
		err = s.Client.Create(ctx, secret)
		if apierrors.IsAlreadyExists(err) {
			err = nil // another worker was faster, with what it read from the same Secret
		}
	case err == nil && !maps.EqualFunc(secret.Data, kept, slices.Equal[[]byte]):
		secret.Data = kept
		err = s.Client.Update(ctx, secret)
	}
	if err != nil {
		return fmt.Errorf("keep a copy of %s's credentials: %w", cfg.key, err)
	}
	return nil
}
