package credential

import (
	"context"
	"errors"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// MayUse returns why objects of a namespace can't name a provider config in their spec; nil if they can. An error says that
// the cluster could not be read.
func (s *Store) MayUse(ctx context.Context, ref *v1alpha1.ProviderConfigReference, namespace string) (*Refusal, error) {
	key := KeyOf(ref, namespace)
	cfg, err := s.load(ctx, s.Client, key)
	if err == nil {
		err = s.admit(ctx, cfg, Use{Key: key, Namespace: namespace})
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal, nil
	}
	return nil, err
}
