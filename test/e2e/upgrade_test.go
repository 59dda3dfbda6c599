package e2e

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// The cloud looks for what is in the way of another major version: Cloud SQL first, RDS in the course of the upgrade. What it finds is told, with what to do. Nothing is tried again before somebody asks. After a check
// that needs no other approval; after an upgrade that RDS took back it does.
func TestUpgradeWithSomethingInItsWay(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		puts, isServed := map[string]func(name, finding string) bool{
			"aws": func(name, finding string) bool {
				return w.Cloud.SetRDSUpgradeObstacle(c.Account, c.Region(), name, finding)
			},
			"gcp": func(name, finding string) bool {
				var found []*sqladmin.PreCheckResponse
				if finding != "" {
					found = append(found, &sqladmin.PreCheckResponse{MessageType: "ERROR", Message: finding})
				}
				return w.Cloud.SetSQLPreCheck(c.Account, name, found...)
			},
		}[c.Name]
		if !isServed {
			return
		}
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Version, d.Spec.Updates = new("16"), &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		if !puts(name, "The extension pgrouting") {
			w.Fatal("there is no such server")
		}
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("17") })
		hash := w.state(d, "the upgrade waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" }).Status.Plan.Hash
		w.approve(d, hash)
		stalled := w.state(d, "what is in the way is told", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionStalled, yes) && s.Condition(v1alpha1.ConditionStalled).Reason == string(v1alpha1.ReasonInvalid)
		})
		for _, want := range []string{"version 17", "The extension pgrouting; the ", "mooring.dev/reconcile"} {
			if message := stalled.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, want) {
				w.Errorf("the message %q does not name %q", message, want)
			}
		}
		w.AwaitObject(d, "it is still what the spec asks for, and no drift", func() bool {
			return len(d.Status.PendingChanges) == 1 && d.Status.PendingChanges[0].Cause == v1alpha1.CauseSpec
		})
		w.Disturb()
		puts(name, "")
		w.asks(d, v1alpha1.AnnotationReconcile, "now")
		if c.Name == "aws" { // which takes the server away again
			another := w.state(d, "another try waits for approval", func(s system.Snapshot) bool {
				return s.Status.Plan != nil && s.Status.Plan.Hash != "" && s.Status.Plan.Hash != hash
			})
			w.Disturb()
			w.approve(d, another.Status.Plan.Hash)
		}
		w.AwaitObject(d, "the server has version 17", func() bool {
			return d.Status.Observed.Version != nil && strings.HasPrefix(*d.Status.Observed.Version, "17")
		})
		w.equal("the operation that rests", w.ready(d).Status.Operation, "")
	})
}

// RDS upgrades read replicas before their primary. Whoever sets both in one commit waits, and is not told that something is wrong; whoever sets the primary alone is told what it waits for.
func TestReplicasAreUpgradedFirst(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		if c.Name != "aws" {
			return
		}
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Version = new("16.8")
		w.create(d)
		w.ready(d)
		r := w.replicaOf(d, "reads")
		w.create(r)
		name := w.ready(r).Status.ExternalName
		w.AwaitObject(d, "it knows its replica", func() bool { return slices.Equal(d.Status.Replicas, []string{name}) })
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Version, d.Spec.Backup = new("16.9"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
		})
		says := w.state(d, "the primary says what it waits for", func(s system.Snapshot) bool {
			return strings.Contains(s.Condition(v1alpha1.ConditionReady).Message, "the upgrade waits for the read replicas, which RDS upgrades first ("+name+")")
		})
		if says.Is(v1alpha1.ConditionStalled, yes) || !says.Is(v1alpha1.ConditionReconciling, yes) {
			w.Errorf("it waits, and says %+v", says.Status.Conditions)
		}
		w.AwaitObject(d, "what the replicas do not keep waiting is changed", func() bool { return *d.Status.Observed.Backup.RetentionDays == 9 })
		edit(w, r, func(r *v1alpha1.Database) { r.Spec.Version = new("16.9") })
		for _, o := range []*v1alpha1.Database{r, d} {
			w.ready(o)
			w.Refresh(o)
			w.equal("the version of "+o.Name, *o.Status.Observed.Version, "16.9")
		}
		for _, transition := range w.Transitions("Database", d.Name, 0) {
			if strings.Contains(transition, "Failed") || strings.Contains(transition, "Stalled") {
				w.Errorf("the primary went through %s", transition)
			}
		}
	})
}

