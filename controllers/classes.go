package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// index lets objects be found by their provider config and by their class.
func (s *setup) index(ctx context.Context, kind addedKind) error {
	indexer := s.mgr.GetFieldIndexer()
	err := indexer.IndexField(ctx, kind.New(), configIndex, func(o client.Object) []string {
		var keys []string
		for _, key := range configsOf(o) {
			keys = append(keys, key.String())
		}
		return keys
	})
	if err == nil {
		err = indexParent(ctx, indexer, kind.Kind)
	}
	if err != nil || kind.Class == nil {
		return err
	}
	return indexer.IndexField(ctx, kind.New(), class.Index, func(o client.Object) []string {
		if key := class.Key(o.(v1alpha1.ResourceObject)); key != "" {
			return []string{key}
		}
		return nil
	})
}

// addClasses adds the reconciler of one kind of class.
func (s *setup) addClasses(kind addedKind) error {
	r := &class.Reconciler{Resolver: kind.classes, Client: s.mgr.GetClient(), Check: kind.rules.Check}
	return builder.ControllerManagedBy(s.mgr).
		Named("classes of "+kind.Plural).
		For(kind.Class.New(), builder.WithPredicates(classChanged)).
		Watches(kind.New(), handler.Funcs{
			CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				countSoon(q, e.Object)
			},
			UpdateFunc: func(_ context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				countSoon(q, e.ObjectOld, e.ObjectNew)
			},
			DeleteFunc: func(_ context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
				countSoon(q, e.Object)
			},
		}).
		Watches(&v1alpha1.ClusterProviderConfig{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
			return s.requestsOfClasses(ctx, kind, o.GetName())
		}), builder.WithPredicates(configChanged)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 2, NewQueue: s.NewQueue}).
		Complete(r)
}

// countSoon has the classes of objects counted anew, once for all that changes within a pause.
func countSoon(q workqueue.TypedRateLimitingInterface[reconcile.Request], objects ...client.Object) {
	for _, o := range objects {
		if key := class.Key(o.(v1alpha1.ResourceObject)); key != "" && key != class.Default {
			q.AddAfter(reconcile.Request{NamespacedName: client.ObjectKey{Name: key}}, class.RecountDelay)
		}
	}
}

// requestsOfClasses returns requests for the classes that name a ClusterProviderConfig.
func (s *setup) requestsOfClasses(ctx context.Context, kind addedKind, config string) (requests []reconcile.Request) {
	classes, err := kind.classesOf(ctx, config)
	if err != nil {
		s.mgr.GetLogger().Error(err, "classes of a provider config can't be listed; they will notice its change at their next reconciliation")
	}
	for _, c := range classes {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Name: c.Name()}})
	}
	return requests
}

// classesOf returns the classes that name a ClusterProviderConfig.
func (k addedKind) classesOf(ctx context.Context, config string) (classes []*class.Class, err error) {
	list := k.Class.NewList()
	if err := k.classes.Client.List(ctx, list); err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		c, err := class.Of(item.(v1alpha1.ClassObject))
		if err == nil && c.LeadsTo(config) {
			classes = append(classes, c)
		}
		return err
	})
	return classes, err
}

// perUser and spread say how far apart the users of a class are reconciled when it changed: not all at once.
const (
	perUser = 20 * time.Millisecond
	spread  = 30 * time.Second
)

// usersOfClass enqueues the objects of a class that changed, at random within a while, and after what people edit.
func (s *setup) usersOfClass(classes *class.Resolver) handler.EventHandler {
	enqueue := func(ctx context.Context, o client.Object, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		c, err := class.Of(o.(v1alpha1.ClassObject))
		if err != nil {
			return
		}
		var users []reconcile.Request
		err = classes.EachUser(ctx, c, func(user v1alpha1.ResourceObject) error {
			users = append(users, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(user)})
			return nil
		})
		if err != nil {
			s.mgr.GetLogger().Error(err, "objects of a class can't be listed; they will notice its change at their next resync")
		}
		within := min(time.Duration(len(users))*perUser, spread)
		for _, user := range users {
			later(q, user, rand.N(within+1)) //nolint:gosec // no secret depends on it
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			enqueue(ctx, e.Object, q)
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			enqueue(ctx, e.ObjectNew, q)
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			enqueue(ctx, e.Object, q)
		},
	}
}

