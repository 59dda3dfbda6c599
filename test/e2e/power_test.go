package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/jackc/pgx/v5"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// powerWrites are the calls that stop and start a server. Not every cloud has calls of their own for that.
func powerWrites(c *system.Cloud) [2]string {
	if c.Name == "aws" {
		return [2]string{"StopDBInstance", "StartDBInstance"}
	}
	patch := system.TargetOf("Database", c.Name).Operations.Disrupt
	return [2]string{patch, patch}
}

func (w *fixture) power(d *v1alpha1.Database, to v1alpha1.PowerState) {
	w.Helper()
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.PowerState = &to })
}

// down waits until a database is stopped as declared.
func (w *fixture) down(d *v1alpha1.Database) system.Snapshot {
	w.Helper()
	s := w.state(d, "stopped as declared", func(s system.Snapshot) bool {
		available := s.Condition(v1alpha1.ConditionAvailable)
		return s.IsReady(d) && available != nil && available.Reason == string(v1alpha1.ReasonStopped)
	})
	if s.KStatus != status.CurrentStatus || !s.Is(v1alpha1.ConditionSynced, yes) || !s.Is(v1alpha1.ConditionAvailable, no) || !s.Is(v1alpha1.ConditionStalled, absent) {
		w.Errorf("stopped as declared:\n    %v", s)
	}
	return s
}

// An edit stops and starts the server. Other edits wait meanwhile, and say so.
func TestPowerState(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		w.power(d, v1alpha1.PowerStateStopped)
		w.down(d)
		w.mirrors(d, "powerState", `"Stopped"`)
		w.expectWrites(c, name, mark, powerWrites(c)[0])
		w.run("an edit waits", func(w *fixture) { w.editSleeps(c, d, name) })
		w.run("stopped again with an edit", func(w *fixture) {
			mark := len(c.Writes(name))
			edit(w, d, func(d *v1alpha1.Database) {
				d.Spec.Backup, d.Spec.PowerState = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}, new(v1alpha1.PowerStateStopped)
			})
			w.down(d)
			w.mirrors(d, "backup.retentionDays", "9")
			w.expectWrites(c, name, mark, system.TargetOf("Database", c.Name).Operations.Disrupt, powerWrites(c)[0])
		})
		w.run("somebody starts it", func(w *fixture) { w.startedByOthers(c, d, name) })
		w.run("deletion", func(w *fixture) {
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot })
			w.delete(d)
			w.awaitDeleted(d)
			if len(c.Databases().Snapshots(w.T, name)) != 1 {
				w.Error("there is no final snapshot")
			}
		})
	})
}

func (w *fixture) editSleeps(c *system.Cloud, d *v1alpha1.Database, name string) {
	mark := len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(60))} })
	s := w.state(d, "waiting for the start", func(s system.Snapshot) bool {
		return s.Generation == d.Generation && s.ObservedGeneration == d.Generation && len(s.Status.PendingChanges) == 1
	})
	ready := s.Condition(v1alpha1.ConditionReady)
	if s.KStatus != status.InProgressStatus || ready.Reason != string(v1alpha1.ReasonStopped) || !strings.Contains(ready.Message, "storage.sizeGiB") || !strings.Contains(ready.Message, "set spec.powerState to Running") {
		w.Errorf("an edit that waits for the start:\n    %v", s)
	}
	w.equal("waitsFor", s.Status.PendingChanges[0].WaitsFor, v1alpha1.WaitsForStart)
	w.observedAgain(c, name, 2)
	w.expectWrites(c, name, mark)
	w.power(d, v1alpha1.PowerStateRunning)
	w.ready(d)
	w.mirrors(d, "storage.sizeGiB", "60")
	w.expectWrites(c, name, mark, powerWrites(c)[1], system.TargetOf("Database", c.Name).Operations.Disrupt)
}

