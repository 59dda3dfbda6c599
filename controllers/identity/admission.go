package identity

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// MayUse returns why a use that begins is refused; nil if it is not. It reads by the given reader. An error says
// that the cluster could not be read.
func (s *Store) MayUse(ctx context.Context, from client.Reader, use Request) (*ValidationError, error) {
	cfg, err := s.configs.load(ctx, from, use.Key)
	ns := &corev1.Namespace{}
	if err == nil && use.Key.Kind == KindClusterProviderConfig {
		err = from.Get(ctx, client.ObjectKey{Name: use.Namespace}, ns)
	}
	if err == nil {
		err = cfg.validateUse(use, ns.Labels)
	}
	if err == nil {
		err = cfg.unsupported
	}
	if refusal, ok := errors.AsType[*ValidationError](err); ok {
		return refusal, nil
	}
	return nil, err
}

// ProviderOf returns the cloud that a provider config leads to, empty if there is no such config.
func (s *Store) ProviderOf(ctx context.Context, from client.Reader, key Key) (string, error) {
	place, err := s.PlaceOf(ctx, from, key)
	return place.Cloud, err
}

// A Place is where a provider config leads: the cloud, empty if there is no such config, and the region of objects
// that name no location. OwnRegions: its servers name their regions as they like.
type Place struct {
	Cloud, Region string
	OwnRegions    bool
}

// PlaceOf returns where a provider config leads.
func (s *Store) PlaceOf(ctx context.Context, from client.Reader, key Key) (Place, error) {
	cfg, err := s.configs.load(ctx, from, key)
	if refusal, ok := errors.AsType[*ValidationError](err); ok && refusal.Reason == v1alpha1.ReasonProviderConfigNotFound {
		return Place{}, nil
	}
	if err != nil {
		return Place{}, err
	}
	return Place{cfg.provider(), cfg.region(), cfg.ownRegions()}, nil
}
