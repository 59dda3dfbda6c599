package gather

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// An upgrading gathers what an upgrade waits for.
type upgrading struct{ g *gathering }

// findBackup finds the snapshot that Mooring has taken, or is having taken, before an upgrade that needs one.
func (u upgrading) findBackup(ctx context.Context) error {
	g := u.g
	version, of := plan.BackupFor(g.Observation.Changes), g.gatherer.Family.Snapshots
	switch {
	case version == "":
		return nil
	case of == nil || g.Kind.Backup == nil: // none can be taken, whatever the driver says
		g.View.Backup.Ready = true
		return nil
	}
	list := of.NewList()
	err := g.gatherer.Cache.List(ctx, list, client.InNamespace(g.Object.GetNamespace()), client.UnsafeDisableDeepCopy,
		client.MatchingFields{kind.ParentIndex: g.Object.GetName()}, client.MatchingLabels{v1alpha1.LabelBeforeVersion: version})
	if err != nil {
		return fmt.Errorf("find the snapshots that were taken before an upgrade of it: %w", err)
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		if b := u.backup(of, item.(v1alpha1.ResourceObject)); !g.View.Backup.Ready && b.Named != "" {
			g.View.Backup = b
		}
		return nil
	})
}

// backup says how far a snapshot is that was taken before an upgrade; nothing if it is another server's, was there before its object, is going, or was taken too long ago.
func (u upgrading) backup(of *kind.Kind, object v1alpha1.ResourceObject) plan.Backup {
	status, server := object.GetResourceStatus(), of.ParentRef(object)
	old := status.FirstReadyTime != nil && u.g.Now.Sub(status.FirstReadyTime.Time) >= plan.BackupServes
	if !object.GetDeletionTimestamp().IsZero() || old || status.Origin == v1alpha1.OriginAdopted || server.ID != "" && server.ID != u.g.Request.ID {
		return plan.Backup{}
	}
	waits, _ := reconciliation.NotReady(object)
	b := plan.Backup{Named: of.Name + " " + object.GetName(), Ready: waits == ""}
	if c := meta.FindStatusCondition(object.GetConditions(), v1alpha1.ConditionStalled); c != nil && c.Status == "True" {
		b.Problem = fmt.Sprintf("%s: %s", c.Reason, c.Message)
	}
	return b
}
