package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A secretClient writes Secrets, ConfigMaps and Events without the promise that the next read from the cache sees it: they
// are not read from there, and for that promise the client would list and watch every one of the cluster
// (CacheOptions.DisableFor is about reads alone).
type secretClient struct{ client.Client }

func newClient(cfg *rest.Config, o client.Options) (client.Client, error) {
	c, err := client.New(cfg, o)
	if err != nil {
		return nil, err
	}
	return secretClient{c}, nil
}

// uncached reports whether an object is never read from the cache.
func uncached(obj client.Object) bool {
	switch obj.(type) {
	case *corev1.Secret, *corev1.ConfigMap, *eventsv1.Event:
		return true
	default:
		return false
	}
}

// Create implements client.Client.
func (c secretClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	if uncached(obj) {
		opts = append(opts, client.DisableReadYourWritesConsistency)
	}
	return c.Client.Create(ctx, obj, opts...)
}

// Update implements client.Client.
func (c secretClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	if uncached(obj) {
		opts = append(opts, client.DisableReadYourWritesConsistency)
	}
	return c.Client.Update(ctx, obj, opts...)
}

// Patch implements client.Client.
func (c secretClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if uncached(obj) {
		opts = append(opts, client.DisableReadYourWritesConsistency)
	}
	return c.Client.Patch(ctx, obj, patch, opts...)
}

// Delete implements client.Client.
func (c secretClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	if uncached(obj) {
		opts = append(opts, client.DisableReadYourWritesConsistency)
	}
	return c.Client.Delete(ctx, obj, opts...)
}
