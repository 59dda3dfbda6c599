package restore

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// findDeleted finds out which backups the cloud has of the server of an object that was deleted, or of the object itself before it was deleted and created again. They are
// looked for by the mark of that object, and by the name that its server had if nobody chose another one.
func (r *restoring) findDeleted(ctx context.Context, s *snapshot, at *v1alpha1.DatabasePointInTime) error {
	g := r.g
	d := &deletedServers{Name: at.DatabaseRef.Name, Itself: s.Itself, Provider: g.Provider, Server: g.Request.Name, Open: r.isOpen(), Supported: g.Described.Capabilities.RestoresDeleted}
	if s.Deleted = d; !d.Supported {
		return nil
	}
	if at.Time != nil {
		d.Time = at.Time.UTC()
	}
	request := g.Request
	if !s.Itself {
		d.Server = plan.ExternalName(request.Mark.Cluster, request.Mark.Namespace, d.Name, g.Described.Name.MaxLength)
	}
	request.Vanished = &driver.ParentRef{Name: d.Server}
	request.VanishedMark = driver.Mark{Cluster: request.Mark.Cluster, Namespace: request.Mark.Namespace, Name: d.Name}
	seen, err := g.Session.Observe(ctx, g.Kind.Name, request, g.CallSecrets)
	switch g.CallError = err; {
	case err != nil:
		return fmt.Errorf("look for backups of %s, from which it is to be restored: %w", d, err)
	case seen.State != driver.Absent: // it is there by now: the next reconciliation sees it
		return fmt.Errorf("look for backups of %s, from which it is to be restored: %w", d, outcome.ErrStale)
	case seen.Backup.GetRestorable() == nil:
		d.Supported = false
		return nil
	}
	d.Backups = seen.Backup.GetRestorable().Backups
	from := d.chosen(g.View)
	if from == nil {
		return nil
	}
	if !s.Itself { // a cache may lag behind its creation, and what is there counts
		switch err := r.fresh.Get(ctx, client.ObjectKey{Namespace: g.Object.GetNamespace(), Name: d.Name}, g.Kind.New()); {
		case err == nil:
			return fmt.Errorf("look for %s: %w", d, outcome.ErrStale)
		case !apierrors.IsNotFound(err):
			return fmt.Errorf("check that there is no %s any more: %w", d, err)
		}
	}
	d.Unfit = g.Kind.Restoring.Mismatch(g.Want, &from.Details)
	g.Request.Restore = &driver.Restore{Source: from.From.Source, Time: d.Time}
	return nil
}

// refusedDeleted returns what a reconciliation ends with if no deleted server can be restored, or not yet; nil if one can. An object of the name may be created later,
// so a missing one is looked for again.
func refusedDeleted(g reconciliation.State, r plan.Refusal) *reconciliation.Stop {
	if r.Reason == v1alpha1.ReasonSnapshotNotFound {
		return &reconciliation.Stop{Err: &identity.ValidationError{Reason: r.Reason, Message: r.Message}}
	}
	return refusedSnapshot(g, r)
}
