package localcloud

import (
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"
)

func orders() *sqladmin.DatabaseInstance {
	return &sqladmin.DatabaseInstance{
		Name: "orders", Region: "europe-west1", DatabaseVersion: "POSTGRES_16", RootPassword: "s3cret",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", UserLabels: map[string]string{"team": "shop"}},
	}
}

// create creates an instance and lets it become RUNNABLE.
func (g *gcpTest) create(t *testing.T, in *sqladmin.DatabaseInstance) {
	t.Helper()
	if _, err := g.sql.Instances.Insert("acme", in).Do(); err != nil {
		t.Fatal(err)
	}
	g.clock.advance(g.opts.Durations.Create)
}

func TestSQLInstanceLifecycle(t *testing.T) {
	g := startGCP(t, Options{Durations: Durations{Create: 10 * time.Minute, Modify: time.Minute, Delete: 5 * time.Minute}})
	_, err := g.sql.Instances.Get("acme", "orders").Do()
	wantStatus(t, err, 404, "instanceDoesNotExist")

	op, err := g.sql.Instances.Insert("acme", orders()).Do()
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		after         time.Duration
		status, state string
	}{
		{0, "PENDING", "PENDING_CREATE"},
		{time.Minute, "RUNNING", "PENDING_CREATE"},
		{9*time.Minute - 1, "RUNNING", "PENDING_CREATE"},
		{1, "DONE", "RUNNABLE"},
	}
	for _, step := range steps {
		g.clock.advance(step.after)
		if op, err = g.sql.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != step.status {
			t.Fatalf("operation is %v, %v, want %s", op, err, step.status)
		}
		in, err := g.sql.Instances.Get("acme", "orders").Do()
		if err != nil || in.State != step.state {
			t.Fatalf("instance is %v, %v, want %s", in, err, step.state)
		}
		if ready := in.State == "RUNNABLE"; ready != (len(in.IpAddresses) == 1) || in.RootPassword != "" {
			t.Fatalf("state %s, addresses %v, password %q", in.State, in.IpAddresses, in.RootPassword)
		}
	}

	op, err = g.sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do()
	if err != nil || op.Status != "PENDING" {
		t.Fatalf("operation is %v, %v", op, err)
	}
	_, err = g.sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "pw"}).Do()
	wantStatus(t, err, 409, "operationInProgress")
	_, err = g.sql.Databases.Get("acme", "orders", "shop").Do()
	wantStatus(t, err, 404, "")
	g.clock.advance(time.Minute)
	_, err = g.sql.Databases.Get("acme", "orders", "shop").Do()
	wantStatus(t, err, 0, "")
	_, err = g.sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "pw"}).Do()
	wantStatus(t, err, 0, "")
	g.clock.advance(time.Minute)
	users, err := g.sql.Users.List("acme", "orders").Do()
	if err != nil || len(users.Items) != 2 || users.Items[1].Password != "" {
		t.Fatalf("users are %v, %v", users, err)
	}
	_, err = g.sql.Users.Update("acme", "orders", &sqladmin.User{Password: "new"}).Name("nobody").Do()
	wantStatus(t, err, 404, "")
	_, err = g.sql.Users.Update("acme", "orders", &sqladmin.User{Password: "new"}).Name("postgres").Do()
	wantStatus(t, err, 0, "")
	g.clock.advance(time.Minute)

	if _, err = g.sql.Instances.Delete("acme", "orders").Do(); err != nil {
		t.Fatal(err)
	}
	in, err := g.sql.Instances.Get("acme", "orders").Do()
	if err != nil || in.State != "PENDING_DELETE" {
		t.Fatalf("instance is %v, %v", in, err)
	}
	g.clock.advance(5 * time.Minute)
	_, err = g.sql.Instances.Get("acme", "orders").Do()
	wantStatus(t, err, 404, "instanceDoesNotExist")
}
