package report

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/record"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// A Reporter reports what reconciliations of objects of one kind came to.
type Reporter struct {
	// Client patches the status, and reads the ClusterProviderConfig that an Event is about.
	Client   client.Client
	Recorder events.EventRecorder
	// Log has a line for each Event.
	Log logr.Logger
	// Metrics count; nil counts nothing.
	Metrics *telemetry.Metrics
	Kind    *kind.Kind
	// Features are those of the kind.
	Features feature.Set
	// Namespace is Mooring's own. Events about ClusterProviderConfigs are in it.
	Namespace string
	Cadence   retry.Cadence
	// Deadline bounds the calls of one report.
	Deadline time.Duration
}

// A Report is what came of a reconciliation.
type Report struct {
	Next   reconcile.Result
	Memory Memory
	// Carried is what the status, as it is stored, does not say yet.
	Carried *plan.Returned
	// Deleted: the object is gone, and nothing is remembered of it.
	Deleted bool
	// Recorded: the status says what the reconciliation came to.
	Recorded bool
}

// An entry is a reconciliation while it is being reported.
type entry struct {
	*Reporter
	reconciliation.State
	memory Memory
}

// Report reports a reconciliation.
func (r *Reporter) Report(ctx context.Context, in reconciliation.State, memory Memory) Report {
	interrupted := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Deadline)
	defer cancel()
	e := &entry{r, in, memory}
	if in.Written {
		e.memory.Unrecorded = false
	}
	defer func() { e.trace(ctx) }()
	e.note(false)
	mayFail := e.Outcome.Queued || e.Outcome.Retried || e.Outcome.Repeated || e.Outcome.Next == outcome.Polling && e.AwaitsSent()
	if e.Err != nil {
		e.Outcome, e.memory = classifier{e.State, r.Cadence}.classify(e.memory)
	} else if !e.Outcome.KeepConditions && !mayFail {
		e.memory.Failures = 0
		e.memory.Pace.Succeeded()
	}
	e.Outcome = deletionFirst(e.State)
	e.Outcome.Message = messageOf(e.State)
	if e.Outcome.Deleted {
		counter{e.State, e.Metrics}.deleted()
		return Report{Deleted: true, Memory: e.memory}
	}
	return e.write(ctx, interrupted)
}

// Note records one Event at once, about a reconciliation that goes on. It returns what is remembered.
func (r *Reporter) Note(ctx context.Context, in reconciliation.State, memory Memory, n outcome.Note) Memory {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Deadline)
	defer cancel()
	e := &entry{r, in, memory}
	e.eventNow(ctx, n)
	return e.memory
}

// write stores the status, and reports what it says.
func (e *entry) write(ctx context.Context, interrupted bool) Report {
	described := e.Features.Describe(e.State, e.Object, e.Outcome)
	e.Object, e.Released = described.Object, append(e.Released, described.Released...)
	report := Report{Recorded: true}
	if mayCarry := e.Outcome.Created || e.Outcome.Queued; interrupted || !mayCarry || !e.carryOver(&report) {
		if err := e.store(ctx); err != nil {
			return e.notRecorded(ctx, err)
		}
	}
	e.report(ctx)
	report.Next = comeBack(e.untilDue(), &e.memory)
	e.memory = counter{e.State, e.Metrics}.count(e.memory, report.Next)
	report.Memory = e.memory
	return report
}

// untilDue returns the outcome with when the object comes back at the latest because a feature asks for that.
func (e *entry) untilDue() outcome.Outcome {
	out, due := e.Outcome, e.Features.Due(e.State)
	if wait := due.Sub(e.Now); !due.IsZero() && (out.AtMost == 0 || wait < out.AtMost) {
		out.AtMost = max(wait, time.Millisecond)
	}
	return out
}

// carryOver leaves what a creation returned to the next reconciliation, which begins at once and stores it together with what it
// observes. One that only waits for a slot leaves it to the next again: else each of many new objects would be written once more for having
// waited. It reports whether there is nothing else to store. If the process crashes in between, the cloud object is found by its
// name and mark, as after a lost response.
func (e *entry) carryOver(report *Report) bool {
	without := e.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	stored, status := e.Stored.GetResourceStatus(), without.GetResourceStatus()
	made := plan.Returned{ID: status.ExternalID, Operation: status.Operation}
	if made == (plan.Returned{ID: stored.ExternalID, Operation: stored.Operation}) {
		return false
	}
	status.ExternalID, status.Operation = stored.ExternalID, stored.Operation
	if !equality.Semantic.DeepEqual(e.Stored, without) {
		return false
	}
	e.Object, report.Carried = without, &made
	return true
}

// store stores the status if it differs from what is stored.
func (e *entry) store(ctx context.Context) error {
	now, written, err := record.Status(ctx, e.Client, e.Stored, e.Object)
	if err != nil || !written {
		return err
	}
	e.Stored, e.Written = now, true
	e.memory.Unrecorded = false
	e.note(true)
	e.reportReleased()
	return nil
}

// messageNoRoom is the Event of an object that has no room for a status.
const messageNoRoom = "the object is so large that the API server stores no status with it, so its conditions are old or missing, and nothing is created for it: make its spec shorter, or delete it"

// notRecorded says when to come back if the status could not be written.
func (e *entry) notRecorded(ctx context.Context, err error) Report {
	report := Report{}
	switch {
	case apierrors.IsNotFound(err):
		report.Deleted = true
	case apierrors.IsConflict(err):
		report.Next.RequeueAfter = e.memory.Pace.NextPoll()
	default:
		e.memory = counter{e.State, e.Metrics}.unrecorded(e.memory)
		if !e.memory.Unrecorded { // said once, not at each try
			logf.FromContext(ctx).Error(err, "the status could not be written; it will be tried again")
			if record.TooLarge(err) {
				e.event(corev1.EventTypeWarning, string(v1alpha1.ReasonInvalid), messageNoRoom)
			}
		}
		e.memory.Unrecorded = true
		report.Next.RequeueAfter = e.memory.Pace.AfterError(0)
	}
	report.Memory = e.memory
	return report
}
