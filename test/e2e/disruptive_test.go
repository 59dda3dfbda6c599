package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// sizeField is the field that restarts the server.
var sizeField = system.SizeFields

// sizeWrite is what a change of it costs.
func sizeWrite(c *system.Cloud) string { return system.TargetOf("Database", c.Name).Operations.Disrupt }

// sizeCost is what a change of it costs people, in the words of the driver's description.
func sizeCost(c *system.Cloud) string {
	description := system.ProviderOf(c.Name).Driver(c.Cloud, http.DefaultTransport, time.Minute).Describe()
	database, _ := description.Resource("Database")
	for _, f := range database.Fields {
		if f.Field != sizeField[c.Name] {
			continue
		}
		for _, e := range f.Effects {
			if e.Effect == driver.Restarts {
				return e.Cost.Text
			}
		}
	}
	return ""
}

// waits waits until a change of the size waits for approval, and returns the hash.
func (w *fixture) waits(c *system.Cloud, d *v1alpha1.Database, from, to, cause string) string {
	w.Helper()
	given := d.Annotations[v1alpha1.AnnotationApprove]
	s := w.state(d, "waiting for approval", func(s system.Snapshot) bool {
		return strings.Contains(s.Told(), given) && s.Status.Plan != nil && s.Status.Plan.Hash != "" && s.Generation == d.Generation && s.KStatus != status.InProgressStatus
	})
	w.equal("pendingChanges", s.Status.PendingChanges,
		[]v1alpha1.PendingChange{{Field: sizeField[c.Name], From: from, To: to, Effect: "Restarts", Cause: cause, WaitsFor: v1alpha1.WaitsForApproval}})
	ready := s.Condition(v1alpha1.ConditionReady)
	hash := s.Status.Plan.Hash
	want := fmt.Sprintf("waiting for approval: %s %s -> %s (Restarts: %s); to approve, set the annotation mooring.dev/approve=%s", sizeField[c.Name], from, to, sizeCost(c), hash)
	if given != "" {
		want += fmt.Sprintf(" (its value is %q now, which is not the hash of this plan)", given)
	}
	if cause == v1alpha1.CauseDrift {
		want += "; to keep the values in the cloud, set the spec to them"
	}
	w.equal("message", ready.Reason+": "+s.Told(), "ApprovalRequired: "+want)
	return hash
}

// approve sets the annotation.
func (w *fixture) approve(d *v1alpha1.Database, hash string) {
	w.Helper()
	edit(w, d, func(d *v1alpha1.Database) {
		d.Annotations = map[string]string{v1alpha1.AnnotationApprove: hash}
	})
}

func TestDriftOfTheSizeWaitsForApproval(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		size := system.Sizes[c.Name]
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		name := w.ready(d).Status.ExternalName

		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { system.SetSize(c, &d.Spec.DatabaseParameters, size[1]) })
		w.mirrors(d, sizeField[c.Name], `"`+size[1]+`"`)
		w.expectWrites(c, name, mark, sizeWrite(c)) // an edit needs no approval

		w.Disturb()
		c.Databases().SetSize(w.T, name, size[2])
		hash := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift)
		s := w.state(d, "ready all the same", func(s system.Snapshot) bool { return s.KStatus == status.CurrentStatus })
		if !s.Is(v1alpha1.ConditionReady, yes) || !s.Is(v1alpha1.ConditionAvailable, yes) || !s.Is(v1alpha1.ConditionStalled, absent) {
			w.Errorf("drift that waits took Ready away:\n    %v", s)
		}
		mark = len(c.Writes(name))
		w.approve(d, "000000000000")
		w.observedAgain(c, name, 1)
		w.expectWrites(c, name, mark) // a wrong hash approves nothing, and is answered
		if again := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift); again != hash {
			w.Errorf("a wrong approval made another plan of %s: %s", hash, again)
		}

		w.approve(d, hash)
		w.mirrors(d, sizeField[c.Name], `"`+size[1]+`"`)
		w.expectWrites(c, name, mark, sizeWrite(c))

		w.Disturb()
		c.Databases().SetSize(w.T, name, size[2])
		again := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift)
		if again == hash {
			w.Errorf("the same drift has the hash of the plan that was approved before: %s", hash)
		}
		mark = len(c.Writes(name))
		w.observedAgain(c, name, 1)
		w.expectWrites(c, name, mark) // an approval that was used approves nothing

		edit(w, d, func(d *v1alpha1.Database) { system.SetSize(c, &d.Spec.DatabaseParameters, size[2]) })
		s = w.ready(d) // the spec agrees with the cloud: nothing waits any more
		w.expectWrites(c, name, mark)
		w.equal("pendingChanges", s.Status.PendingChanges, []v1alpha1.PendingChange(nil))
	})
}

