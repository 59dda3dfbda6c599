package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// floor measures what nobody can beat on this machine: a client that creates all buckets and makes the writes
// that each costs until it is Ready, with no controller and no cloud. Times are held to multiples of it.
func floor(ctx context.Context, s *environment, r *results) error {
	g := s.groups[0]
	if g.count == 0 {
		return nil
	}
	began := time.Now()
	send, sending := errgroup.WithContext(ctx)
	send.SetLimit(appliers)
	for i := range r.buckets {
		send.Go(func() error { return s.writeAlone(sending, g.object(g.name(i)).(*v1alpha1.Bucket)) })
	}
	if err := send.Wait(); err != nil {
		return err
	}
	r.floor = time.Since(began)
	return s.client.DeleteAllOf(ctx, &v1alpha1.Bucket{}, client.InNamespace(g.namespace()))
}

// writeAlone makes one bucket's writes: its creation, one to its metadata and two to its status.
func (s *environment) writeAlone(ctx context.Context, b *v1alpha1.Bucket) error {
	b.Namespace = s.groups[0].namespace()
	if err := s.client.Create(ctx, b); err != nil {
		return err
	}
	before := b.DeepCopy()
	b.Annotations = map[string]string{"bench.mooring.dev/in-place-of": v1alpha1.FinalizerResource}
	if err := s.client.Patch(ctx, b, client.MergeFrom(before)); err != nil {
		return err
	}
	for _, reason := range []v1alpha1.Reason{v1alpha1.ReasonCreating, v1alpha1.ReasonReady} {
		before = b.DeepCopy()
		b.Status.ExternalName, b.Status.Provider, b.Status.Location, b.Status.AccountID = b.Name, "aws", "eu-central-1", "123456789012"
		b.Status.Applied = map[string][]string{"tags": {"team"}, "versioning": nil}
		b.Status.ObservedGeneration = b.Generation
		if reason == v1alpha1.ReasonReady {
			b.Status.Observed = b.Spec.BucketParameters.DeepCopy()
		}
		b.Status.Conditions = nil
		for _, name := range []string{v1alpha1.ConditionAvailable, v1alpha1.ConditionSynced, v1alpha1.ConditionReady} {
			b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{
				Type: name, Status: metav1.ConditionTrue, Reason: string(reason), ObservedGeneration: b.Generation,
				LastTransitionTime: metav1.Now(), Message: fmt.Sprintf("%s: as it is written by a client alone", reason),
			})
		}
		if err := s.client.Status().Patch(ctx, b, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}
