package replica

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// findPrimary finds out what is known of the object that one follows, or is to follow.
func findPrimary(ctx context.Context, cache client.Reader, in *reconciliation.State) error {
	name := kind.PrimaryName(in.Kind, in.Object)
	if name == "" {
		return nil
	}
	object := in.Kind.New()
	switch err := cache.Get(ctx, client.ObjectKey{Namespace: in.Object.GetNamespace(), Name: name}, object); {
	case err == nil:
		in.Primary = reconciliation.Primary{Parent: reconciliation.ParentOf(object), Object: object, Itself: name == in.Object.GetName()}
	case !apierrors.IsNotFound(err):
		return fmt.Errorf("read %s %s, its primary: %w", in.Kind.Name, name, err)
	}
	in.Primary.Named = in.Kind.Name + " " + name
	return nil
}

// source has an object created so that it follows its primary, if its spec names one.
func source(in *reconciliation.State, creation plan.Action) *reconciliation.Stop {
	if kind.ReplicaOf(in.Kind, in.Want) == nil || creation.InPlace {
		return nil
	}
	p := in.Primary
	in.Request.Restore = &driver.Restore{Source: p.Ref, Follows: true}
	if p.Object != nil {
		in.Request.Restore.SourceMark = driver.Mark{Cluster: in.Request.Mark.Cluster, Namespace: in.Request.Mark.Namespace, Name: p.Object.GetName(), UID: string(p.Object.GetUID()), NamespaceUID: in.NamespaceUID}
	}
	if p.Location != in.Request.Location {
		in.Request.Restore.SourceLocation = p.Location
	}
	return canFollow(*in)
}

// canFollow: no read replica is created before its primary is there, and never an empty server in its place.
func canFollow(in reconciliation.State) *reconciliation.Stop {
	p := in.Primary
	const instead = "spec.replica.primaryRef names %s, which is %s; name another one, or remove spec.replica for an empty server"
	switch managed := p.Object != nil && plan.CloudManages(in.Kind, p.Object); {
	case !in.Described.Capabilities.Replicas:
		return reconciliation.Stalled(v1alpha1.ReasonNotSupported, fmt.Sprintf("Mooring can't make a %s follow another one in %s; remove spec.replica for an empty server", in.Kind.Name, in.Provider))
	case p.Itself:
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf(instead, p.Named, "this object itself"))
	case !p.Found:
		return &reconciliation.Stop{Err: &identity.ValidationError{
			Reason: v1alpha1.ReasonPrimaryNotFound, Message: fmt.Sprintf("there is no %s in this namespace, so nothing is created; create it, or delete this object", p.Named),
		}}
	case p.Deleting:
		return reconciliation.Stalled(v1alpha1.ReasonPrimaryNotReady, p.Named+", which this object is to follow, is being deleted, so nothing is created; delete this object")
	case !p.Managed && !p.Ref.Zero():
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf(instead, p.Named, "only observed"))
	case managed:
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, p.Named+" has a password that the cloud manages, and clouds make no read replica of such a server; set spec.credentials.source of it to Generated")
	case !p.Usable, p.Object.GetObserved() == nil: // of which nobody knows what fits
		return waitForPrimary(in)
	case p.Provider != in.Provider || p.Account != string(in.Account):
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s is in %s account %s, and this object is to be in %s account %s: a read replica is in the account of its primary, so name a provider config or a class of that account",
			p.Named, p.Provider, p.Account, in.Provider, in.Account))
	case p.Ref.Name == in.Request.Name && in.Request.Restore.SourceLocation == "":
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("%s has the name in the cloud that this object is to have; choose another spec.externalName", p.Named))
	}
	if unfit := in.Kind.Replicating.Mismatch(in.Want, p.Object); unfit != "" {
		return reconciliation.Stalled(v1alpha1.ReasonInvalid, fmt.Sprintf("it can't follow %s: %s", p.Named, unfit))
	}
	return nil
}

// waitForPrimary says what an object waits for whose primary can't be followed yet. Whoever watches the primary has the object reconciled.
func waitForPrimary(in reconciliation.State) *reconciliation.Stop {
	p := in.Primary
	out := outcome.Outcome{
		State: condition.Progressing, Reason: v1alpha1.ReasonPrimaryNotReady, Next: outcome.AtSync,
		Message: fmt.Sprintf("waiting for %s, which can't be used yet (%s); look at its conditions", p.Named, cmp.Or(p.State, "not reconciled")),
	}
	if in.WasReady {
		out.State = condition.Updating
	}
	return &reconciliation.Stop{Outcome: out}
}

// PrimaryOf returns the object that stands for the very server that a read replica follows; nil if there is none. Another server of its name has another password.
func PrimaryOf(in reconciliation.State) v1alpha1.ResourceObject {
	before, follows := kind.ReplicaStatusOf(in.Kind, in.Object), in.Observation.Replication.GetFollows()
	if follows == nil || in.Primary.Object == nil || reconciliation.PrimaryServer(in).Primary == "" || !reconciliation.FollowsPrimary(in, follows) ||
		before != nil && before.PrimaryID != "" && before.PrimaryID != in.Primary.Ref.ID {
		return nil
	}
	return in.Primary.Object
}