// RDS upgrades servers in Extended Support to releases with names of another shape. They are newer minor versions, so nothing differs, and
// what the mirror shows can be declared.
func TestExtendedSupport(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		if c.Name != "aws" {
			return
		}
		w.databaseClass(c, nil)
		d := w.tenLines("extended")
		d.Spec.Engine, d.Spec.Version = new(v1alpha1.EngineMySQL), new("8.0.40")
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.Disturb()
		c.Databases().SetVersion(w.T, name, "8.0.46-rds.20260908")
		mark := len(c.Writes(name))
		w.observedAgain(c, name, 1)
		w.AwaitObject(d, "it shows the version that runs", func() bool { return *d.Status.Observed.Version == "8.0.46-rds.20260908" })
		if ready := w.ready(d); len(ready.Status.PendingChanges) != 0 || ready.Status.Plan != nil {
			w.Errorf("pending %v, plan %v", ready.Status.PendingChanges, ready.Status.Plan)
		}
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = d.Status.Observed.Version })
		w.ready(d)
		w.expectWrites(c, name, mark)
	})
}

// Where the cloud takes no backup before an upgrade, Mooring has a snapshot taken by an object that people see, and the upgrade waits for that alone. One that can't be taken stops the upgrade, and
// nothing else.
func TestBackupBeforeAnUpgrade(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) { s.MaxSnapshotsPerNamespace = new(int32(1)) })
		d := w.tenLines("orders")
		d.Spec.Version, d.Spec.Backup = new("16"), &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
		w.create(d)
		server := w.ready(d).Status.ExternalName
		full := w.snapshotOf(d, "mine")
		w.create(full)
		w.usable(full)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("17") })
		taken := &v1alpha1.DatabaseSnapshotList{}
		if c.Name == "aws" {
			w.stalled(d, v1alpha1.ReasonSnapshotNotReady, "waiting for DatabaseSnapshot orders-before-17-", "but it is not taken: ClassNotAllowed: ")
			edit(w, d, func(d *v1alpha1.Database) { d.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"} })
			w.AwaitObject(d, "the tags are changed, and the version is not", func() bool { return d.Status.Observed.Tags["team"] == "shop" })
			w.stalled(d, v1alpha1.ReasonSnapshotNotReady)
			if !strings.HasPrefix(*d.Status.Observed.Version, "16") {
				w.Errorf("it has version %s", *d.Status.Observed.Version)
			}
			w.Disturb()
			w.delete(full)
			w.awaitDeleted(full)
		}
		w.AwaitObject(d, "the server has version 17", func() bool {
			return d.Status.Observed.Version != nil && strings.HasPrefix(*d.Status.Observed.Version, "17")
		})
		w.ready(d)
		w.Must(w.Client.List(w.Context(), taken, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.LabelBeforeVersion: "17"}))
		if c.Name != "aws" {
			w.equal("objects of snapshots before the upgrade", len(taken.Items), 0)
			return
		}
		w.equal("objects of snapshots before the upgrade", len(taken.Items), 1)
		s := &taken.Items[0]
		w.usable(s)
		if !strings.HasPrefix(s.Status.EngineVersion, "16") || s.Status.SourceServer != server {
			w.Errorf("what was taken is %+v", s.Status)
		}
		w.equal("snapshots in the cloud", c.Databases().Snapshots(w.T, server), []string{s.Status.ExternalName})
	})
}
