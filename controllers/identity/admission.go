package identity

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// MayUse returns why an object may not begin to use a provider config; nil if it may. It reads configs and namespaces
// from the given reader. The error says that the cluster could not be read.
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

// ProviderOf returns the cloud to which a provider config leads; empty if there is no such config.
func (s *Store) ProviderOf(ctx context.Context, from client.Reader, key Key) (string, error) {
	place, err := s.PlaceOf(ctx, from, key)
	return place.Cloud, err
}

// A Place is where a provider config leads. Cloud is empty if there is no such config. Region is where objects are
// created that name no location. OwnRegions is true for servers that speak a cloud's protocol, and whose regions have
// names of their own.
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
