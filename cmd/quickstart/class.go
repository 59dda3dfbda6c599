package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The class and the database that the demonstration moves from one cloud to the other.
var (
	offered = client.ObjectKey{Name: "postgres-standard"}
	ordered = client.ObjectKey{Namespace: "shop", Name: "orders"}
)

// offer does what a platform team does: it offers classes.
func (d *demonstration) offer(ctx context.Context) error {
	d.say("\nThe platform team offers classes of databases and buckets, here in AWS:")
	return d.offerIn(ctx, "aws")
}

func (d *demonstration) offerIn(ctx context.Context, cloud string) error {
	if err := d.kubectl.run(ctx, "apply", "-f", d.kubectl.sample("classes", cloud+".yaml")); err != nil {
		return err
	}
	class := &v1alpha1.DatabaseClass{}
	ready := func(ctx context.Context) (bool, error) {
		err := d.client.Get(ctx, offered, class)
		return class.Status.ObservedGeneration == class.Generation && class.Status.Provider == cloud &&
			meta.IsStatusConditionTrue(class.Status.Conditions, v1alpha1.ConditionReady), err
	}
	if err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, accountPatience, true, ready); err != nil {
		return fmt.Errorf("wait for DatabaseClass %s: %w; the controller's log is %s", offered.Name, err, d.log)
	}
	return d.kubectl.run(ctx, "get", "databaseclasses,bucketclasses")
}

// move shows that a developer's YAML is the same in every cloud: the class is changed, and nothing else.
func (d *demonstration) move(ctx context.Context) error {
	d.say("\nThe platform team changes the class to Google Cloud. Existing objects stay where they are. New objects are created in Google Cloud\n" +
		"from the same YAML. So the quickstart deletes the database, with a final snapshot, and creates it again:")
	if err := d.offerIn(ctx, "gcp"); err != nil {
		return err
	}
	if err := d.deleteOrdered(ctx); err != nil {
		return err
	}
	if err := d.kubectl.run(ctx, "apply", "-f", d.kubectl.sample("orders.yaml")); err != nil {
		return err
	}
	if err := d.follower.follow(ctx); err != nil {
		return err
	}
	return d.arrived(ctx, "gcp")
}

// arrived checks which cloud the database is in, and connects to it.
func (d *demonstration) arrived(ctx context.Context, cloud string) error {
	database := &v1alpha1.Database{}
	if err := d.client.Get(ctx, ordered, database); err != nil {
		return err
	}
	if database.Status.Provider != cloud {
		return fmt.Errorf("show classes: Database %s is in %q, want it in %q", ordered, database.Status.Provider, cloud)
	}
	return d.querier.queryAll(ctx, database)
}
