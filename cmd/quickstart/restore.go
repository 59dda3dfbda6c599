package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// restore shows that what a deleted database held comes back: the deletion leaves a DatabaseSnapshot for its final snapshot, and a Database is made of that.
func (d *demonstration) restore(ctx context.Context) error {
	d.say("\nSomebody deletes the database. Its deletion takes a final snapshot and leaves a DatabaseSnapshot for it. A Database with\n" +
		"spec.restoreFrom has the rows again:")
	served := localcloud.EngineAvailable("postgres") == nil
	if served {
		if err := d.querier.exec(ctx, "CREATE TABLE IF NOT EXISTS orders AS SELECT 'a teapot' AS item"); err != nil {
			return fmt.Errorf("write a row: %w", err)
		}
		d.step("Secret %-9s  an application writes an order into the database", orderedSecret)
	}
	if err := d.deleteOrdered(ctx); err != nil {
		return err
	}
	snapshots := &v1alpha1.DatabaseSnapshotList{}
	if err := d.client.List(ctx, snapshots, client.InNamespace(ordered.Namespace)); err != nil {
		return err
	}
	if len(snapshots.Items) == 0 {
		return errors.New("show a restore: the deleted Database left no DatabaseSnapshot")
	}
	file, err := d.restored(snapshots.Items[0].Name)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"get", "databasesnapshots", "-n", ordered.Namespace}, {"apply", "-f", file}} {
		if err := d.kubectl.run(ctx, args...); err != nil {
			return err
		}
	}
	if err := d.follower.follow(ctx); err != nil || !served {
		return err
	}
	item, err := d.querier.item(ctx)
	if err != nil {
		return fmt.Errorf("read the row that was restored: %w", err)
	}
	d.step("Secret %-9s  another password, and the order is there: %s", orderedSecret, item)
	return nil
}

// restored writes the sample of the database again, with one field more.
func (d *demonstration) restored(snapshot string) (file string, err error) {
	sample, err := os.ReadFile(d.kubectl.sample("orders.yaml"))
	if err != nil {
		return "", err
	}
	database := map[string]any{}
	if err := yaml.Unmarshal(sample, &database); err != nil {
		return "", err
	}
	spec, ok := database["spec"].(map[string]any)
	if !ok {
		return "", errors.New("show a restore: the sample orders.yaml has no spec")
	}
	spec["restoreFrom"] = map[string]any{"snapshotRef": map[string]any{"name": snapshot}}
	text, err := yaml.Marshal(database)
	if err != nil {
		return "", err
	}
	d.say("%s", strings.TrimRight(string(text), "\n"))
	file = d.querier.folder.file("restored.yaml")
	return file, os.WriteFile(file, text, 0o600)
}

// deleteOrdered deletes the database, and waits until it is gone.
func (d *demonstration) deleteOrdered(ctx context.Context) error {
	if err := d.kubectl.run(ctx, "delete", "--wait=false", "-f", d.kubectl.sample("orders.yaml")); err != nil {
		return err
	}
	gone := func(ctx context.Context) (bool, error) {
		err := d.client.Get(ctx, ordered, &v1alpha1.Database{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	if err := wait.PollUntilContextTimeout(ctx, look, samplesPatience, true, gone); err != nil {
		return fmt.Errorf("wait for the deletion of Database %s: %w; the controller's log is %s", ordered, err, d.log)
	}
	d.follower.forget("Database", ordered.Name)
	d.step("Database  %-8s  deleted from AWS, with a final snapshot", ordered.Name)
	return nil
}

// orderedSecret is the connection Secret of the database.
const orderedSecret = "orders-db"

// orders connects to the database by its Secret and calls a function with the connection.
func (q *querier) orders(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, queryPatience)
	defer cancel()
	secret := &corev1.Secret{}
	if err := q.client.Get(ctx, client.ObjectKey{Namespace: ordered.Namespace, Name: orderedSecret}, secret); err != nil {
		return err
	}
	uri, _, err := q.address(secret)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, uri)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return do(ctx, conn)
}

func (q *querier) exec(ctx context.Context, statement string) error {
	return q.orders(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func (q *querier) item(ctx context.Context) (item string, err error) {
	err = q.orders(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT item FROM orders").Scan(&item)
	})
	return item, err
}
