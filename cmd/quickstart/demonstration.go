package main

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A demonstration shows what Mooring does with the samples.
type demonstration struct {
	*transcript
	client   client.Client
	kubectl  *kubectl
	clouds   *clouds
	follower *follower
	querier  *querier
	log      string // the controller's
	metrics  string // the URL of the controller's metrics
}

// show applies the samples and tells what becomes of them. The error says what did not work.
func (d *demonstration) show(ctx context.Context) error {
	if err := d.offer(ctx); err != nil {
		return err
	}
	if err := d.kubectl.run(ctx, "apply", "-f", d.kubectl.sample()); err != nil {
		return err
	}
	d.say("\nMooring creates them in the clouds:")
	if err := d.follower.follow(ctx); err != nil {
		return err
	}
	if err := d.readMetrics(ctx); err != nil {
		return err
	}
	d.say("\nAn application would mount the Secret; here the quickstart connects with it:")
	if err := d.querier.queryEvery(ctx); err != nil {
		return err
	}
	d.say("\nNow somebody changes a bucket outside Mooring, with the cloud's own API. Here Mooring compares objects with the cloud every\n"+
		"%v (by default every 10 minutes):", syncPeriod)
	if err := d.drift(ctx); err != nil {
		return err
	}
	if err := d.restore(ctx); err != nil {
		return err
	}
	return d.move(ctx)
}