// What somebody else starts, as RDS itself does after 7 days, is stopped again with consent only.
func (w *fixture) startedByOthers(c *system.Cloud, d *v1alpha1.Database, name string) {
	w.Disturb()
	c.Databases().SetPower(w.T, name, true)
	mark := len(c.Writes(name))
	s := w.state(d, "waiting for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
	w.equal("pendingChanges", s.Status.PendingChanges, []v1alpha1.PendingChange{
		{Field: "powerState", From: "Running", To: "Stopped", Effect: "Interrupts", Cause: v1alpha1.CauseDrift, WaitsFor: v1alpha1.WaitsForApproval},
	})
	w.observedAgain(c, name, 1)
	w.expectWrites(c, name, mark)
	w.approve(d, s.Status.Plan.Hash)
	w.down(d)
	w.expectWrites(c, name, mark, powerWrites(c)[0])
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways} })
	w.down(d)
	w.Disturb()
	c.Databases().SetPower(w.T, name, true)
	mark = len(c.Writes(name))
	w.Eventually("it is stopped again", func() bool { return slices.Contains(c.Writes(name)[mark:], powerWrites(c)[0]) })
	w.down(d)
}

// A server that somebody stopped is started where the spec says so, and left alone where it says nothing.
func TestPowerStateOfOthers(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.Disturb()
		c.Databases().SetPower(w.T, name, false)
		mark := len(c.Writes(name))
		w.down(d)
		w.observedAgain(c, name, 1)
		w.expectWrites(c, name, mark)
		w.power(d, v1alpha1.PowerStateRunning)
		w.state(d, "available again", func(s system.Snapshot) bool { return s.IsReady(d) && s.Is(v1alpha1.ConditionAvailable, yes) })
		w.expectWrites(c, name, mark, powerWrites(c)[1])
		w.Disturb()
		c.Databases().SetPower(w.T, name, false)
		w.state(d, "available again, by Mooring", func(s system.Snapshot) bool {
			return s.IsReady(d) && s.Is(v1alpha1.ConditionAvailable, yes) && slices.Equal(c.Writes(name)[mark+1:], []string{powerWrites(c)[0], powerWrites(c)[1]})
		})
	})
}

// A new database that is declared stopped is created and then stopped, without approval.
func TestCreatedStopped(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.PowerState = new(v1alpha1.PowerStateStopped)
		d := w.database(c, "orders", p)
		system.Connect(d, "orders-db")
		w.create(d)
		w.down(d)
		w.power(d, v1alpha1.PowerStateRunning)
		w.state(d, "available", func(s system.Snapshot) bool { return s.IsReady(d) && s.Is(v1alpha1.ConditionAvailable, yes) })
		w.Eventually("the connection Secret is there", func() bool { return len(w.Secret("orders-db")["uri"]) > 0 })
	})
}

// From the Secret alone: a row that was written before the stop is there after the start.
func TestRowsStayWhileStopped(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.Engine, p.DatabaseName = new(v1alpha1.EnginePostgres), new("app")
		d := w.database(c, "orders", p)
		system.Connect(d, "orders-db")
		w.create(d)
		w.ready(d)
		secret := w.Secret("orders-db")
		ask := func(sql string) (answer int, err error) {
			conn, err := pgx.Connect(w.Context(), string(secret["uri"]))
			if err != nil {
				return 0, err
			}
			defer func() { _ = conn.Close(w.Context()) }()
			return answer, conn.QueryRow(w.Context(), sql).Scan(&answer)
		}
		conn, err := pgx.Connect(w.Context(), string(secret["uri"]))
		w.Must(err)
		_, err = conn.Exec(w.Context(), "CREATE TABLE kept AS SELECT 42 AS n")
		w.Must(err)
		w.Must(conn.Close(w.Context()))
		w.power(d, v1alpha1.PowerStateStopped)
		w.down(d)
		if _, err := ask("SELECT n FROM kept"); err == nil {
			w.Error("a stopped server answers")
		}
		w.equal("the Secret", w.Secret("orders-db"), secret)
		w.power(d, v1alpha1.PowerStateRunning)
		w.state(d, "available", func(s system.Snapshot) bool { return s.IsReady(d) && s.Is(v1alpha1.ConditionAvailable, yes) })
		n, err := ask("SELECT n FROM kept")
		w.Must(err)
		w.equal("the row", n, 42)
	})
}
