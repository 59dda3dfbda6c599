package gather

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// residing gathers which of all namespaces of its name the object is in.
type residing struct{ g *gathering }

// find finds that out, from a cache.
func (r residing) find(ctx context.Context) (err error) {
	g := r.g
	namespace := g.Object.GetNamespace()
	g.Recovers = g.gatherer.Recovers != nil && g.gatherer.Recovers(namespace, g.Now)
	if g.gatherer.NamespaceUID == nil {
		return nil
	}
	g.NamespaceUID, err = g.gatherer.NamespaceUID(ctx, namespace, g.Object.GetCreationTimestamp().Time)
	return err
}

// check asks the API server which namespace this is where something of an earlier object of it is to be taken over: a cache may still show the one before.
func (r residing) check(ctx context.Context, v plan.View) error {
	g := r.g
	namespace := g.Object.GetNamespace()
	takes := g.Observation.Mark.Namespace == namespace && g.Observation.Mark.UID != g.Request.Mark.UID && !v.Shown
	restores := g.Observation.State == driver.Absent && (v.Restores || g.Kind.RestoreFrom(g.Want) != nil)
	if g.gatherer.NamespaceUID == nil || g.WasReady || g.Deleting || !takes && !restores {
		return nil
	}
	switch uid, err := g.gatherer.NamespaceUID(ctx, namespace, time.Time{}); {
	case err != nil:
		return err
	case uid != g.NamespaceUID:
		return fmt.Errorf("find out which namespace %s is: %w", namespace, outcome.ErrStale)
	}
	return nil
}

// complete gives the mark of what was observed the uid of the namespace if an object that lives in it has the uid in the mark: so it is not one of an earlier namespace,
// although a release that knew no uids of namespaces wrote it.
func (r residing) complete(ctx context.Context) error {
	g, mark := r.g, &r.g.Observation.Mark
	if plan.StoredView(g.Object, g.Status()).Shown { // what was seen stays seen, so nobody needs to be asked at each look
		return nil
	}
	if g.NamespaceUID == "" || mark.NamespaceUID != "" || mark.UID == "" || mark.UID == g.Request.Mark.UID || mark.Cluster != g.Request.Mark.Cluster ||
		mark.Namespace != g.Object.GetNamespace() || g.WasReady || g.Deleting {
		return nil
	}
	for _, k := range []*kind.Kind{g.Kind, g.gatherer.Family.Parent} {
		if k == nil {
			continue
		}
		object := k.New()
		switch err := g.gatherer.Reader.Get(ctx, client.ObjectKey{Namespace: mark.Namespace, Name: mark.Name}, object); {
		case err == nil && string(object.GetUID()) == mark.UID:
			mark.NamespaceUID = g.NamespaceUID
			return nil
		case err != nil && !apierrors.IsNotFound(err):
			return fmt.Errorf("read %s %s, whose mark the cloud object has: %w", k.Name, mark.Name, err)
		}
	}
	return nil
}

// whole returns a mark that was observed with the uid of the namespace, where that is all that it lacks of the object's own. Such a mark is from before Mooring wrote that
// uid, and gets it with the next write of tags.
func whole(observed, own driver.Mark) driver.Mark {
	if observed.Is(own) {
		return own
	}
	return observed
}
