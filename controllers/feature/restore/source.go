package restore

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// restoring gathers what an object is to be restored from.
type restoring struct {
	g      *reconciliation.State
	family kind.Family
	// cache has objects of our kinds, and fresh reads from the API server.
	cache, fresh client.Reader
}

// find finds out about the snapshot from which an object is to be restored that is created now. It is looked for in the object's own account, by
// the object's own identity.
func (r *restoring) find(ctx context.Context, creation plan.Action) (*reconciliation.Stop, error) {
	from := r.g.Kind.RestoreFrom(r.g.Want)
	switch {
	case creation.InPlace:
		left := left{}
		if err := r.findLeft(ctx, &left); err != nil {
			return nil, err
		}
		return refusedInPlace(inPlaceRefusal(r.g.View, left)), nil
	case from == nil:
		return nil, nil
	}
	s := &snapshot{}
	if err := r.findSnapshot(ctx, s, from); err != nil {
		return nil, err
	}
	return isRestorable(*r.g, s), nil
}

// findSnapshot finds out about what the spec names.
func (r *restoring) findSnapshot(ctx context.Context, s *snapshot, from *v1alpha1.DatabaseRestore) error {
	g := r.g
	_, described := g.Connection.Resource(g.Kind.Restoring.Of)
	s.Unsupported = !described || !g.Described.Capabilities.Restores || r.family.Snapshots == nil
	if at := from.PointInTime; at != nil {
		if s.Unsupported = !g.Described.Capabilities.PointInTime; s.Unsupported {
			s.What = "to a point in time"
			return nil
		}
		return r.findSource(ctx, s, at)
	}
	if s.Unsupported {
		return nil
	}
	of := r.family.Snapshots
	request := driver.Request{
		Name: from.ExternalSnapshotName, Location: g.Request.Location, Spec: driver.NewSpec(of.New().GetParameters()), NotBefore: g.Memory.Cloud.NotBefore,
	}
	s.Named, s.Open = "snapshot "+request.Name, r.isOpen()
	var object v1alpha1.ResourceObject
	if ref := from.SnapshotRef; ref != nil {
		object = of.New()
		if stop, err := r.readNamed(ctx, s, of, ref.Name, object); stop || err != nil {
			return err
		}
		if s.Waits, s.Stalled = reconciliation.NotReady(object); s.Waits != "" {
			return nil
		}
		status := object.GetResourceStatus()
		request.Name, request.ID = status.ExternalName, status.ExternalID
		s.Named += " (" + request.Name + ")"
	}
	seen, err := g.Session.Observe(ctx, of.Name, request, driver.Secrets{})
	if g.CallError = err; err != nil {
		return fmt.Errorf("look at %s, from which it is to be restored: %w", s.Named, err)
	}
	s.Known = r.isOfOwnRights(object) // it is ready to use, so Mooring let it have the snapshot
	s.Seen, s.Other = seen, object != nil && seen.State != driver.Absent && !g.Kind.Restoring.Same(object, seen)
	if seen.SnapshotDetails != nil {
		s.Unfit = g.Kind.Restoring.Mismatch(g.Want, seen.SnapshotDetails)
	}
	g.Request.Restore = &driver.Restore{Snapshot: request.Name, SnapshotID: seen.ID}
	return nil
}

// readNamed reads an object of the namespace that the spec names. It reports whether that is all: it is not there, or in another account.
func (r *restoring) readNamed(ctx context.Context, s *snapshot, of *kind.Kind, name string, into v1alpha1.ResourceObject) (stop bool, err error) {
	g := r.g
	s.Named = of.Name + " " + name
	err = r.cache.Get(ctx, client.ObjectKey{Namespace: g.Object.GetNamespace(), Name: name}, into)
	switch {
	case apierrors.IsNotFound(err):
		s.Missing = true
		return true, nil
	case err != nil:
		return true, fmt.Errorf("read %s, from which it is to be restored: %w", s.Named, err)
	case into.GetResourceStatus().AccountID != "":
		s.Elsewhere = r.isElsewhere(into.GetResourceStatus())
	}
	return s.Elsewhere != "", nil
}

