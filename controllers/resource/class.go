package resource

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/credential"
	"github.com/mooring-dev/mooring/providers/field"
)

// hasClass: class and spec are merged before anything else is decided. What the class does not allow is not created; what
// exists already is still looked at, and can be deleted.
func (r *Reconciler[T, S]) hasClass(ctx context.Context, t *turn[T, S]) (*outcome, error) {
	if ref := t.spec.ProviderConfigRef; ref != nil {
		t.config = credential.KeyOf(ref, t.obj.GetNamespace())
		return nil, nil
	}
	found, err := r.Classes.Resolve(ctx, t.obj)
	if err != nil {
		return nil, fmt.Errorf("find the class: %w", err)
	}
	if err := r.merge(t, found); err != nil {
		return nil, err
	}
	problem := class.First(found.Problems)
	switch {
	case problem == nil:
	case found.Config == "", !t.bound() && !t.deleting:
		return nil, &credential.Refusal{Reason: problem.Reason, Message: problem.String()}
	default:
		t.policy.Refused = Refusal{problem.Reason, problem.String()}
	}
	return nil, nil
}

// merge makes what is wanted what object and class say together.
func (r *Reconciler[T, S]) merge(t *turn[T, S], found *class.Resolution) error {
	want := r.Kind.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"spec": found.Spec}, want); err != nil {
		return fmt.Errorf("merge the class: %w", err)
	}
	want.SetNamespace(t.obj.GetNamespace())
	want.SetName(t.obj.GetName())
	t.want, t.class = want, found
	t.config = credential.Key{Kind: credential.KindClusterProviderConfig, Name: found.Config}
	t.policy = r.Kind.policy(want)
	if found.Class != nil {
		t.policy.Adoption = found.Class.Adopts(t.policy.Adoption)
		t.policy.ObserveMarked = found.Class.Spec.AllowAdoption != v1alpha1.AllowAdoptionAny
	}
	return nil
}

// describeClass notes what the object has from its class, once it is known to lead to the object's account.
func (t *turn[T, S]) describeClass() {
	switch {
	case t.class == nil:
		t.status.ClassName, t.status.ProviderConfigRef, t.status.Effective = "", nil, nil
	case t.class.Class != nil:
		t.status.ClassName = t.class.Name
		t.status.ProviderConfigRef = &v1alpha1.ClusterProviderConfigReference{Name: t.class.Config}
		t.status.Effective = t.class.Effective.Stored(t.status.Effective)
	}
}

// classChanged returns the fields of which the class says something else than when that was last recorded. To choose another
// class is an edit.
func (t *turn[T, S]) classChanged() class.Fields {
	if t.class.Class == nil || t.class.Name != t.status.ClassName {
		return nil
	}
	return t.class.Effective.Changed(t.status.Effective, func(name string) bool { _, known := t.status.Applied[name]; return known })
}

// takeTurn takes out of an update what the class changed, as long as enough of its users are changing. What a person approved
// waits for nobody.
func (r *Reconciler[T, S]) takeTurn(t *turn[T, S], a Action) Action {
	if t.class == nil || t.class.Class == nil || !t.view.WasReady || a.Approved {
		return a
	}
	byClass := func(c field.Change) bool { return cause(t.view, c) == v1alpha1.CauseClass }
	if !slices.ContainsFunc(a.Changes, byClass) {
		return a
	}
	c, name, rank := t.class.Class, client.ObjectKeyFromObject(t.obj), t.mem.rank
	width := class.Width(int(c.Status.Users))
	if r.Rollouts.Enter(c.Name(), c.Object.GetGeneration(), width, t.obj.GetUID(), func() { r.queue.recall(name, rank) }) {
		return a
	}
	a.Changes = slices.DeleteFunc(slices.Clone(a.Changes), byClass)
	return a
}

// waitsForTurn is the outcome of an update that has to wait until fewer of a class's users are changing.
func waitsForTurn(a Action) outcome {
	return outcome{
		state: condition.DriftWaits, reason: v1alpha1.ReasonClassChanged, next: later, atLeast: recalled, pending: a.Pending, planned: true, hash: a.Hash,
		message: "the class changed, and enough of its objects are changing already; waiting for them",
	}
}

func (r *Reconciler[T, S]) leaveRollout(t *turn[T, S]) {
	if t.class != nil {
		r.Rollouts.Leave(t.class.Name, t.obj.GetUID())
	}
}
