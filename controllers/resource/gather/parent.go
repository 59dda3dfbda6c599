package gather

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/claim"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// findParent finds out what is known of the object within which the object is. For a deletion the object's own status says where it is: to
// be deleted it needs no parent.
func (g *gathering) findParent(ctx context.Context) error {
	in := g.Kind.Parent
	if g.Kind.ParentName(g.Object) == "" {
		return nil
	}
	name := client.ObjectKey{Namespace: g.Object.GetNamespace(), Name: in.Name(g.Object)}
	object := g.gatherer.Family.Parent.New()
	switch err := g.gatherer.Cache.Get(ctx, name, object); {
	case err == nil:
		g.Parent = reconciliation.ParentOf(object)
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read %s %s, its parent: %w", in.Kind, name.Name, err)
	}
	g.Parent.Named = in.Kind + " " + name.Name
	if bound := g.Status().ProviderConfigRef; bound != nil && (g.Deleting || outlives(g.State)) {
		g.Parent.Ref, g.Parent.Config = g.Kind.ParentRef(g.Object), identity.KeyOfBound(*bound, g.Object.GetNamespace())
		g.Parent.Provider, g.Parent.Account, g.Parent.Location = g.Status().Provider, g.Status().AccountID, g.Status().Location
	}
	if g.Parent.Found && !g.Parent.Managed && !outlives(g.State) && g.Policy.Management == v1alpha1.ManagementFull {
		g.Policy.Refused = plan.Refusal{Reason: v1alpha1.ReasonNotOwned, Message: notManaged(g.Parent)}
	}
	noteNeverCreated(g.State)
	return nil
}

// outlives reports whether the object was made of its parent and no longer needs it: its own status says where it is.
func outlives(g reconciliation.State) bool {
	return g.Kind.ParentName(g.Object) != "" && g.Kind.Parent.Source && g.Bound() && !neverCreated(g)
}

// noteNeverCreated stores of an object that no creation was accepted, once its parent takes none: memory alone knows it of a creation that was
// sent again, and the parent goes by what is stored.
func noteNeverCreated(g reconciliation.State) {
	if !g.Deleting && g.Parent.Found && !g.Parent.Takes() && neverCreated(g) {
		g.Object.GetResourceStatus().CreationRefused = true
	}
}

// hasParent: what is not in the cloud yet waits, without a call, until its parent can take it. What is there is observed whatever its
// parent is up to, and a deletion needs no parent.
func hasParent(g reconciliation.State) *reconciliation.Stop {
	p, observes := g.Parent, g.Policy.Management == v1alpha1.ManagementObserve
	switch {
	case p.Named == "" || g.Deleting || outlives(g):
		return nil
	case !p.Found:
		return &reconciliation.Stop{Err: &identity.ValidationError{
			Reason: v1alpha1.ReasonParentNotFound, Message: fmt.Sprintf("there is no %s in this namespace; create it, or delete this object", p.Named),
		}}
	case g.Bound() && !neverCreated(g) && !p.Ref.Zero():
		return isSameParent(g)
	case observes && !p.Ref.Zero() || p.Takes():
		return nil
	default:
		return &reconciliation.Stop{Outcome: waitForParent(g)}
	}
}

// isSameParent: what was created within one cloud object is never looked for within another, where it would seem gone. A name is that of one
// object in one location of an account alone. One with another id took the place of the parent under its name: what is within that is created
// there, or taken over, as after any loss.
func isSameParent(g reconciliation.State) *reconciliation.Stop {
	status, p := g.Status(), g.Parent
	within := position{g.Kind.ParentRef(g.Object).Name, status.Provider, status.AccountID, status.Location}
	is := position{p.Ref.Name, p.Provider, p.Account, p.Location}
	if within.name == "" || within.mayBe(is) {
		return nil
	}
	return stalled(v1alpha1.ReasonImmutable, fmt.Sprintf("it was created within %s, and spec.%s now names %s, which is %s; change spec.%s back, or delete this object and create another",
		within, g.Kind.Parent.Field, p.Named, is, g.Kind.Parent.Field))
}

