package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// floor measures what nobody can beat on this machine: a client that creates all objects and makes the writes
// that each costs until it is Ready, with no controller and no cloud. Times are held to multiples of it.
func floor(ctx context.Context, s *environment, r *results) (err error) {
	if r.bucketsAlone, err = s.writeAll(ctx, s.groups[0], r.buckets); err != nil {
		return err
	}
	if r.databasesAlone, err = s.writeAll(ctx, s.groups[2], r.databases); err != nil {
		return err
	}
	return nil
}

// writeAll makes the writes of n objects like those of a group, and deletes the objects. It returns how long the writes took.
func (s *environment) writeAll(ctx context.Context, g *group, n int) (time.Duration, error) {
	began := time.Now()
	send, sending := errgroup.WithContext(ctx)
	send.SetLimit(appliers)
	for i := range n {
		send.Go(func() error {
			o := g.object(g.name(i)).(v1alpha1.ResourceObject)
			o.SetNamespace(g.namespace())
			return s.writeAlone(sending, o)
		})
	}
	if err := send.Wait(); err != nil {
		return 0, err
	}
	took := time.Since(began)
	for _, kind := range []client.Object{g.object(""), &corev1.Secret{}} {
		if err := s.client.DeleteAllOf(ctx, kind, client.InNamespace(g.namespace())); err != nil {
			return 0, err
		}
	}
	return took, nil
}

// writeAlone makes one object's writes: its creation, one to its metadata, two to its status, and of a database its two Secrets.
func (s *environment) writeAlone(ctx context.Context, o v1alpha1.ResourceObject) error {
	if err := s.client.Create(ctx, o); err != nil {
		return err
	}
	before := o.DeepCopyObject().(client.Object)
	o.SetAnnotations(map[string]string{"bench.mooring.dev/in-place-of": v1alpha1.FinalizerResource})
	if err := s.client.Patch(ctx, o, client.MergeFrom(before)); err != nil {
		return err
	}
	for _, reason := range []v1alpha1.Reason{v1alpha1.ReasonCreating, v1alpha1.ReasonReady} {
		if err := s.writeSecret(ctx, o, reason); err != nil {
			return err
		}
		before = o.DeepCopyObject().(client.Object)
		if err := statusAlone(o, reason); err != nil {
			return err
		}
		if err := s.client.Status().Patch(ctx, o, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}

// writeSecret writes one of the two Secrets of a database: that of its password, and later that of its connection.
func (s *environment) writeSecret(ctx context.Context, o v1alpha1.ResourceObject, reason v1alpha1.Reason) error {
	if o.GetConnection() == nil {
		return nil
	}
	secret := &corev1.Secret{Data: map[string][]byte{"password": make([]byte, 32), "uri": make([]byte, 100)}}
	secret.Name, secret.Namespace = fmt.Sprintf("%s-%d", o.GetName(), len(reason)), o.GetNamespace()
	return s.client.Create(ctx, secret)
}

// statusAlone is the status of an object that is being created, or Ready.
func statusAlone(o v1alpha1.ResourceObject, reason v1alpha1.Reason) error {
	status := o.GetResourceStatus()
	status.ExternalName, status.Provider, status.Location, status.AccountID = o.GetName(), "aws", "eu-central-1", "123456789012"
	status.Applied = map[string][]string{"tags": {"team"}, "versioning": nil}
	status.ObservedGeneration = o.GetGeneration()
	if reason == v1alpha1.ReasonReady {
		if err := observedAlone(o); err != nil {
			return err
		}
	}
	status.Conditions = nil
	for _, name := range []string{v1alpha1.ConditionAvailable, v1alpha1.ConditionSynced, v1alpha1.ConditionReady} {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: name, Status: metav1.ConditionTrue, Reason: string(reason), ObservedGeneration: o.GetGeneration(),
			LastTransitionTime: metav1.Now(), Message: fmt.Sprintf("%s: as it is written by a client alone", reason),
		})
	}
	return nil
}

// observedAlone mirrors the spec.
func observedAlone(o v1alpha1.ResourceObject) error {
	mirror, err := json.Marshal(o.GetParameters())
	if err != nil {
		return err
	}
	return o.SetObserved(mirror)
}
