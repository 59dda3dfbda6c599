package execute

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// awaitBackup creates the object by which a snapshot is taken before an upgrade, unless there is one, and waits for it: whoever watches it has this one reconciled.
func awaitBackup(ctx context.Context, w *work, a plan.Action) (outcome.Outcome, error) {
	if w.View.Backup.Named == "" {
		version := plan.BackupFor(a.Changes)
		name, err := createBackup(ctx, w, version)
		if err != nil {
			return outcome.Outcome{}, err
		}
		a.Message = plan.MessageOfBackup("DatabaseSnapshot "+name, version)
	}
	out := outcome.Outcome{State: condition.DriftWaits, Reason: a.Reason, Message: a.Message, Next: outcome.AtSync, Pending: a.Pending, Planned: true, Hash: a.Hash}
	if w.View.Edited {
		out.State = condition.Updating
	}
	if !plan.Publishes(a, w.View, w.Observation, w.Policy) {
		return out, nil
	}
	return w.publish(ctx, out)
}

// createBackup creates that object, and returns its name. One of its name that is of the same Database is the one, which the cache does not show yet, or it is going.
func createBackup(ctx context.Context, w *work, version string) (name string, err error) {
	backup := w.Kind.Backup(w.Object, version, w.Now)
	name = backup.GetName()
	err = w.executor.Client.Create(ctx, backup)
	if err == nil {
		w.note(outcome.Normal(v1alpha1.EventSnapshotRequested, "asked for a snapshot before the upgrade to version %s, by the DatabaseSnapshot %s: delete that when you no longer need it", version, name))
		return name, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("create the DatabaseSnapshot %s, which is to be taken before the upgrade to version %s: %w", name, version, err)
	}
	found := &v1alpha1.DatabaseSnapshot{}
	switch err := w.executor.Reader.Get(ctx, client.ObjectKeyFromObject(backup), found); {
	case apierrors.IsNotFound(err):
		return "", outcome.ErrStale // it went meanwhile
	case err != nil:
		return "", err
	}
	if ref := found.Spec.Source.DatabaseRef; found.Labels[v1alpha1.LabelBeforeVersion] == version && ref != nil && ref.Name == w.Object.GetName() {
		return name, nil
	}
	return "", &identity.ValidationError{Reason: v1alpha1.ReasonSnapshotNotReady, Message: fmt.Sprintf(
		"a snapshot is to be taken before the upgrade to version %s, and the DatabaseSnapshot %s has another purpose: rename or delete that one", version, name)}
}
