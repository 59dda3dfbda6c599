package resource

import (
	"context"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/resource/report"
)

// queue is the controller's queue, once it runs.
type queue struct {
	running atomic.Pointer[priorityqueue.PriorityQueue[reconcile.Request]]
}

// Source lets the reconciler put objects back into its controller's queue. Without it, objects that wait
// for a slot of their account come again by and by.
func (r *Reconciler) Source() source.Source {
	return source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		if p, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
			r.queue.running.Store(&p)
		}
		return nil
	})
}

// recall has an object reconciled at once.
func (q *queue) recall(name client.ObjectKey, p account.Priority) {
	if running := q.running.Load(); running != nil {
		(*running).AddWithOpts(priorityqueue.AddOpts{Priority: report.QueuePriority(p)}, reconcile.Request{NamespacedName: name})
	}
}