// What deletes restore points asks as a restart does: an edit is consent, drift waits.
func TestFewerBackupsWaitForApproval(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		const days = "backup.retentionDays"

		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup.RetentionDays = new(int32(3)) })
		w.mirrors(d, days, "3")
		w.expectWrites(c, name, mark, sizeWrite(c))

		w.Disturb()
		c.Databases().SetRetention(w.T, name, 9)
		waits := func(from, to, cause string) string {
			s := w.state(d, "waiting for approval", func(s system.Snapshot) bool {
				return s.Status.Plan != nil && s.Status.Plan.Hash != "" && s.Generation == d.Generation && s.KStatus != status.InProgressStatus
			})
			w.equal("pendingChanges", s.Status.PendingChanges,
				[]v1alpha1.PendingChange{{Field: days, From: from, To: to, Effect: "LosesBackups", Cause: cause, WaitsFor: v1alpha1.WaitsForApproval}})
			return s.Status.Plan.Hash
		}
		hash := waits("9", "3", v1alpha1.CauseDrift)
		mark = len(c.Writes(name))
		w.observedAgain(c, name, 1)
		w.expectWrites(c, name, mark)
		w.approve(d, hash)
		w.mirrors(d, days, "3")
		w.expectWrites(c, name, mark, sizeWrite(c))

		mark = len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			d.Spec.Backup.RetentionDays = new(int32(0))
		})
		hash = waits("3", "0", v1alpha1.CauseSpec)
		w.stalled(d, v1alpha1.ReasonApprovalRequired, "LosesBackups: automatic backups end", hash)
		w.expectWrites(c, name, mark)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup.RetentionDays = new(int32(14)) })
		w.mirrors(d, days, "14") // more of them asks nobody
		w.expectWrites(c, name, mark, sizeWrite(c))
	})
}

func TestDisruptiveAlways(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		size := system.Sizes[c.Name]
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		w.Disturb()
		c.Databases().SetSize(w.T, name, size[1])
		w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+1 })
		w.mirrors(d, sizeField[c.Name], `"`+size[0]+`"`)
		w.expectWrites(c, name, mark, sizeWrite(c), sizeWrite(c))
	})
}

func TestDisruptiveOnApproval(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		size := system.Sizes[c.Name]
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		w.create(d)
		name := w.ready(d).Status.ExternalName

		mark := len(c.Writes(name))
		since := edit(w, d, func(d *v1alpha1.Database) { system.SetSize(c, &d.Spec.DatabaseParameters, size[1]) })
		hash := w.waits(c, d, size[0], size[1], v1alpha1.CauseSpec)
		w.stalled(d, v1alpha1.ReasonApprovalRequired, hash)
		w.expectWrites(c, name, mark)
		w.equal("transitions", w.Transitions("Database", d.Name, since), []string{"InProgress Ready", "Failed ApprovalRequired"})

		w.approve(d, hash)
		w.mirrors(d, sizeField[c.Name], `"`+size[1]+`"`)
		w.expectWrites(c, name, mark, sizeWrite(c))
	})
}
