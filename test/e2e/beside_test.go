package e2e

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A writer writes a row ten times a second as an application does: it connects again when it is refused, and writes a row again of which it does not know whether it was stored, once it
// has looked.
type writer struct {
	w      *fixture
	cancel context.CancelFunc
	ended  sync.WaitGroup
	// acknowledged is how many rows the server said that it has: those from 1 on.
	acknowledged int
}

// writes begins to write into the database of a connection Secret.
func (w *fixture) writes(secret map[string][]byte) *writer {
	w.Helper()
	w.Must(w.exec(secret, "CREATE TABLE written (id int)"))
	ctx, cancel := context.WithCancel(w.Context())
	a := &writer{w: w, cancel: cancel}
	a.ended.Go(func() {
		db := w.open(secret, true)
		defer func() { _ = db.Close() }()
		stored := func(id int) (n int, err error) {
			err = db.QueryRowContext(ctx, "SELECT count(*) FROM written WHERE id = $1", id).Scan(&n)
			return n, err
		}
		for ctx.Err() == nil {
			next := a.acknowledged + 1
			_, err := db.ExecContext(ctx, "INSERT INTO written VALUES ($1)", next)
			for err != nil && ctx.Err() == nil {
				var n int
				if n, err = stored(next); err == nil && n == 0 {
					_, err = db.ExecContext(ctx, "INSERT INTO written VALUES ($1)", next)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err == nil {
				a.acknowledged = next
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	return a
}

// stop ends the writing, and checks that each row that was acknowledged is there once, and no other but the last, of which nobody knows.
func (a *writer) stop(secret map[string][]byte) {
	a.w.Helper()
	a.cancel()
	a.ended.Wait()
	db := a.w.open(secret, true)
	defer func() { _ = db.Close() }()
	var rows, different int
	ctx, cancel := context.WithTimeout(a.w.Context(), time.Minute)
	defer cancel()
	a.w.Must(db.QueryRowContext(ctx, "SELECT count(id), count(DISTINCT id) FROM written").Scan(&rows, &different))
	a.w.Logf("%d rows were acknowledged, and %d are there", a.acknowledged, rows)
	if a.acknowledged < 10 || rows != different || rows < a.acknowledged || rows > a.acknowledged+1 {
		a.w.Errorf("%d rows were acknowledged; %d are there, %d of them different", a.acknowledged, rows, different)
	}
}

// upgradable declares a database of PostgreSQL 15 in RDS that can be upgraded by a server beside it, and waits for it.
func (w *fixture) upgradable(c *system.Cloud) *v1alpha1.Database {
	w.Helper()
	d := w.database(c, "orders", system.MinimalDatabase(c))
	d.Spec.Version, d.Spec.DatabaseName = new("15"), new("app")
	d.Spec.Parameters = map[string]v1alpha1.ParameterValue{"rds.logical_replication": "1"}
	d.Spec.Updates = &v1alpha1.Updates{Strategy: v1alpha1.StrategyBlueGreen}
	system.Connect(d, "orders-db")
	w.create(d)
	w.ready(d)
	return d
}

// onRealRDS runs a test with real servers in Amazon RDS, which alone upgrades by a server beside the first.
func onRealRDS(t *testing.T, test func(*fixture, *system.Cloud)) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		if c.Name == "aws" {
			test(w, c)
		}
	})
}

// A server with another version takes the name, the address and the login of the first one, and no row is lost. The first one stays under another name until a person approves its deletion.
func TestUpgradeBeside(t *testing.T) {
	onRealRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.upgradable(c)
		before, secret := w.ready(d), w.Secret("orders-db")
		app := w.writes(secret)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("16") })
		w.Disturb()
		w.AwaitObject(d, "another server has the name", func() bool {
			return d.Status.FormerServer != nil && d.Status.ExternalID != before.Status.ExternalID && d.Status.Observed.Version != nil && (*d.Status.Observed.Version)[:2] == "16"
		})
		w.Disturb() // what was synced a moment ago waits for approval
		w.state(d, "usable, and the former server waits", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionReady, yes) && s.ObservedGeneration == s.Generation && s.Status.Plan != nil && s.Status.Plan.Hash != ""
		})
		time.Sleep(time.Second) // in which it writes
		app.stop(secret)
		now := w.Secret("orders-db")
		for _, key := range []string{"host", "port", "username", "password", "database", "certificates"} {
			w.equal(key, string(now[key]), string(secret[key]))
		}
		w.Refresh(d)
		former := d.Status.FormerServer.ExternalName
		w.equal("the identity of the former server", d.Status.FormerServer.ExternalID, before.Status.ExternalID)
		w.equal("servers", w.serversLike(c, before.Status.ExternalName), []string{before.Status.ExternalName, former})
		s := w.state(d, "the former server waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
		w.Disturb()
		w.approve(d, s.Status.Plan.Hash)
		w.AwaitObject(d, "the former server is gone", func() bool { return d.Status.FormerServer == nil })
		w.ready(d)
		w.equal("servers after approval", w.serversLike(c, before.Status.ExternalName), []string{before.Status.ExternalName})
		w.Must(w.exec(now, "INSERT INTO written VALUES (0)"))
		w.delete(d)
		w.awaitDeleted(d)
		w.equal("servers after the deletion", w.serversLike(c, before.Status.ExternalName), []string(nil))
	})
}

// A deletion takes the former server with it, after the server itself.
func TestDeletionAfterAnUpgradeBeside(t *testing.T) {
	onRealRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.upgradable(c)
		name := w.ready(d).Status.ExternalName
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("16") })
		w.AwaitObject(d, "another server has the name", func() bool { return d.Status.FormerServer != nil })
		w.delete(d)
		w.awaitDeleted(d)
		w.equal("servers after the deletion", w.serversLike(c, name), []string(nil))
		for _, group := range c.Groups().Names(w.T) {
			if strings.HasPrefix(group, name) {
				w.Errorf("the group %s is left", group)
			}
		}
	})
}

// serversLike returns the servers of an account whose names begin so.
func (w *fixture) serversLike(c *system.Cloud, prefix string) (names []string) {
	w.Helper()
	for _, name := range c.Databases().Names(w.T) {
		if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
			names = append(names, name)
		}
	}
	return names
}

// An upgrade that is taken back takes the server away that was prepared for it, and a deletion takes all that there is.
func TestUpgradeBesideTakenBack(t *testing.T) {
	onRealRDS(t, func(w *fixture, c *system.Cloud) {
		d := w.upgradable(c)
		before := w.ready(d)
		name := before.Status.ExternalName
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Version, d.Spec.Updates.Disruptive = new("16"), v1alpha1.DisruptiveOnApproval
		})
		hash := w.state(d, "the upgrade waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" }).Status.Plan.Hash
		w.approve(d, hash)
		w.state(d, "a server is prepared, and the switchover waits for approval", func(s system.Snapshot) bool {
			return s.Status.Plan != nil && s.Status.Plan.Hash != "" && s.Status.Plan.Hash != hash && s.Status.Operation != ""
		})
		w.equal("servers", len(w.serversLike(c, name)), 2)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("15") })
		after := w.ready(d)
		w.equal("its identity", after.Status.ExternalID, before.Status.ExternalID)
		w.equal("servers after it was taken back", w.serversLike(c, name), []string{name})

		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version, d.Spec.Updates.Disruptive = new("16"), "" })
		w.Eventually("another server is prepared", func() bool { return len(w.serversLike(c, name)) == 2 })
		w.delete(d)
		w.awaitDeleted(d)
		w.equal("servers after the deletion", w.serversLike(c, name), []string(nil))
	})
}