// later enqueues an object behind what people wait for.
func later(q workqueue.TypedRateLimitingInterface[reconcile.Request], object reconcile.Request, after time.Duration) {
	if p, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
		p.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: new(handler.LowPriority)}, object)
		return
	}
	q.AddAfter(object, after)
}

// classChanged passes edits of a class, and its becoming the default or no longer being it.
var classChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || class.IsDefault(e.ObjectOld) != class.IsDefault(e.ObjectNew)
	},
}

// parametersOf returns the parameters of a kind in a merged spec, as its drivers read them.
func parametersOf(k *kind.Kind, spec class.Tree) (json.RawMessage, error) {
	object := k.New()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(class.Tree{"spec": spec}, object); err != nil {
		return nil, fmt.Errorf("read a merged spec: %w", err)
	}
	return json.Marshal(object.GetParameters())
}

// has returns the driver of a cloud if it has a kind; nil otherwise.
func has(drivers map[string]driver.Driver, cloud string, k *kind.Kind) driver.Driver {
	drv, ok := drivers[cloud]
	if !ok {
		return nil
	}
	description := drv.Describe()
	if _, has := description.Resource(k.Name); !has {
		return nil
	}
	return drv
}

// knownOf returns what tells of a kind which values of it clouds are known to have, as their drivers do.
func knownOf(drivers map[string]driver.Driver, k *kind.Kind) func(cloud string) class.KnownValues {
	return func(cloud string) class.KnownValues {
		drv := has(drivers, cloud, k)
		if drv == nil {
			return class.KnownValues{}
		}
		description := drv.Describe()
		r, _ := description.Resource(k.Name)
		return class.KnownValues{Title: r.Title, Known: r.Known}
	}
}

// checkFor is how long a driver may take to check a spec. Without its answer, what the class says still counts.
const checkFor = 500 * time.Millisecond

// refusals returns what tells, as the drivers do, what a cloud refuses of a spec. No connection is opened for it.
func refusals(drivers map[string]driver.Driver, k *kind.Kind) class.RefusesFunc {
	return func(ctx context.Context, cloud string, object v1alpha1.ResourceObject, spec class.Tree, location string) ([]driver.Refusal, error) {
		drv := has(drivers, cloud, k)
		if drv == nil {
			return nil, nil
		}
		draft := driver.Draft{Location: location}
		var err error
		if draft.Spec, err = parametersOf(k, spec); err != nil {
			return nil, err
		}
		if mirror := object.GetObserved(); mirror != nil {
			if draft.Observed, err = json.Marshal(mirror); err != nil {
				return nil, err
			}
		}
		ctx, cancel := context.WithTimeout(ctx, checkFor)
		defer cancel()
		return awaited(ctx, func(context.Context) ([]driver.Refusal, error) { return drv.Check(k.Name, draft) })
	}
}

// previews returns what tells, as the drivers do, what an edit changes in a cloud. No connection is opened for it.
func previews(drivers map[string]driver.Driver, k *kind.Kind) func(cloud string, object v1alpha1.ResourceObject, was, is class.Tree) ([]driver.Change, error) {
	return func(cloud string, object v1alpha1.ResourceObject, was, is class.Tree) ([]driver.Change, error) {
		drv := has(drivers, cloud, k)
		if drv == nil {
			return nil, nil
		}
		to, err := parametersOf(k, is)
		if err != nil {
			return nil, err
		}
		var from json.RawMessage
		if mirror := object.GetObserved(); mirror != nil {
			from, err = json.Marshal(mirror)
		} else { // nobody has looked at it yet
			from, err = parametersOf(k, was)
		}
		if err != nil {
			return nil, err
		}
		return drv.Preview(k.Name, from, to, object.GetResourceStatus().Applied)
	}
}
