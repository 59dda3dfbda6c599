package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// mostHostile is half of the chart's memory limit.
const mostHostile = 256 << 20

// others is how many Buckets another namespace creates meanwhile.
const others = 20

// hostile measures what Buckets cost that are as large as Mooring works on, and that their class refuses for each of 1,490 values: memory, and the wait of another namespace.
func hostile(ctx context.Context, o options) (err error) {
	o.buckets, o.databases, o.cloudOption = 0, 0, both
	s, err := start(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "strict"}}
	class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = "gcp", &metav1.LabelSelector{}
	if err := s.client.Create(ctx, class); err != nil {
		return err
	}
	for _, namespace := range []string{"hostile", "beside"} {
		if err := system.EnsureNamespace(ctx, s.client, namespace); err != nil {
			return err
		}
	}
	if err := s.run(ctx, quiet); err != nil {
		return err
	}
	if err := s.child.pause(ctx, 2*time.Second); err != nil {
		return err
	}
	idle, err := resident(s.child.cmd.Process.Pid)
	if err != nil {
		return err
	}
	alone, err := s.beside(ctx, "alone")
	if err != nil {
		return err
	}
	refused, stop := errgroup.WithContext(ctx)
	refused.SetLimit(appliers)
	began := time.Now()
	for i := range o.hostile {
		refused.Go(func() error { return s.refused(stop, fmt.Sprintf("hostile-%02d", i)) })
	}
	beside, err := s.beside(ctx, "meanwhile")
	if err = errors.Join(err, refused.Wait()); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := resident(s.child.cmd.Process.Pid)
	if err != nil {
		return err
	}
	held := "met"
	if after.highest > mostHostile {
		held = "MISSED"
	}
	_, err = fmt.Fprintf(os.Stdout, `%d Buckets of 500 KiB, of which a class refuses each of 1,490 members
resident memory   without objects %s, afterwards %s, at its highest %s (at most %s: %s)
another namespace's %d Buckets, from apply to Ready: alone median %s, worst %s; meanwhile median %s, worst %s
until each of them is refused in its conditions, the writes included: %s
`, o.hostile, mebibytes(idle.now), mebibytes(after.now), mebibytes(after.highest), mebibytes(mostHostile), held, others,
		seconds(percentile(alone, 0.5)), seconds(percentile(alone, 1)), seconds(percentile(beside, 0.5)), seconds(percentile(beside, 1)), seconds(took))
	if err == nil && after.highest > mostHostile {
		return errMissed
	}
	return err
}

// beside creates Buckets of another namespace, and returns how long each took to be Ready.
func (s *environment) beside(ctx context.Context, prefix string) (times []time.Duration, err error) {
	for i := range others {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "beside", Name: fmt.Sprintf("%s-%02d", prefix, i)}, Spec: v1alpha1.BucketSpec{ResourceSpec: uses("aws")}}
		began := time.Now()
		if err := s.client.Create(ctx, b); err != nil {
			return nil, err
		}
		if err := s.until(ctx, b, v1alpha1.ConditionReady); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times, nil
}

// refused creates a Bucket nearly as large as Mooring works on, and waits until its conditions say that its class refuses it.
func (s *environment) refused(ctx context.Context, name string) error {
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "hostile", Name: name}}
	b.Spec.ClassName, b.Spec.GCP = "strict", &v1alpha1.BucketGCP{}
	const members, length = 1490, 340 // the schema takes 1,500 members
	for at := range members {
		if at%1000 == 0 {
			b.Spec.GCP.IAMBindings = append(b.Spec.GCP.IAMBindings, v1alpha1.BucketIAMBinding{Role: fmt.Sprintf("roles/storage.objectViewer%d", at)})
		}
		last := &b.Spec.GCP.IAMBindings[len(b.Spec.GCP.IAMBindings)-1]
		last.Members = append(last.Members, fmt.Sprintf("user:%s-%06d@example.com", strings.Repeat("x", length-30), at))
	}
	if err := s.client.Create(ctx, b); err != nil {
		return err
	}
	return s.until(ctx, b, v1alpha1.ConditionStalled)
}

// until waits until a condition of an object is true.
func (s *environment) until(ctx context.Context, b *v1alpha1.Bucket, condition string) error {
	for {
		if err := s.client.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		if meta.IsStatusConditionTrue(b.Status.Conditions, condition) {
			return nil
		}
		if err := s.child.pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}
