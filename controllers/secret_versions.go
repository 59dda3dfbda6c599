package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// secretVersions knows the resourceVersions of the Secrets that Mooring made, by a watch of their metadata: no value of a Secret comes here,
// and no Secret of others.
type secretVersions struct{ cache cache.Cache }

// watchSecretVersions has a manager's cache watch the metadata of the Secrets that Mooring made, from its start on.
func watchSecretVersions(ctx context.Context, c cache.Cache) (*secretVersions, error) {
	if _, err := c.GetInformer(ctx, secretMetadata(), cache.BlockUntilSynced(false)); err != nil {
		return nil, fmt.Errorf("watch the metadata of Secrets: %w", err)
	}
	return &secretVersions{c}, nil
}

// Version returns the resourceVersion of a Secret; empty if it is not known, as that of a Secret which does not exist or lost its labels. Of
// nil none is known.
func (v *secretVersions) Version(ctx context.Context, key client.ObjectKey) string {
	if v == nil {
		return ""
	}
	secret := secretMetadata()
	if err := v.cache.Get(ctx, key, secret); err != nil {
		return ""
	}
	return secret.ResourceVersion
}

func secretMetadata() *metav1.PartialObjectMetadata {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return secret
}

// ofMooring limits what a cache holds of Secrets to those that Mooring made, and to what is worth knowing of them.
func ofMooring() map[client.Object]cache.ByObject {
	labelled, err := labels.NewRequirement(v1alpha1.LabelUID, selection.Exists, nil)
	if err != nil {
		panic(err) // the label is a constant
	}
	return map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Label: labels.NewSelector().Add(*labelled), Transform: versionOnly},
	}
}

// versionOnly drops from the metadata of a Secret all but its name and its version.
func versionOnly(o any) (any, error) {
	if secret, ok := o.(*metav1.PartialObjectMetadata); ok {
		secret.ObjectMeta = metav1.ObjectMeta{
			Namespace: secret.Namespace, Name: secret.Name, UID: secret.UID, ResourceVersion: secret.ResourceVersion,
		}
	}
	return o, nil
}