// findSource finds out about the object of the same kind that is to be restored as it was at a time.
func (r *restoring) findSource(ctx context.Context, s *snapshot, at *v1alpha1.DatabasePointInTime) error {
	g := r.g
	object := g.Kind.New()
	if s.Itself = at.DatabaseRef.Name == g.Object.GetName(); s.Itself {
		return r.findDeleted(ctx, s, at)
	}
	switch stop, err := r.readNamed(ctx, s, g.Kind, at.DatabaseRef.Name, object); {
	case s.Missing:
		return r.findDeleted(ctx, s, at)
	case stop || err != nil:
		return err
	}
	status := object.GetResourceStatus()
	if status.ExternalName == "" || status.ExternalID == "" {
		s.Waits, s.Unwatched = "does not exist in the cloud yet", true
		return nil
	}
	s.Named += " (" + status.ExternalName + ")"
	if s.SameServer = status.ExternalName == g.Request.Name; s.SameServer {
		return nil
	}
	seen, err := g.Session.Observe(ctx, g.Kind.Name, driver.Request{
		Name: status.ExternalName, ID: status.ExternalID, Location: g.Request.Location, Spec: driver.NewSpec(g.Kind.New().GetParameters()), NotBefore: g.Memory.Cloud.NotBefore,
	}, driver.Secrets{})
	if g.CallError = err; err != nil {
		return fmt.Errorf("look at %s, from which it is to be restored: %w", s.Named, err)
	}
	going := seen.State == driver.Absent || seen.State == driver.Deleting
	if going && !object.GetDeletionTimestamp().IsZero() && g.Described.Capabilities.RestoresDeleted {
		s.Waits, s.Unwatched = "is being deleted: once it is gone, its backups are looked for", true
		return nil
	}
	s.Known, s.Seen, s.Other = r.isOfOwnRights(object), seen, seen.State != driver.Absent && seen.ID != status.ExternalID
	s.Seen.Available = seen.State != driver.Failed // its backups are there, whatever it is up to
	if len(seen.Mirror) > 0 {
		is, err := g.Kind.Restoring.Details(seen.Mirror)
		if err != nil {
			return fmt.Errorf("read what %s is like: %w", s.Named, err)
		}
		s.Unfit = g.Kind.Restoring.Mismatch(g.Want, is)
	}
	g.Request.Restore = &driver.Restore{Source: driver.ParentRef{Name: status.ExternalName, ID: seen.ID}}
	if at.Time != nil {
		g.Request.Restore.Time = at.Time.UTC()
	}
	if g.Described.Capabilities.Copies {
		s.Copies, g.Request.Restore.SourceMark = true, seen.Mark
		g.Observation.Applied = appliedToCopy(g.Described.Fields, status.Applied, g.Kind.Restoring.Contents)
	}
	return nil
}

// findLeft finds out what is left of the object itself, which vanished. The cloud is asked for it by the identity that is gone: a later object of the name
// is another one.
func (r *restoring) findLeft(ctx context.Context, left *left) error {
	g := r.g
	if left.Supported = g.Kind.Restoring != nil && g.Described.Capabilities.Restores; !left.Supported {
		return nil
	}
	for _, vanished := range gone(g.View, g.Request.Name) {
		request := g.Request
		request.Vanished = &vanished
		seen, err := g.Session.Observe(ctx, g.Kind.Name, request, driver.Secrets{})
		switch g.CallError = err; {
		case err != nil:
			err = fmt.Errorf("look for what is left of it, to restore it: %w", err)
			if meta.IsStatusConditionTrue(g.Before, v1alpha1.ConditionAvailable) { // a failed look keeps the conditions, which have to say first that it is gone
				left.Failed, err = err.Error(), nil
			}
			return err
		case seen.State != driver.Absent: // it is there again: the next reconciliation sees it
			return fmt.Errorf("look for what is left of it, to restore it: %w", outcome.ErrStale)
		case seen.Backup.GetRestorable() == nil:
			left.Supported = false
			return nil
		}
		left.Known, left.Restorable = true, *seen.Backup.GetRestorable()
		if from := seen.Backup.GetRestorable().From; from != nil || seen.Backup.GetRestorable().Pending {
			left.Unfit = g.Kind.Restoring.Mismatch(g.Want, asItWas(seen.Backup.GetRestorable().Details))
			g.Request.Restore = from
			return nil
		}
	}
	return nil
}

// asItWas returns what is left of an object without what its spec need not name, because the object had it: a disk that grew by itself, and a disk that
// was never encrypted.
func asItWas(details driver.SnapshotDetails) *driver.SnapshotDetails {
	details.SizeGiB, details.Encrypted = 0, true
	return &details
}

// isOpen reports whether the object may restore what has no mark of this cluster: its account is its namespace's own, or its class lets it take over anything.
func (r *restoring) isOpen() bool {
	g := r.g
	if g.Class != nil {
		return g.Class.Class != nil && g.Class.Class.Spec.AllowAdoption == v1alpha1.AllowAdoptionAny
	}
	return g.Config.Kind == identity.KindProviderConfig
}

// isOfOwnRights reports whether another object of the namespace looks at the cloud by the object's own provider config, or by one of the platform's. What it may see by the rights
// of its namespace alone is not for the platform's to restore. There may be no object.
func (r *restoring) isOfOwnRights(object v1alpha1.ResourceObject) bool {
	if object == nil || object.GetResourceStatus().ProviderConfigRef == nil {
		return false
	}
	by := identity.KeyOfBound(*object.GetResourceStatus().ProviderConfigRef, r.g.Object.GetNamespace())
	return by.Kind != identity.KindProviderConfig || by == r.g.Config
}

