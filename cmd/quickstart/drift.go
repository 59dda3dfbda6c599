package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// driftPatience is how long drift may last: a sync period, its jitter, and some for a loaded machine.
const driftPatience = 6 * syncPeriod

// drift suspends a bucket's versioning with Amazon's own SDK and waits until it is back.
func (d *demonstration) drift(ctx context.Context) error {
	bucket, err := d.versionedBucket(ctx)
	if err != nil {
		return err
	}
	c := d.clouds.access().AWS
	api := s3.New(s3.Options{
		Region: c.Region, BaseEndpoint: &c.Endpoint, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, ""),
	})
	_, err = api.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
		Bucket:                  &bucket.Status.ExternalName,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusSuspended},
	})
	if err != nil {
		return fmt.Errorf("suspend versioning: %w", err)
	}
	since := time.Now()
	d.step("Bucket %s: versioning is Enabled in the spec; suspended in S3", bucket.Name)
	for status := types.BucketVersioningStatusSuspended; status != types.BucketVersioningStatusEnabled; {
		if time.Since(since) > driftPatience || !pause(ctx, look) {
			return fmt.Errorf("versioning of Bucket %s/%s was not corrected within %v; the controller's log is %s",
				bucket.Namespace, bucket.Name, driftPatience, d.log)
		}
		seen, err := api.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &bucket.Status.ExternalName})
		if err != nil {
			return fmt.Errorf("read versioning: %w", err)
		}
		status = seen.Status
	}
	d.step("Bucket %s: S3 says Enabled again, after %.1f s", bucket.Name, time.Since(since).Seconds())
	return d.correction(ctx, bucket, since)
}

// correction waits for the Event that says so, which kubectl describe shows.
func (d *demonstration) correction(ctx context.Context, bucket *v1alpha1.Bucket, since time.Time) error {
	for time.Since(since) <= driftPatience {
		var events eventsv1.EventList
		if err := d.client.List(ctx, &events, client.InNamespace(bucket.Namespace)); err != nil {
			return fmt.Errorf("list Events: %w", err)
		}
		for _, e := range events.Items {
			again := e.Series != nil && e.Series.LastObservedTime.After(since)
			if e.Regarding.UID == bucket.UID && e.Reason == v1alpha1.EventDriftCorrected && (again || e.EventTime.After(since)) {
				d.step("Event  %s: %s", e.Reason, e.Note)
				return nil
			}
		}
		if !pause(ctx, look) {
			break
		}
	}
	return fmt.Errorf("no Event %s about Bucket %s/%s; the controller's log is %s",
		v1alpha1.EventDriftCorrected, bucket.Namespace, bucket.Name, d.log)
}

// versionedBucket finds the one to try it on.
func (d *demonstration) versionedBucket(ctx context.Context) (*v1alpha1.Bucket, error) {
	var buckets v1alpha1.BucketList
	if err := d.client.List(ctx, &buckets); err != nil {
		return nil, fmt.Errorf("list Buckets: %w", err)
	}
	for _, b := range buckets.Items {
		if b.Status.Provider == "aws" && aws.ToString((*string)(b.Spec.Versioning)) == string(v1alpha1.VersioningEnabled) {
			return &b, nil
		}
	}
	return nil, errors.New("show drift: config/samples has no versioned Bucket in AWS")
}
