package resource

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/providers/driver"
)

// when says when to come back.
type when int

const (
	soon       when = iota // at once: something was done, and its result is to be seen
	polling                // while the cloud works
	afterError             // after a failure, later with each in a row
	atSync                 // at the next sync, also while a person has to act
	later                  // after atLeast, behind all that has something to do
	never                  // only when something changes
)

// outcome is what a turn came to.
type outcome struct {
	state   condition.State
	reason  v1alpha1.Reason
	message string
	// detail is what only the platform team is told.
	detail  string
	next    when
	atLeast time.Duration
	// atMost is when to come back at the latest; 0 for no limit.
	atMost time.Duration
	// pending are the changes that are not applied; pends says that they are known.
	pending []v1alpha1.PendingChange
	pends   bool
	// planned: pending and hash are what the plan says now.
	planned bool
	hash    string
	// undecided: the differences were not judged, so what waits for approval still does.
	undecided bool
	// quiet: conditions stay as they are.
	quiet bool
	// repeated: the same was done before and did not help, so the waits grow as after an error.
	repeated bool
	// gone: there is no object left to write to. finished: its deletion ended with this turn. stays: the cloud object
	// was left.
	gone, finished, stays bool
	// queued: the object waits for a slot of its account, and no call was made.
	queued bool
	// throttled: the cloud was asked too often.
	throttled bool
	// created: the cloud accepted a creation.
	created bool
}

func (o *outcome) orNothing() outcome {
	if o == nil {
		return outcome{}
	}
	return *o
}

// stubborn is how many failures in a row it takes before conditions speak of them: one flips nothing.
const stubborn = 3

// record writes down what happened, in the one place where that is done: memory, status, events, log,
// and when to come back.
func (r *Reconciler) record(ctx context.Context, t *turn, out outcome, err error) (reconcile.Result, error) {
	ending := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.RecordDeadline)
	defer cancel()
	defer func() { r.trace(ctx, t, out, err) }()
	mayFail := out.queued || out.repeated || out.next == polling && len(t.mem.sent) > 0 // what was sent has not come true yet
	if err != nil {
		out = r.judge(t, out, err)
	} else if !out.quiet && !mayFail {
		t.mem.failures = 0
		t.mem.pace.Succeeded()
	}
	out = t.atOnce(out)
	if out.gone || t.deleting {
		r.leaveRollout(t.obj.GetUID())
	}
	if out.gone {
		r.memories.forget(client.ObjectKeyFromObject(t.obj))
		r.countGone(t, out)
		return reconcile.Result{}, nil
	}
	r.describe(t, out)
	if ending || !out.created || !r.carryOver(t) {
		if err := r.patchStatus(ctx, t); err != nil {
			return r.notRecorded(ctx, t, err), nil
		}
	}
	if t.asPublished != nil {
		t.mem.published = t.asPublished
	}
	r.tell(ctx, t, out, err)
	result := r.comeBack(t, out)
	r.count(t, out, result)
	return result, nil
}

// describe brings the status in line with the outcome and what was seen. It changes nothing that need
// not change.
func (r *Reconciler) describe(t *turn, out outcome) {
	creating := out.state == condition.Progressing && !out.quiet
	if t.looked {
		r.describeSeen(t, creating)
	}
	if out.planned {
		if !out.undecided {
			t.status.Plan = nextPlan(t.status.Plan, out.hash)
		}
	}
	if (out.planned || out.pends) && !creating { // what is still to be set on a new object is no news, and would be a write
		t.status.PendingChanges = out.pending
	}
	if out.quiet {
		return
	}
	// What the class says is recorded together with what differs, and never before it: else nobody could tell any more
	// that the class made the difference.
	if out.planned && t.bound() && t.account != "" && !t.deleting && t.policy.Refused.Reason == "" {
		t.describeClass()
	}
	if t.deleting && out.state == condition.Stalled {
		out.state = condition.DeletionStalled
	}
	u := condition.Update{
		State: out.state, Reason: out.reason, Message: t.redact(out.message),
		Available: t.available(), Unobserved: r.unobserved(t), Generation: t.obj.GetGeneration(), Now: metav1.NewTime(t.now),
	}
	if t.looked && t.seen.Stopped {
		u.Unavailable = v1alpha1.ReasonStopped
	}
	condition.Set(&t.status.Conditions, u)
	if out.state.Judged() {
		t.status.ObservedGeneration = t.obj.GetGeneration()
	}
	if out.state.Current() && t.looked {
		t.status.AppliedGeneration = t.obj.GetGeneration()
	}
	// What has worked may hold data, whether or not it is as declared: it is never taken for new again.
	if t.status.FirstReadyTime == nil && !creating && t.looked && t.seen.Available && plan.Ownership(t.view, t.seen) == plan.Ours {
		t.status.FirstReadyTime = &metav1.Time{Time: t.now.Truncate(time.Second)}
	}
}