// A position is where a cloud object is, and its name there.
type position struct{ name, provider, account, location string }

// mayBe reports whether two positions are the same, as far as both are known.
func (p position) mayBe(other position) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return p.name == other.name && same(p.provider, other.provider) && same(p.account, other.account) && same(p.location, other.location)
}

func (p position) String() string {
	return fmt.Sprintf("%s of account %s (%s, %s)", p.name, p.account, p.provider, cmp.Or(p.location, "unknown location"))
}

// isCreatable: nothing is created again within a parent that can't take it.
func isCreatable(g reconciliation.State) *reconciliation.Stop {
	gone := g.Observed && g.Observation.State == driver.Absent
	if outlives(g) && g.WasReady && g.Policy.WhenVanished == v1alpha1.WhenVanishedStop {
		return nil // nothing is to be created, whatever its parent is up to
	}
	if !gone || g.Deleting || g.Parent.Named == "" || g.Parent.Takes() || g.Policy.Management == v1alpha1.ManagementObserve {
		return nil
	}
	return &reconciliation.Stop{Outcome: waitForParent(g)}
}

// limitAdoption has the class by which the parent got its account decide which cloud objects this object may take over or observe, as an
// object's own class does. A class that is gone allows what is marked, which is nothing where the cloud has no place for a mark.
func (g *gathering) limitAdoption(ctx context.Context) error {
	status := g.Status()
	proven := outlives(g.State) && (status.Origin == v1alpha1.OriginAdopted || status.ExternalID != "" || status.FirstReadyTime != nil)
	if g.Parent.Class == "" || proven || g.gatherer.Family.Parent.Class == nil {
		return nil
	}
	found, spec := g.gatherer.Family.Parent.Class.New(), &v1alpha1.ClassSpec{}
	refused := "class %q of %s does not allow taking over existing cloud objects; remove spec.adoption, or ask your platform team"
	switch err := g.gatherer.Cache.Get(ctx, client.ObjectKey{Name: g.Parent.Class}, found); {
	case err == nil:
		spec = found.GetClassSpec()
	case apierrors.IsNotFound(err):
		refused = "class %q of %s is gone, so nothing says that existing cloud objects may be taken over; remove spec.adoption, or ask your platform team to create the class again"
	default:
		return fmt.Errorf("read the class of %s: %w", g.Parent.Named, err)
	}
	asked, anything := g.Policy.Adoption, spec.AllowAdoption == v1alpha1.AllowAdoptionAny
	g.Policy.Adoption, g.Policy.ObserveMarked = (&class.Class{Spec: spec}).Adopts(asked), !anything
	if asked == v1alpha1.AdoptionIfExists && !anything && g.Policy.Refused.Reason == "" {
		g.Policy.Refused = plan.Refusal{Reason: v1alpha1.ReasonClassViolated, Message: fmt.Sprintf(
			"spec.adoption: "+refused+"; until then Mooring does not change what exists", g.Parent.Class, g.Parent.Named)}
	}
	return nil
}

// findRival finds out whether another object has the cloud object, where no mark would say so: the cloud has no place for one, or it is a copy that has the mark of
// something else.
func (g *gathering) findRival(ctx context.Context) (err error) {
	if g.Described.Ownership == driver.OwnedByParent || mayBeCopied(g) {
		g.Rival, err = claim.Rival(ctx, g.gatherer.Cache, g.Kind, g.Request, g.Provider, g.Account)
	}
	return err
}

// mayBeCopied reports whether the cloud object was born as a copy, or is to be, and never worked.
func mayBeCopied(g *gathering) bool {
	_, copies := g.Kind.CopyOf(g.Object)
	if from := g.Kind.RestoreFrom(g.Want); from != nil && from.PointInTime != nil {
		copies = copies || g.Described.Capabilities.Copies
	}
	return copies && g.Status().FirstReadyTime == nil
}

