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
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// following gathers what an object follows, or is to follow.
type following struct{ g *gathering }

// find finds out what is known of the object that the object follows, or is to follow.
func (f *following) find(ctx context.Context) error {
	g := f.g
	name := kind.PrimaryName(g.Kind, g.Object)
	if name == "" {
		return nil
	}
	object := g.Kind.New()
	switch err := g.gatherer.Cache.Get(ctx, client.ObjectKey{Namespace: g.Object.GetNamespace(), Name: name}, object); {
	case err == nil:
		g.Primary = reconciliation.Primary{Parent: parentOf(object), Object: object, Itself: name == g.Object.GetName()}
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read %s %s, its primary: %w", g.Kind.Name, name, err)
	}
	g.Primary.Named = g.Kind.Name + " " + name
	return nil
}

// begin finds out whether the object is to be created so that it follows another one.
func (f *following) begin(context.Context) error {
	g := f.g
	replica := kind.ReplicaOf(g.Kind, g.Want)
	if replica == nil || !g.Observed || g.Observation.State != driver.Absent {
		return nil
	}
	if a := plan.Plan(g.View, g.Observation, g.Policy); a.Verb != plan.Create || a.InPlace {
		return nil
	}
	p := g.Primary
	g.Follows = true
	g.Request.Restore = &driver.Restore{Source: p.Ref, Follows: true}
	if p.Object != nil {
		g.Request.Restore.SourceMark = driver.Mark{Cluster: g.Request.Mark.Cluster, Namespace: g.Request.Mark.Namespace, Name: p.Object.GetName(), UID: string(p.Object.GetUID()), NamespaceUID: g.NamespaceUID}
	}
	if p.Location != g.Request.Location {
		g.Request.Restore.SourceLocation = p.Location
	}
	return nil
}

// canFollow: no read replica is created before its primary is there, and never an empty server in its place.
func canFollow(g reconciliation.State) *reconciliation.Stop {
	p := g.Primary
	if !g.Follows {
		return nil
	}
	const instead = "spec.replica.primaryRef names %s, which is %s; name another one, or remove spec.replica for an empty server"
	switch managed := p.Object != nil && plan.CloudManages(g.Kind, p.Object); {
	case !g.Described.Capabilities.Replicas:
		return stalled(v1alpha1.ReasonNotSupported, fmt.Sprintf("Mooring can't make a %s follow another one in %s; remove spec.replica for an empty server", g.Kind.Name, g.Provider))
	case p.Itself:
		return stalled(v1alpha1.ReasonInvalid, fmt.Sprintf(instead, p.Named, "this object itself"))
	case !p.Found:
		return &reconciliation.Stop{Err: &identity.ValidationError{
			Reason: v1alpha1.ReasonPrimaryNotFound, Message: fmt.Sprintf("there is no %s in this namespace, so nothing is created; create it, or delete this object", p.Named),
		}}
	case p.Deleting:
		return stalled(v1alpha1.ReasonPrimaryNotReady, p.Named+", which this object is to follow, is being deleted, so nothing is created; delete this object")
	case !p.Managed && !p.Ref.Zero():
		return stalled(v1alpha1.ReasonInvalid, fmt.Sprintf(instead, p.Named, "only observed"))
	case managed:
		return stalled(v1alpha1.ReasonInvalid, p.Named+" has a password that the cloud manages, and clouds make no read replica of such a server; set spec.credentials.source of it to Generated")
	case !p.Usable, p.Object.GetObserved() == nil: // of which nobody knows what fits
		return waitForPrimary(g)
	case p.Provider != g.Provider || p.Account != string(g.Account):
		return stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s is in %s account %s, and this object is to be in %s account %s: a read replica is in the account of its primary, so name a provider config or a class of that account",
			p.Named, p.Provider, p.Account, g.Provider, g.Account))
	case p.Ref.Name == g.Request.Name && g.Request.Restore.SourceLocation == "":
		return stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s has the name in the cloud that this object is to have; choose another spec.externalName", p.Named))
	}
	if unfit := g.Kind.Replicating.Mismatch(g.Want, p.Object); unfit != "" {
		return stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("it can't follow %s: %s", p.Named, unfit))
	}
	return nil
}

