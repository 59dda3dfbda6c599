package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// sizeField is the field that restarts the server.
var sizeField = map[string]string{"aws": "aws.instanceClass", "gcp": "gcp.tier"}

var sizeWrite = map[string]string{"aws": "ModifyDBInstance", "gcp": "instances.patch"}

// waits waits until a change of the size waits for approval, and returns the hash.
func (w *world) waits(c *cloud, d *v1alpha1.Database, from, to, cause string) string {
	w.Helper()
	given := d.Annotations[v1alpha1.AnnotationApprove]
	s := w.state(d, "waiting for approval", func(s snapshot) bool {
		ready := s.condition(v1alpha1.ConditionReady)
		return ready != nil && strings.Contains(ready.Message, given) && s.status.Plan != nil && s.status.Plan.Hash != "" && s.generation == d.Generation && s.kstatus != status.InProgressStatus
	})
	w.equal("pendingChanges", s.status.PendingChanges,
		[]v1alpha1.PendingChange{{Field: sizeField[c.name], From: from, To: to, Effect: "Restarts", Cause: cause}})
	ready := s.condition(v1alpha1.ConditionReady)
	hash := s.status.Plan.Hash
	want := fmt.Sprintf("waiting for approval: %s %s -> %s (Restarts); to approve, set the annotation mooring.dev/approve=%s", sizeField[c.name], from, to, hash)
	if given != "" {
		want += fmt.Sprintf(" (its value is %q now, which is not the hash of this plan)", given)
	}
	if cause == v1alpha1.CauseDrift {
		want += "; to keep the values in the cloud, set the spec to them"
	}
	w.equal("message", ready.Reason+": "+ready.Message, "ApprovalRequired: "+want)
	return hash
}

// approve sets the annotation.
func (w *world) approve(d *v1alpha1.Database, hash string) {
	w.Helper()
	edit(w, d, func(d *v1alpha1.Database) {
		d.Annotations = map[string]string{v1alpha1.AnnotationApprove: hash}
	})
}

func TestDriftOfTheSizeWaitsForApproval(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		size := sizes[c.name]
		d := w.database(c, "orders", smallDatabase(c))
		w.create(d)
		name := w.ready(d).status.ExternalName

		mark := len(c.writes(name))
		edit(w, d, func(d *v1alpha1.Database) { sized(c, &d.Spec.DatabaseParameters, size[1]) })
		w.mirrors(d, sizeField[c.name], `"`+size[1]+`"`)
		w.costs(c, name, mark, sizeWrite[c.name]) // an edit needs no approval

		w.disturb()
		c.resize(w.T, name, size[2])
		hash := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift)
		s := w.state(d, "ready all the same", func(s snapshot) bool { return s.kstatus == status.CurrentStatus })
		if !s.is(v1alpha1.ConditionReady, yes) || !s.is(v1alpha1.ConditionAvailable, yes) || !s.is(v1alpha1.ConditionStalled, absent) {
			w.Errorf("drift that waits took Ready away:\n    %v", s)
		}
		mark = len(c.writes(name))
		w.approve(d, "000000000000")
		w.looks(c, name, 1)
		w.costs(c, name, mark) // a wrong hash approves nothing, and is answered
		if again := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift); again != hash {
			w.Errorf("a wrong approval made another plan of %s: %s", hash, again)
		}

		w.approve(d, hash)
		w.mirrors(d, sizeField[c.name], `"`+size[1]+`"`)
		w.costs(c, name, mark, sizeWrite[c.name])

		w.disturb()
		c.resize(w.T, name, size[2])
		again := w.waits(c, d, size[2], size[1], v1alpha1.CauseDrift)
		if again == hash {
			w.Errorf("the same drift has the hash of the plan that was approved before: %s", hash)
		}
		mark = len(c.writes(name))
		w.looks(c, name, 1)
		w.costs(c, name, mark) // an approval that was used approves nothing

		edit(w, d, func(d *v1alpha1.Database) { sized(c, &d.Spec.DatabaseParameters, size[2]) })
		s = w.ready(d) // the spec agrees with the cloud: nothing waits any more
		w.costs(c, name, mark)
		w.equal("pendingChanges", s.status.PendingChanges, []v1alpha1.PendingChange(nil))
	})
}

// What deletes restore points asks as a restart does: an edit is consent, drift waits.
func TestFewerBackupsWaitForApproval(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		d := w.database(c, "orders", smallDatabase(c))
		d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))}
		w.create(d)
		name := w.ready(d).status.ExternalName
		const days = "backup.retentionDays"

		mark := len(c.writes(name))
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup.RetentionDays = new(int32(3)) })
		w.mirrors(d, days, "3")
		w.costs(c, name, mark, sizeWrite[c.name])

		w.disturb()
		c.retain(w.T, name, 9)
		waits := func(from, to, cause string) string {
			s := w.state(d, "waiting for approval", func(s snapshot) bool {
				return s.status.Plan != nil && s.status.Plan.Hash != "" && s.generation == d.Generation && s.kstatus != status.InProgressStatus
			})
			w.equal("pendingChanges", s.status.PendingChanges,
				[]v1alpha1.PendingChange{{Field: days, From: from, To: to, Effect: "LosesBackups", Cause: cause}})
			return s.status.Plan.Hash
		}
		hash := waits("9", "3", v1alpha1.CauseDrift)
		mark = len(c.writes(name))
		w.looks(c, name, 1)
		w.costs(c, name, mark)
		w.approve(d, hash)
		w.mirrors(d, days, "3")
		w.costs(c, name, mark, sizeWrite[c.name])

		mark = len(c.writes(name))
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			d.Spec.Backup.RetentionDays = new(int32(0))
		})
		hash = waits("3", "0", v1alpha1.CauseSpec)
		w.stalled(d, v1alpha1.ReasonApprovalRequired, "LosesBackups: automatic backups end", hash)
		w.costs(c, name, mark)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Backup.RetentionDays = new(int32(14)) })
		w.mirrors(d, days, "14") // more of them asks nobody
		w.costs(c, name, mark, sizeWrite[c.name])
	})
}

func TestDisruptiveAlways(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		size := sizes[c.name]
		d := w.database(c, "orders", smallDatabase(c))
		d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveAlways}
		w.create(d)
		name := w.ready(d).status.ExternalName
		mark := len(c.writes(name))
		w.disturb()
		c.resize(w.T, name, size[1])
		w.eventually("the drift is put right", func() bool { return len(c.writes(name)) > mark+1 })
		w.mirrors(d, sizeField[c.name], `"`+size[0]+`"`)
		w.costs(c, name, mark, sizeWrite[c.name], sizeWrite[c.name])
	})
}

func TestDisruptiveOnApproval(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		size := sizes[c.name]
		d := w.database(c, "orders", smallDatabase(c))
		d.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		w.create(d)
		name := w.ready(d).status.ExternalName

		mark := len(c.writes(name))
		since := edit(w, d, func(d *v1alpha1.Database) { sized(c, &d.Spec.DatabaseParameters, size[1]) })
		hash := w.waits(c, d, size[0], size[1], v1alpha1.CauseSpec)
		w.stalled(d, v1alpha1.ReasonApprovalRequired, hash)
		w.costs(c, name, mark)
		w.equal("story", w.story("Database", d.Name, since), []string{"InProgress Ready", "Failed ApprovalRequired"})

		w.approve(d, hash)
		w.mirrors(d, sizeField[c.name], `"`+size[1]+`"`)
		w.costs(c, name, mark, sizeWrite[c.name])
	})
}