// isFree: what another object is bound to is not created for this one, or both would have it. Of what exists the plan decides.
func isFree(g reconciliation.State) *reconciliation.Stop {
	gone := g.Observed && g.Observation.State == driver.Absent
	leaves := g.View.Bound && g.View.Moved && !g.WasReady
	taken := g.Taken || g.Rival != nil && g.Described.Ownership != driver.OwnedByParent // a copy is known by its name, which is to be nobody else's
	if !gone || !taken || leaves || g.Deleting || g.Policy.Management == v1alpha1.ManagementObserve {
		return nil
	}
	return stalled(v1alpha1.ReasonNotOwned, claim.Message)
}

// waitForParent says what an object waits for whose parent can't take it. Whoever watches the parent has the object reconciled.
func waitForParent(g reconciliation.State) outcome.Outcome {
	p := g.Parent
	out := outcome.Outcome{State: condition.Progressing, Reason: v1alpha1.ReasonParentNotReady, Next: outcome.AtSync}
	if g.WasReady {
		out.State = condition.Updating
	}
	switch {
	case !p.Found:
		out.State, out.Message = condition.Stalled, p.Named+" is gone, so nothing can be created of it; delete this object"
	case p.Deleting && g.Kind.Parent.Source && g.Kind.ChosenName(g.Object) == p.FinalSnapshot:
		out.Message = "waiting for " + p.Named + ", which is being deleted and leaves this snapshot" // it is about to write where that is
	case p.Deleting && g.Kind.Parent.Source:
		out.State = condition.Stalled
		out.Message = p.Named + " is being deleted, so nothing is created of it; delete this object"
	case p.Deleting:
		out.State = condition.Stalled
		out.Message = p.Named + " is being deleted, so nothing is created within it; delete this object"
	case !p.Managed && !p.Ref.Zero():
		out.State, out.Reason, out.Message = condition.Stalled, v1alpha1.ReasonNotOwned, notManaged(p)
	default:
		out.Message = fmt.Sprintf("waiting for %s, which can't be used yet (%s); look at its conditions", p.Named, cmp.Or(p.State, "not reconciled"))
	}
	return out
}

func notManaged(p reconciliation.Parent) string {
	return p.Named + " is only observed, so Mooring changes nothing within it; set spec.management: Observe on this object, or let Mooring manage " + p.Named
}

// findChildren finds the objects within one that is being deleted which may have something in the cloud and are not being deleted.
func (g *gathering) findChildren(ctx context.Context) (err error) {
	if !g.Deleting {
		return nil
	}
	g.Children, err = ChildrenOf(ctx, g.gatherer.Cache, g.gatherer.Family, g.Object)
	return err
}

// ChildrenOf names the objects within a parent that keep it from being deleted. They must be indexed by kind.ParentIndex.
func ChildrenOf(ctx context.Context, cache client.Reader, f kind.Family, parent metav1.Object) (all []string, err error) {
	for _, k := range f.Children {
		names, err := childrenOf(ctx, cache, k, parent)
		if err != nil {
			return nil, fmt.Errorf("find the objects of kind %s within it: %w", k.Name, err)
		}
		all = append(all, names...)
	}
	return all, nil
}

func childrenOf(ctx context.Context, cache client.Reader, k *kind.Kind, parent metav1.Object) (names []string, err error) {
	list := k.NewList()
	err = cache.List(ctx, list, client.InNamespace(parent.GetNamespace()), client.MatchingFields{kind.ParentIndex: parent.GetName()}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, err
	}
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		if child := item.(v1alpha1.ResourceObject); reconciliation.HoldsParent(child) {
			names = append(names, k.Name+" "+child.GetName())
		}
		return nil
	})
	slices.Sort(names)
	return names, nil
}