// describeSeen mirrors the observation. While an object is being created the mirror waits until that is
// over: nobody needs it, and each change of it would be a write.
func (r *Reconciler) describeSeen(t *turn, creating bool) {
	if t.seen.State == driver.Absent || t.seen.State == driver.Unknown {
		return
	}
	if t.policy.Management == v1alpha1.ManagementObserve && !plan.MayObserve(t.view, t.seen.Mark, t.policy) {
		return
	}
	if t.policy.Management == v1alpha1.ManagementObserve && !t.bound() {
		t.status.ExternalName, t.status.Provider = t.request.Name, t.conn.Provider
		t.status.AccountID = string(t.account)
	}
	if t.seen.Operation != "" || t.seen.State == driver.Ready && t.status.Operation == t.request.Operation {
		t.status.Operation = t.seen.Operation
	}
	belongs := plan.Ownership(t.view, t.seen)
	if belongs != plan.Ours && t.policy.Management != v1alpha1.ManagementObserve {
		return // what is not ours is not mirrored: it may be another tenant's
	}
	t.status.Location = t.place()
	if t.seen.ID != "" {
		t.status.ExternalID = t.seen.ID
	}
	applied := map[string][]string(t.seen.Applied)
	if creating && !gains(t.status.Applied, applied) {
		return
	}
	r.mirror(t)
	r.describeApplied(t, applied)
}

// mirror shows in the status what was observed.
func (r *Reconciler) mirror(t *turn) {
	if err := t.obj.SetObserved(t.seen.Mirror); err != nil {
		logf.Log.Error(err, "the driver's mirror does not match the schema of the spec")
	}
	if r.Kind.SetEndpoint != nil {
		r.Kind.SetEndpoint(t.obj, t.seen.Endpoint)
	}
	if t.seen.Fixed != nil {
		t.status.Fixed = t.seen.Fixed
	}
}

// describeApplied notes what is set in the cloud, and releases what the spec no longer has.
func (r *Reconciler) describeApplied(t *turn, applied map[string][]string) {
	if t.policy.Refused.Reason != "" || applied == nil {
		return // what is wanted is not known, so nothing is released
	}
	if sent, ok := t.status.Applied[driver.FieldPassword]; ok {
		applied[driver.FieldPassword] = sent
	}
	if t.policy.Management == v1alpha1.ManagementFull && !t.deleting {
		t.letGo = append(t.letGo, t.released()...)
		t.status.Applied = applied
	}
}

// gains reports whether after names a field that before does not.
func gains(before, after map[string][]string) bool {
	for name := range after {
		if _, had := before[name]; !had {
			return true
		}
	}
	return false
}

// nextPlan returns the plan's status: once nothing waits any more the serial moves on, and an
// approval of old is good for nothing.
func nextPlan(before *v1alpha1.PlanStatus, hash string) *v1alpha1.PlanStatus {
	switch {
	case before == nil && hash == "":
		return nil
	case before == nil:
		return &v1alpha1.PlanStatus{Hash: hash}
	case before.Hash != "" && hash == "":
		return &v1alpha1.PlanStatus{Serial: before.Serial + 1}
	default:
		return &v1alpha1.PlanStatus{Hash: hash, Serial: before.Serial}
	}
}

// patchStatus writes the status if it differs from what is stored.
func (r *Reconciler) patchStatus(ctx context.Context, t *turn) error {
	if equality.Semantic.DeepEqual(t.stored, t.obj) {
		t.mem.creation = nil
		return nil
	}
	desired := t.obj.DeepCopyObject().(v1alpha1.ResourceObject)
	err := r.Client.Status().Patch(ctx, desired, client.MergeFromWithOptions(t.stored, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return err
	}
	t.obj.SetResourceVersion(desired.GetResourceVersion())
	t.stored, t.changed = t.obj.DeepCopyObject().(v1alpha1.ResourceObject), true
	t.mem.unrecorded, t.mem.creation = false, nil
	r.tellStored(t)
	return nil
}

// notRecorded says when to come back if the status could not be written.
func (r *Reconciler) notRecorded(ctx context.Context, t *turn, err error) reconcile.Result {
	switch {
	case apierrors.IsNotFound(err):
		r.leaveRollout(r.memories.forget(client.ObjectKeyFromObject(t.obj)))
		return reconcile.Result{}
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: t.mem.pace.WhileCloudWorks()}
	default:
		r.countUnrecorded(t)
		if !t.mem.unrecorded { // said once, not at each try
			logf.FromContext(ctx).Error(err, "the status could not be written; it will be tried again")
		}
		t.mem.unrecorded = true
		return reconcile.Result{RequeueAfter: t.mem.pace.AfterError(0)}
	}
}

// comeBack says when the object is to be looked at again, and how much that matters: what was begun is
// finished first, then comes what somebody wants, and re-checks wait behind all that.
func (r *Reconciler) comeBack(t *turn, out outcome) reconcile.Result {
	pace := t.mem.pace
	result := reconcile.Result{}
	switch out.next {
	case soon:
		t.mem.priority = account.InProgress
		result.RequeueAfter = time.Millisecond
	case polling:
		t.mem.priority = max(t.mem.priority, account.UserRequested)
		result.RequeueAfter = pace.WhileCloudWorks()
	case later:
		return reconcile.Result{RequeueAfter: out.atLeast, Priority: queuePriority(account.Resync)}
	case afterError:
		t.mem.priority = max(t.mem.priority, account.UserRequested)
		if out.state.WaitsForPerson() {
			t.mem.priority = account.Resync
		}
		result.RequeueAfter = pace.AfterError(out.atLeast)
	case never:
		return result
	default:
		pace.Settled()
		t.mem.priority = account.Resync
		result.RequeueAfter = pace.UntilSync()
	}
	if out.atMost > 0 {
		result.RequeueAfter = min(result.RequeueAfter, out.atMost)
	}
	result.Priority = queuePriority(t.mem.priority)
	return result
}