// waitForPrimary says what an object waits for whose primary can't be followed yet. Whoever watches the primary has the object reconciled.
func waitForPrimary(g reconciliation.State) *reconciliation.Stop {
	p := g.Primary
	out := outcome.Outcome{
		State: condition.Progressing, Reason: v1alpha1.ReasonPrimaryNotReady, Next: outcome.AtSync,
		Message: fmt.Sprintf("waiting for %s, which can't be used yet (%s); look at its conditions", p.Named, cmp.Or(p.State, "not reconciled")),
	}
	if g.WasReady {
		out.State = condition.Updating
	}
	return &reconciliation.Stop{Outcome: out}
}

// replicaOf returns what the object is to follow, and what follows it.
func replicaOf(g reconciliation.State) plan.Replica {
	r := plan.ReplicaOf(g.Kind, g.Want, g.Object)
	r.Held, r.Leaving = g.Followers.Held, g.Followers.Leaving
	p := g.Primary
	if p.Provider == g.Provider && p.Account == string(g.Account) {
		r.Server = p.Ref.Name
		if p.Location != g.Request.Location {
			r.Location = p.Location
		}
	}
	if f := g.Observation.Replication.GetFollows(); f != nil && r.Is(f) {
		r.ServerID = p.Ref.ID
	}
	if p.Object != nil {
		available := meta.FindStatusCondition(p.Object.GetConditions(), v1alpha1.ConditionAvailable)
		r.PrimaryLost = !p.Usable && (available == nil || available.Reason != string(v1alpha1.ReasonStopped))
	}
	return r
}

// PrimaryOf returns the object that stands for the very server that a read replica follows; nil if there is none. Another server of its name has another password.
func PrimaryOf(g reconciliation.State) v1alpha1.ResourceObject {
	r, known := replicaOf(g), kind.ReplicaStatusOf(g.Kind, g.Object)
	follows := g.Observation.Replication.GetFollows()
	if follows == nil || g.Primary.Object == nil || r.Server == "" || !r.Is(follows) || known != nil && known.PrimaryID != "" && known.PrimaryID != g.Primary.Ref.ID {
		return nil
	}
	return g.Primary.Object
}

// FollowersOf returns the objects that follow one. They must be indexed by kind.PrimaryIndex.
func FollowersOf(ctx context.Context, cache client.Reader, k *kind.Kind, primary metav1.Object) (f reconciliation.Followers, err error) {
	if k.Replicating == nil {
		return f, nil
	}
	list := k.NewList()
	err = cache.List(ctx, list, client.InNamespace(primary.GetNamespace()), client.MatchingFields{kind.PrimaryIndex: primary.GetName()}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return f, fmt.Errorf("find the objects that follow it: %w", err)
	}
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		switch object := item.(v1alpha1.ResourceObject); {
		case HoldsPrimary(k, object):
			f.Held = append(f.Held, k.Name+" "+object.GetName())
		case !object.GetDeletionTimestamp().IsZero() && object.GetResourceStatus().ExternalName != "":
			f.Leaving = append(f.Leaving, object.GetResourceStatus().ExternalName)
		}
		return nil
	})
	slices.Sort(f.Held)
	return f, nil
}

// HoldsPrimary reports whether an object keeps the one that its spec has it follow from being deleted: it may follow that in the cloud. One that worked and follows
// nothing was promoted.
func HoldsPrimary(k *kind.Kind, object v1alpha1.ResourceObject) bool {
	return Holds(object) && (object.GetResourceStatus().FirstReadyTime == nil || kind.ReplicaStatusOf(k, object) != nil)
}
