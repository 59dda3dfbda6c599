package e2e

import (
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// Cloud SQL looks for what is in the way of another major version first. What it finds is told, with what to do, and is looked for again when somebody asks: then the upgrade is made, which needs no other approval.
func TestUpgradeWithSomethingInItsWay(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		if c.Name != "gcp" {
			return
		}
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Version, d.Spec.Updates = new("16"), &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.Cloud.SetSQLPreCheck(c.Account, name, &sqladmin.PreCheckResponse{MessageType: "ERROR", Message: "The extension pgrouting is in the way.", ActionsRequired: []string{"Drop it in shop."}})
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version = new("17") })
		hash := w.state(d, "the upgrade waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" }).Status.Plan.Hash
		w.approve(d, hash)
		stalled := w.state(d, "what is in the way is told", func(s system.Snapshot) bool {
			return s.Is(v1alpha1.ConditionStalled, yes) && s.Condition(v1alpha1.ConditionStalled).Reason == string(v1alpha1.ReasonInvalid)
		})
		for _, want := range []string{"upgrade to version 17", "pgrouting is in the way: Drop it in shop", "mooring.dev/reconcile"} {
			if message := stalled.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, want) {
				w.Errorf("the message %q does not name %q", message, want)
			}
		}
		w.equal("what is pending", len(stalled.Status.PendingChanges), 1)
		w.Disturb()
		w.Cloud.SetSQLPreCheck(c.Account, name)
		w.asks(d, v1alpha1.AnnotationReconcile, "now")
		w.AwaitObject(d, "the server has version 17", func() bool {
			return d.Status.Observed.Version != nil && strings.HasPrefix(*d.Status.Observed.Version, "17")
		})
		w.equal("the operation that rests", w.ready(d).Status.Operation, "")
	})
}
