package execute

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A backup is the snapshot that is taken before an upgrade.
type backup struct{ of *work }

// await creates the object by which a snapshot is taken before an upgrade, unless there is one, and waits for it: whoever watches it has this one reconciled.
func (b backup) await(ctx context.Context, a plan.Action) (outcome.Outcome, error) {
	w := b.of
	out := outcome.Outcome{State: condition.DriftWaits, Reason: a.Reason, Message: a.Message, Next: outcome.AtSync, Pending: a.Pending, Planned: true, Hash: a.Hash}
	if a.EditAwaitsBackup {
		out.State = condition.Updating
	}
	if a.BackupFor != "" {
		name, refused, err := b.create(ctx, a.BackupFor)
		if err != nil {
			return outcome.Outcome{}, err
		}
		out.Message = plan.MessageOfBackup("DatabaseSnapshot "+name, a.BackupFor)
		if refused != "" {
			out.Message += "; but it is refused: " + refused
			if a.EditAwaitsBackup {
				out.State = condition.Stalled
			}
		}
	}
	if !plan.Publishes(a, w.View, w.Observation, w.Policy) {
		return out, nil
	}
	return w.executor.Features.Publish(ctx, w, out)
}

// ask creates that object beside an update of what waits for nothing: a change that is refused again and again keeps no upgrade waiting. Why it can't be created is told once nothing else is
// to be done.
func (b backup) ask(ctx context.Context, a plan.Action) {
	if a.BackupFor != "" {
		_, _, _ = b.create(ctx, a.BackupFor)
	}
}

// create creates that object, and returns its name, and why the API server refuses it; empty if it does not. One of its name that is of the same Database is the one, which the cache does
// not show yet, or it is going.
func (b backup) create(ctx context.Context, version string) (name, refused string, err error) {
	w := b.of
	taken := w.Kind.Backup(w.Object, version, w.Now)
	name = taken.GetName()
	if err := w.executor.store().ensureFresh(ctx, w.Object); err != nil { // a snapshot costs money, and the spec may ask for that version no more
		return name, "", err
	}
	switch err = w.executor.Client.Create(ctx, taken); {
	case err == nil:
		w.Note(outcome.Normal(v1alpha1.EventSnapshotRequested, "asked for a snapshot before the upgrade to version %s, by the DatabaseSnapshot %s: delete that when you no longer need it", version, name))
		return name, "", nil
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err): // by a quota, or by admission, as for a limit of the class
		return name, err.Error(), nil
	case !apierrors.IsAlreadyExists(err):
		return name, "", fmt.Errorf("create the DatabaseSnapshot %s, which is to be taken before the upgrade to version %s: %w", name, version, err)
	}
	found := &v1alpha1.DatabaseSnapshot{}
	switch err := w.executor.Reader.Get(ctx, client.ObjectKeyFromObject(taken), found); {
	case apierrors.IsNotFound(err):
		return name, "", outcome.ErrStale // it went meanwhile
	case err != nil:
		return name, "", err
	}
	if ref := found.Spec.Source.DatabaseRef; found.Labels[v1alpha1.LabelBeforeVersion] == version && ref != nil && ref.Name == w.Object.GetName() {
		return name, "", nil
	}
	return name, "a DatabaseSnapshot of that name has another purpose; delete it", nil
}