// isElsewhere says in which account something is that a status is about, if that is another one than the object's.
func (r *restoring) isElsewhere(status *v1alpha1.ResourceStatus) string {
	g := r.g
	if status.Provider == g.Provider && status.AccountID == string(g.Account) {
		return ""
	}
	return fmt.Sprintf("%s account %s", status.Provider, cmp.Or(status.AccountID, "unknown"))
}

// isRestorable: nothing is created before the snapshot is there from which it is to be restored, and never something empty in its place.
func isRestorable(g reconciliation.State, s *snapshot) *reconciliation.Stop {
	switch {
	case s.Unsupported:
		return reconciliation.Stalled(v1alpha1.ReasonNotSupported, fmt.Sprintf("Mooring can't restore a %s %s in %s; restore a DatabaseSnapshot, or remove spec.restoreFrom for an empty one", g.Kind.Name, cmp.Or(s.What, "from a snapshot"), g.Provider))
	case s.Deleted != nil:
		return toldToPlatform(refusedDeleted(g, deletedRefusal(g.View, *s.Deleted)), g.View, s.Deleted.marks()...)
	case s.SameServer:
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s, from which this object is to be restored, has the name in the cloud that this one is to have; choose another spec.externalName", s.Named))
	case s.Missing:
		return &reconciliation.Stop{Err: &identity.ValidationError{
			Reason: v1alpha1.ReasonSnapshotNotFound, Message: fmt.Sprintf("there is no %s in this namespace, so nothing is created; create it, or correct spec.restoreFrom", s.Named),
		}}
	case s.Stalled:
		return reconciliation.Stalled(v1alpha1.ReasonSnapshotNotReady, fmt.Sprintf("%s %s; look at its conditions, or correct spec.restoreFrom", s.Named, s.Waits))
	case s.Waits != "" && s.Unwatched:
		return waitForSnapshot(g, fmt.Sprintf("waiting for %s, which %s; look at its conditions", s.Named, s.Waits), outcome.Polling)
	case s.Waits != "":
		return waitForSnapshot(g, fmt.Sprintf("waiting for %s, which %s; look at its conditions", s.Named, s.Waits), outcome.AtSync) // who watches it has the object reconciled
	case s.Elsewhere != "":
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s is in %s, and this object is to be in %s account %s: a snapshot is restored where it is, so name a provider config or a class of that account",
			s.Named, s.Elsewhere, g.Provider, g.Account))
	}
	return toldToPlatform(refusedSnapshot(g, restoreRefusal(g.View, *s)), g.View, s.Seen.Mark)
}

// toldToPlatform adds to a refusal that is about an earlier namespace what the platform team may know of it.
func toldToPlatform(stop *reconciliation.Stop, v plan.View, marks ...driver.Mark) *reconciliation.Stop {
	for _, mark := range marks {
		if stop != nil && stop.Outcome.Reason == v1alpha1.ReasonNotOwned && stop.Outcome.Detail == "" {
			stop.Outcome.Detail = plan.EarlierBy(v, mark)
		}
	}
	return stop
}

// refusedSnapshot returns what a reconciliation ends with if nothing can be restored, or not yet; nil if something can.
func refusedSnapshot(g reconciliation.State, r plan.Refusal) *reconciliation.Stop {
	switch r.Reason {
	case "":
		return nil
	case v1alpha1.ReasonSnapshotNotReady:
		return waitForSnapshot(g, r.Message, outcome.Polling)
	default:
		return reconciliation.Stalled(r.Reason, r.Message)
	}
}

// refusedInPlace is the same for what vanished. That is not there, so what a wait says of it is not what was seen before.
func refusedInPlace(r plan.Refusal) *reconciliation.Stop {
	switch r.Reason {
	case "":
		return nil
	case v1alpha1.ReasonSnapshotNotReady, v1alpha1.ReasonRetrying:
		return &reconciliation.Stop{Outcome: outcome.Outcome{State: condition.Progressing, Reason: r.Reason, Message: r.Message, Next: outcome.Polling}}
	default:
		return &reconciliation.Stop{Action: &plan.Action{Verb: plan.Stall, Reason: r.Reason, Message: r.Message}}
	}
}

func waitForSnapshot(g reconciliation.State, message string, next outcome.When) *reconciliation.Stop {
	out := outcome.Outcome{State: condition.Progressing, Reason: v1alpha1.ReasonSnapshotNotReady, Message: message, Next: next}
	if g.WasReady {
		out.State = condition.Updating
	}
	return &reconciliation.Stop{Outcome: out}
}
