package controllers

import (
	"context"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The ConfigMap in Mooring's namespace that keeps the cluster id.
const (
	clusterConfigMap = "mooring-cluster"
	clusterIDKey     = "clusterID"
)

// clusterIDs are what a cluster id may look like: it becomes a label's value in the cloud.
var clusterIDs = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$`)

// ClusterID returns the id that distinguishes this cluster's cloud objects from those of others, and stores it: names
// and marks are made from it, so it must never change. wanted is what the operator asks for; empty means
// the uid of the namespace kube-system. An id that differs from the stored one is refused.
func ClusterID(ctx context.Context, c client.Client, namespace, wanted string) (string, error) {
	if wanted != "" && !clusterIDs.MatchString(wanted) {
		return "", fmt.Errorf("cluster id %q: it must be at most 63 lower-case letters, digits, - and _, beginning and ending with a letter or digit", wanted)
	}
	kept := &corev1.ConfigMap{}
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: clusterConfigMap}, kept)
	if apierrors.IsNotFound(err) {
		return keepClusterID(ctx, c, namespace, wanted)
	}
	if err != nil {
		return "", fmt.Errorf("read the cluster id: %w", err)
	}
	id := kept.Data[clusterIDKey]
	if !clusterIDs.MatchString(id) {
		return "", fmt.Errorf("ConfigMap %s/%s has no valid key %s; restore it, or delete the ConfigMap to start afresh", namespace, clusterConfigMap, clusterIDKey)
	}
	if wanted != "" && wanted != id {
		return "", fmt.Errorf("cluster id %q differs from %q, with which everything in the cloud was created; "+
			"remove the flag, or, if nothing was created yet, delete ConfigMap %s/%s", wanted, id, namespace, clusterConfigMap)
	}
	return id, nil
}

func keepClusterID(ctx context.Context, c client.Client, namespace, id string) (string, error) {
	if id == "" {
		system := &corev1.Namespace{}
		if err := c.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
			return "", fmt.Errorf("read the uid of namespace %s: %w", metav1.NamespaceSystem, err)
		}
		id = string(system.UID)
	}
	err := c.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: clusterConfigMap},
		Data:       map[string]string{clusterIDKey: id},
	})
	if apierrors.IsAlreadyExists(err) {
		return ClusterID(ctx, c, namespace, id) // another replica was faster
	}
	if err != nil {
		return "", fmt.Errorf("store the cluster id: %w", err)
	}
	return id, nil
}
