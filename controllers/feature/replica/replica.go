package replica

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Of returns the feature of a kind; nothing if its objects follow no others. cache has the objects of the kind, and sync is how often a converged object is observed.
func Of(k *kind.Kind, cache client.Reader, sync time.Duration) feature.Set {
	if k.Replicating == nil {
		return nil
	}
	return feature.Set{{
		Start: func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
			return nil, findPrimary(ctx, cache, in)
		},
		Guard: func(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
			return nil, findFollowers(ctx, cache, in)
		},
		Interpret: func(in *reconciliation.State) []driver.Change { return interpret(in, sync) },
		Source: func(_ context.Context, in *reconciliation.State, creation plan.Action) (*reconciliation.Stop, error) {
			return source(in, creation), nil
		},
		Sent:   sent,
		Mirror: mirror, Expect: expect, Remarks: remarks,
		Clear:        func(in *reconciliation.State) bool { return kind.SetReplicaStatus(k, in.Object, nil, "", "", nil) },
		ClearBinding: func(object v1alpha1.ResourceObject) { kind.SetReplicaStatus(k, object, nil, "", "", nil) },
	}}
}

// known is what is known of the replication of one object in one reconciliation.
type known struct {
	// followers are the objects that follow it, if it is being deleted.
	followers followers
	// lag is how far it lags behind what it follows, and serverID the identity of that; empty if they are not known.
	lag      v1alpha1.ReplicaLag
	serverID string
}

// The places of the feature among what is known, and among what is remembered: when the cloud last said how far the cloud object lags behind what it follows, or was first found not
// to say it; zero for one that follows nothing.
var (
	part     = reconciliation.PartOf[known]("replica")
	lagKnown = reconciliation.PartOf[time.Time]("replica")
)
